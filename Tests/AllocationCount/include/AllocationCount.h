/// Counts what the process allocates: the program that links this has its own `malloc`.
#pragma once

#include <stdint.h>

/// Allocations so far, by all threads.
uint64_t allocation_count(void);

/// Octets that are allocated now, as the allocator rounds them.
int64_t allocated_bytes(void);
