#include "private.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

// Counts connections against the limits, in total and per network, and passes those within the
// limits to the loop that serves them.

enum { UNSENT_BYTES = 32768 };

/// The network whose connection limit applies to a public connection, or `WSL_EXEMPT_NETWORK`.
wsl_network_id wsl_counted_network(const wsl_loop *loop, wsl_address peer) {
  char text[INET6_ADDRSTRLEN];
  bool is_exempt =
      loop->handlers.is_exempt(loop->owner, wsl_address_text(peer, text, sizeof text));
  return is_exempt ? WSL_EXEMPT_NETWORK : wsl_network_of(peer);
}

void wsl_refuse_network(wsl_loop *loop, wsl_connection connection) {
  loop->counters.refused_network++;
  wsl_refuse_connection(connection, 429, "tooMany", "too many connections from this address");
}

/// Counts a new connection, or refuses it and returns false if a limit is reached.
bool wsl_admit(wsl_loop *loop, wsl_connection connection) {
  if (connection.audience == WSL_ADMIN) return true;
  switch (wsl_peers_begin(loop->limits.count, connection.network)) {
  case WSL_ADMITTED:
    return true;
  case WSL_TOO_MANY:
    loop->counters.refused_full++;
    wsl_refuse_connection(connection, 503, "full", "too many connections");
    return false;
  case WSL_TOO_MANY_OF_NETWORK:
    wsl_refuse_network(loop, connection);
    return false;
  }
  return false;
}

bool wsl_count_client(wsl_loop *loop, wsl_id id, wsl_network_id network) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!slot || slot->audience > WSL_BACKEND || slot->network != WSL_EXEMPT_NETWORK) return true;
  if (!wsl_peers_move(loop->limits.count, WSL_EXEMPT_NETWORK, network)) {
    loop->counters.refused_network++;
    return false;
  }
  slot->network = network;
  wsl_peers_hold(loop->limits.count, network, WSL_HOLDS_BODIES, slot->body_bytes, UINT64_MAX);
  return true;
}

void wsl_set_options(const wsl_loop *loop, wsl_connection connection) {
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
