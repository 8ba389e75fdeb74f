#include "private.h"

// Counts the memory of what peers have not read against `unsent_bytes_max`: responses, and what
// libwebsockets buffers because the kernel did not take it.

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

/// Counts `count` more bytes that a connection has not sent. Returns false if they exceed the
/// limit.
bool wsl_unsent_add(wsl_loop *loop, wsl_slot *slot, size_t count) {
  size_t total = slot->unsent_bytes + count, reserved;
  wsl_limits *limits = &loop->limits;
  wsl_unsent_release(limits->unsent_bytes, slot->unsent_reserved);
  bool is_available =
      wsl_unsent_reserve(limits->unsent_bytes, limits->unsent_bytes_max, total, &reserved);
  slot->unsent_bytes = is_available ? total : 0;
  slot->unsent_reserved = reserved;
  return is_available;
}

/// The kernel has taken all bytes of a connection, or the connection has ended.
void wsl_unsent_end(wsl_loop *loop, wsl_slot *slot) {
  wsl_unsent_release(loop->limits.unsent_bytes, slot->unsent_reserved);
  slot->unsent_bytes = slot->unsent_reserved = 0;
}
