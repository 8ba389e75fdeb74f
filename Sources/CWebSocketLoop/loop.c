#include "private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  SWEEP_MS = 250,
  DRAIN_SWEEP_MS = 10,
  RECEIVE_BYTES = 512,          ///< receive buffer of each WebSocket
  WRITE_BYTES_MAX = 1 << 24,    ///< per system call; libwebsockets copies what is not written
  READ_BYTES = 65536,           ///< one buffer per loop into which frames are read
  HANDSHAKE_BYTES = 1024,       ///< the head that libwebsockets gets, see http.c
};

// libwebsockets --------------------------------------------------------------------------------

/// The loop that receives the log lines of this thread. libwebsockets has one log callback per
/// process, without a context argument, but it always logs on the thread of the loop concerned.
static _Thread_local wsl_loop *loop_of_thread;

static void emit(int level, const char *line) {
  wsl_loop *loop = loop_of_thread;
  // libwebsockets logs this at error level although nothing is wrong.
  if (!loop || strstr(line, "adopt_socket_readbuf: calling service")) return;
  if (level == LLL_ERR) snprintf(loop->last_error, sizeof loop->last_error, "%s", line);
  loop->handlers.log(loop->owner, level == LLL_ERR, line);
}

/// Only warnings and errors are enabled, because notices contain data sent by clients.
static void use_log(wsl_loop *loop) {
  loop_of_thread = loop;
  lws_set_log_level(LLL_ERR | LLL_WARN, emit);
}

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                    size_t count) {
  (void)user;
  wsl_loop *loop = lws_context_user(lws_get_context(wsi));
  switch (reason) {
  case LWS_CALLBACK_PROTOCOL_INIT:  // here `wsi` is not a connection
  case LWS_CALLBACK_PROTOCOL_DESTROY:
  case LWS_CALLBACK_WSI_CREATE:     // too early for `wsl_slot_of_wsi`
    return 0;
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    loop->is_kicked = false;
    return 0;
  default:
    break;
  }
  wsl_note_event(loop);
  wsl_slot *slot = wsl_slot_of_wsi(loop, wsi);
  if (!slot) return 0;
  switch (reason) {
  case LWS_CALLBACK_CLOSED:
  case LWS_CALLBACK_WSI_DESTROY:  // also connections that ended without the one above
    wsl_slot_end(loop, slot);
    return 0;
  default:
    break;
  }
  if (slot->phase == PHASE_ABORTED) return -1;
  return wsl_ws_callback(loop, slot, reason, in, count);
}

/// Creates the protocol table. The first entry is for WebSockets without a subprotocol.
static bool make_protocols(wsl_loop *loop, const char *const *names, size_t count) {
  loop->protocols = calloc(count + 2, sizeof *loop->protocols);
  if (!loop->protocols) return false;
  loop->protocol_count = count + 1;
  for (size_t index = 0; index <= count; index++) {
    struct lws_protocols *protocol = &loop->protocols[index];
    protocol->name = index == 0 ? strdup("") : strdup(names[index - 1]);
    if (!protocol->name) return false;
    protocol->callback = callback;
    protocol->per_session_data_size = sizeof(uint32_t);  // without it DROP_PROTOCOL is not called
    protocol->rx_buffer_size = RECEIVE_BYTES;
    protocol->tx_packet_size = WRITE_BYTES_MAX;
  }
  return true;
}

static bool make_context(wsl_loop *loop) {
  static const lws_retry_bo_t no_pings_by_libwebsockets = {0};
  void *loops[] = {&loop->uv};
  struct lws_context_creation_info info = {
      .port = CONTEXT_PORT_NO_LISTEN_SERVER,
      .protocols = loop->protocols,
      .extensions = NULL,     // permessage-deflate of 4.1.6 aborts and overruns
      .options = LWS_SERVER_OPTION_LIBUV,
      .foreign_loops = loops,
      .user = loop,
      .gid = (gid_t)-1,
      .uid = (uid_t)-1,
      .pt_serv_buf_size = READ_BYTES,
      .max_http_header_data2 = HANDSHAKE_BYTES,
      .retry_and_idle_policy = &no_pings_by_libwebsockets,
      .vhost_name = "default",
  };
  loop->context = lws_create_context(&info);
  if (!loop->context) return false;
  loop->vhost = lws_get_vhost_by_name(loop->context, "default");
  return loop->vhost;
}

/// Creates the protocol table and the libwebsockets context. After a failure, `context_destroy`
/// frees what was created.
static bool context_create(wsl_loop *loop, const char *const *subprotocols, size_t count) {
  return make_protocols(loop, subprotocols, count) && make_context(loop);
}

/// Runs the loop until the close callbacks of its handles have been called. That takes a few
/// iterations and never waits.
static void run_close_callbacks(wsl_loop *loop) {
  for (int round = 0; round < 1000 && uv_run(&loop->uv, UV_RUN_NOWAIT) != 0; round++) {}
}

/// Frees the context and the protocol table, and runs the close callbacks of the loop's own
/// handles. On a foreign event loop libwebsockets needs two calls: the first closes its handles,
/// whose close callbacks must have run before the second.
static void context_destroy(wsl_loop *loop) {
  if (loop->context) {
    lws_context_destroy(loop->context);
    run_close_callbacks(loop);
    lws_context_destroy(loop->context);
  }
  run_close_callbacks(loop);
  loop->context = NULL;
  for (size_t index = 0; index < loop->protocol_count; index++)
    free((void *)(uintptr_t)loop->protocols[index].name);
  free(loop->protocols);
  loop->protocols = NULL;
  loop->protocol_count = 0;
}

// Time limits ----------------------------------------------------------------------------------

/// Checks every connection four times per second. One sweep is cheaper than a timer per connection:
/// libwebsockets stores its timers in a sorted list, which is slow with 10,000 ping timers.
static void sweep(uv_timer_t *timer) {
  wsl_loop *loop = timer->data;
  wsl_note_event(loop);
  int64_t now = wsl_now_ms();
  for (uint32_t index = 0; index < loop->slot_count; index++) {
    wsl_slot *slot = &loop->slots[index];
    if (slot->wsi) wsl_ws_check(loop, slot, now);
  }
  wsl_http_sweep(loop, now);
  wsl_relays_sweep(loop, now);
  wsl_stop_if_drained(loop);
}

// The loop -------------------------------------------------------------------------------------

static void woken(uv_async_t *async) {
  wsl_loop *loop = async->data;
  wsl_note_event(loop);
  loop->handlers.woken(loop->owner);
}

static void timed(uv_timer_t *timer) {
  wsl_loop *loop = timer->data;
  wsl_note_event(loop);
  loop->handlers.timer(loop->owner);
}

/// Starts the timer that wsl_timer() has set. libuv runs timers until none is due: one that its own
/// callback has started would run again before any socket is read, without end.
static void start_timer(wsl_loop *loop) {
  if (!loop->is_timer_new) return;
  loop->is_timer_new = false;
  uv_timer_stop(&loop->timer);
  if (loop->timer_at_ms < 0) return;
  int64_t after_ms = loop->timer_at_ms - wsl_now_ms();
  uv_update_time(&loop->uv);
  uv_timer_start(&loop->timer, timed, after_ms > 0 ? (uint64_t)after_ms : 0, 0);
}

/// Runs once per event-loop iteration, before the loop blocks in epoll_wait(). The time between is
/// not counted as busy, nor what libwebsockets reads before its first callback.
static void iteration_ended(uv_prepare_t *prepare) {
  wsl_loop *loop = prepare->data;
  wsl_note_event(loop);
  wsl_http_settle_all(loop);
  bool is_written = wsl_flush_part(loop);
  if (!is_written) wsl_wake(loop);
  uint64_t now = uv_hrtime(), busy = now - loop->began_at_ns;
  loop->began_at_ns = 0;
  loop->handlers.iterated(loop->owner, now, busy, is_written);
  start_timer(loop);
}

static void make_handles(wsl_loop *loop) {
  uv_async_init(&loop->uv, &loop->wake, woken);
  uv_timer_init(&loop->uv, &loop->timer);
  uv_timer_init(&loop->uv, &loop->sweep);
  uv_prepare_init(&loop->uv, &loop->iteration_end);
  loop->wake.data = loop->timer.data = loop->sweep.data = loop->iteration_end.data = loop;
  uv_prepare_start(&loop->iteration_end, iteration_ended);
  uv_timer_start(&loop->sweep, sweep, SWEEP_MS, SWEEP_MS);
}

wsl_loop *wsl_create(const wsl_limits *limits, const char *const *subprotocols, size_t count,
                     const wsl_handlers *handlers, void *owner, char *problem, size_t size) {
  wsl_loop *loop = calloc(1, sizeof *loop);
  if (!loop || uv_loop_init(&loop->uv) != 0) {
    free(loop);
    snprintf(problem, size, "out of memory or file descriptors");
    return NULL;
  }
  loop->limits = *limits;
  loop->handlers = *handlers;
  loop->owner = owner;
  use_log(loop);
  make_handles(loop);
  loop->slots = calloc(loop->limits.connections_max + WSL_ADMIN_CONNECTIONS_MAX,
                       sizeof *loop->slots);
  if (loop->slots && context_create(loop, subprotocols, count)) return loop;
  if (strstr(loop->last_error, "evlib"))
    snprintf(problem, size, "libwebsockets cannot load its libuv plugin: install the Debian "
             "package libwebsockets-evlib-uv");
  else
    snprintf(problem, size, "libwebsockets cannot be initialized: %s", loop->last_error);
  wsl_destroy(loop);
  return NULL;
}

static _Thread_local wsl_loop *running;

void wsl_run(wsl_loop *loop) {
  use_log(loop);
  running = loop;
  uv_run(&loop->uv, UV_RUN_DEFAULT);
  running = NULL;
  wsl_flush(loop);
}

void *wsl_running(void) { return running ? running->owner : NULL; }

void wsl_stop(wsl_loop *loop) { uv_stop(&loop->uv); }

void wsl_stop_listening(wsl_loop *loop) {
  wsl_close_listeners(loop, true);
  loop->is_last_request = true;
  wsl_http_close(loop, false);
}

void wsl_drain(wsl_loop *loop, uint32_t within_ms) {
  wsl_stop_listening(loop);
  loop->drain_by_ms = wsl_now_ms() + within_ms;
  wsl_http_close(loop, true);
  uv_timer_start(&loop->sweep, sweep, DRAIN_SWEEP_MS, DRAIN_SWEEP_MS);
  wsl_stop_if_drained(loop);
}

void wsl_wake(wsl_loop *loop) { uv_async_send(&loop->wake); }

void wsl_timer(wsl_loop *loop, int64_t at_ms) {
  loop->timer_at_ms = at_ms;
  loop->is_timer_new = true;
}

wsl_counters wsl_count(const wsl_loop *loop) { return loop->counters; }

void wsl_destroy(wsl_loop *loop) {
  use_log(loop);
  wsl_close_listeners(loop, false);
  while (loop->unopened) wsl_http_end(loop->unopened);
  wsl_relays_sweep(loop, INT64_MAX);
  uv_close((uv_handle_t *)&loop->timer, NULL);
  uv_close((uv_handle_t *)&loop->sweep, NULL);
  uv_close((uv_handle_t *)&loop->iteration_end, NULL);
  uv_close((uv_handle_t *)&loop->wake, NULL);
  context_destroy(loop);
  if (uv_loop_close(&loop->uv) != 0)
    loop->handlers.log(loop->owner, true, "a libuv handle was not closed");
  use_log(NULL);
  free(loop->slots);
  wsl_use_tls(loop, NULL);
  free(loop);
}
