#include "private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  BODY_FIRST_BYTES = 4096,
  RECEIVE_BYTES_MAX = 65536,  ///< of a body, per event
};

// Bodies ---------------------------------------------------------------------------------------

/// Passes a request to the handler, complete or without a body that is too long.
static void dispatch(wsl_http *http) {
  wsl_loop *loop = http->loop;
  wsl_slot *slot = http->slot;
  wsl_exchange *body = slot->exchange;
  char joined[WSL_JOINED_BYTES];
  wsl_request request = wsl_request_of(http, joined);
  slot->exchange = NULL;
  http->phase = PHASE_ASKED;
  http->deadline_ms = wsl_now_ms() + loop->limits.answer_ms;
  if (body) request.body = (wsl_text){(const char *)body->bytes, body->count};
  request.body_memory = body;
  request.body_reserved = slot->body_reserved;
  request.unread = http->body_rest;
  loop->handlers.respond(loop->owner, wsl_slot_id(loop, slot), &request);
  if (request.body_memory == body) {
    free(body);
    wsl_body_release(loop, slot);
  }
  slot->body_reserved = 0;
  wsl_http_await_answer(http);
}

/// Makes room for more of a body. Returns false, and refuses the request, if there is none.
static bool grow(wsl_http *http) {
  wsl_slot *slot = http->slot;
  wsl_exchange *body = slot->exchange;
  size_t before = body ? body->capacity : 0;
  size_t capacity = before ? 2 * before : BODY_FIRST_BYTES;
  if (capacity > slot->body_length) capacity = slot->body_length;
  if (wsl_body_reserve(http->loop, slot, capacity - before)) {
    body = realloc(body, sizeof *body + capacity);
    if (body) {
      if (!slot->exchange) *body = (wsl_exchange){0};
      body->capacity = capacity;
      slot->exchange = body;
      return true;
    }
  }
  wsl_http_refuse(http, (wsl_problem){503, "full",
                                      "the memory for request bodies is in use; retry later"});
  return false;
}

static void receive_body(wsl_http *http, int status, int events) {
  wsl_exchange *body = http->slot->exchange;
  SSL *tls = http->connection.tls;
  (void)events;
  do {
    if (body->count == body->capacity) {
      if (!grow(http)) return;
      body = http->slot->exchange;
    }
    size_t room = body->capacity - body->count;
    if (room > RECEIVE_BYTES_MAX) room = RECEIVE_BYTES_MAX;
    ssize_t count = status != 0 ? 0 : wsl_receive(http->connection.descriptor, tls,
                                                  body->bytes + body->count, room, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) {
      wsl_http_end(http);
      return;
    }
    body->count += (size_t)count;
    http->body_rest -= (uint64_t)count;
  } while (http->body_rest > 0 && tls && SSL_pending(tls) > 0);
  if (http->body_rest == 0) dispatch(http);
  else wsl_http_poll(http, UV_READABLE, receive_body);
}

/// Asks the handler whether a large body is received.
static bool is_admitted(wsl_http *http, size_t length) {
  char joined[WSL_JOINED_BYTES];
  wsl_loop *loop = http->loop;
  wsl_request request = wsl_request_of(http, joined);
  http->phase = PHASE_ASKED;
  wsl_id id = wsl_slot_id(loop, http->slot);
  bool is_admitted = loop->handlers.admit_body(loop->owner, id, &request, length) == 0;
  if (!is_admitted && http->phase == PHASE_ASKED) wsl_http_break(http);
  return is_admitted;
}

/// Waits for a body, which the handler may refuse if it is large.
/// - Source: RFC 9110, section 10.1.1: an expectation is ignored in HTTP/1.0.
static void expect_body(wsl_http *http, size_t length) {
  static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
  wsl_loop *loop = http->loop;
  wsl_connection *connection = &http->connection;
  wsl_text expectation = wsl_head_field(connection->head, &http->head, WSL_EXPECT);
  if (length > WSL_SMALL_BODY_BYTES && !is_admitted(http, length)) return;
  http->phase = PHASE_BODY;
  http->slot->body_length = (uint32_t)length;
  http->deadline_ms =
      wsl_now_ms() + loop->limits.body_ms + (int64_t)(length >> 16) * 1000;
  if (!grow(http)) return;
  if (http->head.is_1_1 && expectation.bytes && wsl_is_equal(expectation, "100-continue"))
    (void)!wsl_transmit(connection->descriptor, connection->tls, go_on, sizeof go_on - 1);
  receive_body(http, 0, UV_READABLE);
}

// Upgrades -------------------------------------------------------------------------------------
//
// libwebsockets gets a head that has nothing else in it than the key and the selected subprotocol,
// so that it does not matter what it would misread, and answers it.

/// Gives a connection whose upgrade the handler has accepted to libwebsockets, which opens the
/// WebSocket before this returns.
static void open_websocket(wsl_http *http, const char *subprotocol) {
  char head[300];
  wsl_loop *loop = http->loop;
  wsl_slot *slot = http->slot;
  wsl_text key = wsl_head_field(http->connection.head, &http->head, WSL_KEY);
  int count = snprintf(head, sizeof head,
                       "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                       "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %.24s\r\n%s%s%s\r\n",
                       key.bytes, *subprotocol ? "Sec-WebSocket-Protocol: " : "", subprotocol,
                       *subprotocol ? "\r\n" : "");
  http->slot = NULL;
  slot->http = NULL;
  wsl_connection connection = wsl_http_take(http);
  free(connection.head);
  connection.head = NULL;
  int descriptor = connection.tls ? wsl_tunnel_to(loop, connection, slot) : connection.descriptor;
  loop->adopted = slot;
  // On failure libwebsockets closes the descriptor and no callback has claimed `adopted`.
  if (descriptor >= 0)
    lws_adopt_socket_vhost_readbuf(loop->vhost, descriptor, head, (size_t)count);
  if (!loop->adopted) return;
  loop->adopted = NULL;
  wsl_slot_end(loop, slot);
}

static void head_received(wsl_http *http, int status, int events);

/// Asks the handler to admit a WebSocket, which may hold the connection first.
static void upgrade(wsl_http *http, int64_t body_length) {
  char joined[WSL_JOINED_BYTES];
  wsl_loop *loop = http->loop;
  wsl_request request = wsl_request_of(http, joined);
  request.unread = (uint64_t)body_length;
  http->phase = PHASE_ASKED;
  int number = loop->handlers.admit(loop->owner, wsl_slot_id(loop, http->slot), &request);
  if (number >= 0) {
    open_websocket(http, loop->protocols[number].name);
  } else if (number == WSL_HELD) {
    http->phase = PHASE_HEAD;
    http->ready = head_received;
    wsl_http_hold(http);
  } else if (http->phase == PHASE_ASKED) {
    wsl_http_refuse(http, (wsl_problem){500, "internal",
                                        "the server failed to answer the upgrade"});
  }
}

// Requests -------------------------------------------------------------------------------------

/// The response that refuses a request whose length is unknown or that a proxy could delimit
/// differently (request smuggling). Status 0: none.
/// - Source: RFC 9112, sections 3.2 and 6.3
static wsl_problem check(const wsl_head *head, const char *bytes, bool is_websocket) {
  bool has_body = head->method == WSL_POST || head->method == WSL_PUT || head->method == WSL_PATCH;
  wsl_problem problem = {400, "badRequest", NULL}, length = {411, "badRequest", NULL};
  if (head->is_1_1 && !wsl_head_field(bytes, head, WSL_HOST).bytes)
    problem.detail = "the Host header is missing";
  else if (head->repeated >> WSL_HOST & 1)
    problem.detail = "the Host header is repeated";
  else if (head->fields[WSL_TRANSFER_ENCODING].start)
    length.detail = "Transfer-Encoding is not supported; send Content-Length";
  else if (wsl_content_length(bytes, head) < 0)
    problem.detail = "Content-Length must be one decimal number";
  else if (has_body && !is_websocket && !head->fields[WSL_CONTENT_LENGTH].start)
    length.detail = "the Content-Length header is missing";
  return problem.detail ? problem : length.detail ? length : (wsl_problem){0};
}

/// Serves a request on this loop.
static void serve(wsl_http *http) {
  wsl_loop *loop = http->loop;
  const wsl_head *head = &http->head;
  const char *bytes = http->connection.head;
  wsl_text connection = wsl_head_field(bytes, head, WSL_CONNECTION);
  wsl_text protocol = wsl_head_field(bytes, head, WSL_UPGRADE);
  bool is_repeated = head->repeated >> WSL_CONNECTION & 1;
  // A relayed connection is only for the session for which it was opened.
  http->is_kept = head->is_1_1 && !is_repeated && !wsl_has_token(connection, "close") &&
                  !http->connection.is_relayed;
  http->body_rest = 0;
  // - Source: RFC 9110, section 7.8: an upgrade to another protocol is ignored.
  bool is_websocket = protocol.bytes && wsl_is_equal(protocol, "websocket");
  wsl_problem problem = check(head, bytes, is_websocket);
  if (problem.status) {
    wsl_http_refuse(http, problem);
    return;
  }
  int64_t length = wsl_content_length(bytes, head);
  if (is_websocket) {
    upgrade(http, length);
    return;
  }
  http->body_rest = (uint64_t)length;
  // The handler refuses one whose body is too long, because other refusals precede that one.
  if (length == 0 || length > loop->limits.body_bytes_max) dispatch(http);
  else expect_body(http, (size_t)length);
}

/// The head of a request has been received before.
static void head_received(wsl_http *http, int status, int events) {
  const wsl_connection *connection = &http->connection;
  wsl_problem problem;
  (void)status;
  (void)events;
  if (wsl_head_parse(connection->head, connection->head_count, &http->head, &problem)) serve(http);
  else wsl_http_refuse(http, problem);
}

void wsl_http_serve(wsl_loop *loop, wsl_connection connection) {
  wsl_http *http = wsl_http_make(loop, connection, PHASE_HEAD, loop->limits.answer_ms);
  if (!http) return;
  http->ready = head_received;
  wsl_http_readable(http);
}

// Heads ----------------------------------------------------------------------------------------

/// Receives a part of a head, up to its end.
///
/// - Returns: The response if it is malformed or too long; its status is 0 while nothing is wrong.
static wsl_problem receive_head(wsl_http *http, bool *is_complete) {
  char bytes[WSL_HEAD_BYTES_MAX + 1];
  wsl_connection *connection = &http->connection;
  size_t before = connection->head_count;
  wsl_problem problem = {0};
  ssize_t count = wsl_receive(connection->descriptor, connection->tls, bytes,
                              sizeof bytes - before, MSG_PEEK);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return problem;
  char *head = count > 0 ? realloc(connection->head, before + (size_t)count) : NULL;
  if (!head) return (wsl_problem){.status = -1};
  connection->head = head;
  memcpy(head + before, bytes, (size_t)count);
  size_t total = before + (size_t)count, end = wsl_head_end(head, total, before);
  if (end > 0) total = end;
  connection->head_count = (uint32_t)total;
  *is_complete = end > 0;
  if (wsl_receive(connection->descriptor, connection->tls, bytes, total - before, 0) !=
      (ssize_t)(total - before))
    return (wsl_problem){.status = -1};
  if (total > WSL_HEAD_BYTES_MAX)
    return (wsl_problem){431, "tooLarge", "the head of the request is over 12288 bytes"};
  if (end == 0 && !wsl_head_begins(head, total))
    return (wsl_problem){501, "methodNotAllowed", "the method of the request is unknown"};
  if (before == 0) http->deadline_ms = wsl_now_ms() + http->loop->limits.header_ms;
  bool is_valid = end == 0 || wsl_head_parse(head, end, &http->head, &problem);
  return is_valid ? (wsl_problem){0} : problem;
}

/// Something was received of a head or, before, of the TLS handshake, or the connection has ended.
static void head_ready(wsl_http *http, int status, int events) {
  wsl_loop *loop = http->loop;
  wsl_connection *connection = &http->connection;
  bool is_complete = false;
  (void)events;
  wsl_problem problem = status != 0 ? (wsl_problem){.status = -1}
                                    : receive_head(http, &is_complete);
  if (problem.status < 0) {
    wsl_http_end(http);
  } else if (problem.status > 0) {
    wsl_http_refuse(http, problem);
  } else if (!is_complete) {
    bool is_written = connection->tls && SSL_want_write(connection->tls);
    wsl_http_poll(http, is_written ? UV_WRITABLE : UV_READABLE, head_ready);
  } else if (connection->audience <= WSL_BACKEND &&
             loop->handlers.is_elsewhere(loop->owner, connection)) {
    loop->counters.connections--;  // the loop that takes it counts it
    loop->handlers.moved(loop->owner, wsl_http_take(http));
  } else {
    serve(http);
  }
}

void wsl_http_begin(wsl_loop *loop, wsl_connection connection) {
  wsl_http *http = wsl_http_make(loop, connection, PHASE_HEAD, loop->limits.header_ms);
  if (http) wsl_http_poll(http, UV_READABLE, head_ready);
}

/// A response is sent: expects the next request, or ends the connection.
static void finish(wsl_http *http) {
  wsl_loop *loop = http->loop;
  wsl_connection *connection = &http->connection;
  const wsl_exchange *response = http->slot->exchange;
  bool keep_alive = response && response->keep_alive && http->is_kept && http->body_rest == 0;
  if (!keep_alive || loop->is_last_request) {
    wsl_http_linger(http);
    return;
  }
  wsl_slot_release(loop, http->slot);
  http->slot = NULL;
  free(connection->head);
  connection->head = NULL;
  connection->head_count = 0;
  connection->is_later = true;
  http->phase = PHASE_HEAD;
  http->deadline_ms = wsl_now_ms() + (int64_t)loop->limits.idle_seconds * 1000;
  wsl_http_poll(http, UV_READABLE, head_ready);
  // The socket does not report what OpenSSL has decrypted.
  if (connection->tls && SSL_pending(connection->tls) > 0) wsl_http_readable(http);
}

void wsl_http_settle_all(wsl_loop *loop) {
  for (wsl_http *http; (http = loop->settled) != NULL;) {
    loop->settled = http->next_settled;
    http->is_settled = false;
    if (http->phase == PHASE_BROKEN) wsl_http_end(http);
    else if (http->slot && !http->is_streaming && wsl_response_is_sent(http)) finish(http);
  }
}
