#include "private.h"

#include <stdlib.h>
#include <string.h>

/// Allocates a slot. Returns NULL when `connections_max` slots are in use, or
/// `WSL_ADMIN_CONNECTIONS_MAX` for admin listeners.
wsl_slot *wsl_slot_take(wsl_loop *loop, wsl_connection connection) {
  wsl_slot *slot;
  bool is_admin = connection.audience == WSL_ADMIN;
  uint64_t count = is_admin ? loop->admin_count : loop->counters.connections - loop->admin_count;
  if (count >= (is_admin ? WSL_ADMIN_CONNECTIONS_MAX : loop->limits.connections_max)) return NULL;
  if (loop->first_free) {
    slot = &loop->slots[loop->first_free - 1];
    loop->first_free = slot->next_free;
  } else {
    slot = &loop->slots[loop->slot_count++];
  }
  uint32_t generation = slot->generation, next_deferred = slot->next_deferred;
  *slot = (wsl_slot){.generation = generation + 1,
                     .is_deferred = slot->is_deferred,
                     .next_deferred = next_deferred,
                     .phase = PHASE_IDLE,
                     .audience = connection.audience,
                     .network = connection.network,
                     .peer = connection.peer,
                     .is_tls = connection.tls != NULL};
  if (is_admin) loop->admin_count++;
  if (slot->generation == 0) slot->generation = 1;
  loop->counters.connections++;
  return slot;
}

/// Frees the assembly or exchange of a slot.
void wsl_slot_drop_parts(wsl_slot *slot) {
  free(slot->assembly);  // or `exchange`: both members of the union point to malloc'ed memory
  slot->assembly = NULL;
}

/// Frees the memory for the peer's pings.
void wsl_ping_release(wsl_slot *slot) {
  free(slot->frame.ping);
  slot->frame.ping = NULL;
}

/// Stops a draining loop when its time is over, or when neither it nor the loops with which it
/// shares a counter have connections: it may have to answer requests on theirs.
void wsl_stop_if_drained(wsl_loop *loop) {
  if (!loop->drain_by_ms) return;
  bool has_none = loop->counters.connections == 0 && wsl_peers_none(loop->limits.count);
  if (has_none || wsl_monotonic_ms() >= loop->drain_by_ms) uv_stop(&loop->uv);
}

/// Returns a slot to the free list and invalidates its ids.
void wsl_slot_release(wsl_loop *loop, wsl_slot *slot) {
  wsl_slot_drop_parts(slot);
  wsl_body_release(loop, slot);
  wsl_unsent_end(loop, slot);
  wsl_ping_release(slot);
  if (slot->audience == WSL_ADMIN) loop->admin_count--;
  else if (!slot->is_detached) wsl_peers_end(loop->limits.count, slot->network);
  slot->wsi = NULL;
  slot->phase = PHASE_FREE;
  slot->generation++;
  slot->next_free = loop->first_free;
  loop->first_free = (uint32_t)(slot - loop->slots) + 1;
  loop->counters.connections--;
  wsl_stop_if_drained(loop);
}

/// Passes a connection that `wsl_move` has detached to the handler.
static void hand_over(wsl_loop *loop, wsl_slot *slot) {
  wsl_connection connection = {.descriptor = slot->moving_descriptor,
                               .audience = slot->audience,
                               .peer = slot->peer,
                               .network = slot->network,
                               .tls = slot->moving_tls};
  loop->handlers.moved(loop->owner, connection, slot->exchange->bytes, slot->exchange->count,
                       slot->destination);
}

/// Handles the end of a slot's connection: releases the slot, then calls `closed` or
/// `stream_closed`, or passes the connection to another loop.
void wsl_slot_end(wsl_loop *loop, wsl_slot *slot) {
  wsl_id id = wsl_slot_id(loop, slot);
  bool was_opened = slot->is_opened;
  bool was_streaming = slot->is_streaming && !slot->is_ending;
  lws_set_opaque_user_data(slot->wsi, NULL);
  if (was_opened) loop->counters.websockets--;
  if (slot->phase == PHASE_OPEN) loop->counters.left[WSL_CLOSED_ABNORMALLY]++;
  if (slot->is_detached) hand_over(loop, slot);
  wsl_slot_release(loop, slot);
  if (was_opened) loop->handlers.closed(loop->owner, id);
  if (was_streaming) loop->handlers.stream_closed(loop->owner, id);
}

wsl_id wsl_slot_id(const wsl_loop *loop, const wsl_slot *slot) {
  return (wsl_id)slot->generation << 32 | (uint32_t)(slot - loop->slots);
}

/// The slot of an id, or NULL if the connection or request has ended.
wsl_slot *wsl_slot_of(wsl_loop *loop, wsl_id id) {
  uint32_t index = (uint32_t)id;
  if (index >= loop->slot_count) return NULL;
  wsl_slot *slot = &loop->slots[index];
  return slot->phase != PHASE_FREE && slot->generation == id >> 32 ? slot : NULL;
}

/// The slot of a wsi, or NULL if it has none. The wsi's opaque user data is the slot's index + 1.
/// The first call while an adoption is in progress concerns the adopted connection: it assigns
/// the slot to the wsi.
wsl_slot *wsl_slot_of_wsi(wsl_loop *loop, struct lws *wsi) {
  if (loop->adopted) {
    lws_set_opaque_user_data(wsi, (void *)((uintptr_t)(loop->adopted - loop->slots) + 1));
    loop->adopted = NULL;
  }
  uintptr_t number = (uintptr_t)lws_get_opaque_user_data(wsi);
  if (number == 0) return NULL;
  wsl_slot *slot = &loop->slots[number - 1];
  slot->wsi = wsi;
  return slot;
}

/// Notes the descriptor of a slot. Returns false without memory.
bool wsl_slot_connect(wsl_loop *loop, wsl_slot *slot, int descriptor) {
  size_t needed = (size_t)descriptor + 1;
  if (needed > loop->descriptor_count) {
    size_t count = needed < 1024 ? 1024 : 2 * needed;
    uint32_t *numbers = realloc(loop->slot_numbers, count * sizeof *numbers);
    if (!numbers) return false;
    memset(numbers + loop->descriptor_count, 0,
           (count - loop->descriptor_count) * sizeof *numbers);
    loop->slot_numbers = numbers;
    loop->descriptor_count = count;
  }
  loop->slot_numbers[descriptor] = (uint32_t)(slot - loop->slots) + 1;
  slot->descriptor = descriptor;
  return true;
}

/// The slot of a connection of this loop, or NULL.
wsl_slot *wsl_slot_of_descriptor(wsl_loop *loop, int descriptor) {
  if (descriptor < 0 || (size_t)descriptor >= loop->descriptor_count) return NULL;
  uint32_t number = loop->slot_numbers[descriptor];
  if (number == 0) return NULL;
  wsl_slot *slot = &loop->slots[number - 1];
  return slot->phase != PHASE_FREE && slot->descriptor == descriptor ? slot : NULL;
}

/// Adds a slot to those that `wsl_run_deferred` handles at the end of the event-loop iteration.
void wsl_defer(wsl_loop *loop, wsl_slot *slot) {
  if (slot->is_deferred) return;
  slot->is_deferred = true;
  slot->next_deferred = loop->first_deferred;
  loop->first_deferred = (uint32_t)(slot - loop->slots) + 1;
}

/// Makes libwebsockets check its timers. It checks them only after socket events, so that a timer
/// set outside of its callbacks would otherwise wait for the next event on some connection.
void wsl_kick(wsl_loop *loop) {
  if (loop->is_kicked) return;
  loop->is_kicked = true;
  lws_cancel_service(loop->context);
}

/// Aborts a connection: libwebsockets drops it from the event loop, without a close frame. The slot
/// remains valid until then.
void wsl_abort(wsl_loop *loop, wsl_slot *slot) {
  wsl_kick(loop);
  if (slot->phase == PHASE_OPEN) loop->counters.left[WSL_CLOSED_ABNORMALLY]++;
  slot->phase = PHASE_ABORTED;
  slot->deadline_ms = 0;
  lws_set_timeout(slot->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}
