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

// The listening socket is ours, not libwebsockets': that one binds an IPv4 literal to all
// addresses, cannot say why it failed, and spins when the process is out of descriptors.

enum { BACKLOG = 1024, ACCEPTS_PER_TURN = 128 };

static const char full[] =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\n"
    "Content-Type: application/problem+json\r\nContent-Length: 60\r\n\r\n"
    "{\"code\":\"full\",\"status\":503,\"detail\":\"Too many connections.\"}";
static const char draining[] =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\n"
    "Content-Type: application/problem+json\r\nContent-Length: 72\r\n\r\n"
    "{\"code\":\"unavailable\",\"status\":503,\"detail\":\"The server is going away.\"}";

/// Answers that the server is full, or going away if it drains, and closes the connection.
void wsl_refuse_connection(wsl_loop *loop, int descriptor) {
  char request[2048];
  bool drains = loop->drain_by_ms != 0;
  const char *answer = drains ? draining : full;
  if (!drains) loop->counters.refused_full++;
  // Unread octets would make the kernel send a reset, which can overtake the answer.
  (void)!recv(descriptor, request, sizeof request, MSG_DONTWAIT);
  (void)!send(descriptor, answer, strlen(answer), MSG_DONTWAIT | MSG_NOSIGNAL);
  shutdown(descriptor, SHUT_WR);
  close(descriptor);
}

/// Out of descriptors: accepts one with the spare descriptor's place, to refuse it. Otherwise
/// the waiting connection would wake the loop without end.
static void refuse_with_spare(wsl_loop *loop, int listening) {
  close(loop->spare_descriptor);
  int descriptor = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
  if (descriptor >= 0) wsl_refuse_connection(loop, descriptor);
  loop->spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/// Serves a new connection: here, or on the loop that the handler gives a public one to.
static void take(wsl_listener *listener, int descriptor) {
  wsl_loop *loop = listener->loop;
  bool is_admin = listener == &loop->listeners[WSL_ADMIN];
  int on = 1;
  if (!wsl_connection_begins(loop)) {
    wsl_refuse_connection(loop, descriptor);
    return;
  }
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (is_admin || loop->handlers.accepted(loop->owner, descriptor) == 0)
    wsl_serve(loop, descriptor, NULL, 0, is_admin);
}

static void accept_all(uv_poll_t *poll, int status, int events) {
  wsl_listener *listener = poll->data;
  (void)events;
  for (int count = 0; status == 0 && count < ACCEPTS_PER_TURN; count++) {
    int descriptor = accept4(listener->descriptor, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) take(listener, descriptor);
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
    return "another program listens there; stop it or choose another port (0 is any free one)";
  case EADDRNOTAVAIL:
    return "this machine has no such address";
  case EACCES:
    return "ports below 1024 are reserved; choose a higher one";
  default:
    return strerror(error);
  }
}

/// The port of a bound socket, or -1 if it is bound to anything but `wanted`'s address.
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

/// A non-blocking socket that listens at `to`, or -1 with `errno`.
static int listening_socket(const struct addrinfo *to) {
  int on = 1;
  int descriptor = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (to->ai_family == AF_INET6)  // exactly the address that was asked for, no IPv4 beside it
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
    return give_up(-1, problem, size, address, port, "listening already");
  snprintf(service, sizeof service, "%u", port);
  if (getaddrinfo(address, service, &hints, &to) != 0)
    return give_up(-1, problem, size, address, port,
                   "this is no numeric IPv4 or IPv6 address, such as 127.0.0.1 or ::1");
  int descriptor = listening_socket(to);
  int error = errno;
  int real_port = descriptor < 0 ? -1 : bound_port(descriptor, to->ai_addr);
  freeaddrinfo(to);
  if (descriptor < 0) return give_up(-1, problem, size, address, port, reason(error));
  if (real_port < 0)
    return give_up(descriptor, problem, size, address, port, "the kernel bound another address");
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
  shutdown(listener->descriptor, SHUT_RDWR);  // from this moment on, connecting is refused
  uv_close((uv_handle_t *)&listener->poll, listener_is_closed);
}

/// Stops accepting. The descriptors are closed in the loop's next iteration.
void wsl_close_listeners(wsl_loop *loop) {
  for (int audience = 0; audience < WSL_AUDIENCE_COUNT; audience++)
    close_listener(&loop->listeners[audience]);
}

void wsl_stop_listening(wsl_loop *loop) { wsl_close_listeners(loop); }
