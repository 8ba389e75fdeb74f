#include "private.h"

#include <stdlib.h>
#include <string.h>

enum { ASSEMBLY_FIRST_BYTES = 2048 };

// Reassembles messages from the pieces that libwebsockets delivers. A message that arrives in one
// piece, as nearly all do, is not copied.

/// Appends a piece. False when out of memory.
static bool append(wsl_slot *slot, const void *bytes, size_t count) {
  wsl_assembly *assembly = slot->assembly;
  size_t wanted = (assembly ? assembly->count : 0) + count;
  if (!assembly || wanted > assembly->capacity) {
    size_t capacity = assembly ? assembly->capacity * 2 : ASSEMBLY_FIRST_BYTES;
    if (capacity < wanted) capacity = wanted;
    bool is_new = !assembly;
    assembly = realloc(assembly, sizeof *assembly + capacity);
    if (!assembly) return false;
    if (is_new) *assembly = (wsl_assembly){.utf8 = wsl_utf8_start};
    assembly->capacity = capacity;
    slot->assembly = assembly;
  }
  if (count > 0) memcpy(assembly->bytes + assembly->count, bytes, count);
  assembly->count = wanted;
  return true;
}

/// Validates a message that arrived in one piece and passes it to the handler.
static void receive_whole(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count) {
  wsl_utf8 utf8 = wsl_utf8_start;
  if (!wsl_utf8_feed(&utf8, bytes, count) || utf8.missing != 0)
    wsl_ws_fail(loop, slot, 1007, "invalid UTF-8");
  else
    loop->handlers.received(loop->owner, wsl_slot_id(loop, slot), bytes, count);
}

/// Appends a piece, and passes the message to the handler if it is complete.
static void receive_piece(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count,
                          bool is_frame_end, bool is_message_end) {
  bool is_first = !slot->assembly;
  if (!append(slot, bytes, count)) {
    wsl_abort(loop, slot);
    return;
  }
  wsl_assembly *assembly = slot->assembly;
  if (is_first) slot->deadline_ms = wsl_monotonic_ms() + loop->limits.assembly_ms;
  bool is_valid = wsl_utf8_feed(&assembly->utf8, bytes, count);
  if (!is_valid || (is_message_end && assembly->utf8.missing != 0)) {
    wsl_ws_fail(loop, slot, 1007, "invalid UTF-8");
  } else if (is_message_end) {
    slot->assembly = NULL;  // the handler may close the connection
    slot->deadline_ms = 0;
    loop->handlers.received(loop->owner, wsl_slot_id(loop, slot), assembly->bytes,
                            assembly->count);
    free(assembly);
  } else if (is_frame_end && ++assembly->fragments >= loop->limits.fragments_max) {
    wsl_ws_fail(loop, slot, 1009, "too many fragments");
  }
}

void wsl_ws_received(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count) {
  size_t max = loop->limits.message_bytes_max;
  size_t remaining = lws_remaining_packet_payload(slot->wsi);
  if (slot->phase != PHASE_OPEN) return;
  if (lws_frame_is_binary(slot->wsi)) {
    wsl_ws_fail(loop, slot, 1003, "text only");
    return;
  }
  size_t before = slot->assembly ? slot->assembly->count : 0;
  if (count > max - before || remaining > max - before - count) {
    wsl_ws_fail(loop, slot, 1009, "the message is too long");
    return;
  }
  bool is_message_end = lws_is_final_fragment(slot->wsi);
  if (is_message_end && !slot->assembly) receive_whole(loop, slot, bytes, count);
  else receive_piece(loop, slot, bytes, count, remaining == 0, is_message_end);
}
