#include "private.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum {
  PIECE_BYTES_MAX = 65536,
  DISCARD_MS = 5000,                ///< to receive a body that is discarded, plus
  DISCARD_MS_EACH = 1000,           ///< for each MiB of it,
  DISCARD_BYTES_MAX = 16777216,     ///< of at most so many; a longer body ends the connection
};

/// Replaces the slot's exchange with a response. Returns false when out of memory; the slot then
/// has no exchange.
bool wsl_response_set(wsl_slot *slot, const void *head, size_t head_count, const void *body,
                      size_t body_count, bool keep_alive) {
  size_t count = head_count + body_count;
  wsl_slot_drop_parts(slot);
  wsl_exchange *response = malloc(sizeof *response + count);
  if (!response) return false;
  *response = (wsl_exchange){.count = count, .capacity = count, .keep_alive = keep_alive};
  memcpy(response->bytes, head, head_count);
  if (body_count > 0) memcpy(response->bytes + head_count, body, body_count);
  slot->exchange = response;
  slot->phase = PHASE_ANSWERING;
  return true;
}

/// Stops polling the socket for input while a response is sent, so that further data stays in the
/// kernel's receive buffer. Must be called within the writeable callback.
///
/// While a response is being sent libwebsockets does not read, but it still polls for input, so
/// that pipelined data would make the loop spin. Its receive flow control stops the polling, but
/// also stops writing. Therefore this function enables flow control with immediate effect
/// (FLAG_PROCESS_NOW) and disables it again with deferred effect: libwebsockets applies a deferred
/// change after the callback, and only if the callback returns 0. For this reason every writeable
/// callback returns 1 until the response has been sent.
static void silence(wsl_loop *loop, wsl_slot *slot) {
  if (slot->is_silent) return;
  slot->is_silent = true;
  wsl_disconnects_watch(loop, slot);
  lws_rx_flow_control(slot->wsi, LWS_RXFLOW_REASON_APPLIES | LWS_RXFLOW_REASON_USER_BOOL |
                                     LWS_RXFLOW_REASON_FLAG_PROCESS_NOW);
  lws_rx_flow_control(slot->wsi, 1);
}

/// Expects the next request of a connection.
void wsl_request_end(wsl_slot *slot) {
  slot->phase = PHASE_IDLE;
  slot->deadline_ms = 0;
  slot->is_silent = slot->is_head_read = false;
  slot->head = (wsl_head_reader){0};
}

/// Discards the rest of a request's body, after its response. libwebsockets reads it.
///
/// - Parameter is_last: Whether the connection then ends. Until then the peer can send: if the
///   socket were closed at once, a RST could overtake the response.
/// - Source: RFC 9112, section 9.6
void wsl_discard_body(wsl_slot *slot, bool is_last) {
  uint64_t rest = slot->body_rest < DISCARD_BYTES_MAX ? slot->body_rest : DISCARD_BYTES_MAX;
  wsl_request_end(slot);
  slot->phase = PHASE_DISCARDING;
  slot->is_last = is_last;
  slot->deadline_ms =
      wsl_monotonic_ms() + DISCARD_MS + (int64_t)(rest >> 20) * DISCARD_MS_EACH;
  if (!is_last) return;
  wsl_tls_notify_close(slot->wsi);
  shutdown(lws_get_socket_fd(slot->wsi), SHUT_WR);
}

/// Ends a response that has been sent: expects the next request, or closes the connection (-1).
static int finish(wsl_loop *loop, wsl_slot *slot) {
  bool keep_alive = slot->exchange->keep_alive && !loop->is_last_request;
  wsl_slot_drop_parts(slot);
  wsl_unsent_end(loop, slot);
  wsl_disconnects_unwatch(loop, slot);
  slot->generation++;
  if (slot->body_rest > 0) wsl_discard_body(slot, !keep_alive);
  else wsl_request_end(slot);
  bool goes_on = keep_alive || slot->phase == PHASE_DISCARDING;
  return goes_on && lws_http_transaction_completed(slot->wsi) == 0 ? 0 : -1;
}

/// Whether the kernel takes more output. libwebsockets waits for that between two requests, and
/// polls for input meanwhile: a pipelined request would make the loop spin.
static bool is_writable(const wsl_slot *slot) {
  struct pollfd output = {.fd = lws_get_socket_fd(slot->wsi), .events = POLLOUT};
  return poll(&output, 1, 0) == 1;
}

/// Writes the next piece of a response, or ends it. Called when the kernel has taken the previous
/// piece.
static int pump(wsl_loop *loop, wsl_slot *slot) {
  wsl_exchange *response = slot->exchange;
  size_t rest = response->count - response->sent;
  size_t piece = rest < PIECE_BYTES_MAX ? rest : PIECE_BYTES_MAX;
  unsigned char *next = response->bytes + response->sent;
  if (piece > 0 && lws_write(slot->wsi, next, piece, LWS_WRITE_HTTP) < 0) return -1;
  response->sent += piece;
  slot->deadline_ms = wsl_monotonic_ms() + loop->limits.answer_ms;
  bool is_sent = response->sent == response->count && !lws_partial_buffered(slot->wsi);
  if (is_sent && is_writable(slot)) return finish(loop, slot);
  lws_callback_on_writable(slot->wsi);
  return 1;
}

bool wsl_answer(wsl_loop *loop, wsl_id id, const void *head, size_t head_count, const void *body,
                size_t body_count, bool keep_alive, size_t reserved) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!slot || slot->phase != PHASE_ASKED) {
    wsl_unsent_release(loop->limits.unsent_bytes, reserved);
    return false;
  }
  if (!wsl_unsent_begin(loop, slot, head_count + body_count, reserved)) return false;
  if (!wsl_response_set(slot, head, head_count, body, body_count, keep_alive)) {
    wsl_abort(loop, slot);
    return false;
  }
  lws_callback_on_writable(slot->wsi);
  return true;
}

bool wsl_is_reusable(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!slot || loop->is_last_request) return false;
  return slot->body_rest == 0 || (slot->body_rest <= DISCARD_BYTES_MAX && !slot->is_continue_asked);
}

bool wsl_stream_start(wsl_loop *loop, wsl_id id, const void *head, size_t head_count) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!slot || slot->phase != PHASE_ASKED) return false;
  slot->phase = PHASE_STREAMING;
  slot->deadline_ms = 0;
  slot->is_streaming = true;
  return wsl_stream_write(loop, id, head, head_count) != WSL_GONE;
}

wsl_outcome wsl_stream_write(wsl_loop *loop, wsl_id id, const void *bytes, size_t count) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!slot || slot->phase != PHASE_STREAMING || slot->is_ending) return WSL_GONE;
  // With HTTP/1.1 libwebsockets does not modify these bytes.
  unsigned char *unchanged = (unsigned char *)(uintptr_t)bytes;
  if (lws_write(slot->wsi, unchanged, count, LWS_WRITE_HTTP) < 0) {
    wsl_abort(loop, slot);
    return WSL_GONE;
  }
  if (!lws_partial_buffered(slot->wsi)) return WSL_SENT;
  slot->is_write_blocked = true;
  if (!wsl_unsent_add(loop, slot, count)) {
    wsl_abort(loop, slot);
    return WSL_GONE;
  }
  if (slot->deadline_ms == 0) slot->deadline_ms = wsl_monotonic_ms() + loop->limits.answer_ms;
  return WSL_WRITE_BLOCKED;
}

void wsl_stream_end(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!slot || slot->phase != PHASE_STREAMING || slot->is_ending) return;
  slot->is_ending = true;
  slot->deadline_ms = wsl_monotonic_ms() + loop->limits.answer_ms;
  lws_callback_on_writable(slot->wsi);
}

/// Continues a streamed response when the kernel has taken everything written so far.
static int continue_stream(wsl_loop *loop, wsl_slot *slot) {
  if (slot->is_ending) return -1;
  if (!slot->is_write_blocked) return 1;
  slot->is_write_blocked = false;
  wsl_unsent_end(loop, slot);
  slot->deadline_ms = 0;
  loop->handlers.stream_writable(loop->owner, wsl_slot_id(loop, slot));
  return 1;
}

/// The writeable callback of HTTP. libwebsockets also calls it without a request of ours.
int wsl_http_writable(wsl_loop *loop, wsl_slot *slot) {
  switch ((wsl_phase)slot->phase) {
  case PHASE_ASKED:
  case PHASE_ANSWERING:
  case PHASE_STREAMING:
    break;
  default:
    return 0;
  }
  silence(loop, slot);
  if (slot->phase == PHASE_ASKED || lws_partial_buffered(slot->wsi)) return 1;
  return slot->phase == PHASE_STREAMING ? continue_stream(loop, slot) : pump(loop, slot);
}
