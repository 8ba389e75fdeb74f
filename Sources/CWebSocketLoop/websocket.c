#include "private.h"

#include <string.h>

enum { FAILED_LINGER_MS = 300, CLOSE_FRAME = 0x88 };

int wsl_ws_opened(wsl_loop *loop, wsl_slot *slot) {
  int64_t now = wsl_monotonic_ms();
  if (!slot->is_admitted) return -1;
  slot->phase = PHASE_OPEN;
  slot->is_opened = true;
  slot->pong_at_ms = now;
  slot->ping_at_ms = now + loop->limits.ping_ms;
  loop->counters.websockets++;
  loop->handlers.opened(loop->owner, wsl_slot_id(loop, slot));
  return 0;
}

/// Writes a close frame of our own behind everything sent before. Not by lws_close_reason():
/// libwebsockets keeps the reason in the buffer to which it copies the payload of the next ping,
/// and loses it behind a partial write.
static void write_close(wsl_loop *loop, wsl_slot *slot, const void *body, size_t count) {
  uint8_t frame[2 + 2 + WSL_REASON_MAX] = {CLOSE_FRAME, (uint8_t)count};
  if (count > 0) memcpy(frame + 2, body, count);
  wsl_write(loop, slot, frame, 2 + count);
}

/// Sends everything posted, then a close frame. Nothing of libwebsockets' state changes, so that it
/// goes on reading: control frames, and the peer's close frame.
static void start_close(wsl_loop *loop, wsl_slot *slot, uint16_t code, const char *reason,
                        size_t count) {
  uint8_t body[2 + WSL_REASON_MAX] = {(uint8_t)(code >> 8), (uint8_t)code};
  if (slot->posted_first) wsl_flush(loop);
  if (slot->phase != PHASE_OPEN) return;  // the flush found that the peer is gone
  if (count > WSL_REASON_MAX) count = WSL_REASON_MAX;
  if (count > 0) memcpy(body + 2, reason, count);
  wsl_slot_drop_parts(slot);
  slot->phase = PHASE_CLOSING;
  slot->deadline_ms = wsl_monotonic_ms() + loop->limits.close_ms;
  if (slot->is_paused) lws_rx_flow_control(slot->wsi, 1);
  write_close(loop, slot, body, 2 + count);
}

void wsl_close(wsl_loop *loop, wsl_id id, uint16_t code, const char *reason, size_t count) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (wsl_is_open(slot)) start_close(loop, slot, code, reason, count);
}

/// Closes because the peer broke a rule.
void wsl_ws_fail(wsl_loop *loop, wsl_slot *slot, uint16_t code, const char *reason) {
  loop->counters.failed++;
  start_close(loop, slot, code, reason, strlen(reason));
}

/// The socket is writable. libwebsockets calls this unasked as well: after its pings and pongs, and
/// while it closes.
int wsl_ws_writable(wsl_loop *loop, wsl_slot *slot) {
  if (lws_partial_buffered(slot->wsi) || !wsl_is_open(slot) || !slot->is_full) return 0;
  slot->is_full = false;
  loop->handlers.writable(loop->owner, wsl_slot_id(loop, slot));
  return 0;
}

/// libwebsockets is about to close. If it found a violation, its parser may be left inside a bad
/// frame and never see the peer's close frame: FAILED_LINGER_MS replaces its timeout of 5 s.
void wsl_ws_failing(wsl_loop *loop, wsl_slot *slot) {
  if (slot->posted_first) wsl_flush(loop);
  // A close frame of libwebsockets must not follow ours.
  if (slot->phase == PHASE_CLOSING) shutdown(lws_get_socket_fd(slot->wsi), SHUT_WR);
  if (slot->phase != PHASE_OPEN) return;
  if (lws_get_close_length(slot->wsi) > 0) loop->counters.failed++;
  slot->phase = PHASE_FAILED;
  slot->deadline_ms = wsl_monotonic_ms() + FAILED_LINGER_MS;
}

/// Answers the peer's close frame with the same body, with 1002 in place of a code that must not be
/// sent (libwebsockets has changed that already), or with what is wrong with it; or takes it as the
/// answer to ours. Either way -1: both sides have sent theirs.
/// - Source: RFC 6455, sections 5.5.1 and 7.4.1
int wsl_ws_peer_closes(wsl_loop *loop, wsl_slot *slot, const uint8_t *body, size_t count) {
  static const char short_body[] = "\x03\xEA" "the close frame has a body of one byte";
  static const char bad_text[] = "\x03\xEF" "invalid UTF-8";
  wsl_utf8 utf8 = wsl_utf8_start;
  bool is_text = count <= 2 || (wsl_utf8_feed(&utf8, body + 2, count - 2) && utf8.missing == 0);
  if (slot->posted_first) wsl_flush(loop);
  if (slot->phase == PHASE_FAILED) return 0;  // libwebsockets' own close frame is under way
  if (slot->phase != PHASE_OPEN) return -1;
  wsl_slot_drop_parts(slot);
  slot->phase = PHASE_CLOSING;
  slot->deadline_ms = wsl_monotonic_ms() + FAILED_LINGER_MS;
  if (count == 1) write_close(loop, slot, short_body, sizeof short_body - 1);
  else if (!is_text) write_close(loop, slot, bad_text, sizeof bad_text - 1);
  else write_close(loop, slot, body, count);
  return -1;
}

// Flow control ---------------------------------------------------------------------------------

void wsl_pause(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!wsl_is_open(slot) || slot->is_paused) return;
  slot->is_paused = true;
  slot->paused_at_ms = wsl_monotonic_ms();
  lws_rx_flow_control(slot->wsi, 0);
}

/// The time of the pause counts neither as silence nor for the assembly of a message.
void wsl_resume(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!wsl_is_open(slot) || !slot->is_paused) return;
  int64_t pause_ms = wsl_monotonic_ms() - slot->paused_at_ms;
  slot->is_paused = false;
  slot->pong_at_ms += pause_ms;
  if (slot->deadline_ms) slot->deadline_ms += pause_ms;
  lws_rx_flow_control(slot->wsi, 1);
}

// Pings ----------------------------------------------------------------------------------------

void wsl_ws_pong(wsl_slot *slot) { slot->pong_at_ms = wsl_monotonic_ms(); }

/// Pings when it is time, and drops a connection without pong for `pong_ms`. A connection that is
/// write-blocked is not pinged, and dropped as well.
void wsl_ws_ping(wsl_loop *loop, wsl_slot *slot, int64_t now) {
  unsigned char ping[LWS_PRE + 1] = {0};
  if (now - slot->pong_at_ms >= loop->limits.pong_ms) {
    loop->counters.timed_out++;
    wsl_doom(loop, slot);
    return;
  }
  if (now < slot->ping_at_ms) return;
  slot->ping_at_ms = now + loop->limits.ping_ms;
  if (!wsl_is_open(slot) || lws_partial_buffered(slot->wsi)) return;
  // Of one byte: libwebsockets does not report an empty pong.
  if (lws_write(slot->wsi, ping + LWS_PRE, 1, LWS_WRITE_PING) < 0) wsl_doom(loop, slot);
}
