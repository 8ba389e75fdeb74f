#include "private.h"

// Counts the memory of what peers have not read against `unsent_bytes_max`: responses, and what
// libwebsockets buffers because the kernel did not take it. The connections of one network may use
// a quarter of it.

/// Reserves the memory of `count` unsent bytes. Only those over WSL_UNCOUNTED_BYTES are counted.
///
/// - Parameter reserved: Set to the counted bytes.
/// - Returns: False if they are not available.
bool wsl_unsent_reserve(uint64_t *unsent_bytes, uint64_t most, size_t count, size_t *reserved) {
  *reserved = count > WSL_UNCOUNTED_BYTES ? count - WSL_UNCOUNTED_BYTES : 0;
  if (*reserved == 0) return true;
  uint64_t before = __atomic_fetch_add(unsent_bytes, *reserved, __ATOMIC_RELAXED);
  // One response may exceed the limit: otherwise a long one could never be sent.
  if (before == 0 || before + *reserved <= most) return true;
  wsl_unsent_release(unsent_bytes, *reserved);
  *reserved = 0;
  return false;
}

void wsl_unsent_release(uint64_t *unsent_bytes, size_t reserved) {
  if (reserved > 0) __atomic_fetch_sub(unsent_bytes, reserved, __ATOMIC_RELAXED);
}

uint64_t wsl_unsent_count(const uint64_t *unsent_bytes) {
  return __atomic_load_n(unsent_bytes, __ATOMIC_RELAXED);
}

/// Counts the `count` bytes of a response, of which `reserved` are counted in total already.
/// Returns false and releases those if the network has no more room.
bool wsl_unsent_begin(wsl_loop *loop, wsl_slot *slot, size_t count, size_t reserved) {
  wsl_limits *limits = &loop->limits;
  if (!wsl_peers_hold(limits->count, slot->network, WSL_HOLDS_UNSENT, reserved,
                      limits->unsent_bytes_max / 4)) {
    wsl_unsent_release(limits->unsent_bytes, reserved);
    return false;
  }
  slot->unsent_bytes = count;
  slot->unsent_reserved = reserved;
  return true;
}

/// Counts `count` more bytes that a connection has not sent. Returns false if they exceed a limit.
bool wsl_unsent_add(wsl_loop *loop, wsl_slot *slot, size_t count) {
  size_t total = slot->unsent_bytes + count, reserved;
  wsl_limits *limits = &loop->limits;
  wsl_unsent_end(loop, slot);
  return wsl_unsent_reserve(limits->unsent_bytes, limits->unsent_bytes_max, total, &reserved) &&
         wsl_unsent_begin(loop, slot, total, reserved);
}

/// The kernel has taken all bytes of a connection, or the connection has ended.
void wsl_unsent_end(wsl_loop *loop, wsl_slot *slot) {
  wsl_peers_drop(loop->limits.count, slot->network, WSL_HOLDS_UNSENT, slot->unsent_reserved);
  wsl_unsent_release(loop->limits.unsent_bytes, slot->unsent_reserved);
  slot->unsent_bytes = slot->unsent_reserved = 0;
}
