#include "private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Relays connections to the node that owns their session: passes bytes between a client and the
// node, whatever they mean. libwebsockets never has these sockets. What ends a connection, and
// when, is the node's decision; the relay detects a node that has lost its network.
//
// A tunnel is a relay to this process: of the socket pair between a client with TLS and the slot
// that serves it, one end is libwebsockets'. What ends the connection is the slot's decision.

enum {
  RELAY_BYTES = 65536,     ///< which a side has sent, and the other has not taken
  TUNNEL_BYTES = 16384,    ///< likewise, of a tunnel
  PAIR_BYTES = 32768,      ///< likewise, in the socket pair
  KERNEL_BYTES = 131072,   ///< likewise, in the kernel's buffers for a node
  READS_MAX = 64,
  CONNECT_MS = 3000,
  QUIET_MS = 1000,         ///< a draining loop ends a relay if nothing was passed for this time
};

static void free_relay(uv_handle_t *handle) {
  wsl_pipe *relay = handle->data;
  if (--relay->handle_count == 0) free(relay);
}

/// Frees a relay, and closes the connection to the node. Returns the client's connection, which the
/// caller owns then.
static wsl_connection take(wsl_pipe *relay) {
  wsl_side *sides[] = {&relay->client, &relay->node};
  wsl_connection connection = relay->connection;
  int count = relay->handle_count;
  *relay->link = relay->next;
  if (relay->next) relay->next->link = relay->link;
  if (!relay->is_tunnel) relay->loop->counters.relays--;
  close(relay->node.descriptor);
  free(relay->client.rest);
  free(relay->node.rest);
  for (int index = 0; index < count; index++) {
    sides[index]->poll.data = relay;
    uv_close((uv_handle_t *)&sides[index]->poll, free_relay);
  }
  if (count == 0) free(relay);
  return connection;
}

static void end(wsl_pipe *relay) {
  wsl_loop *loop = relay->loop;
  wsl_slot *slot = relay->slot;
  wsl_connection connection = take(relay);
  wsl_connection_free(connection);
  if (slot) slot->tunnel = NULL;
  else wsl_leave(loop, connection.audience, connection.network);
}

/// Writes a problem document to a socket that is about to be closed. What was received is read
/// first: closing a socket with unread bytes sends a RST, which can make the client discard the
/// response.
void wsl_refuse_socket(int descriptor, SSL *tls, wsl_problem problem) {
  char received[2048], text[WSL_PROBLEM_BYTES];
  size_t count = wsl_problem_text(text, sizeof text, problem);
  for (int reads = 0; reads < READS_MAX; reads++)
    if (wsl_receive(descriptor, tls, received, sizeof received, 0) < (ssize_t)sizeof received)
      break;
  (void)!wsl_transmit(descriptor, tls, text, count);
  wsl_shut(descriptor, tls);
}

/// Answers a connection that no loop serves with a problem document, and closes it. With TLS before
/// its handshake it is closed without a response.
void wsl_refuse_connection(wsl_loop *loop, wsl_connection connection, wsl_problem problem) {
  if (!connection.is_tls || (connection.tls && SSL_is_init_finished(connection.tls)))
    wsl_refuse_socket(connection.descriptor, connection.tls, problem);
  wsl_connection_free(connection);
  wsl_leave(loop, connection.audience, connection.network);
}

static void refuse(wsl_loop *loop, wsl_connection connection) {
  loop->counters.relays_failed++;
  wsl_refuse_connection(
      loop, connection,
      (wsl_problem){503, "unavailable",
                    "the server that has this session cannot be reached; retry later"});
}

/// Nothing more will be sent to a side.
static void shut(wsl_side *side) {
  wsl_pipe *relay = side->relay;
  wsl_shut(side->descriptor, side->tls);
  if (side == &relay->client && !relay->is_tunnel)
    relay->deadline_ms = wsl_now_ms() + relay->loop->limits.close_ms;
}

/// A side sends nothing more. A node that has ended takes nothing more either, but what it has sent
/// is passed on.
static void note_end(wsl_side *side) {
  wsl_pipe *relay = side->relay;
  side->has_ended = true;
  if (!side->other->rest) shut(side->other);
  if (side != &relay->node) return;
  side->is_deaf = true;
  if (relay->client.rest && !relay->is_tunnel)
    relay->deadline_ms = wsl_now_ms() + relay->loop->limits.answer_ms;
}

/// Sends bytes to a side. Returns how many it has taken, or -1 if it takes nothing more.
static ssize_t give(wsl_side *side, const uint8_t *bytes, size_t count) {
  ssize_t sent = wsl_transmit(side->descriptor, side->tls, bytes, count);
  if (sent < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  if (side->taken) *side->taken += (uint64_t)sent;
  side->relay->passed_at_ms = wsl_now_ms();
  return sent;
}

/// Stores bytes that a side has not taken. Returns false without memory.
static bool store(wsl_side *side, const uint8_t *bytes, size_t count) {
  side->rest = malloc(count);
  if (!side->rest) return false;
  memcpy(side->rest, bytes, count);
  side->rest_count = count;
  side->rest_sent = 0;
  return true;
}

/// Passes on what a side has sent. Returns false if the relay must end.
static bool pass(wsl_side *from) {
  uint8_t bytes[RELAY_BYTES];
  wsl_side *to = from->other;
  size_t size = from->relay->is_tunnel ? TUNNEL_BYTES : RELAY_BYTES;
  ssize_t count = wsl_receive(from->descriptor, from->tls, bytes, size, 0);
  if (from == &from->relay->node) from->relay->may_hold = count == (ssize_t)size;
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (count <= 0) {
    note_end(from);
    return count == 0 || from == &from->relay->node;
  }
  ssize_t taken = to->is_deaf ? count : give(to, bytes, (size_t)count);
  if (taken < 0) {
    to->is_deaf = true;
    return to == &to->relay->node;
  }
  return taken == count || store(to, bytes + taken, (size_t)(count - taken));
}

/// Sends what a side has not taken. Returns false if the relay must end.
static bool flush(wsl_side *side) {
  ssize_t taken = give(side, side->rest + side->rest_sent, side->rest_count - side->rest_sent);
  if (taken < 0) side->is_deaf = true;
  else side->rest_sent += (size_t)taken;
  if (!side->is_deaf && side->rest_sent < side->rest_count) return true;
  free(side->rest);
  side->rest = NULL;
  if (side->other->has_ended) shut(side);
  return !side->is_deaf || side == &side->relay->node;
}

static void ready(uv_poll_t *poll, int status, int events);

/// Polls a side for what it may do: it is not read while the other has a rest.
static void watch(wsl_side *side) {
  bool is_connected = side->relay->is_connected;
  bool is_read = is_connected && !side->has_ended && !side->other->rest;
  bool is_written = side->rest && (is_connected || side == &side->relay->node);
  if (is_read && side->tls && SSL_want_write(side->tls)) is_written = true;
  int events = (is_read ? UV_READABLE : 0) | (is_written ? UV_WRITABLE : 0);
  if (events == side->events) return;
  side->events = events;
  if (events) uv_poll_start(&side->poll, events, ready);
  else uv_poll_stop(&side->poll);
}

/// Whether the connection to the node is established; otherwise the relay has ended.
static bool has_connected(wsl_pipe *relay, int status) {
  int error = 0;
  socklen_t size = sizeof error;
  wsl_loop *loop = relay->loop;
  getsockopt(relay->node.descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
  relay->is_connected = status == 0 && error == 0;
  relay->deadline_ms = 0;
  if (!relay->is_connected) {
    refuse(loop, take(relay));
    return false;
  }
  loop->counters.relayed++;
  return true;
}

/// Whether both sides have ended, or the slot of a tunnel, and everything is sent.
static bool is_over(const wsl_pipe *relay) {
  bool is_left = relay->client.has_ended || (relay->is_tunnel && !relay->slot);
  return is_left && relay->node.has_ended && !relay->client.rest;
}

/// Has libwebsockets read what a tunnel has passed to its slot, without another event-loop
/// iteration. It reads nothing of a paused slot.
static void read_passed(wsl_pipe *tunnel) {
  wsl_slot *slot = tunnel->slot;
  if (slot->phase != PHASE_OPEN || slot->pause_count) return;
  struct lws_pollfd readable = {
      .fd = lws_get_socket_fd(slot->wsi), .events = LWS_POLLIN, .revents = LWS_POLLIN};
  lws_service_fd(tunnel->loop->context, &readable);
}

static void ready(uv_poll_t *poll, int status, int events) {
  wsl_side *side = poll->data;
  wsl_pipe *relay = side->relay;
  if (!relay->is_connected && !has_connected(relay, status)) return;
  bool has_failed = status != 0;
  if (has_failed) side->events = 0;  // libuv has stopped to poll it; the node may have sent more
  bool continues = !(has_failed && side == &relay->client);
  if (continues && side->rest && (has_failed || events & UV_WRITABLE)) continues = flush(side);
  bool is_read = !side->has_ended && !side->other->rest;
  bool is_readable = has_failed || events & UV_READABLE || side->tls;
  if (continues && is_read && is_readable) continues = pass(side);
  // The socket does not report what OpenSSL has read. A record may be incomplete.
  SSL *tls = relay->client.tls;
  while (continues && tls && SSL_has_pending(tls) && !SSL_want_read(tls) &&
         !relay->client.has_ended && !relay->node.rest)
    continues = pass(&relay->client);
  if (continues && relay->slot && side == &relay->client) read_passed(relay);
  if (!continues || is_over(relay)) {
    end(relay);
    return;
  }
  watch(&relay->client);
  watch(&relay->node);
}

/// Stores what the node receives first: the header, and what was read of the first head.
static bool store_first(wsl_pipe *relay, const void *header, size_t header_count) {
  uint8_t bytes[RELAY_BYTES];
  size_t before = header_count + relay->connection.head_count;
  memcpy(bytes, header, header_count);
  memcpy(bytes + header_count, relay->connection.head, relay->connection.head_count);
  ssize_t count = wsl_receive(relay->client.descriptor, relay->client.tls, bytes + before,
                              sizeof bytes - before, 0);
  return store(&relay->node, bytes, before + (count > 0 ? (size_t)count : 0));
}

static bool make_poll(wsl_side *side) {
  if (uv_poll_init(&side->relay->loop->uv, &side->poll, side->descriptor) != 0) return false;
  side->poll.data = side;
  side->relay->handle_count++;
  return true;
}

/// Makes a relay for a connection and a socket, which it owns then. NULL, with both closed, without
/// memory.
static wsl_pipe *make(wsl_loop *loop, wsl_connection connection, int descriptor) {
  wsl_pipe *relay = calloc(1, sizeof *relay);
  if (!relay) return NULL;
  *relay = (wsl_pipe){.loop = loop,
                       .connection = connection,
                       .client = {.relay = relay,
                                  .other = &relay->node,
                                  .descriptor = connection.descriptor,
                                  .tls = connection.tls},
                       .node = {.relay = relay,
                                .other = &relay->client,
                                .descriptor = descriptor},
                       .link = &loop->relays,
                       .next = loop->relays};
  if (relay->next) relay->next->link = &relay->next;
  loop->relays = relay;
  return relay;
}

void wsl_relay(wsl_loop *loop, wsl_connection connection, int64_t node, int descriptor,
               const void *header, size_t header_count) {
  int bytes = KERNEL_BYTES;
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  loop->counters.connections++;
  wsl_pipe *relay = make(loop, connection, descriptor);
  if (!relay) {
    close(descriptor);
    refuse(loop, connection);
    return;
  }
  relay->node_number = node;
  relay->client.taken = &loop->counters.relayed_to_clients;
  relay->node.taken = &loop->counters.relayed_to_nodes;
  relay->deadline_ms = wsl_now_ms() + CONNECT_MS;
  loop->counters.relays++;
  if (make_poll(&relay->client) && make_poll(&relay->node) &&
      store_first(relay, header, header_count))
    watch(&relay->node);
  else refuse(loop, take(relay));
}

/// Makes a tunnel, which owns the connection, for a slot.
///
/// - Returns: The socket that libwebsockets gets, or -1: the connection was closed.
int wsl_tunnel_to(wsl_loop *loop, wsl_connection connection, wsl_slot *slot) {
  int pair[2], bytes = PAIR_BYTES;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0) {
    wsl_connection_free(connection);
    return -1;
  }
  for (int end = 0; end < 2; end++)
    setsockopt(pair[end], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  wsl_pipe *relay = make(loop, connection, pair[1]);
  if (!relay) {
    wsl_connection_free(connection);
    close(pair[0]);
    close(pair[1]);
    return -1;
  }
  relay->is_tunnel = relay->is_connected = relay->may_hold = true;
  relay->slot = slot;
  slot->tunnel = relay;
  if (make_poll(&relay->client) && make_poll(&relay->node) && pass(&relay->client)) {
    SSL_set_read_ahead(connection.tls, 1);  // a system call for each record instead of two
    watch(&relay->client);
    watch(&relay->node);
    return pair[0];
  }
  end(relay);
  close(pair[0]);
  return -1;
}

/// Sends bytes to the client at once, without the socket pair, if all messages are sent that were
/// written to that: only control frames of libwebsockets may follow. What the client does not take
/// follows, too.
///
/// - Returns: False if nothing was sent.
bool wsl_tunnel_send(wsl_pipe *tunnel, const void *bytes, size_t count) {
  wsl_side *client = &tunnel->client, *node = &tunnel->node;
  while (!client->rest && tunnel->may_hold)
    if (!pass(node)) return false;
  if (client->rest || client->is_deaf || node->has_ended) return false;
  ssize_t taken = give(client, bytes, count);
  if (taken < 0 || taken == (ssize_t)count) return taken > 0;
  if (!store(client, (const uint8_t *)bytes + taken, count - (size_t)taken)) {
    client->is_deaf = true;
    shutdown(client->descriptor, SHUT_RDWR);
  }
  watch(client);
  watch(node);
  return true;
}

void wsl_end_relays(wsl_loop *loop, int64_t node) {
  for (wsl_pipe *relay = loop->relays, *next; relay; relay = next) {
    next = relay->next;
    if (relay->is_tunnel || relay->node_number != node) continue;
    if (relay->is_connected) end(relay);
    else refuse(loop, take(relay));
  }
}

/// Ends the relays whose time is over, and quiet ones of a draining loop. INT64_MAX ends all.
void wsl_relays_sweep(wsl_loop *loop, int64_t now) {
  for (wsl_pipe *relay = loop->relays, *next; relay; relay = next) {
    next = relay->next;
    if (relay->is_tunnel && !relay->slot && !relay->deadline_ms)
      relay->deadline_ms = now + loop->limits.answer_ms;
    bool is_late = relay->deadline_ms && now >= relay->deadline_ms;
    bool is_quiet = loop->drain_by_ms && !relay->is_tunnel && !relay->client.rest &&
                    !relay->node.rest && now - relay->passed_at_ms >= QUIET_MS;
    if (is_late && !relay->is_connected) refuse(loop, take(relay));
    else if (is_late || is_quiet || is_over(relay) || now == INT64_MAX) end(relay);
  }
}
