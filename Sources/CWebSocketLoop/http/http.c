#include "private.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
  BODY_FIRST_BYTES = 4096,
  DROPPED_BYTES_MAX = 262144,  ///< of a dropped body, per connection and sweep
};

/// Passes a request to the handler, complete or without a body that is too long. The response is
/// written by the writeable callback, even if the handler answers immediately.
static int dispatch(wsl_loop *loop, wsl_slot *slot, struct lws *wsi) {
  wsl_exchange *body = slot->exchange;
  wsl_request request;
  slot->exchange = NULL;
  slot->phase = PHASE_ASKED;
  slot->deadline_ms = wsl_monotonic_ms() + loop->limits.answer_ms;
  wsl_request_init(&request, loop, slot, wsi);
  if (body) request.body = (wsl_text){(const char *)body->bytes, body->count};
  request.exchange = body;
  request.unread = slot->body_rest;
  loop->handlers.respond(loop->owner, wsl_slot_id(loop, slot), &request);
  free(request.exchange);  // NULL if the handler has taken it
  wsl_body_release(loop, slot);
  if (slot->phase == PHASE_ABORTED) return -1;
  lws_callback_on_writable(wsi);
  return 0;
}

/// Answers a request before its body is read; libwebsockets discards the body.
static int refuse_body(wsl_slot *slot, struct lws *wsi, int status, const char *headers,
                       const char *code, const char *detail) {
  char text[WSL_PROBLEM_BYTES];
  size_t count = wsl_problem_text(text, sizeof text, status, headers, code, detail);
  if (lws_write(wsi, (unsigned char *)text, count, LWS_WRITE_HTTP) < 0) return -1;
  wsl_discard_body(slot, false);
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static const char no_room[] = "the memory for request bodies is in use; retry later";

/// Drops the bytes received so far of a body for which there is no room. The rest is received and
/// dropped, too: if the connection were closed now, a RST could overtake the response.
static void drop_body(wsl_loop *loop, wsl_slot *slot) {
  wsl_slot_drop_parts(slot);
  wsl_body_release(loop, slot);
  slot->is_body_dropped = true;
}

/// Answers a request whose body was dropped.
static int answer_dropped(wsl_loop *loop, wsl_slot *slot, struct lws *wsi) {
  char text[WSL_PROBLEM_BYTES];
  size_t count =
      wsl_problem_text(text, sizeof text, 503, "Retry-After: 5\r\n", "full", no_room);
  slot->deadline_ms = wsl_monotonic_ms() + loop->limits.answer_ms;
  if (!wsl_response_set(slot, text, count, NULL, 0, true)) return -1;
  lws_callback_on_writable(wsi);
  return 0;
}

static int64_t body_deadline(const wsl_loop *loop, size_t length) {
  return wsl_monotonic_ms() + loop->limits.body_ms + (int64_t)(length >> 16) * 1000;
}

/// - Source: RFC 9110, section 10.1.1
static bool asks_for_continue(struct lws *wsi) {
  char expectation[32];
  return lws_hdr_copy(wsi, expectation, sizeof expectation, WSI_TOKEN_HTTP_EXPECT) > 0 &&
         strcasecmp(expectation, "100-continue") == 0;
}

static int expect_body(wsl_loop *loop, wsl_slot *slot, struct lws *wsi, size_t length) {
  static char continue_line[] = "HTTP/1.1 100 Continue\r\n\r\n";
  size_t first = length < BODY_FIRST_BYTES ? length : BODY_FIRST_BYTES;
  slot->body_length = (uint32_t)length;
  if (!wsl_body_reserve(loop, slot, first))
    return refuse_body(slot, wsi, 503, "Retry-After: 5\r\n", "full", no_room);
  slot->exchange = malloc(sizeof *slot->exchange + first);
  if (!slot->exchange) return -1;
  *slot->exchange = (wsl_exchange){.capacity = first};
  slot->phase = PHASE_BODY;
  slot->deadline_ms = body_deadline(loop, length);
  if (slot->is_continue_asked &&
      lws_write(wsi, (unsigned char *)continue_line, sizeof continue_line - 1, LWS_WRITE_HTTP) < 0)
    return -1;
  return 0;
}

/// Asks the handler whether to receive a large body. The body of a refused request is dropped.
static int ask_for_body(wsl_loop *loop, wsl_slot *slot, struct lws *wsi, size_t length) {
  wsl_request request;
  wsl_request_init(&request, loop, slot, wsi);
  if (loop->handlers.admit_body(loop->owner, &request, length) == 0)
    return expect_body(loop, slot, wsi, length);
  if (!request.is_refused) return -1;
  slot->is_body_dropped = slot->is_body_answered = true;
  slot->phase = PHASE_BODY;
  slot->deadline_ms = body_deadline(loop, length);
  return 0;
}

/// Handles a request whose headers have been received: refuses it, waits for its body, or passes
/// it to the handler. The handler refuses one whose body is too long, because other refusals
/// precede that one.
int wsl_http_begin(wsl_loop *loop, wsl_slot *slot, struct lws *wsi) {
  int64_t length = wsl_content_length(wsi);
  if (slot->phase != PHASE_IDLE) return -1;
  slot->generation++;
  lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);  // from here on `deadline_ms` applies
  slot->body_rest = (uint64_t)length;
  slot->is_continue_asked = length > 0 && asks_for_continue(wsi);
  if (length > loop->limits.body_bytes_max) return dispatch(loop, slot, wsi);
  slot->is_body_dropped = slot->is_body_answered = false;
  if (length > WSL_SMALL_BODY_BYTES) return ask_for_body(loop, slot, wsi, (size_t)length);
  if (length > 0) return expect_body(loop, slot, wsi, (size_t)length);
  // For a POST without a body, LWS_CALLBACK_HTTP_BODY_COMPLETION is called nevertheless.
  if (lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI)) slot->phase = PHASE_BODY;
  else return dispatch(loop, slot, wsi);
  return 0;
}

/// Counts bytes of a dropped body, and stops reading until the next sweep if they are many:
/// otherwise a client whose requests are refused could occupy the loop with their bodies.
static void pause_dropping(wsl_slot *slot, size_t count) {
  slot->dropped_bytes += (uint32_t)count;
  if (slot->is_paused || slot->dropped_bytes < DROPPED_BYTES_MAX) return;
  slot->is_paused = true;
  lws_rx_flow_control(slot->wsi, 0);
}

/// Continues to read a dropped body. Each sweep calls this, and the end of the body.
void wsl_http_resume(wsl_loop *loop, wsl_slot *slot) {
  slot->dropped_bytes = 0;
  if (!slot->is_paused) return;
  slot->is_paused = false;
  lws_rx_flow_control(slot->wsi, 1);
  if (slot->is_tls) wsl_kick(loop);  // the socket does not report bytes that OpenSSL has decrypted
}

int wsl_http_body(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count) {
  wsl_exchange *body = slot->exchange;
  if (count == 0) return 0;
  if (slot->phase == PHASE_BODY && slot->is_body_dropped) {
    pause_dropping(slot, count);
    return 0;
  }
  if (slot->phase != PHASE_BODY || !body) return -1;
  if (count > loop->limits.body_bytes_max - body->count) return -1;
  if (count > body->capacity - body->count) {
    size_t capacity = body->capacity * 2 > body->count + count ? body->capacity * 2
                                                               : body->count + count;
    if (capacity > slot->body_length) capacity = slot->body_length;
    if (capacity < body->count + count) return -1;
    if (!wsl_body_reserve(loop, slot, capacity - body->capacity)) {
      drop_body(loop, slot);
      return 0;
    }
    body = realloc(body, sizeof *body + capacity);
    if (!body) return -1;
    body->capacity = capacity;
    slot->exchange = body;
  }
  memcpy(body->bytes + body->count, bytes, count);
  body->count += count;
  return 0;
}

/// Handles the end of a body. libwebsockets calls this again whenever more data arrives before the
/// response, hence the check of the phase.
int wsl_http_body_complete(wsl_loop *loop, wsl_slot *slot, struct lws *wsi) {
  if (slot->phase != PHASE_BODY) return 0;
  wsl_http_resume(loop, slot);
  if (slot->is_body_answered) return -1;
  return slot->is_body_dropped ? answer_dropped(loop, slot, wsi) : dispatch(loop, slot, wsi);
}
