#define _GNU_SOURCE  // accept4
#include "private.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// The listening sockets do not use libwebsockets' listener, which binds an IPv4 literal to all
// addresses, does not report why binding failed, and spins when the process is out of descriptors.

enum { BACKLOG = 1024, ACCEPTS_PER_TURN = 128, UNSENT_BYTES = 32768, READS_MAX = 64 };

/// Writes a problem document directly to a socket, bypassing libwebsockets.
void wsl_refuse_socket(int descriptor, int status, const char *headers, const char *code,
                       const char *detail) {
  char request[2048], lines[100], text[WSL_PROBLEM_BYTES];
  snprintf(lines, sizeof lines, "Connection: close\r\n%s", headers);
  size_t count = wsl_problem_text(text, sizeof text, status, lines, code, detail);
  // Read the request first: closing a socket with unread bytes sends a RST, which can make the
  // client discard the response.
  for (int reads = 0; reads < READS_MAX; reads++)
    if (recv(descriptor, request, sizeof request, MSG_DONTWAIT) < (ssize_t)sizeof request) break;
  (void)!send(descriptor, text, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Answers a connection that libwebsockets has not adopted with a problem document, and closes it.
void wsl_refuse_connection(int descriptor, int status, const char *code, const char *detail) {
  wsl_refuse_socket(descriptor, status, "Retry-After: 5\r\n", code, detail);
  shutdown(descriptor, SHUT_WR);
  close(descriptor);
}

/// Refuses a connection when the process is out of descriptors. To accept it, the function closes
/// the spare descriptor. A connection that is not accepted would keep the listening socket
/// readable, and the loop would spin.
static void refuse_with_spare(wsl_loop *loop, int listening) {
  close(loop->spare_descriptor);
  int descriptor = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
  if (descriptor >= 0) {
    loop->counters.refused_full++;
    wsl_refuse_connection(descriptor, 503, "full", "too many connections");
  }
  loop->spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/// Counts a new connection, or refuses it and returns false if a limit is reached.
static bool admit(wsl_loop *loop, wsl_connection connection) {
  switch (wsl_peers_begin(loop->limits.count, connection.network)) {
  case WSL_ADMITTED:
    return true;
  case WSL_TOO_MANY:
    loop->counters.refused_full++;
    wsl_refuse_connection(connection.descriptor, 503, "full", "too many connections");
    return false;
  case WSL_TOO_MANY_OF_NETWORK:
    loop->counters.refused_network++;
    wsl_refuse_connection(connection.descriptor, 429, "tooMany",
                          "too many connections from this address");
    return false;
  }
  return false;
}

/// The network whose connection limit applies to a connection, or `WSL_EXEMPT_NETWORK`.
static wsl_network_id counted_network(const wsl_listener *listener, const struct sockaddr *peer,
                                      socklen_t length) {
  const wsl_loop *loop = listener->loop;
  char text[NI_MAXHOST] = "";
  if (listener == &loop->listeners[WSL_ADMIN]) return WSL_EXEMPT_NETWORK;
  getnameinfo(peer, length, text, sizeof text, NULL, 0, NI_NUMERICHOST);
  return loop->handlers.is_exempt(loop->owner, text) ? WSL_EXEMPT_NETWORK : wsl_network_of(peer);
}

static void set_options(const wsl_loop *loop, int descriptor) {
  int on = 1, unsent_bytes = UNSENT_BYTES, unacknowledged_ms = (int)loop->limits.pong_ms;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // Limit the unsent data in the kernel: updates for a slow peer wait in the hub, which can
  // replace them by a snapshot.
  setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes, sizeof unsent_bytes);
  // Close the connection if the peer does not acknowledge sent data within this time.
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_ms,
             sizeof unacknowledged_ms);
}

/// Serves a new connection on this loop, unless the `accepted` handler takes it over.
static void take(wsl_listener *listener, wsl_connection connection) {
  wsl_loop *loop = listener->loop;
  bool is_admin = listener == &loop->listeners[WSL_ADMIN];
  if (!is_admin && !admit(loop, connection)) return;
  set_options(loop, connection.descriptor);
  if (is_admin || loop->handlers.accepted(loop->owner, connection) == 0)
    wsl_serve(loop, connection, NULL, 0, is_admin);
}

static void accept_all(uv_poll_t *poll, int status, int events) {
  wsl_listener *listener = poll->data;
  (void)events;
  for (int count = 0; status == 0 && count < ACCEPTS_PER_TURN; count++) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    struct sockaddr *address = (struct sockaddr *)&peer;
    int descriptor =
        accept4(listener->descriptor, address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0)
      take(listener, (wsl_connection){descriptor, counted_network(listener, address, length)});
    else if (errno == EMFILE || errno == ENFILE)
      refuse_with_spare(listener->loop, listener->descriptor);
    else if (errno != EINTR && errno != ECONNABORTED) return;
  }
}

static int give_up(int descriptor, char *problem, size_t size, const char *address, int port,
                   const char *why) {
  snprintf(problem, size, strchr(address, ':') ? "cannot listen at [%s]:%d: %s"
                                               : "cannot listen at %s:%d: %s",
           address, port, why);
  if (descriptor >= 0) close(descriptor);
  return -1;
}

static const char *reason(int error) {
  switch (error) {
  case EADDRINUSE:
    return "the port is in use; stop the other program or choose another port (0: any free port)";
  case EADDRNOTAVAIL:
    return "this machine has no such address";
  case EACCES:
    return "permission denied; choose a port from 1024 up, or grant CAP_NET_BIND_SERVICE";
  default:
    return strerror(error);
  }
}

/// The port of a bound socket, or -1 if it is not bound to the address in `wanted`.
static int bound_port(int descriptor, const struct sockaddr *wanted) {
  struct sockaddr_storage bound = {0};
  socklen_t length = sizeof bound;
  if (getsockname(descriptor, (struct sockaddr *)&bound, &length) != 0) return -1;
  if (bound.ss_family != wanted->sa_family) return -1;
  if (wanted->sa_family == AF_INET) {
    const struct sockaddr_in *is = (void *)&bound, *asked = (const void *)wanted;
    return is->sin_addr.s_addr == asked->sin_addr.s_addr ? ntohs(is->sin_port) : -1;
  }
  const struct sockaddr_in6 *is = (void *)&bound, *asked = (const void *)wanted;
  bool is_same = memcmp(&is->sin6_addr, &asked->sin6_addr, sizeof is->sin6_addr) == 0;
  return is_same ? ntohs(is->sin6_port) : -1;
}

/// Creates a non-blocking socket that listens on `to`. Returns -1 and sets `errno` on failure.
static int listening_socket(const struct addrinfo *to) {
  int on = 1;
  int descriptor = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (to->ai_family == AF_INET6)  // [::] must not accept IPv4 connections as well
    setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (bind(descriptor, to->ai_addr, to->ai_addrlen) == 0 && listen(descriptor, BACKLOG) == 0)
    return descriptor;
  int error = errno;
  close(descriptor);
  errno = error;
  return -1;
}

int wsl_listen(wsl_loop *loop, wsl_audience audience, const char *address, uint16_t port,
               char *problem, size_t size) {
  wsl_listener *listener = &loop->listeners[audience];
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                           .ai_socktype = SOCK_STREAM};
  struct addrinfo *to = NULL;
  char service[8];
  if (listener->descriptor >= 0)
    return give_up(-1, problem, size, address, port, "this listener is already open");
  snprintf(service, sizeof service, "%u", port);
  if (getaddrinfo(address, service, &hints, &to) != 0)
    return give_up(-1, problem, size, address, port,
                   "not a numeric IPv4 or IPv6 address, such as 127.0.0.1 or ::1");
  int descriptor = listening_socket(to);
  int error = errno;
  int real_port = descriptor < 0 ? -1 : bound_port(descriptor, to->ai_addr);
  freeaddrinfo(to);
  if (descriptor < 0) return give_up(-1, problem, size, address, port, reason(error));
  if (real_port < 0)
    return give_up(descriptor, problem, size, address, port,
                   "the kernel bound a different address");
  listener->loop = loop;
  listener->descriptor = descriptor;
  uv_poll_init(&loop->uv, &listener->poll, descriptor);
  listener->poll.data = listener;
  listener->is_polled = true;
  uv_poll_start(&listener->poll, UV_READABLE, accept_all);
  return real_port;
}

static void listener_is_closed(uv_handle_t *handle) {
  wsl_listener *listener = handle->data;
  close(listener->descriptor);
  listener->descriptor = -1;
}

static void close_listener(wsl_listener *listener) {
  if (!listener->is_polled) return;
  listener->is_polled = false;
  uv_poll_stop(&listener->poll);
  shutdown(listener->descriptor, SHUT_RDWR);  // refuses new connections immediately
  uv_close((uv_handle_t *)&listener->poll, listener_is_closed);
}

/// Stops accepting connections. The descriptors are closed in the next event-loop iteration.
void wsl_close_listeners(wsl_loop *loop) {
  for (int audience = 0; audience < WSL_AUDIENCE_COUNT; audience++)
    close_listener(&loop->listeners[audience]);
}

void wsl_stop_listening(wsl_loop *loop) { wsl_close_listeners(loop); }
