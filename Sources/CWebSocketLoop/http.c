#include "private.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BODY_FIRST_BYTES = 4096, DISCARD_MS = 5000, LENGTH_DIGITS_MAX = 18 };

enum { LARGE_BODY_BYTES = 65536 };

/// Reserves `count` more bytes of `bodies_bytes_max` for a body. Returns false if they are not
/// available. Only memory in use is counted: an announced length costs the client nothing.
static bool reserve(wsl_loop *loop, wsl_slot *slot, size_t count) {
  uint64_t most = loop->limits.bodies_bytes_max;
  if (slot->body_length > LARGE_BODY_BYTES) most -= most / 4;
  uint64_t before = __atomic_fetch_add(loop->limits.bodies_bytes, count, __ATOMIC_RELAXED);
  if (before + count > most) {
    wsl_count_body(loop->limits.bodies_bytes, -(int64_t)count);
    return false;
  }
  slot->body_bytes += (uint32_t)count;
  return true;
}

/// Releases the bytes that `reserve` has counted, if any.
void wsl_body_over(wsl_loop *loop, wsl_slot *slot) {
  wsl_count_body(loop->limits.bodies_bytes, -(int64_t)slot->body_bytes);
  slot->body_bytes = 0;
}

void wsl_count_body(uint64_t *bodies_bytes, int64_t count) {
  __atomic_fetch_add(bodies_bytes, (uint64_t)count, __ATOMIC_RELAXED);
}

/// The Content-Length of a request: 0 if absent, -1 if repeated or not a decimal number.
static int64_t content_length(struct lws *wsi) {
  char digits[LENGTH_DIGITS_MAX + 1];
  if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) == 0) return 0;
  if (wsl_repeats(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH)) return -1;
  int count = lws_hdr_copy(wsi, digits, sizeof digits, WSI_TOKEN_HTTP_CONTENT_LENGTH);
  while (count > 0 && (digits[count - 1] == ' ' || digits[count - 1] == '\t')) digits[--count] = 0;
  if (count <= 0 || strspn(digits, "0123456789") != (size_t)count) return -1;
  return strtoll(digits, NULL, 10);
}

bool wsl_has_body(struct lws *wsi) {
  return content_length(wsi) != 0 || lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING);
}

static bool is_method_with_body(struct lws *wsi) {
  return lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) ||
         lws_hdr_total_length(wsi, WSI_TOKEN_PUT_URI) ||
         lws_hdr_total_length(wsi, WSI_TOKEN_PATCH_URI);
}

/// Whether libwebsockets had read all headers of this request before the previous request ended.
/// In that case it mistakes the headers for the body and spins.
static bool is_pipelined(const wsl_slot *slot, struct lws *wsi) {
  enum { REQUEST_BYTES_MIN = 16 };  // the shortest request; the count may be one too high
  if (slot->phase == PHASE_DISCARDING) return true;  // the previous request's end is unknown
  if (slot->bytes_read == 0) return false;          // the first request of the connection
  return wsl_bytes_read(lws_get_socket_fd(wsi)) < slot->bytes_read + REQUEST_BYTES_MIN;
}

/// Refuses a request whose length is unknown or that a proxy could delimit differently (request
/// smuggling), and closes the connection, because the bytes that follow cannot be trusted.
///
/// - Returns: 0 if the request is accepted.
/// - Source: RFC 9112, sections 3.2 and 6.3
int wsl_http_filter(wsl_slot *slot, struct lws *wsi) {
  char version[16] = "";
  slot->is_head_read = true;
  lws_hdr_copy(wsi, version, sizeof version, WSI_TOKEN_HTTP);
  bool is_1_1 = strcmp(version, "HTTP/1.1") == 0;
  if (!is_1_1 && strcmp(version, "HTTP/1.0") != 0)
    return wsl_hang_up(wsi, 400, "", "badRequest", "the HTTP version must be 1.1 or 1.0");
  if (is_1_1 && lws_hdr_total_length(wsi, WSI_TOKEN_HOST) == 0)
    return wsl_hang_up(wsi, 400, "", "badRequest", "the Host header is missing");
  if (wsl_repeats(wsi, WSI_TOKEN_HOST))
    return wsl_hang_up(wsi, 400, "", "badRequest", "the Host header is repeated");
  if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING))
    return wsl_hang_up(wsi, 411, "", "badRequest",
                       "Transfer-Encoding is not supported; send Content-Length");
  if (content_length(wsi) < 0)
    return wsl_hang_up(wsi, 400, "", "badRequest", "Content-Length must be one decimal number");
  // libwebsockets would assume a length of 100 MB.
  if (is_method_with_body(wsi) && !lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH))
    return wsl_hang_up(wsi, 411, "", "badRequest", "the Content-Length header is missing");
  if (content_length(wsi) > 0 && is_pipelined(slot, wsi))
    return wsl_hang_up(wsi, 400, "", "badRequest", "a request with a body must not be pipelined");
  return 0;
}

/// Passes a complete request to the handler. The response is written by the writeable callback,
/// even if the handler answers immediately.
static int dispatch(wsl_loop *loop, wsl_slot *slot, struct lws *wsi) {
  wsl_exchange *body = slot->exchange;
  wsl_request request;
  slot->exchange = NULL;
  slot->phase = PHASE_ASKED;
  slot->deadline_ms = wsl_monotonic_ms() + loop->limits.answer_ms;
  wsl_request_init(&request, loop, slot, wsi);
  if (body) request.body = (wsl_text){(const char *)body->bytes, body->count};
  request.exchange = body;
  loop->handlers.respond(loop->owner, wsl_slot_id(loop, slot), &request);
  free(request.exchange);  // NULL if the handler has taken it
  wsl_body_over(loop, slot);
  if (slot->phase == PHASE_ABORTED) return -1;
  lws_callback_on_writable(wsi);
  return 0;
}

/// Answers a request before its body is read; libwebsockets discards the body.
static int refuse_body(wsl_slot *slot, struct lws *wsi, int status, const char *headers,
                       const char *code, const char *detail) {
  char text[WSL_PROBLEM_BYTES];
  size_t count = wsl_problem_text(text, sizeof text, status, headers, code, detail);
  slot->phase = PHASE_DISCARDING;
  slot->deadline_ms = wsl_monotonic_ms() + DISCARD_MS;
  if (lws_write(wsi, (unsigned char *)text, count, LWS_WRITE_HTTP) < 0) return -1;
  return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static const char no_room[] = "the memory for request bodies is in use; retry later";

/// Drops the bytes received so far of a body for which there is no room. The rest is received and
/// dropped, too: if the connection were closed now, a RST could overtake the response.
static void drop_body(wsl_loop *loop, wsl_slot *slot) {
  wsl_slot_drop_parts(slot);
  wsl_body_over(loop, slot);
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

static int expect_body(wsl_loop *loop, wsl_slot *slot, struct lws *wsi, size_t length) {
  static char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
  char expectation[32];
  size_t first = length < BODY_FIRST_BYTES ? length : BODY_FIRST_BYTES;
  slot->body_length = (uint32_t)length;
  if (!reserve(loop, slot, first))
    return refuse_body(slot, wsi, 503, "Retry-After: 5\r\n", "full", no_room);
  slot->exchange = malloc(sizeof *slot->exchange + first);
  if (!slot->exchange) return -1;
  *slot->exchange = (wsl_exchange){.capacity = first};
  slot->phase = PHASE_BODY;
  slot->deadline_ms = wsl_monotonic_ms() + loop->limits.body_ms + (int64_t)(length >> 16) * 1000;
  if (lws_hdr_copy(wsi, expectation, sizeof expectation, WSI_TOKEN_HTTP_EXPECT) > 0 &&
      strcasecmp(expectation, "100-continue") == 0 &&
      lws_write(wsi, (unsigned char *)go_on, sizeof go_on - 1, LWS_WRITE_HTTP) < 0)
    return -1;
  return 0;
}

/// Handles a request whose headers have been received: refuses it, waits for its body, or passes
/// it to the handler.
int wsl_http_begin(wsl_loop *loop, wsl_slot *slot, struct lws *wsi) {
  int64_t length = content_length(wsi);
  if (slot->phase != PHASE_IDLE && slot->phase != PHASE_DISCARDING) return -1;
  slot->generation++;
  lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0);  // from here on `deadline_ms` applies
  if (length > loop->limits.body_bytes_max)
    return refuse_body(slot, wsi, 413, "", "tooLarge", "the body is larger than the limit");
  slot->is_body_dropped = false;
  if (length > 0) return expect_body(loop, slot, wsi, (size_t)length);
  // For a POST without a body, LWS_CALLBACK_HTTP_BODY_COMPLETION is called nevertheless.
  if (lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI)) slot->phase = PHASE_BODY;
  else return dispatch(loop, slot, wsi);
  return 0;
}

int wsl_http_body(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count) {
  wsl_exchange *body = slot->exchange;
  if (count == 0 || (slot->phase == PHASE_BODY && slot->is_body_dropped)) return 0;
  if (slot->phase != PHASE_BODY || !body) return -1;
  if (count > loop->limits.body_bytes_max - body->count) return -1;
  if (count > body->capacity - body->count) {
    size_t capacity = body->capacity * 2 > body->count + count ? body->capacity * 2
                                                               : body->count + count;
    if (capacity > slot->body_length) capacity = slot->body_length;
    if (capacity < body->count + count) return -1;
    if (!reserve(loop, slot, capacity - body->capacity)) {
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
  return slot->is_body_dropped ? answer_dropped(loop, slot, wsi) : dispatch(loop, slot, wsi);
}
