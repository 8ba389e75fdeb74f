#define _GNU_SOURCE  // accept4
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { ACCEPTS_PER_ITERATION = 128 };

/// A connection that a listener has accepted. Its TLS handshake follows on the loop that serves it.
static wsl_connection made(const wsl_listener *listener, int descriptor,
                           const struct sockaddr *peer) {
  bool is_tls = listener->listening.is_tls;
  return (wsl_connection){.descriptor = descriptor,
                          .audience = listener->listening.audience,
                          .is_unix = peer->sa_family == AF_UNIX,
                          .is_relayed = listener->listening.is_relayed,
                          .peer = wsl_address_of(peer),
                          .network = WSL_EXEMPT_NETWORK,
                          .tls = is_tls ? wsl_tls_begin(listener->loop->tls) : NULL};
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
    loop->counters.refused_full++;
    wsl_refuse_connection(made(listener, descriptor, &nobody), 503, "full",
                          "too many connections");
  }
  loop->spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/// Only trusted proxies and other nodes may report the addresses of clients.
static void begin_proxied(wsl_loop *loop, wsl_connection connection) {
  char line[200], text[INET6_ADDRSTRLEN];
  const char *peer = wsl_address_text(connection.peer, text, sizeof text);
  if (connection.is_relayed || loop->handlers.is_exempt(loop->owner, peer)) {
    if (wsl_admit(loop, connection)) wsl_expect_header(loop, connection);
    return;
  }
  snprintf(line, sizeof line, "a connection from %s was closed: it is not a trusted proxy", peer);
  wsl_log(loop, true, line);
  close(connection.descriptor);
  wsl_tls_end(connection.tls);
}

static void begin(wsl_loop *loop, wsl_connection connection) {
  if (connection.audience != WSL_ADMIN)
    connection.network = wsl_counted_network(loop, connection.peer);
  if (wsl_admit(loop, connection)) wsl_serve(loop, connection);
}

/// Accepts pending connections of a listener when its socket is readable.
void wsl_accept_all(uv_poll_t *poll, int status, int events) {
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
