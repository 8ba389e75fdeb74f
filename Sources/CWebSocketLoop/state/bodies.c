#include "private.h"

#include <stdlib.h>

// Counts the memory of request bodies against `bodies_bytes_max`, of which the bodies that one
// network's connections are sending may use a quarter, or the memory of one body. Small bodies do
// not count: strangers' are received, too, and each connection has one at most.

enum { LARGE_BODY_BYTES = 65536 };

/// Reserves `count` more bytes of `bodies_bytes_max` for a body. Returns false if they are not
/// available. Only memory in use is counted: an announced length costs the client nothing.
bool wsl_body_reserve(wsl_loop *loop, wsl_slot *slot, size_t count) {
  if (slot->body_length <= WSL_SMALL_BODY_BYTES) return true;
  uint64_t most = loop->limits.bodies_bytes_max;
  if (slot->body_length > LARGE_BODY_BYTES) most -= most / 4;
  uint64_t before = __atomic_fetch_add(loop->limits.bodies_bytes, count, __ATOMIC_RELAXED);
  uint64_t share = loop->limits.bodies_bytes_max / 4;
  if (share < loop->limits.body_bytes_max) share = loop->limits.body_bytes_max;
  if (before + count > most ||
      !wsl_peers_hold(loop->limits.count, slot->network, WSL_HOLDS_BODIES, count, share)) {
    wsl_count_body(loop->limits.bodies_bytes, -(int64_t)count);
    return false;
  }
  slot->body_bytes += (uint32_t)count;
  return true;
}

/// Passes the bytes that `wsl_body_reserve` has counted, if any, to the caller. They no longer use
/// the share of the network: it has sent the body.
size_t wsl_body_pass(wsl_loop *loop, wsl_slot *slot) {
  size_t count = slot->body_bytes;
  wsl_peers_drop(loop->limits.count, slot->network, WSL_HOLDS_BODIES, count);
  slot->body_bytes = 0;
  return count;
}

/// Releases the bytes that `wsl_body_reserve` has counted, if any.
void wsl_body_release(wsl_loop *loop, wsl_slot *slot) {
  wsl_count_body(loop->limits.bodies_bytes, -(int64_t)wsl_body_pass(loop, slot));
}

void wsl_count_body(uint64_t *bodies_bytes, int64_t count) {
  __atomic_fetch_add(bodies_bytes, (uint64_t)count, __ATOMIC_RELAXED);
}

uint64_t wsl_body_count(const uint64_t *bodies_bytes) {
  return __atomic_load_n(bodies_bytes, __ATOMIC_RELAXED);
}

void wsl_body_free(void *body) { free(body); }
