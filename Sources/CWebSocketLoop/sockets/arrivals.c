#include "private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

// Connections of listeners that require a PROXY protocol header. The header precedes everything
// else, also the TLS handshake, so that exactly its bytes are read before libwebsockets adopts the
// connection.

struct wsl_arrival {
  uv_poll_t poll;
  wsl_loop *loop;
  wsl_connection connection;
  wsl_proxy_header header;
  int64_t deadline_ms;
  wsl_arrival **link, *next;  ///< in the loop's list
};

static void free_arrival(uv_handle_t *handle) { free(handle->data); }

/// Frees an arrival. Returns its connection, which the caller owns then.
static wsl_connection take(wsl_arrival *arrival) {
  wsl_connection connection = arrival->connection;
  *arrival->link = arrival->next;
  if (arrival->next) arrival->next->link = arrival->link;
  uv_poll_stop(&arrival->poll);
  uv_close((uv_handle_t *)&arrival->poll, free_arrival);
  return connection;
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
  wsl_arrival *arrival = calloc(1, sizeof *arrival);
  if (!arrival || uv_poll_init(&loop->uv, &arrival->poll, connection.descriptor) != 0) {
    free(arrival);
    wsl_discard(connection, loop->limits.count);
    return;
  }
  arrival->loop = loop;
  arrival->connection = connection;
  arrival->deadline_ms = wsl_monotonic_ms() + loop->limits.header_ms;
  arrival->link = &loop->arrivals;
  arrival->next = loop->arrivals;
  if (arrival->next) arrival->next->link = &arrival->next;
  loop->arrivals = arrival;
  arrival->poll.data = arrival;
  uv_poll_start(&arrival->poll, UV_READABLE, readable);
}

/// Closes the connections whose headers have not been received by `now`. INT64_MAX closes all.
void wsl_arrivals_sweep(wsl_loop *loop, int64_t now) {
  for (wsl_arrival *arrival = loop->arrivals, *next; arrival; arrival = next) {
    next = arrival->next;
    if (now < arrival->deadline_ms) continue;
    loop->counters.timed_out++;
    wsl_discard(take(arrival), loop->limits.count);
  }
}
