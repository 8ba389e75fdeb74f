#include "private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

// Connections that no loop serves yet.
//
// Those of listeners that require a PROXY protocol header. The header precedes everything else,
// also the TLS handshake, so that exactly its bytes are read before libwebsockets adopts the
// connection.
//
// Those of which the target of the first request is needed and was not received: their bytes stay
// in the kernel. The handler is asked again at most once per sweep, however small the pieces are.
//
// Those that are held while the handler looks for the owner of their session.

enum { HELD_MAX = 1024, HOLD_MS = 10000 };

typedef enum wsl_stage { STAGE_HEADER, STAGE_REQUEST, STAGE_HELD } wsl_stage;

struct wsl_arrival {
  uv_poll_t poll;
  wsl_loop *loop;
  wsl_connection connection;
  wsl_proxy_header header;
  wsl_stage stage;
  wsl_id id;                  ///< of a held one
  int64_t deadline_ms;
  wsl_arrival **link, *next;  ///< in one of the loop's two lists
};

static void free_arrival(uv_handle_t *handle) { free(handle->data); }

/// Frees an arrival. Returns its connection, which the caller owns then.
static wsl_connection take(wsl_arrival *arrival) {
  wsl_connection connection = arrival->connection;
  *arrival->link = arrival->next;
  if (arrival->next) arrival->next->link = arrival->link;
  if (arrival->stage == STAGE_HELD) arrival->loop->held_count--;
  uv_poll_stop(&arrival->poll);
  uv_close((uv_handle_t *)&arrival->poll, free_arrival);
  return connection;
}

/// Keeps a connection for a time. Discards it, and returns NULL, without memory.
static wsl_arrival *keep(wsl_loop *loop, wsl_connection connection, wsl_stage stage,
                         uint32_t milliseconds) {
  wsl_arrival **list = stage == STAGE_HELD ? &loop->held : &loop->arrivals;
  wsl_arrival *arrival = calloc(1, sizeof *arrival);
  if (!arrival || uv_poll_init(&loop->uv, &arrival->poll, connection.descriptor) != 0) {
    free(arrival);
    wsl_discard(connection, loop->limits.count);
    return NULL;
  }
  arrival->loop = loop;
  arrival->connection = connection;
  arrival->stage = stage;
  arrival->deadline_ms = wsl_monotonic_ms() + milliseconds;
  arrival->link = list;
  arrival->next = *list;
  if (arrival->next) arrival->next->link = &arrival->next;
  *list = arrival;
  arrival->poll.data = arrival;
  return arrival;
}

/// Asks the handler what to do with a connection.
///
/// - Returns: False if more of its request must be received.
static bool choose(wsl_loop *loop, wsl_connection connection) {
  switch (loop->handlers.accepted(loop->owner, connection)) {
  case WSL_HERE:
    wsl_adopt(loop, connection, NULL, 0);
    return true;
  case WSL_TAKEN:
    return true;
  case WSL_LATER:
    return false;
  }
  return false;
}

/// Something was received of a request, or the connection has ended.
static void request_received(uv_poll_t *poll, int status, int events) {
  wsl_arrival *arrival = poll->data;
  wsl_loop *loop = arrival->loop;
  wsl_connection connection = arrival->connection;
  char byte;
  (void)events;
  uv_poll_stop(poll);  // until the next sweep, if more is needed
  bool has_ended = status != 0 || recv(connection.descriptor, &byte, 1, MSG_PEEK) == 0;
  if (has_ended) wsl_discard(take(arrival), loop->limits.count);
  else if (choose(loop, connection)) take(arrival);
}

/// Serves an admitted connection on this loop, unless the `accepted` handler takes it over.
void wsl_serve(wsl_loop *loop, wsl_connection connection) {
  wsl_set_options(loop, connection);
  if (connection.audience > WSL_BACKEND) {
    wsl_adopt(loop, connection, NULL, 0);
    return;
  }
  if (choose(loop, connection)) return;
  wsl_arrival *arrival = keep(loop, connection, STAGE_REQUEST, loop->limits.header_ms);
  if (arrival) uv_poll_start(&arrival->poll, UV_READABLE, request_received);
}

static void refuse(wsl_loop *loop, wsl_connection connection, const char *why) {
  char line[200], text[INET6_ADDRSTRLEN];
  snprintf(line, sizeof line, "a connection from %s was closed: %s",
           wsl_address_text(connection.peer, text, sizeof text), why);
  wsl_log(loop, true, line);
  wsl_discard(connection, loop->limits.count);
}

/// Serves a connection whose header is complete.
static void arrive(wsl_arrival *arrival) {
  wsl_loop *loop = arrival->loop;
  wsl_connection connection = take(arrival);
  if (!wsl_proxy_client(&arrival->header, &connection.peer)) {
    refuse(loop, connection, "its PROXY protocol header is invalid");
    return;
  }
  if (connection.is_relayed && arrival->header.bytes[WSL_PROXY_BYTES - 1] == WSL_BACKEND)
    connection.audience = WSL_BACKEND;
  wsl_network_id network = wsl_counted_network(loop, connection.peer);
  if (!wsl_peers_move(loop->limits.count, connection.network, network)) {
    wsl_peers_end(loop->limits.count, connection.network);
    wsl_refuse_network(loop, connection);
    return;
  }
  connection.network = network;
  wsl_serve(loop, connection);
}

/// Receives up to `length` bytes of a header. What follows the addresses (TLVs) is not stored.
///
/// - Returns: False if the connection has ended.
static bool receive(wsl_arrival *arrival, uint32_t length) {
  wsl_proxy_header *header = &arrival->header;
  uint8_t ignored[256];
  bool is_stored = header->count < sizeof header->bytes;
  uint8_t *into = is_stored ? header->bytes + header->count : ignored;
  size_t size = is_stored ? sizeof header->bytes - header->count : sizeof ignored;
  if (size > length - header->count) size = length - header->count;
  ssize_t count = recv(arrival->connection.descriptor, into, size, MSG_DONTWAIT);
  if (count > 0) header->count += (uint32_t)count;
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

static void readable(uv_poll_t *poll, int status, int events) {
  wsl_arrival *arrival = poll->data;
  wsl_loop *loop = arrival->loop;
  (void)events;
  uint32_t length = wsl_proxy_header_length(&arrival->header);
  if (status != 0 || !receive(arrival, length)) {
    // Also the end of a health check that only connects.
    wsl_discard(take(arrival), loop->limits.count);
    return;
  }
  length = wsl_proxy_header_length(&arrival->header);
  if (length == 0)
    refuse(loop, take(arrival), "it does not begin with a PROXY protocol header, version 2");
  else if (arrival->header.count == length) arrive(arrival);
}

/// Waits for the header of a connection that `wsl_admit` has admitted.
void wsl_expect_header(wsl_loop *loop, wsl_connection connection) {
  wsl_arrival *arrival = keep(loop, connection, STAGE_HEADER, loop->limits.header_ms);
  if (arrival) uv_poll_start(&arrival->poll, UV_READABLE, readable);
}

wsl_id wsl_hold(wsl_loop *loop, wsl_connection connection) {
  if (loop->drain_by_ms || loop->held_count == HELD_MAX) {
    wsl_refuse_new(loop, connection);
    return 0;
  }
  wsl_arrival *arrival = keep(loop, connection, STAGE_HELD, HOLD_MS);
  if (!arrival) return 0;
  loop->held_count++;
  return arrival->id = ++loop->last_held;
}

static void unavailable(wsl_loop *loop, wsl_connection connection) {
  wsl_turn_away(loop, connection, "unavailable",
                "the server that has this session is not known, or cannot be reached; retry later");
}

/// Takes a held connection. Returns false if it is not held any more.
static bool take_held(wsl_loop *loop, wsl_id id, wsl_connection *connection) {
  wsl_arrival *arrival = loop->held;
  while (arrival && arrival->id != id) arrival = arrival->next;
  if (arrival) *connection = take(arrival);
  return arrival;
}

void wsl_serve_held(wsl_loop *loop, wsl_id id) {
  wsl_connection connection;
  if (take_held(loop, id, &connection)) wsl_adopt(loop, connection, NULL, 0);
}

void wsl_relay_held(wsl_loop *loop, wsl_id id, const char *address, uint16_t port) {
  wsl_connection connection;
  if (take_held(loop, id, &connection)) wsl_relay_to(loop, connection, address, port);
}

void wsl_refuse_held(wsl_loop *loop, wsl_id id) {
  wsl_connection connection;
  if (take_held(loop, id, &connection)) unavailable(loop, connection);
}

/// Closes the connections of which what is expected was not received by `now`, and refuses those
/// that were held for too long. INT64_MAX closes all.
void wsl_arrivals_sweep(wsl_loop *loop, int64_t now) {
  for (wsl_arrival *arrival = loop->arrivals, *next; arrival; arrival = next) {
    next = arrival->next;
    if (now >= arrival->deadline_ms) {
      loop->counters.timed_out++;
      wsl_discard(take(arrival), loop->limits.count);
    } else if (arrival->stage == STAGE_REQUEST) {
      uv_poll_start(&arrival->poll, UV_READABLE, request_received);
    }
  }
  for (wsl_arrival *arrival = loop->held, *next; arrival; arrival = next) {
    next = arrival->next;
    if (now >= arrival->deadline_ms) unavailable(loop, take(arrival));
  }
}
