#include "private.h"

#include <openssl/rand.h>
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
  RAND_bytes((unsigned char *)&count->seed, sizeof count->seed);
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

/// A connection, or one that was not served yet, has ended or goes to another loop or node.
void wsl_leave(wsl_loop *loop, wsl_audience audience, wsl_network_id network) {
  loop->counters.connections--;
  if (audience == WSL_ADMIN) loop->admin_count--;
  else wsl_peers_end(loop->limits.count, network);
}

// Request bodies -------------------------------------------------------------------------------
//
// Counts the memory of request bodies against `bodies_bytes_max`, of which the bodies that one
// network's connections are sending may use a quarter, or the memory of one body. Small bodies do
// not count: strangers' are received, too, and each connection has one at most.

enum { LARGE_BODY_BYTES = 65536 };

/// Reserves `count` more bytes of `bodies_bytes_max` for a body. Returns false if they are not
/// available. Only memory in use is counted: an announced length costs the client nothing.
bool wsl_body_reserve(wsl_loop *loop, wsl_slot *slot, size_t count) {
  if (slot->body_length <= WSL_SMALL_BODY_BYTES) return true;
  uint64_t most = loop->limits.bodies_bytes_max;
  if (slot->body_length > LARGE_BODY_BYTES) most -= most / 4;
  uint64_t before = __atomic_fetch_add(loop->limits.bodies_bytes, count, __ATOMIC_RELAXED);
  uint64_t share = loop->limits.bodies_bytes_max / 4;
  if (share < loop->limits.body_bytes_max) share = loop->limits.body_bytes_max;
  if (before + count > most ||
      !wsl_peers_hold(loop->limits.count, slot->network, WSL_HOLDS_BODIES, count, share)) {
    wsl_count_body(loop->limits.bodies_bytes, -(int64_t)count);
    return false;
  }
  slot->body_bytes += (uint32_t)count;
  return true;
}

/// Passes the bytes that `wsl_body_reserve` has counted, if any, to the caller. They no longer use
/// the share of the network: it has sent the body.
size_t wsl_body_pass(wsl_loop *loop, wsl_slot *slot) {
  size_t count = slot->body_bytes;
  wsl_peers_drop(loop->limits.count, slot->network, WSL_HOLDS_BODIES, count);
  slot->body_bytes = 0;
  return count;
}

/// Releases the bytes that `wsl_body_reserve` has counted, if any.
void wsl_body_release(wsl_loop *loop, wsl_slot *slot) {
  wsl_count_body(loop->limits.bodies_bytes, -(int64_t)wsl_body_pass(loop, slot));
}

void wsl_count_body(uint64_t *bodies_bytes, int64_t count) {
  __atomic_fetch_add(bodies_bytes, (uint64_t)count, __ATOMIC_RELAXED);
}

uint64_t wsl_body_count(const uint64_t *bodies_bytes) {
  return __atomic_load_n(bodies_bytes, __ATOMIC_RELAXED);
}

void wsl_body_free(void *body) { free(body); }

// Unsent bytes ---------------------------------------------------------------------------------
//
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
