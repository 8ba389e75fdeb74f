#include "private.h"

#include <stdlib.h>

/// Notes the first event of an event-loop iteration.
void wsl_note_event(wsl_loop *loop) {
  if (!loop->began_at_ns) loop->began_at_ns = uv_hrtime();
}

/// Allocates a slot for a request. NULL if there are none left.
wsl_slot *wsl_slot_take(wsl_loop *loop, wsl_http *http) {
  wsl_slot *slot;
  if (loop->first_free) {
    slot = &loop->slots[loop->first_free - 1];
    loop->first_free = slot->next_free;
  } else {
    if (loop->slot_count == loop->limits.connections_max + WSL_ADMIN_CONNECTIONS_MAX) return NULL;
    slot = &loop->slots[loop->slot_count++];
  }
  *slot = (wsl_slot){.generation = slot->generation + 1,
                     .phase = PHASE_HTTP,
                     .http = http,
                     .audience = http->connection.audience,
                     .network = http->connection.network};
  if (slot->generation == 0) slot->generation = 1;
  return slot;
}

/// Frees the assembly or exchange of a slot.
void wsl_slot_drop_parts(wsl_slot *slot) {
  free(slot->assembly);  // or `exchange`: both members of the union point to malloc'ed memory
  slot->assembly = NULL;
}

/// Stops a draining loop when its time is over, or when neither it nor the loops with which it
/// shares a counter have connections: it may have to answer requests on theirs.
void wsl_stop_if_drained(wsl_loop *loop) {
  if (!loop->drain_by_ms) return;
  bool has_none = loop->counters.connections == 0 && loop->handlers.counts_none(loop->owner);
  if (has_none || wsl_now_ms() >= loop->drain_by_ms) uv_stop(&loop->uv);
}

/// A connection, or one that was not served yet, has ended or goes to another loop or node.
void wsl_leave(wsl_loop *loop, wsl_audience audience, wsl_network_id network) {
  loop->counters.connections--;
  loop->handlers.uncount(loop->owner, audience, network);
}

bool wsl_count_client(wsl_loop *loop, wsl_id id, wsl_network_id network) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!slot || slot->audience != WSL_PUBLIC || slot->network != WSL_EXEMPT_NETWORK) return true;
  if (!loop->handlers.recount(loop->owner, WSL_EXEMPT_NETWORK, network)) return false;
  slot->network = network;
  if (slot->http) slot->http->connection.network = network;
  return true;
}

wsl_network_id wsl_network_of(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  return slot ? slot->network : WSL_EXEMPT_NETWORK;
}

// What a slot reserves -------------------------------------------------------------------------

/// Reserves `count` more bytes for a body. Small ones do not count: each connection has one at
/// most. Only memory in use is counted: an announced length costs the client nothing.
bool wsl_body_reserve(wsl_loop *loop, wsl_slot *slot, size_t count) {
  if (slot->body_length <= WSL_SMALL_BODY_BYTES) return true;
  if (!loop->handlers.reserve(loop->owner, WSL_BODIES, slot->network, count, slot->body_reserved,
                           slot->body_length)) return false;
  slot->body_reserved += (uint32_t)count;
  return true;
}

void wsl_body_release(wsl_loop *loop, wsl_slot *slot) {
  if (!slot->body_reserved) return;
  loop->handlers.release(loop->owner, WSL_BODIES, slot->network, slot->body_reserved);
  slot->body_reserved = 0;
}

/// Counts `count` more bytes that a connection has not sent. Returns false if they exceed a limit.
bool wsl_unsent_add(wsl_loop *loop, wsl_slot *slot, size_t count) {
  slot->unsent_bytes += count;
  size_t reserved = slot->unsent_reserved;
  if (slot->unsent_bytes <= WSL_UNCOUNTED_BYTES + reserved) return true;
  size_t more = slot->unsent_bytes - WSL_UNCOUNTED_BYTES - reserved;
  if (!loop->handlers.reserve(loop->owner, WSL_UNSENT, slot->network, more, reserved, 0))
    return false;
  slot->unsent_reserved += more;
  return true;
}

/// The kernel has taken all bytes of a connection, or the connection has ended.
void wsl_unsent_end(wsl_loop *loop, wsl_slot *slot) {
  if (slot->unsent_reserved)
    loop->handlers.release(loop->owner, WSL_UNSENT, slot->network, slot->unsent_reserved);
  slot->unsent_bytes = slot->unsent_reserved = 0;
}

// The life of a slot ---------------------------------------------------------------------------

/// Returns a slot to the free list and invalidates its ids.
void wsl_slot_release(wsl_loop *loop, wsl_slot *slot) {
  wsl_slot_drop_parts(slot);
  wsl_body_release(loop, slot);
  wsl_unsent_end(loop, slot);
  slot->wsi = NULL;
  slot->http = NULL;
  slot->phase = PHASE_FREE;
  slot->generation++;
  slot->next_free = loop->first_free;
  loop->first_free = (uint32_t)(slot - loop->slots) + 1;
}

/// Handles the end of a WebSocket, or of a connection that libwebsockets has not made one: releases
/// the slot, then calls `closed`.
void wsl_slot_end(wsl_loop *loop, wsl_slot *slot) {
  wsl_id id = wsl_slot_id(loop, slot);
  wsl_pipe *tunnel = slot->tunnel;
  bool was_opened = slot->is_opened;
  if (slot->wsi) lws_set_opaque_user_data(slot->wsi, NULL);
  if (was_opened) loop->counters.websockets--;
  if (slot->phase == PHASE_OPEN) loop->counters.left[WSL_CLOSED_ABNORMALLY]++;
  wsl_slot_release(loop, slot);
  if (tunnel) {  // it may still have bytes for the client, and is what counts now
    tunnel->slot = NULL;
    tunnel->connection.network = slot->network;
  } else {
    wsl_leave(loop, slot->audience, slot->network);
  }
  if (was_opened) loop->handlers.closed(loop->owner, id);
  wsl_stop_if_drained(loop);
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

/// Makes libwebsockets check its timers. It checks them only after socket events, so that a timer
/// set outside of its callbacks would otherwise wait for the next event on some connection.
void wsl_kick(wsl_loop *loop) {
  if (loop->is_kicked) return;
  loop->is_kicked = true;
  lws_cancel_service(loop->context);
}

/// Aborts a WebSocket: libwebsockets drops it from the event loop, without a close frame. The slot
/// remains valid until then.
void wsl_abort(wsl_loop *loop, wsl_slot *slot) {
  wsl_kick(loop);
  if (slot->phase == PHASE_OPEN) loop->counters.left[WSL_CLOSED_ABNORMALLY]++;
  slot->phase = PHASE_ABORTED;
  slot->deadline_ms = 0;
  lws_set_timeout(slot->wsi, PENDING_TIMEOUT_USER_REASON_BASE, LWS_TO_KILL_ASYNC);
}

