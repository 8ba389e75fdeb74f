#define _GNU_SOURCE  // accept4
#include "private.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

enum { ACCEPTS_PER_ITERATION = 128, UNSENT_BYTES = 32768 };

/// A connection that a listener has accepted. Its TLS handshake follows on the loop that serves it.
static wsl_connection made(const wsl_listener *listener, int descriptor) {
  bool is_tls = listener->listening.is_tls;
  return (wsl_connection){.descriptor = descriptor,
                          .audience = listener->listening.audience,
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
    loop->counters.refused_full++;
    wsl_refuse_connection(made(listener, descriptor), 503, "full", "too many connections");
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
    wsl_refuse_connection(connection, 503, "full", "too many connections");
    return false;
  case WSL_TOO_MANY_OF_NETWORK:
    loop->counters.refused_network++;
    wsl_refuse_connection(connection, 429, "tooMany", "too many connections from this address");
    return false;
  }
  return false;
}

/// The network whose connection limit applies to a connection, or `WSL_EXEMPT_NETWORK`.
static wsl_network_id counted_network(const wsl_listener *listener, const struct sockaddr *peer,
                                      socklen_t length) {
  const wsl_loop *loop = listener->loop;
  char text[NI_MAXHOST] = "";
  if (listener->listening.audience == WSL_ADMIN) return WSL_EXEMPT_NETWORK;
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
static void serve(wsl_loop *loop, wsl_connection connection) {
  if (connection.audience != WSL_ADMIN && !admit(loop, connection)) return;
  set_options(loop, connection.descriptor);
  if (connection.audience != WSL_PUBLIC ||
      loop->handlers.accepted(loop->owner, connection) == 0)
    wsl_adopt(loop, connection, NULL, 0);
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
      wsl_connection connection = made(listener, descriptor);
      connection.network = counted_network(listener, address, length);
      serve(listener->loop, connection);
    } else if (errno == EMFILE || errno == ENFILE)
      refuse_with_spare(listener);
    else if (errno != EINTR && errno != ECONNABORTED) return;
  }
}
