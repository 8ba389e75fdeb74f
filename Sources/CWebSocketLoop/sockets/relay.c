#include "private.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Relays connections to the node that owns their session: passes bytes between a client and the
// node, whatever they mean. libwebsockets never has these sockets. What ends a connection, and
// when, is the node's decision; the relay detects a node that has lost its network.

enum {
  RELAY_BYTES = 65536,     ///< which a side has sent, and the other has not taken
  KERNEL_BYTES = 131072,   ///< likewise, in the kernel's buffers for a node
  CONNECT_MS = 3000,
  SILENCE_MS = 5000,       ///< until the connection to a silent node is lost
  QUIET_MS = 1000,         ///< a draining loop ends a relay if nothing was passed for this time
};

/// One of the two connections of a relay.
typedef struct wsl_side {
  uv_poll_t poll;
  wsl_relay *relay;
  struct wsl_side *other;
  int descriptor;
  int events;              ///< that are polled
  bool has_ended;          ///< it sends nothing more
  bool is_deaf;            ///< it takes nothing more
  uint8_t *rest;           ///< what the other side has sent and this one has not taken, or NULL
  size_t rest_count, rest_sent;
  uint64_t *taken;         ///< counts what it takes
} wsl_side;

struct wsl_relay {
  wsl_loop *loop;
  wsl_connection connection; ///< of the client
  wsl_side client, node;
  bool is_connected;       ///< to the node
  uint8_t handle_count;    ///< that are not closed
  int64_t deadline_ms;     ///< to connect, or to end; 0: none
  int64_t passed_at_ms;    ///< when something was passed last
  wsl_relay **link, *next; ///< in the loop's list
};

static void free_relay(uv_handle_t *handle) {
  wsl_relay *relay = handle->data;
  if (--relay->handle_count == 0) free(relay);
}

/// Frees a relay, and closes the connection to the node. Returns the client's connection, which the
/// caller owns then.
static wsl_connection take(wsl_relay *relay) {
  wsl_side *sides[] = {&relay->client, &relay->node};
  wsl_connection connection = relay->connection;
  int count = relay->handle_count;
  *relay->link = relay->next;
  if (relay->next) relay->next->link = relay->link;
  relay->loop->counters.relays--;
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

static void end(wsl_relay *relay) {
  wsl_loop *loop = relay->loop;
  wsl_discard(take(relay), loop->limits.count);
}

static void refuse(wsl_loop *loop, wsl_connection connection) {
  loop->counters.relays_failed++;
  wsl_turn_away(loop, connection, "unavailable",
                "the server that has this session cannot be reached; retry later");
}

/// Nothing more will be sent to a side.
static void shut(wsl_side *side) {
  wsl_relay *relay = side->relay;
  shutdown(side->descriptor, SHUT_WR);
  if (side == &relay->client)
    relay->deadline_ms = wsl_monotonic_ms() + relay->loop->limits.close_ms;
}

/// A side sends nothing more. A node that has ended takes nothing more either, but what it has sent
/// is passed on.
static void note_end(wsl_side *side) {
  wsl_relay *relay = side->relay;
  side->has_ended = true;
  if (!side->other->rest) shut(side->other);
  if (side != &relay->node) return;
  side->is_deaf = true;
  if (relay->client.rest)
    relay->deadline_ms = wsl_monotonic_ms() + relay->loop->limits.answer_ms;
}

/// Sends bytes to a side. Returns how many it has taken, or -1 if it takes nothing more.
static ssize_t give(wsl_side *side, const uint8_t *bytes, size_t count) {
  ssize_t sent = send(side->descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EINTR ? 0 : -1;
  *side->taken += (uint64_t)sent;
  side->relay->passed_at_ms = wsl_monotonic_ms();
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
  ssize_t count = recv(from->descriptor, bytes, sizeof bytes, MSG_DONTWAIT);
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
  int events = (is_read ? UV_READABLE : 0) | (is_written ? UV_WRITABLE : 0);
  if (events == side->events) return;
  side->events = events;
  if (events) uv_poll_start(&side->poll, events, ready);
  else uv_poll_stop(&side->poll);
}

/// Whether the connection to the node is established; otherwise the relay has ended.
static bool has_connected(wsl_relay *relay, int status) {
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

static void ready(uv_poll_t *poll, int status, int events) {
  wsl_side *side = poll->data;
  wsl_relay *relay = side->relay;
  if (!relay->is_connected && !has_connected(relay, status)) return;
  bool has_failed = status != 0;
  if (has_failed) side->events = 0;  // libuv has stopped to poll it; the node may have sent more
  bool continues = !(has_failed && side == &relay->client);
  if (continues && side->rest && (has_failed || events & UV_WRITABLE)) continues = flush(side);
  bool is_read = !side->has_ended && !side->other->rest;
  if (continues && is_read && (has_failed || events & UV_READABLE)) continues = pass(side);
  bool have_ended = relay->client.has_ended && relay->node.has_ended;
  if (!continues || (have_ended && !relay->client.rest)) {
    end(relay);
    return;
  }
  watch(&relay->client);
  watch(&relay->node);
}

/// A socket that connects to a node, or -1.
static int connecting(const char *address, uint16_t port) {
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                           .ai_socktype = SOCK_STREAM};
  struct addrinfo *to = NULL;
  char service[8];
  int on = 1, bytes = KERNEL_BYTES, idle = 2, interval = 1, silence = SILENCE_MS;
  snprintf(service, sizeof service, "%u", port);
  if (getaddrinfo(address, service, &hints, &to) != 0) return -1;
  int descriptor = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
  setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &silence, sizeof silence);
  if (descriptor >= 0 && connect(descriptor, to->ai_addr, to->ai_addrlen) != 0 &&
      errno != EINPROGRESS) {
    close(descriptor);
    descriptor = -1;
  }
  freeaddrinfo(to);
  return descriptor;
}

/// Stores what the node receives first: the header, and what the client has sent already.
static bool store_first(wsl_relay *relay) {
  uint8_t bytes[RELAY_BYTES];
  wsl_proxy_write(bytes, relay->connection.peer);
  bytes[WSL_PROXY_BYTES - 1] = (uint8_t)relay->connection.audience;
  ssize_t count = recv(relay->client.descriptor, bytes + WSL_PROXY_BYTES,
                       sizeof bytes - WSL_PROXY_BYTES, MSG_DONTWAIT);
  return store(&relay->node, bytes, WSL_PROXY_BYTES + (count > 0 ? (size_t)count : 0));
}

static bool make_poll(wsl_side *side) {
  if (uv_poll_init(&side->relay->loop->uv, &side->poll, side->descriptor) != 0) return false;
  side->poll.data = side;
  side->relay->handle_count++;
  return true;
}

/// Relays a connection, which it owns, to the node at a numeric address.
void wsl_relay_to(wsl_loop *loop, wsl_connection connection, const char *address, uint16_t port) {
  int descriptor = connecting(address, port);
  loop->counters.accepted++;
  wsl_relay *relay = descriptor < 0 ? NULL : calloc(1, sizeof *relay);
  if (!relay) {
    if (descriptor >= 0) close(descriptor);
    refuse(loop, connection);
    return;
  }
  *relay = (wsl_relay){.loop = loop,
                       .connection = connection,
                       .client = {.relay = relay,
                                  .other = &relay->node,
                                  .descriptor = connection.descriptor,
                                  .taken = &loop->counters.relayed_to_clients},
                       .node = {.relay = relay,
                                .other = &relay->client,
                                .descriptor = descriptor,
                                .taken = &loop->counters.relayed_to_nodes},
                       .deadline_ms = wsl_monotonic_ms() + CONNECT_MS,
                       .link = &loop->relays,
                       .next = loop->relays};
  if (relay->next) relay->next->link = &relay->next;
  loop->relays = relay;
  loop->counters.relays++;
  if (make_poll(&relay->client) && make_poll(&relay->node) && store_first(relay))
    watch(&relay->node);
  else refuse(loop, take(relay));
}

/// Ends the relays whose time is over, and quiet ones of a draining loop. INT64_MAX ends all.
void wsl_relays_sweep(wsl_loop *loop, int64_t now) {
  for (wsl_relay *relay = loop->relays, *next; relay; relay = next) {
    next = relay->next;
    bool is_late = relay->deadline_ms && now >= relay->deadline_ms;
    bool is_quiet = loop->drain_by_ms && !relay->client.rest && !relay->node.rest &&
                    now - relay->passed_at_ms >= QUIET_MS;
    if (is_late && !relay->is_connected) refuse(loop, take(relay));
    else if (is_late || is_quiet || now == INT64_MAX) end(relay);
  }
}
