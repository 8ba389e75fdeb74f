#define _GNU_SOURCE  // accept4
#include "private.h"

#include <errno.h>
#include <unistd.h>

// Listeners -------------------------------------------------------------------------------------
//
// Not libwebsockets', which binds an IPv4 literal to all addresses, does not report why binding
// failed, and spins when the process is out of descriptors.

enum { LAST_EVENTS_MAX = 128 };  ///< in which the last connections are accepted

static void acceptable(uv_poll_t *poll, int status, int events) {
  wsl_listener *listener = poll->data;
  wsl_loop *loop = listener->loop;
  (void)events;
  wsl_note_event(loop);
  if (status == 0) loop->handlers.acceptable(loop->owner, (size_t)(listener - loop->listeners));
}

bool wsl_listen(wsl_loop *loop, int descriptor, bool is_inherited) {
  if (loop->listener_count == WSL_LISTENERS_MAX) {
    close(descriptor);
    return false;
  }
  wsl_listener *listener = &loop->listeners[loop->listener_count++];
  *listener = (wsl_listener){.loop = loop, .descriptor = descriptor, .is_inherited = is_inherited};
  uv_poll_init(&loop->uv, &listener->poll, descriptor);
  listener->poll.data = listener;
  listener->is_polled = true;
  uv_poll_start(&listener->poll, UV_READABLE, acceptable);
  return true;
}

static void listener_is_closed(uv_handle_t *handle) {
  wsl_listener *listener = handle->data;
  close(listener->descriptor);
}

void wsl_close_listeners(wsl_loop *loop, bool accepts_rest) {
  for (size_t index = 0; index < loop->listener_count; index++) {
    wsl_listener *listener = &loop->listeners[index];
    if (!listener->is_polled) continue;
    bool may_have_more = accepts_rest && !listener->is_inherited;
    for (int count = 0; may_have_more && count < LAST_EVENTS_MAX; count++)
      may_have_more = loop->handlers.acceptable(loop->owner, index);
    listener->is_polled = false;
    uv_poll_stop(&listener->poll);
    if (!listener->is_inherited)
      shutdown(listener->descriptor, SHUT_RDWR);  // refuses new connections immediately
    uv_close((uv_handle_t *)&listener->poll, listener_is_closed);
  }
}

// New connections ------------------------------------------------------------------------------

int wsl_accept(int listener, void *peer, uint32_t size) {
  return accept4(listener, peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

void wsl_turn_away(wsl_connection connection, int status, const char *code, const char *detail) {
  if (!connection.is_tls)
    wsl_refuse_socket(connection.descriptor, NULL, (wsl_problem){status, code, detail});
  close(connection.descriptor);
}

static void begin_http(wsl_loop *loop, wsl_connection connection) {
  if (!connection.is_tls || wsl_tls_begin(loop, &connection)) {
    wsl_http_begin(loop, connection);
    return;
  }
  wsl_connection_free(connection);
  wsl_leave(loop, connection.audience, connection.network);
}

/// Receives a part of a PROXY protocol header. What follows the addresses (TLVs) is not stored.
static void receive_header(wsl_http *http, int status, int events) {
  wsl_loop *loop = http->loop;
  wsl_proxy_header *header = &http->proxy;
  uint8_t ignored[256];
  bool is_stored = header->count < sizeof header->bytes;
  uint8_t *into = is_stored ? header->bytes + header->count : ignored;
  size_t size = is_stored ? sizeof header->bytes - header->count : sizeof ignored;
  (void)events;
  if (size > header->length - header->count) size = header->length - header->count;
  ssize_t count = status != 0 ? 0 : recv(http->connection.descriptor, into, size, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    wsl_http_end(http);  // also the end of a health check that only connects
    return;
  }
  header->count += (size_t)count;
  long length = loop->handlers.proxied(loop->owner, &http->connection, header->bytes,
                                       header->count);
  if (length == -2 && !http->connection.is_tls)
    wsl_http_refuse(http, (wsl_problem){429, "tooMany", "too many connections from this address"});
  else if (length == -3 && !http->connection.is_tls)
    wsl_http_refuse(http, (wsl_problem){503, "full", "too many connections"});
  else if (length < 0) wsl_http_end(http);
  else if ((size_t)length == header->count) begin_http(loop, wsl_http_take(http));
  else header->length = (size_t)length;
}

void wsl_begin(wsl_loop *loop, wsl_connection connection, bool is_proxied) {
  loop->counters.connections++;
  if (!is_proxied) {
    begin_http(loop, connection);
    return;
  }
  wsl_http *http = wsl_http_make(loop, connection, PHASE_PROXIED, loop->limits.header_ms);
  if (!http) return;
  http->proxy.length = WSL_PROXY_PREFIX;
  wsl_http_poll(http, UV_READABLE, receive_header);
}

// Connections that other loops have accepted ---------------------------------------------------

void wsl_discard(wsl_connection connection) { wsl_connection_free(connection); }

void wsl_refuse(wsl_loop *loop, wsl_connection connection, const char *code, const char *detail) {
  loop->counters.connections++;
  wsl_refuse_connection(loop, connection, (wsl_problem){503, code, detail});
}

void wsl_adopt(wsl_loop *loop, wsl_connection connection) {
  if (loop->drain_by_ms) {
    wsl_refuse(loop, connection, "draining", "the server is shutting down");
    return;
  }
  loop->counters.connections++;
  wsl_http_serve(loop, connection);
}
