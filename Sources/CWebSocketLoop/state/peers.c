#include "private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// Counts the connections of all loops that share the counter, in total and per network, and the
// memory that the connections of a network hold. A network is an IPv4 address or an IPv6 /64.
//
// The networks are in an open-addressing hash table with linear probing. It has at least two
// entries per permitted connection, so that it never has to grow.

typedef struct entry {
  wsl_network_id network;
  uint32_t count;           ///< 0: the entry is free
  uint64_t held[WSL_HOLDINGS];
} entry;

struct wsl_peers {
  pthread_mutex_t lock;
  uint32_t open, open_max, network_max;
  uint32_t mask;            ///< entries - 1
  uint64_t seed;            ///< random, so that no peer can choose addresses that collide
  entry *entries;
};

wsl_peers *wsl_peers_create(uint32_t open_max, uint32_t network_max) {
  wsl_peers *count = calloc(1, sizeof *count);
  size_t entries = 16;
  while (entries < 2 * (size_t)open_max) entries *= 2;
  if (!count || !(count->entries = calloc(entries, sizeof *count->entries))) {
    free(count);
    return NULL;
  }
  pthread_mutex_init(&count->lock, NULL);
  count->open_max = open_max;
  count->network_max = network_max;
  count->mask = (uint32_t)entries - 1;
  wsl_random(&count->seed, sizeof count->seed);
  return count;
}

void wsl_peers_destroy(wsl_peers *count) {
  if (!count) return;
  pthread_mutex_destroy(&count->lock);
  free(count->entries);
  free(count);
}

static uint32_t home(const wsl_peers *count, wsl_network_id network) {
  uint64_t hash = (network ^ count->seed) * UINT64_C(0x9E3779B97F4A7C15);
  hash = (hash ^ hash >> 32 ^ count->seed) * UINT64_C(0xD6E8FEB86659FD93);
  return (uint32_t)(hash >> 32) & count->mask;
}

/// The index of a network's entry, or of the free entry where it would be inserted.
static uint32_t find(const wsl_peers *count, wsl_network_id network) {
  uint32_t index = home(count, network);
  while (count->entries[index].count > 0 && count->entries[index].network != network)
    index = (index + 1) & count->mask;
  return index;
}

/// Frees an entry, and moves later entries of the probe sequence into the gap (no tombstones).
static void free_entry(wsl_peers *count, uint32_t gap) {
  for (uint32_t index = (gap + 1) & count->mask; count->entries[index].count > 0;
       index = (index + 1) & count->mask) {
    uint32_t from_home = (index - home(count, count->entries[index].network)) & count->mask;
    if (from_home < ((index - gap) & count->mask)) continue;
    count->entries[gap] = count->entries[index];
    gap = index;
  }
  count->entries[gap] = (entry){0};
}

void wsl_peers_limit(wsl_peers *count, uint32_t open_max) {
  pthread_mutex_lock(&count->lock);
  if (open_max < count->open_max) count->open_max = open_max;
  pthread_mutex_unlock(&count->lock);
}

wsl_admission wsl_peers_begin(wsl_peers *count, wsl_network_id network) {
  wsl_admission admission = WSL_ADMITTED;
  pthread_mutex_lock(&count->lock);
  entry *entry = &count->entries[find(count, network)];
  if (count->open >= count->open_max) admission = WSL_TOO_MANY;
  else if (entry->count >= count->network_max && network != WSL_EXEMPT_NETWORK)
    admission = WSL_TOO_MANY_OF_NETWORK;
  if (admission == WSL_ADMITTED) {
    count->open++;
    entry->network = network;
    entry->count++;
  }
  pthread_mutex_unlock(&count->lock);
  return admission;
}

void wsl_peers_end(wsl_peers *count, wsl_network_id network) {
  pthread_mutex_lock(&count->lock);
  uint32_t index = find(count, network);
  if (count->entries[index].count > 0) {
    count->open--;
    if (--count->entries[index].count == 0) free_entry(count, index);
  }
  pthread_mutex_unlock(&count->lock);
}

bool wsl_peers_none(wsl_peers *count) {
  pthread_mutex_lock(&count->lock);
  bool is_none = count->open == 0;
  pthread_mutex_unlock(&count->lock);
  return is_none;
}

bool wsl_peers_move(wsl_peers *count, wsl_network_id from, wsl_network_id to) {
  pthread_mutex_lock(&count->lock);
  bool has_room = to == WSL_EXEMPT_NETWORK ||
                  count->entries[find(count, to)].count < count->network_max;
  if (has_room && from != to) {
    uint32_t old = find(count, from);
    if (--count->entries[old].count == 0) free_entry(count, old);
    entry *new = &count->entries[find(count, to)];
    new->network = to;
    new->count++;
  }
  pthread_mutex_unlock(&count->lock);
  return has_room;
}

/// Counts `bytes` that a connection of the network holds. Returns false if its connections would
/// hold more than `most`; one of them may, if the others hold nothing.
bool wsl_peers_hold(wsl_peers *count, wsl_network_id network, wsl_holding holding, uint64_t bytes,
                    uint64_t most) {
  bool has_room = true;
  if (bytes == 0 || network == WSL_EXEMPT_NETWORK) return true;
  pthread_mutex_lock(&count->lock);
  entry *entry = &count->entries[find(count, network)];
  uint64_t *held = &entry->held[holding];
  if (entry->count > 0) {
    has_room = *held == 0 || (bytes <= most && *held <= most - bytes);
    if (has_room) *held += bytes;
  }
  pthread_mutex_unlock(&count->lock);
  return has_room;
}

void wsl_peers_drop(wsl_peers *count, wsl_network_id network, wsl_holding holding,
                    uint64_t bytes) {
  if (bytes == 0 || network == WSL_EXEMPT_NETWORK) return;
  pthread_mutex_lock(&count->lock);
  entry *entry = &count->entries[find(count, network)];
  if (entry->count > 0) entry->held[holding] -= bytes;
  pthread_mutex_unlock(&count->lock);
}
