#include "private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Connections that libwebsockets does not have: every one until its WebSocket opens, or until it
// ends.

enum {
  DRAIN_LINGER_MS = 300,
  LINGER_MS = 5000,            ///< to receive what a client sends after its last response, plus
  LINGER_MS_EACH = 1000,       ///< for each MiB that is left of a body,
  LINGER_BYTES_MAX = 16777216, ///< of at most so many
  DROPPED_BYTES_MAX = 262144,  ///< per connection and sweep
};

static void polled(uv_poll_t *poll, int status, int events) {
  wsl_http *http = poll->data;
  wsl_note_event(http->loop);
  // libuv polls again within an iteration if there are many events.
  if (http->is_settled) return;
  bool is_request = http->phase == PHASE_HEAD || http->phase == PHASE_BODY;
  if (is_request && status == 0) wsl_http_readable(http);
  else http->ready(http, status, events);
}

/// Polls the socket for `events`; 0 stops. An error is always reported otherwise.
void wsl_http_poll(wsl_http *http, int events,
                   void (*ready)(wsl_http *http, int status, int events)) {
  http->ready = ready;
  if (events == http->events) return;
  http->events = events;
  if (events) uv_poll_start(&http->poll, events, polled);
  else uv_poll_stop(&http->poll);
}

/// Keeps a connection for a time. Closes it, and returns NULL, without memory.
wsl_http *wsl_http_make(wsl_loop *loop, wsl_connection connection, wsl_phase phase,
                        uint32_t milliseconds) {
  wsl_http *http = calloc(1, sizeof *http);
  if (!http || uv_poll_init(&loop->uv, &http->poll, connection.descriptor) != 0) {
    free(http);
    wsl_connection_free(connection);
    wsl_leave(loop, connection.audience, connection.network);
    return NULL;
  }
  http->loop = loop;
  http->connection = connection;
  http->phase = phase;
  http->deadline_ms = wsl_now_ms() + milliseconds;
  http->link = &loop->unopened;
  http->next = loop->unopened;
  if (http->next) http->next->link = &http->next;
  loop->unopened = http;
  http->poll.data = http;
  return http;
}

// Reading a request, as far as the handler permits it -------------------------------------------

/// Asks the handler whether what a connection has received of a request is read now.
void wsl_http_readable(wsl_http *http) {
  wsl_loop *loop = http->loop;
  if (!http->slot) http->slot = wsl_slot_take(loop, http);
  if (!http->slot)
    wsl_http_refuse(http, (wsl_problem){503, "full", "too many connections"});
  else if (!loop->handlers.readable(loop->owner, wsl_slot_id(loop, http->slot)))
    wsl_http_hold(http);
}

/// Reads nothing more until `wsl_read`, which continues with `ready`.
void wsl_http_hold(wsl_http *http) {
  http->is_held = true;
  http->slot->paused_at_ms = wsl_now_ms();
  wsl_http_poll(http, 0, http->ready);
}

void wsl_read(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (!slot || !slot->http) return;
  wsl_http *http = slot->http;
  if (http->is_held) http->deadline_ms += wsl_now_ms() - slot->paused_at_ms;
  http->is_held = false;
  http->ready(http, 0, UV_READABLE);
}

void wsl_drop(wsl_loop *loop, wsl_id id) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (slot && slot->http) wsl_http_break(slot->http);
  else if (wsl_is_open(slot)) wsl_abort(loop, slot);
}

// The end of a connection -----------------------------------------------------------------------

static void end_request(wsl_http *http) {
  if (!http->slot) return;
  wsl_slot_release(http->loop, http->slot);
  http->slot = NULL;
}

static void free_http(uv_handle_t *handle) { free(handle->data); }

/// Frees the state of a connection, and returns the connection, which the caller owns then.
wsl_connection wsl_http_take(wsl_http *http) {
  wsl_loop *loop = http->loop;
  *http->link = http->next;
  if (http->next) http->next->link = http->link;
  if (http->is_settled) {
    wsl_http **link = &loop->settled;
    while (*link != http) link = &(*link)->next_settled;
    *link = http->next_settled;
  }
  end_request(http);
  uv_poll_stop(&http->poll);
  uv_close((uv_handle_t *)&http->poll, free_http);
  return http->connection;
}

/// Closes a connection.
void wsl_http_end(wsl_http *http) {
  wsl_loop *loop = http->loop;
  bool was_streaming = http->is_streaming;
  wsl_id id = http->slot ? wsl_slot_id(loop, http->slot) : 0;
  wsl_connection connection = wsl_http_take(http);
  wsl_connection_free(connection);
  wsl_leave(loop, connection.audience, connection.network);
  if (was_streaming) loop->handlers.stream_closed(loop->owner, id);
  wsl_stop_if_drained(loop);
}

/// Has the end of the iteration look at a connection: a handler may be using it now.
void wsl_http_settle(wsl_http *http) {
  if (http->is_settled) return;
  http->is_settled = true;
  http->next_settled = http->loop->settled;
  http->loop->settled = http;
}

/// Ends a connection with this iteration.
void wsl_http_break(wsl_http *http) {
  http->phase = PHASE_BROKEN;
  wsl_http_settle(http);
}

static void drop_received(wsl_http *http, int status, int events) {
  char bytes[16384];
  (void)events;
  ssize_t count = status != 0 ? 0 : wsl_receive(http->connection.descriptor, http->connection.tls,
                                                bytes, sizeof bytes, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    wsl_http_end(http);
    return;
  }
  http->dropped_bytes += (uint32_t)count;
  if (http->dropped_bytes >= DROPPED_BYTES_MAX) wsl_http_poll(http, 0, drop_received);
}

/// Ends a connection after its last response. If the socket were closed at once, although the
/// client still sends, a RST could overtake the response. What arrives is dropped, at a limited
/// rate.
/// - Source: RFC 9112, section 9.6
void wsl_http_linger(wsl_http *http) {
  uint64_t rest = http->body_rest < LINGER_BYTES_MAX ? http->body_rest : LINGER_BYTES_MAX;
  end_request(http);
  http->phase = PHASE_LINGERING;
  int64_t milliseconds = LINGER_MS + (int64_t)(rest >> 20) * LINGER_MS_EACH;
  http->deadline_ms =
      wsl_now_ms() + (http->loop->drain_by_ms ? DRAIN_LINGER_MS : milliseconds);
  wsl_shut(http->connection.descriptor, http->connection.tls);
  wsl_http_poll(http, UV_READABLE, drop_received);
}

/// Answers a request with a problem document, after which the connection ends.
void wsl_http_refuse(wsl_http *http, wsl_problem problem) {
  char text[WSL_PROBLEM_BYTES];
  size_t count = wsl_problem_text(text, sizeof text, problem);
  (void)!wsl_transmit(http->connection.descriptor, http->connection.tls, text, count);
  wsl_http_linger(http);
}

/// Ends the connections whose time is over.
void wsl_http_sweep(wsl_loop *loop, int64_t now) {
  for (wsl_http *http = loop->unopened, *next; http; http = next) {
    next = http->next;
    http->dropped_bytes = 0;
    if (http->phase == PHASE_LINGERING) wsl_http_poll(http, UV_READABLE, drop_received);
    if (http->is_held || !http->deadline_ms || now < http->deadline_ms) continue;
    bool is_idle = http->connection.is_later && http->connection.head_count == 0;
    if (!is_idle && http->phase != PHASE_LINGERING) loop->counters.timed_out++;
    wsl_http_end(http);
  }
}

/// Whether the kernel has received something that was not read.
static bool has_input(const wsl_http *http) {
  char byte;
  return recv(http->connection.descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

void wsl_http_close(wsl_loop *loop, bool also_begun) {
  for (wsl_http *http = loop->unopened, *next; http; http = next) {
    next = http->next;
    bool is_new = http->phase == PHASE_PROXIED ||
                  (http->phase == PHASE_HEAD && http->connection.head_count == 0);
    bool is_begun = http->phase == PHASE_HEAD || http->phase == PHASE_LINGERING;
    if (is_new ? also_begun || !has_input(http) : also_begun && is_begun) wsl_http_end(http);
  }
}
