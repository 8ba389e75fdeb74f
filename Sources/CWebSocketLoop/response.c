#include "private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { HALF_CLOSED_MS = 2000 };  ///< to send a response after the peer has closed its side

/// Whether everything that was written is sent.
bool wsl_response_is_sent(const wsl_http *http) {
  const wsl_exchange *response = http->slot->exchange;
  return !response || response->sent == response->count;
}

static void ready(wsl_http *http, int status, int events);

/// Polls for what may be sent, and for the end of the connection. What the client sends meanwhile
/// stays in the kernel.
static void watch(wsl_http *http) {
  int events = wsl_response_is_sent(http) ? 0 : UV_WRITABLE;
  wsl_http_poll(http, http->is_half_closed ? events : events | UV_DISCONNECT, ready);
}

/// Waits for the answer to a request.
void wsl_http_await_answer(wsl_http *http) {
  if (http->phase == PHASE_ASKED) watch(http);
}

/// Sends what the kernel takes. Returns false if the connection is broken.
static bool send_some(wsl_http *http) {
  wsl_exchange *response = http->slot->exchange;
  while (response->sent < response->count) {
    ssize_t sent = wsl_transmit(http->connection.descriptor, http->connection.tls,
                                response->bytes + response->sent,
                                response->count - response->sent);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    response->sent += (size_t)sent;
    http->deadline_ms = wsl_now_ms() + http->loop->limits.answer_ms;
  }
  return true;
}

/// The kernel has taken everything that a stream has written.
static void continue_stream(wsl_http *http) {
  wsl_loop *loop = http->loop;
  wsl_slot *slot = http->slot;
  bool was_blocked = slot->is_write_blocked;
  wsl_slot_drop_parts(slot);
  wsl_unsent_end(loop, slot);
  slot->is_write_blocked = false;
  http->deadline_ms = 0;
  watch(http);
  if (was_blocked) loop->handlers.stream_writable(loop->owner, wsl_slot_id(loop, slot));
}

/// Handles an event of a connection whose request is being answered.
static void ready(wsl_http *http, int status, int events) {
  int64_t deadline = wsl_now_ms() + HALF_CLOSED_MS;
  bool is_over = status != 0 || (events & UV_DISCONNECT && http->phase == PHASE_STREAMING);
  if (is_over || (events & UV_WRITABLE && !wsl_response_is_sent(http) && !send_some(http))) {
    wsl_http_end(http);
    return;
  }
  if (events & UV_DISCONNECT) {
    http->is_half_closed = true;
    if (!http->deadline_ms || http->deadline_ms > deadline) http->deadline_ms = deadline;
  }
  bool is_sent = wsl_response_is_sent(http);
  if (http->is_streaming && is_sent) continue_stream(http);
  else if (is_sent && http->phase != PHASE_ASKED) wsl_http_settle(http);
  else watch(http);
}

/// The connection of a request in a phase, or NULL.
static wsl_http *http_of(wsl_loop *loop, wsl_id id, wsl_phase phase) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  return slot && slot->http && slot->http->phase == phase ? slot->http : NULL;
}

/// Sends a part of the response at once; the rest follows.
static void begin_sending(wsl_http *http) {
  if (!send_some(http)) wsl_http_break(http);
  else if (wsl_response_is_sent(http)) wsl_http_settle(http);
  else watch(http);
}

bool wsl_answer(wsl_loop *loop, wsl_id id, const void *head, size_t head_count, const void *body,
                size_t body_count, bool keep_alive, size_t reserved) {
  wsl_http *http = http_of(loop, id, PHASE_ASKED);
  size_t count = head_count + body_count;
  if (!http) return false;
  http->slot->unsent_bytes = count;
  http->slot->unsent_reserved = reserved;
  wsl_exchange *response = malloc(sizeof *response + count);
  if (!response) {
    wsl_http_break(http);
    return true;
  }
  *response = (wsl_exchange){.count = count, .capacity = count, .keep_alive = keep_alive};
  memcpy(response->bytes, head, head_count);
  if (body_count > 0) memcpy(response->bytes + head_count, body, body_count);
  http->slot->exchange = response;
  http->phase = PHASE_ANSWERING;
  http->deadline_ms = wsl_now_ms() + loop->limits.answer_ms;
  begin_sending(http);
  return true;
}

bool wsl_is_reusable(wsl_loop *loop, wsl_id id) {
  wsl_http *http = http_of(loop, id, PHASE_ASKED);
  return http && http->is_kept && http->body_rest == 0 && !loop->is_last_request;
}

bool wsl_stream_start(wsl_loop *loop, wsl_id id, const void *head, size_t head_count) {
  wsl_http *http = http_of(loop, id, PHASE_ASKED);
  if (!http) return false;
  http->phase = PHASE_STREAMING;
  http->deadline_ms = 0;
  http->is_streaming = true;
  watch(http);
  return wsl_stream_write(loop, id, head, head_count) != WSL_GONE;
}

/// Appends what the kernel has not taken. Returns false without memory.
static bool append(wsl_slot *slot, const void *bytes, size_t count) {
  wsl_exchange *rest = slot->exchange;
  size_t before = rest ? rest->count : 0;
  if (!rest || before + count > rest->capacity) {
    size_t capacity = before + count > 2 * before ? before + count : 2 * before;
    rest = realloc(rest, sizeof *rest + capacity);
    if (!rest) return false;
    if (!slot->exchange) *rest = (wsl_exchange){0};
    rest->capacity = capacity;
    slot->exchange = rest;
  }
  memcpy(rest->bytes + before, bytes, count);
  rest->count = before + count;
  return true;
}

wsl_outcome wsl_stream_write(wsl_loop *loop, wsl_id id, const void *bytes, size_t count) {
  wsl_http *http = http_of(loop, id, PHASE_STREAMING);
  if (!http || !http->is_streaming) return WSL_GONE;
  wsl_slot *slot = http->slot;
  ssize_t sent = slot->exchange ? 0 : wsl_transmit(http->connection.descriptor,
                                                   http->connection.tls, bytes, count);
  if (sent == (ssize_t)count) return WSL_SENT;
  bool is_broken = sent < 0 && errno != EAGAIN && errno != EINTR;
  size_t taken = sent > 0 ? (size_t)sent : 0;
  if (is_broken || !append(slot, (const char *)bytes + taken, count - taken) ||
      !wsl_unsent_add(loop, slot, count - taken)) {
    wsl_http_break(http);
    return WSL_GONE;
  }
  slot->is_write_blocked = true;
  if (http->deadline_ms == 0) http->deadline_ms = wsl_now_ms() + loop->limits.answer_ms;
  watch(http);
  return WSL_WRITE_BLOCKED;
}

void wsl_stream_end(wsl_loop *loop, wsl_id id) {
  wsl_http *http = http_of(loop, id, PHASE_STREAMING);
  if (!http || !http->is_streaming) return;
  http->is_streaming = false;
  http->deadline_ms = wsl_now_ms() + loop->limits.answer_ms;
  if (wsl_response_is_sent(http)) wsl_http_settle(http);
}
