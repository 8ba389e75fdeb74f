/// Memory that loops count together. The functions are safe on any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Adds `count` bytes to the total of request bodies in memory. The handler that has taken a body
/// subtracts its bytes with a negative `count` when it frees it.
void wsl_count_body(uint64_t *bodies_bytes, int64_t count);

/// The total of request bodies in memory.
uint64_t wsl_body_count(const uint64_t *bodies_bytes);

/// Reserves memory for a response of `count` bytes, which counts against `most` until
/// `wsl_unsent_release` or, if it is passed to `wsl_answer`, until the peer has read it.
///
/// - Parameter reserved: Set to the bytes by which it counts, which may be 0.
/// - Returns: False if the memory is in use.
bool wsl_unsent_reserve(uint64_t *unsent_bytes, uint64_t most, size_t count, size_t *reserved);

void wsl_unsent_release(uint64_t *unsent_bytes, size_t reserved);

/// The memory of unsent responses and messages.
uint64_t wsl_unsent_count(const uint64_t *unsent_bytes);
