/// Counts what a thread allocates: the program that links this has its own `malloc`.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// Allocations of this thread so far.
uint64_t allocation_count(void);

/// From now on, or no longer, octets are counted; that makes each allocation slower.
void count_bytes(bool are_counted);

/// Octets that this thread has allocated less those that it has freed, while they were counted, as
/// the allocator rounds them.
int64_t allocated_bytes(void);
