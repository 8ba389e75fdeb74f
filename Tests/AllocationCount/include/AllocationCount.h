/// Counts the allocations of each thread by replacing `malloc` in the program that links this.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The number of allocations of this thread.
uint64_t allocation_count(void);

/// Starts or stops counting bytes, which makes each allocation slower.
void count_bytes(bool are_counted);

/// Bytes allocated minus bytes freed by this thread while counting, rounded as by the allocator.
int64_t allocated_bytes(void);
