#define _GNU_SOURCE  // accept4
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  BACKLOG = 1024,
  ACCEPTS_PER_ITERATION = 128,
  UNSENT_BYTES = 32768,
  HELD_MAX = 1024,
  HOLD_MS = 10000,
};

// Connections that other loops have accepted ---------------------------------------------------

void wsl_discard(wsl_connection connection, wsl_peers *count) {
  wsl_connection_free(connection);
  wsl_peers_end(count, connection.network);
}

/// Refuses a connection because this loop drains, or holds too many.
static void refuse_new(wsl_loop *loop, wsl_connection connection) {
  static const wsl_problem draining = {503, "draining", "the server is shutting down"},
                           full = {503, "full", "too many connections"};
  if (!loop->drain_by_ms) loop->counters.refused_full++;
  wsl_refuse_connection(loop, connection, loop->drain_by_ms ? draining : full);
}

void wsl_adopt(wsl_loop *loop, wsl_connection connection) {
  loop->counters.connections++;
  if (loop->drain_by_ms) refuse_new(loop, connection);
  else wsl_http_serve(loop, connection);
}

wsl_id wsl_hold(wsl_loop *loop, wsl_connection connection) {
  loop->counters.connections++;
  if (loop->drain_by_ms || loop->held_count == HELD_MAX) {
    refuse_new(loop, connection);
    return 0;
  }
  wsl_http *http = wsl_http_make(loop, connection, PHASE_HELD, HOLD_MS);
  if (!http) return 0;
  loop->held_count++;
  return http->held_id = ++loop->last_held;
}

static void refuse_held(wsl_loop *loop, wsl_connection connection) {
  static const wsl_problem unavailable = {
      503, "unavailable",
      "the server that has this session is not known, or cannot be reached; retry later"};
  wsl_refuse_connection(loop, connection, unavailable);
}

/// Takes a held connection. Returns false if it is not held any more.
static bool take_held(wsl_loop *loop, wsl_id id, wsl_connection *connection) {
  wsl_http *http = loop->held;
  while (http && http->held_id != id) http = http->next;
  if (http) *connection = wsl_http_take(http);
  return http;
}

void wsl_serve_held(wsl_loop *loop, wsl_id id) {
  wsl_connection connection;
  if (!take_held(loop, id, &connection)) return;
  loop->counters.connections--;
  wsl_adopt(loop, connection);
}

void wsl_relay_held(wsl_loop *loop, wsl_id id, const char *address, uint16_t port) {
  wsl_connection connection;
  if (take_held(loop, id, &connection)) wsl_relay_to(loop, connection, address, port);
}

void wsl_refuse_held(wsl_loop *loop, wsl_id id) {
  wsl_connection connection;
  if (take_held(loop, id, &connection)) refuse_held(loop, connection);
}

/// Refuses the connections that were held for too long. INT64_MAX refuses all.
void wsl_held_sweep(wsl_loop *loop, int64_t now) {
  for (wsl_http *http = loop->held, *next; http; http = next) {
    next = http->next;
    if (now >= http->deadline_ms) refuse_held(loop, wsl_http_take(http));
  }
}

// Limits ---------------------------------------------------------------------------------------

/// The network whose connection limit applies to a public connection, or `WSL_EXEMPT_NETWORK`.
static wsl_network_id counted_network(const wsl_loop *loop, wsl_address peer) {
  char text[INET6_ADDRSTRLEN];
  bool is_exempt =
      loop->handlers.is_exempt(loop->owner, wsl_address_text(peer, text, sizeof text));
  return is_exempt ? WSL_EXEMPT_NETWORK : wsl_network_of(peer);
}

/// Refuses a connection that is not counted.
static void refuse_uncounted(wsl_connection connection, wsl_problem problem) {
  if (!connection.is_tls) wsl_refuse_socket(connection.descriptor, NULL, problem);
  close(connection.descriptor);
}

static void refuse_network(wsl_loop *loop, wsl_connection connection) {
  loop->counters.refused_network++;
  refuse_uncounted(connection,
                   (wsl_problem){429, "tooMany", "too many connections from this address"});
}

static bool refuse_full(wsl_loop *loop, wsl_connection connection) {
  loop->counters.refused_full++;
  refuse_uncounted(connection, (wsl_problem){503, "full", "too many connections"});
  return false;
}

/// Counts a new connection, or refuses it and returns false if a limit is reached.
static bool admit(wsl_loop *loop, wsl_connection connection) {
  if (connection.audience == WSL_ADMIN) {
    if (loop->admin_count == WSL_ADMIN_CONNECTIONS_MAX) return refuse_full(loop, connection);
    loop->admin_count++;
  } else {
    switch (wsl_peers_begin(loop->limits.count, connection.network)) {
    case WSL_ADMITTED:
      break;
    case WSL_TOO_MANY:
      return refuse_full(loop, connection);
    case WSL_TOO_MANY_OF_NETWORK:
      refuse_network(loop, connection);
      return false;
    }
  }
  loop->counters.connections++;
  return true;
}

static void set_options(const wsl_loop *loop, wsl_connection connection) {
  int on = 1, unsent_bytes = UNSENT_BYTES, unacknowledged_ms = (int)loop->limits.pong_ms;
  int descriptor = connection.descriptor;
  // Limit the unsent data in the kernel: updates for a slow peer wait in the hub, which can
  // replace them by a snapshot.
  if (connection.is_unix) {
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &unsent_bytes, sizeof unsent_bytes);
    return;
  }
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent_bytes, sizeof unsent_bytes);
  // Close the connection if the peer does not acknowledge sent data within this time.
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged_ms,
             sizeof unacknowledged_ms);
}

// New connections ------------------------------------------------------------------------------

/// Serves an admitted connection.
static void begin_http(wsl_loop *loop, wsl_connection connection) {
  set_options(loop, connection);
  loop->counters.accepted++;
  if (!connection.is_tls || wsl_tls_begin(loop, &connection)) {
    wsl_http_begin(loop, connection);
    return;
  }
  wsl_connection_free(connection);
  wsl_leave(loop, connection.audience, connection.network);
}

static void refuse_header(wsl_http *http, const char *why) {
  char line[200], text[INET6_ADDRSTRLEN];
  snprintf(line, sizeof line, "a connection from %s was closed: %s",
           wsl_address_text(http->connection.peer, text, sizeof text), why);
  wsl_log(http->loop, true, line);
  wsl_http_end(http);
}

/// Serves a connection whose PROXY protocol header is complete.
static void header_received(wsl_http *http) {
  wsl_loop *loop = http->loop;
  wsl_address client = http->connection.peer;
  if (!wsl_proxy_client(&http->proxy, &client)) {
    refuse_header(http, "its PROXY protocol header is invalid");
    return;
  }
  bool is_backend = http->proxy.bytes[WSL_PROXY_BYTES - 1] == WSL_BACKEND;
  wsl_connection connection = wsl_http_take(http);
  connection.peer = client;
  if (connection.is_relayed && is_backend) connection.audience = WSL_BACKEND;
  wsl_network_id network = counted_network(loop, client);
  if (!wsl_peers_move(loop->limits.count, connection.network, network)) {
    wsl_leave(loop, connection.audience, connection.network);
    refuse_network(loop, connection);
    return;
  }
  connection.network = network;
  begin_http(loop, connection);
}

/// Receives a part of a PROXY protocol header. What follows the addresses (TLVs) is not stored.
static void receive_header(wsl_http *http, int status, int events) {
  wsl_proxy_header *header = &http->proxy;
  uint8_t ignored[256];
  bool is_stored = header->count < sizeof header->bytes;
  uint8_t *into = is_stored ? header->bytes + header->count : ignored;
  size_t size = is_stored ? sizeof header->bytes - header->count : sizeof ignored;
  uint32_t length = wsl_proxy_header_length(header);
  (void)events;
  if (size > length - header->count) size = length - header->count;
  ssize_t count = status != 0 ? 0 : recv(http->connection.descriptor, into, size, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    wsl_http_end(http);  // also the end of a health check that only connects
    return;
  }
  header->count += (uint32_t)count;
  length = wsl_proxy_header_length(header);
  if (length == 0)
    refuse_header(http, "it does not begin with a PROXY protocol header, version 2");
  else if (header->count == length) header_received(http);
}

// Accepting ------------------------------------------------------------------------------------

/// A connection that a listener has accepted. Its TLS handshake follows on the loop that serves it.
static wsl_connection made(const wsl_listener *listener, int descriptor,
                           const struct sockaddr *peer) {
  return (wsl_connection){.descriptor = descriptor,
                          .audience = listener->listening.audience,
                          .is_unix = peer->sa_family == AF_UNIX,
                          .is_relayed = listener->listening.is_relayed,
                          .peer = wsl_address_of(peer),
                          .network = WSL_EXEMPT_NETWORK,
                          .is_tls = listener->listening.is_tls};
}

/// Refuses a connection when the process is out of descriptors. To accept it, the function closes
/// the spare descriptor. A connection that is not accepted would keep the listening socket
/// readable, and the loop would spin.
static void refuse_with_spare(const wsl_listener *listener) {
  wsl_loop *loop = listener->loop;
  close(loop->spare_descriptor);
  int descriptor = accept4(listener->descriptor, NULL, NULL, SOCK_CLOEXEC);
  if (descriptor >= 0) {
    struct sockaddr nobody = {.sa_family = AF_UNSPEC};
    refuse_full(loop, made(listener, descriptor, &nobody));
  }
  loop->spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/// Only trusted proxies and other nodes may report the addresses of clients.
static void begin_proxied(wsl_loop *loop, wsl_connection connection) {
  char line[200], text[INET6_ADDRSTRLEN];
  const char *peer = wsl_address_text(connection.peer, text, sizeof text);
  if (connection.is_relayed || loop->handlers.is_exempt(loop->owner, peer)) {
    wsl_http *http = admit(loop, connection) ? wsl_http_make(loop, connection, PHASE_PROXIED,
                                                             loop->limits.header_ms) : NULL;
    if (http) wsl_http_poll(http, UV_READABLE, receive_header);
    return;
  }
  snprintf(line, sizeof line, "a connection from %s was closed: it is not a trusted proxy", peer);
  wsl_log(loop, true, line);
  close(connection.descriptor);
}

static void begin(wsl_loop *loop, wsl_connection connection) {
  if (connection.audience != WSL_ADMIN)
    connection.network = counted_network(loop, connection.peer);
  if (admit(loop, connection)) begin_http(loop, connection);
}

/// Accepts pending connections of a listener when its socket is readable.
static void accept_all(uv_poll_t *poll, int status, int events) {
  wsl_listener *listener = poll->data;
  (void)events;
  for (int count = 0; status == 0 && count < ACCEPTS_PER_ITERATION; count++) {
    struct sockaddr_storage peer;
    socklen_t length = sizeof peer;
    struct sockaddr *address = (struct sockaddr *)&peer;
    int descriptor =
        accept4(listener->descriptor, address, &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (descriptor >= 0) {
      wsl_connection connection = made(listener, descriptor, address);
      bool has_header = listener->listening.is_proxied || connection.is_relayed;
      if (has_header) begin_proxied(listener->loop, connection);
      else begin(listener->loop, connection);
    } else if (errno == EMFILE || errno == ENFILE)
      refuse_with_spare(listener);
    else if (errno != EINTR && errno != ECONNABORTED) return;
  }
}

// Listening ------------------------------------------------------------------------------------
//
// The listening sockets do not use libwebsockets' listener, which binds an IPv4 literal to all
// addresses, does not report why binding failed, and spins when the process is out of descriptors.

static int listen_error(int descriptor, char *problem, size_t size, const char *address, int port,
                   const char *why) {
  snprintf(problem, size, strchr(address, ':') ? "cannot listen at [%s]:%d: %s"
                                               : "cannot listen at %s:%d: %s",
           address, port, why);
  if (descriptor >= 0) close(descriptor);
  return -1;
}

static const char *bind_error(int error) {
  switch (error) {
  case EADDRINUSE:
    return "the port is in use; stop the other program or choose another port (0: any free port)";
  case EADDRNOTAVAIL:
    return "this machine has no such address";
  case EACCES:
    return "permission denied; choose a port from 1024 up, or let systemd open it (systemd:NAME)";
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

bool wsl_listen_on(wsl_loop *loop, wsl_listening listening, int descriptor) {
  if (loop->listener_count == WSL_LISTENERS_MAX) {
    close(descriptor);
    return false;
  }
  wsl_listener *listener = &loop->listeners[loop->listener_count++];
  *listener = (wsl_listener){.loop = loop, .descriptor = descriptor, .listening = listening};
  uv_poll_init(&loop->uv, &listener->poll, descriptor);
  listener->poll.data = listener;
  listener->is_polled = true;
  uv_poll_start(&listener->poll, UV_READABLE, accept_all);
  return true;
}

int wsl_listen(wsl_loop *loop, wsl_listening listening, const char *address, uint16_t port,
               char *problem, size_t size) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                           .ai_socktype = SOCK_STREAM};
  struct addrinfo *to = NULL;
  char service[8];
  snprintf(service, sizeof service, "%u", port);
  if (getaddrinfo(address, service, &hints, &to) != 0)
    return listen_error(-1, problem, size, address, port,
                   "not a numeric IPv4 or IPv6 address, such as 127.0.0.1 or ::1");
  int descriptor = listening_socket(to);
  int error = errno;
  int real_port = descriptor < 0 ? -1 : bound_port(descriptor, to->ai_addr);
  freeaddrinfo(to);
  if (descriptor < 0) return listen_error(-1, problem, size, address, port, bind_error(error));
  if (real_port < 0)
    return listen_error(descriptor, problem, size, address, port,
                   "the kernel bound a different address");
  if (!wsl_listen_on(loop, listening, descriptor))
    return listen_error(-1, problem, size, address, port, "there are too many listeners");
  return real_port;
}

static void listener_is_closed(uv_handle_t *handle) {
  wsl_listener *listener = handle->data;
  close(listener->descriptor);
}

static void close_listener(wsl_listener *listener) {
  if (!listener->is_polled) return;
  listener->is_polled = false;
  uv_poll_stop(&listener->poll);
  if (!listener->listening.is_shared)
    shutdown(listener->descriptor, SHUT_RDWR);  // refuses new connections immediately
  uv_close((uv_handle_t *)&listener->poll, listener_is_closed);
}

void wsl_close_listeners(wsl_loop *loop, bool accepts_rest) {
  for (uint32_t index = 0; index < loop->listener_count; index++) {
    wsl_listener *listener = &loop->listeners[index];
    bool is_own = listener->is_polled && !listener->listening.is_shared;
    if (accepts_rest && is_own) accept_all(&listener->poll, 0, UV_READABLE);
    close_listener(listener);
  }
}
