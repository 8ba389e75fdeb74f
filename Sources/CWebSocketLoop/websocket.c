#include "private.h"

#include <stdlib.h>
#include <string.h>

enum { FAILED_LINGER_MS = 300 };

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

/// Lets libwebsockets send the close frame. It does so for a connection that holds nothing back
/// and whose timer callback fails, a microsecond from now; failing anywhere else can lose the
/// frame, or put it before data.
static void send_close(wsl_loop *loop, wsl_slot *slot) {
  wsl_farewell *farewell = slot->farewell;
  lws_close_reason(slot->wsi, farewell->code, (unsigned char *)farewell->reason, farewell->count);
  slot->phase = PHASE_CLOSING;
  lws_set_timer_usecs(slot->wsi, 1);
  wsl_kick(loop);
}

int wsl_ws_timer(wsl_slot *slot) {
  if (slot->phase != PHASE_CLOSING || !slot->farewell) return 0;
  if (!lws_partial_buffered(slot->wsi)) return -1;
  slot->phase = PHASE_DRAINING;  // a ping or pong of libwebsockets came between
  lws_callback_on_writable(slot->wsi);
  return 0;
}

static void start_close(wsl_loop *loop, wsl_slot *slot, uint16_t code, const char *reason,
                        size_t count) {
  if (slot->posted_first) wsl_flush(loop);
  if (slot->phase != PHASE_OPEN) return;  // the flush found that the peer is gone
  wsl_slot_drop_parts(slot);
  slot->farewell = malloc(sizeof *slot->farewell);
  if (!slot->farewell) {
    wsl_doom(loop, slot);
    return;
  }
  slot->farewell->code = code;
  slot->farewell->count = (uint8_t)(count < WSL_REASON_MAX ? count : WSL_REASON_MAX);
  memcpy(slot->farewell->reason, reason, slot->farewell->count);
  slot->phase = PHASE_DRAINING;
  slot->deadline_ms = wsl_monotonic_ms() + loop->limits.close_ms;
  if (lws_partial_buffered(slot->wsi)) lws_callback_on_writable(slot->wsi);
  else send_close(loop, slot);
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

/// The kernel takes more. libwebsockets says so unasked, too: after its pings and pongs, and
/// while it closes.
int wsl_ws_writable(wsl_loop *loop, wsl_slot *slot) {
  if (lws_partial_buffered(slot->wsi)) return 0;
  if (slot->phase == PHASE_DRAINING) send_close(loop, slot);
  if (!wsl_is_open(slot) || !slot->is_full) return 0;
  slot->is_full = false;
  loop->handlers.writable(loop->owner, wsl_slot_id(loop, slot));
  return 0;
}

/// libwebsockets is about to close. If it does so by itself, its parser may stand inside a bad
/// frame and never see the peer's answer: this hangs up soon, where it would wait for 5 s.
void wsl_ws_failing(wsl_loop *loop, wsl_slot *slot) {
  if (slot->posted_first) wsl_flush(loop);
  if (slot->phase != PHASE_OPEN && slot->phase != PHASE_DRAINING) return;
  if (lws_get_close_length(slot->wsi) > 0) loop->counters.failed++;
  slot->phase = PHASE_FAILED;
  slot->deadline_ms = wsl_monotonic_ms() + FAILED_LINGER_MS;
}

/// Judges the peer's close frame. 0 echoes it, with 1002 in place of a code that none may send.
/// - Source: RFC 6455, sections 5.5.1 and 7.4.1
int wsl_ws_peer_closes(wsl_loop *loop, wsl_slot *slot, const uint8_t *body, size_t count) {
  static unsigned char short_body[] = "a close body of one octet", bad_text[] = "invalid UTF-8";
  wsl_utf8 utf8 = wsl_utf8_start;
  bool is_text = count <= 2 || (wsl_utf8_feed(&utf8, body + 2, count - 2) && utf8.missing == 0);
  if (slot->posted_first) wsl_flush(loop);
  if (slot->phase == PHASE_DOOMED) return -1;
  if (slot->phase == PHASE_FAILED) return 0;
  wsl_slot_drop_parts(slot);
  if (slot->phase == PHASE_OPEN) slot->deadline_ms = wsl_monotonic_ms() + FAILED_LINGER_MS;
  if (count != 1 && is_text) {
    slot->phase = PHASE_CLOSING;
    return 0;
  }
  slot->phase = PHASE_FAILED;
  if (count == 1) lws_close_reason(slot->wsi, 1002, short_body, sizeof short_body - 1);
  else lws_close_reason(slot->wsi, 1007, bad_text, sizeof bad_text - 1);
  return -1;
}

void wsl_ws_pong(wsl_slot *slot) { slot->pong_at_ms = wsl_monotonic_ms(); }

/// Pings in time, and hangs up on who was silent for too long. A peer that does not even take
/// the ping is not pinged, and hung up as well.
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
  // Of one octet: libwebsockets does not report an empty pong.
  if (lws_write(slot->wsi, ping + LWS_PRE, 1, LWS_WRITE_PING) < 0) wsl_doom(loop, slot);
}
