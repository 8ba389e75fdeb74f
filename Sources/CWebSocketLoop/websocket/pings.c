#include "private.h"

#include <stdlib.h>
#include <string.h>

// Answers the peer's pings. libwebsockets never receives them: it would drop all pings that arrive
// before it has sent the pong for the first one. As RFC 6455 permits, several pings that arrive
// together have one pong, with the payload of the last.

enum { PONG_FRAME = 0x8A };

/// Begins a ping. Returns false without memory.
bool wsl_ping_begin(wsl_frame_reader *frame) {
  if (!frame->ping) frame->ping = calloc(1, sizeof *frame->ping);
  if (!frame->ping) return false;
  frame->ping->count = frame->ping->mask_count = 0;
  frame->ping->is_whole = false;
  return true;
}

void wsl_ping_mask(wsl_ping *ping, uint8_t byte) { ping->mask[ping->mask_count++ & 3] = byte; }

/// Appends bytes of the payload, of which the header has announced at most 125 in all.
void wsl_ping_append(wsl_ping *ping, const uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count && ping->count < sizeof ping->bytes; index++) {
    ping->bytes[ping->count] = bytes[index] ^ ping->mask[ping->count & 3];
    ping->count++;
  }
}

/// The ping is complete: its pong replaces one that has not been sent.
/// - Source: RFC 6455, sections 5.5.2 and 5.5.3
void wsl_ping_end(wsl_ping *ping) {
  ping->pong[0] = PONG_FRAME;
  ping->pong[1] = ping->count;
  memcpy(ping->pong + 2, ping->bytes, ping->count);
  ping->pong_count = (uint8_t)(2 + ping->count);
  ping->is_whole = ping->is_due = true;
}

/// Sends the pong that is due, unless the connection is write-blocked.
void wsl_ping_answer(wsl_loop *loop, wsl_slot *slot) {
  wsl_ping *ping = slot->frame.ping;
  if (!ping || !ping->is_due || !wsl_is_open(slot) || lws_partial_buffered(slot->wsi)) return;
  ping->is_due = false;
  wsl_write(loop, slot, ping->pong, ping->pong_count);
  if (ping->is_whole) wsl_ping_release(slot);
  if (slot->phase == PHASE_OPEN && slot->is_write_blocked)
    loop->handlers.write_blocked(loop->owner, wsl_slot_id(loop, slot));
}
