#include "private.h"

#include <stdlib.h>
#include <string.h>

// libwebsockets parses frames and answers pings. It delivers messages in pieces, which are
// reassembled and checked here.

enum { ASSEMBLY_FIRST_BYTES = 2048, FAILED_LINGER_MS = 300, CLOSE_FRAME = 0x88 };

// Close frames ---------------------------------------------------------------------------------

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
  slot->deadline_ms = wsl_now_ms() + loop->limits.close_ms;
  if (slot->pause_count) lws_rx_flow_control(slot->wsi, 1);
  write_close(loop, slot, body, 2 + count);
}

void wsl_close(wsl_loop *loop, wsl_id id, uint16_t code, const char *reason, size_t count) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (wsl_is_open(slot)) start_close(loop, slot, code, reason, count);
}

/// Closes a connection whose peer has violated RFC 6455 or a limit.
static void fail(wsl_loop *loop, wsl_slot *slot, uint16_t code, const char *reason) {
  count_code(loop->counters.failed, code);
  start_close(loop, slot, code, reason, strlen(reason));
}

/// libwebsockets is about to close the connection. If it has found a protocol violation, its parser
/// may be stuck inside the invalid frame and never read the peer's close frame. Therefore
/// FAILED_LINGER_MS replaces its timeout of 5 s.
static void failing(wsl_loop *loop, wsl_slot *slot) {
  if (slot->posted_first) wsl_flush(loop);
  // libwebsockets must not send a second close frame after ours.
  if (slot->phase == PHASE_CLOSING) shutdown(lws_get_socket_fd(slot->wsi), SHUT_WR);
  if (slot->phase != PHASE_OPEN) return;
  int count = lws_get_close_length(slot->wsi);
  if (count == 0) {
    loop->counters.left[WSL_CLOSED_ABNORMALLY]++;
  } else {
    count_code(loop->counters.failed, code_in(lws_get_close_payload(slot->wsi), (size_t)count));
  }
  slot->phase = PHASE_FAILED;
  slot->deadline_ms = wsl_now_ms() + FAILED_LINGER_MS;
}

/// Handles the peer's close frame. If we have not sent one, answers with the same body, in which
/// libwebsockets has already replaced a code that must not be sent with 1002. If the body is
/// invalid, the answer names the error.
///
/// - Returns: -1 to drop the connection, because both sides have sent a close frame; 0 while
///   libwebsockets is still sending its own.
/// - Source: RFC 6455, sections 5.5.1 and 7.4.1
static int peer_closes(wsl_loop *loop, wsl_slot *slot, const uint8_t *body, size_t count) {
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
  slot->deadline_ms = wsl_now_ms() + FAILED_LINGER_MS;
  if (count == 1) write_close(loop, slot, short_body, sizeof short_body - 1);
  else if (!is_text) write_close(loop, slot, bad_text, sizeof bad_text - 1);
  else write_close(loop, slot, body, count);
  return -1;
}

// Messages -------------------------------------------------------------------------------------

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
    fail(loop, slot, 1007, "invalid UTF-8");
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
  if (is_first) slot->deadline_ms = wsl_now_ms() + loop->limits.assembly_ms;
  bool is_valid = wsl_utf8_feed(&assembly->utf8, bytes, count);
  if (!is_valid || (is_message_end && assembly->utf8.missing != 0)) {
    fail(loop, slot, 1007, "invalid UTF-8");
  } else if (is_message_end) {
    slot->assembly = NULL;  // the handler may close the connection
    slot->deadline_ms = 0;
    loop->handlers.received(loop->owner, wsl_slot_id(loop, slot), assembly->bytes,
                            assembly->count);
    free(assembly);
  } else if (is_frame_end && ++assembly->fragments >= loop->limits.fragments_max) {
    fail(loop, slot, 1009, "too many fragments");
  }
}

static void received(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count) {
  size_t max = loop->limits.message_bytes_max;
  size_t remaining = lws_remaining_packet_payload(slot->wsi);
  if (slot->phase != PHASE_OPEN) return;
  if (lws_frame_is_binary(slot->wsi)) {
    fail(loop, slot, 1003, "text only");
    return;
  }
  size_t before = slot->assembly ? slot->assembly->count : 0;
  if (count > max - before || remaining > max - before - count) {
    fail(loop, slot, 1009, "the message is too long");
    return;
  }
  bool is_message_end = lws_is_final_fragment(slot->wsi);
  if (is_message_end && !slot->assembly) receive_whole(loop, slot, bytes, count);
  else receive_piece(loop, slot, bytes, count, remaining == 0, is_message_end);
}

// Opening, write-blocking and pauses -----------------------------------------------------------

static int opened(wsl_loop *loop, wsl_slot *slot) {
  int64_t now = wsl_now_ms();
  slot->phase = PHASE_OPEN;
  slot->is_opened = true;
  slot->pong_at_ms = now;
  slot->ping_at_ms = now + loop->limits.ping_ms;
  loop->counters.websockets++;
  loop->handlers.opened(loop->owner, wsl_slot_id(loop, slot));
  return 0;
}

/// Handles a writable socket. libwebsockets also calls this after its own pings and pongs, and
/// while it closes.
static int writable(wsl_loop *loop, wsl_slot *slot) {
  if (lws_partial_buffered(slot->wsi) || !wsl_is_open(slot)) return 0;
  bool was_blocked = slot->is_write_blocked;
  slot->is_write_blocked = false;
  wsl_unsent_end(loop, slot);
  if (was_blocked && wsl_is_open(slot) && !slot->is_write_blocked)
    loop->handlers.writable(loop->owner, wsl_slot_id(loop, slot));
  return 0;
}

void wsl_pause(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!wsl_is_open(slot) || slot->pause_count++) return;
  slot->paused_at_ms = wsl_now_ms();
  lws_rx_flow_control(slot->wsi, 0);
}

/// The duration of the pause counts neither towards `pong_ms` nor towards `assembly_ms`.
void wsl_resume(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!wsl_is_open(slot) || !slot->pause_count || --slot->pause_count) return;
  int64_t pause_ms = wsl_now_ms() - slot->paused_at_ms;
  slot->pong_at_ms += pause_ms;
  if (slot->deadline_ms) slot->deadline_ms += pause_ms;
  lws_rx_flow_control(slot->wsi, 1);
}

/// Sends a ping when one is due, and drops a connection that has sent no pong for `pong_ms`. A
/// write-blocked connection is not pinged and is therefore dropped after the same time.
static void ping(wsl_loop *loop, wsl_slot *slot, int64_t now) {
  unsigned char frame[LWS_PRE + 1] = {0};
  if (now - slot->pong_at_ms >= loop->limits.pong_ms) {
    loop->counters.timed_out++;
    wsl_abort(loop, slot);
    return;
  }
  if (now < slot->ping_at_ms) return;
  slot->ping_at_ms = now + loop->limits.ping_ms;
  if (!wsl_is_open(slot) || lws_partial_buffered(slot->wsi)) return;
  // With a payload of one byte, because libwebsockets does not report an empty pong.
  if (lws_write(slot->wsi, frame + LWS_PRE, 1, LWS_WRITE_PING) < 0) wsl_abort(loop, slot);
}

/// Enforces the time limits of a WebSocket, and sends pings.
void wsl_ws_check(wsl_loop *loop, wsl_slot *slot, int64_t now) {
  bool is_late = slot->deadline_ms != 0 && now >= slot->deadline_ms;
  if (slot->phase != PHASE_OPEN) {
    if (is_late && slot->phase != PHASE_ABORTED) wsl_abort(loop, slot);
    return;
  }
  if (slot->pause_count) return;
  if (is_late) fail(loop, slot, 1009, "the message took too long");
  else ping(loop, slot, now);
}

int wsl_ws_callback(wsl_loop *loop, wsl_slot *slot, enum lws_callback_reasons reason, void *in,
                    size_t count) {
  switch (reason) {
  case LWS_CALLBACK_ESTABLISHED:
    return opened(loop, slot);
  case LWS_CALLBACK_RECEIVE:
    received(loop, slot, in, count);
    return 0;
  case LWS_CALLBACK_RECEIVE_PONG:
    slot->pong_at_ms = wsl_now_ms();
    return 0;
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return writable(loop, slot);
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    return peer_closes(loop, slot, in, count);
  case LWS_CALLBACK_WS_SERVER_DROP_PROTOCOL:
    failing(loop, slot);
    return 0;
  default:
    return 0;
  }
}
