#include "AllocationCount.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

/// glibc's own, under the names that it keeps for programs that replace them.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static _Atomic uint64_t count;
static _Atomic int64_t bytes;

uint64_t allocation_count(void) { return atomic_load_explicit(&count, memory_order_relaxed); }
int64_t allocated_bytes(void) { return atomic_load_explicit(&bytes, memory_order_relaxed); }

/// Counts a block that is new. A block has 8 octets beside what can be used of it.
static void *counted(void *block) {
  if (!block) return block;
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&bytes, (int64_t)malloc_usable_size(block) + 8, memory_order_relaxed);
  return block;
}

static void forget(void *block) {
  if (!block) return;
  atomic_fetch_sub_explicit(&bytes, (int64_t)malloc_usable_size(block) + 8, memory_order_relaxed);
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
  void *moved = __libc_realloc(block, size);
  if (!moved && size > 0 && block) counted(block);  // it stays, as if allocated again
  return counted(moved);
}

void free(void *block) {
  forget(block);
  __libc_free(block);
}
