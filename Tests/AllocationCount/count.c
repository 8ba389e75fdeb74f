#include "AllocationCount.h"

#include <errno.h>
#include <malloc.h>
#include <stddef.h>

/// glibc's functions, under the names that remain available to programs that replace them.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/// Thread-local, so that counting costs only an addition.
static _Thread_local uint64_t count;
static _Thread_local int64_t bytes;
static bool are_bytes_counted;

uint64_t allocation_count(void) { return count; }
int64_t allocated_bytes(void) { return bytes; }
void count_bytes(bool are_counted) { are_bytes_counted = are_counted; }

/// Counts a new block. A block has 8 bytes besides its usable size.
static void *counted(void *block) {
  count++;
  if (are_bytes_counted && block) bytes += (int64_t)malloc_usable_size(block) + 8;
  return block;
}

static void forget(void *block) {
  if (are_bytes_counted && block) bytes -= (int64_t)malloc_usable_size(block) + 8;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }
void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) {
  return counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  *block = counted(__libc_memalign(alignment, size));
  return *block ? 0 : ENOMEM;
}

void *realloc(void *block, size_t size) {
  forget(block);
  return counted(__libc_realloc(block, size));
}

void free(void *block) {
  forget(block);
  __libc_free(block);
}
