#include "private.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_BYTES_MAX = 65536 };

/// Makes the slot's exchange a response. False when out of memory; there is none then.
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

/// A response is out, but for what libwebsockets holds of it: on to the next request, or the end.
static int finish(wsl_loop *loop, wsl_slot *slot) {
  struct lws *wsi = slot->wsi;
  bool keep_alive = slot->exchange->keep_alive && !loop->drain_by_ms;
  wsl_slot_drop_parts(slot);
  slot->generation++;
  slot->phase = PHASE_IDLE;
  slot->deadline_ms = 0;
  if (!keep_alive) return -1;
  if (slot->is_silent) {
    slot->is_silent = false;
    lws_rx_flow_control(wsi, 1);
  }
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

/// Writes a response on: a piece each time that the kernel has taken the piece before.
int wsl_response_pump(wsl_loop *loop, wsl_slot *slot) {
  wsl_exchange *response = slot->exchange;
  struct lws *wsi = slot->wsi;
  if (!lws_partial_buffered(wsi)) {
    size_t rest = response->count - response->sent;
    size_t piece = rest < PIECE_BYTES_MAX ? rest : PIECE_BYTES_MAX;
    if (lws_write(wsi, response->bytes + response->sent, piece, LWS_WRITE_HTTP) < 0) return -1;
    response->sent += piece;
    slot->deadline_ms = wsl_monotonic_ms() + loop->limits.answer_ms;
    if (response->sent == response->count) return finish(loop, slot);
  }
  wsl_silence(slot);
  lws_callback_on_writable(wsi);
  return 0;
}

bool wsl_answer(wsl_loop *loop, wsl_id id, const void *head, size_t head_count, const void *body,
                size_t body_count, bool keep_alive) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!slot || slot->phase != PHASE_ASKED) return false;
  if (!wsl_response_set(slot, head, head_count, body, body_count, keep_alive)) {
    wsl_doom(loop, slot);
    return false;
  }
  if (loop->dispatching != slot) lws_callback_on_writable(slot->wsi);
  return true;
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
  // HTTP/1.1 is written as it is: libwebsockets does not touch these octets.
  unsigned char *unchanged = (unsigned char *)(uintptr_t)bytes;
  if (lws_write(slot->wsi, unchanged, count, LWS_WRITE_HTTP) < 0) {
    wsl_doom(loop, slot);
    return WSL_GONE;
  }
  if (!lws_partial_buffered(slot->wsi)) return WSL_SENT;
  slot->is_full = true;
  if (slot->deadline_ms == 0) slot->deadline_ms = wsl_monotonic_ms() + loop->limits.answer_ms;
  return WSL_FULL;
}

void wsl_stream_end(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!slot || slot->phase != PHASE_STREAMING || slot->is_ending) return;
  slot->is_ending = true;
  slot->deadline_ms = wsl_monotonic_ms() + loop->limits.answer_ms;
  lws_callback_on_writable(slot->wsi);
}

/// The kernel takes more. libwebsockets says so unasked, too.
int wsl_http_writable(wsl_loop *loop, wsl_slot *slot) {
  if (slot->phase == PHASE_ANSWERING) return wsl_response_pump(loop, slot);
  if (slot->phase != PHASE_STREAMING || lws_partial_buffered(slot->wsi)) return 0;
  if (slot->is_ending) return -1;
  if (!slot->is_full) return 0;
  slot->is_full = false;
  slot->deadline_ms = 0;
  loop->handlers.stream_writable(loop->owner, wsl_slot_id(loop, slot));
  return 0;
}
