#include "private.h"

#include <string.h>

enum { FAILED_LINGER_MS = 300, VIOLATION_LINGER_MS = 2000, CLOSE_FRAME = 0x88 };

/// Counts a close code.
static void count_code(uint64_t counts[WSL_CLOSE_CODES], uint16_t code) {
  counts[code >= 1000 && code < 999 + WSL_CLOSE_CODES ? code - 1000 : WSL_CLOSE_CODES - 1]++;
}

/// The code in the body of a close frame; 1005 if it has none.
static uint16_t code_in(const uint8_t *body, size_t count) {
  return count < 2 ? 1005 : (uint16_t)(body[0] << 8 | body[1]);
}

/// Writes a close frame after everything sent before. Not with lws_close_reason(), because
/// libwebsockets stores the reason in the buffer into which it copies the payload of the next ping,
/// and loses the close frame after a partial write.
static void write_close(wsl_loop *loop, wsl_slot *slot, const void *body, size_t count) {
  uint8_t frame[2 + 2 + WSL_REASON_MAX] = {CLOSE_FRAME, (uint8_t)count};
  if (count > 0) memcpy(frame + 2, body, count);
  wsl_write(loop, slot, frame, 2 + count);
}

/// Sends everything posted, then a close frame. libwebsockets' state does not change, so that it
/// continues to read control frames and the peer's close frame.
static void start_close(wsl_loop *loop, wsl_slot *slot, uint16_t code, const char *reason,
                        size_t count) {
  uint8_t body[2 + WSL_REASON_MAX] = {(uint8_t)(code >> 8), (uint8_t)code};
  if (slot->posted_first) wsl_flush(loop);
  if (slot->phase != PHASE_OPEN) return;  // the flush failed: the connection is broken
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

void wsl_drop(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (wsl_is_open(slot)) wsl_abort(loop, slot);
}

/// Closes a connection whose peer has violated RFC 6455 or a limit.
void wsl_ws_fail(wsl_loop *loop, wsl_slot *slot, uint16_t code, const char *reason) {
  count_code(loop->counters.failed, code);
  start_close(loop, slot, code, reason, strlen(reason));
}

/// Closes a connection whose peer has sent a frame that libwebsockets must not read. What the peer
/// sends after it is discarded, its close frame included; therefore a FIN follows ours.
void wsl_ws_violated(wsl_loop *loop, wsl_slot *slot) {
  const wsl_violation *violation = slot->violation;
  count_code(violation->code == 1001 ? loop->counters.left : loop->counters.failed,
             violation->code);
  start_close(loop, slot, violation->code, violation->reason, strlen(violation->reason));
  if (slot->phase != PHASE_CLOSING) return;
  slot->deadline_ms = wsl_monotonic_ms() + VIOLATION_LINGER_MS;
  if (lws_partial_buffered(slot->wsi)) return;
  wsl_tls_notify_close(slot->wsi);
  shutdown(lws_get_socket_fd(slot->wsi), SHUT_WR);
}

/// libwebsockets is about to close the connection. If it has found a protocol violation, its parser
/// may be stuck inside the invalid frame and never read the peer's close frame. Therefore
/// FAILED_LINGER_MS replaces its timeout of 5 s.
void wsl_ws_failing(wsl_loop *loop, wsl_slot *slot) {
  if (slot->posted_first) wsl_flush(loop);
  // libwebsockets must not send a second close frame after ours.
  if (slot->phase == PHASE_CLOSING) {
    wsl_tls_notify_close(slot->wsi);
    shutdown(lws_get_socket_fd(slot->wsi), SHUT_WR);
  }
  if (slot->phase != PHASE_OPEN) return;
  int count = lws_get_close_length(slot->wsi);
  if (count == 0) {
    loop->counters.left[WSL_CLOSED_ABNORMALLY]++;
  } else {
    count_code(loop->counters.failed, code_in(lws_get_close_payload(slot->wsi), (size_t)count));
  }
  slot->phase = PHASE_FAILED;
  wsl_tls_discard_read(slot->wsi);
  slot->deadline_ms = wsl_monotonic_ms() + FAILED_LINGER_MS;
}

/// Handles the peer's close frame. If we have not sent one, answers with the same body, in which
/// libwebsockets has already replaced a code that must not be sent with 1002. If the body is
/// invalid, the answer names the error.
///
/// - Returns: -1 to drop the connection, because both sides have sent a close frame; 0 while
///   libwebsockets is still sending its own.
/// - Source: RFC 6455, sections 5.5.1 and 7.4.1
int wsl_ws_peer_closes(wsl_loop *loop, wsl_slot *slot, const uint8_t *body, size_t count) {
  static const char short_body[] = "\x03\xEA" "the close frame has a body of one byte";
  static const char bad_text[] = "\x03\xEF" "invalid UTF-8";
  wsl_utf8 utf8 = wsl_utf8_start;
  bool is_text = count <= 2 || (wsl_utf8_feed(&utf8, body + 2, count - 2) && utf8.missing == 0);
  if (slot->posted_first) wsl_flush(loop);
  if (slot->phase == PHASE_FAILED) return 0;  // libwebsockets is sending its own close frame
  if (slot->phase != PHASE_OPEN) return -1;
  count_code(loop->counters.left, code_in(body, count));
  wsl_slot_drop_parts(slot);
  slot->phase = PHASE_CLOSING;
  slot->deadline_ms = wsl_monotonic_ms() + FAILED_LINGER_MS;
  if (count == 1) write_close(loop, slot, short_body, sizeof short_body - 1);
  else if (!is_text) write_close(loop, slot, bad_text, sizeof bad_text - 1);
  else write_close(loop, slot, body, count);
  return -1;
}
