#include "private.h"

#include <stdlib.h>

// Counts the memory of request bodies against `bodies_bytes_max`.

enum { LARGE_BODY_BYTES = 65536 };

/// Reserves `count` more bytes of `bodies_bytes_max` for a body. Returns false if they are not
/// available. Only memory in use is counted: an announced length costs the client nothing.
bool wsl_body_reserve(wsl_loop *loop, wsl_slot *slot, size_t count) {
  uint64_t most = loop->limits.bodies_bytes_max;
  if (slot->body_length > LARGE_BODY_BYTES) most -= most / 4;
  uint64_t before = __atomic_fetch_add(loop->limits.bodies_bytes, count, __ATOMIC_RELAXED);
  if (before + count > most) {
    wsl_count_body(loop->limits.bodies_bytes, -(int64_t)count);
    return false;
  }
  slot->body_bytes += (uint32_t)count;
  return true;
}

/// Releases the bytes that `wsl_body_reserve` has counted, if any.
void wsl_body_release(wsl_loop *loop, wsl_slot *slot) {
  wsl_count_body(loop->limits.bodies_bytes, -(int64_t)slot->body_bytes);
  slot->body_bytes = 0;
}

void wsl_count_body(uint64_t *bodies_bytes, int64_t count) {
  __atomic_fetch_add(bodies_bytes, (uint64_t)count, __ATOMIC_RELAXED);
}

uint64_t wsl_body_count(const uint64_t *bodies_bytes) {
  return __atomic_load_n(bodies_bytes, __ATOMIC_RELAXED);
}

void wsl_body_free(void *body) { free(body); }
