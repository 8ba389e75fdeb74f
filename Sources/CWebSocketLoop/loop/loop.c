#include "private.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
  SWEEP_MS = 250,
  DRAIN_SWEEP_MS = 10,
  SPARE_DESCRIPTORS = 768,      ///< reserved for non-connections; 64 loops use 514
};

static void woken(uv_async_t *async) {
  wsl_loop *loop = async->data;
  loop->handlers.woken(loop->owner);
}

static void timed(uv_timer_t *timer) {
  wsl_loop *loop = timer->data;
  loop->handlers.timer(loop->owner);
}

/// Runs once per event-loop iteration, before the loop blocks in epoll_wait().
static void iteration_ended(uv_prepare_t *prepare) {
  wsl_loop *loop = prepare->data;
  wsl_run_deferred(loop);
  bool is_written = wsl_flush_part(loop);
  if (!is_written) wsl_wake(loop);
  uint64_t now = uv_hrtime(), busy = now - loop->iterated_at_ns - loop->waited_ns;
  bool is_first = loop->iterated_at_ns == 0;
  loop->iterated_at_ns = now;
  loop->waited_ns = 0;
  if (!is_first) loop->handlers.iterated(loop->owner, busy, is_written);
}

/// Sets RLIMIT_NOFILE to the descriptors that `connections_max` needs, or reduces
/// `connections_max` to what the hard limit permits. The limit is never higher than needed, because
/// libwebsockets allocates memory for each possible descriptor.
static void fit_descriptors(wsl_loop *loop) {
  struct rlimit limit;
  rlim_t each = loop->limits.relays ? 2 : 1;
  rlim_t wanted = each * loop->limits.connections_max + SPARE_DESCRIPTORS;
  char line[160];
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= wanted) return;
  rlim_t fits = limit.rlim_cur > 2 * SPARE_DESCRIPTORS ? limit.rlim_cur - SPARE_DESCRIPTORS
                                                       : limit.rlim_cur / 2;
  fits /= each;
  snprintf(line, sizeof line, "at most %llu connections instead of %u: the limit of open files "
           "is %llu; raise it with ulimit -n or LimitNOFILE=", (unsigned long long)fits,
           loop->limits.connections_max, (unsigned long long)limit.rlim_cur);
  loop->limits.connections_max = (uint32_t)fits;
  wsl_log(loop, false, line);
}

/// Creates a connection counter for this loop if it shares none with other loops.
static bool make_count(wsl_loop *loop) {
  wsl_limits *limits = &loop->limits;
  if (!limits->count)
    limits->count = loop->own_count =
        wsl_peers_create(limits->connections_max, limits->network_connections_max);
  if (limits->count) wsl_peers_limit(limits->count, limits->connections_max);
  return limits->count != NULL;
}

static void make_handles(wsl_loop *loop) {
  uv_async_init(&loop->uv, &loop->wake, woken);
  uv_timer_init(&loop->uv, &loop->timer);
  uv_timer_init(&loop->uv, &loop->sweep);
  uv_prepare_init(&loop->uv, &loop->iteration_end);
  loop->wake.data = loop->timer.data = loop->sweep.data = loop->iteration_end.data = loop;
  uv_prepare_start(&loop->iteration_end, iteration_ended);
  uv_timer_start(&loop->sweep, wsl_sweep, SWEEP_MS, SWEEP_MS);
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
  if (!limits->unsent_bytes) loop->limits.unsent_bytes = &loop->unsent_bytes;
  if (!limits->bodies_bytes) loop->limits.bodies_bytes = &loop->bodies_bytes;
  loop->handlers = *handlers;
  loop->owner = owner;
  loop->disconnect_epoll = -1;
  loop->spare_descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC);
  wsl_log_use(loop);
  make_handles(loop);
  fit_descriptors(loop);
  if (!make_count(loop) || !wsl_disconnects_create(loop)) {
    snprintf(problem, size, "out of memory or file descriptors");
    wsl_destroy(loop);
    return NULL;
  }
  loop->slots = calloc(loop->limits.connections_max + WSL_ADMIN_CONNECTIONS_MAX,
                       sizeof *loop->slots);
  if (loop->slots && wsl_context_create(loop, subprotocols, count)) return loop;
  if (strstr(wsl_log_last_error(), "evlib"))
    snprintf(problem, size, "libwebsockets cannot load its libuv plugin: install the Debian "
             "package libwebsockets-evlib-uv");
  else
    snprintf(problem, size, "libwebsockets cannot be initialized: %s", wsl_log_last_error());
  wsl_destroy(loop);
  return NULL;
}

void wsl_run(wsl_loop *loop) {
  wsl_log_use(loop);
  uv_run(&loop->uv, UV_RUN_DEFAULT);
  wsl_flush(loop);
}

void wsl_stop(wsl_loop *loop) { uv_stop(&loop->uv); }

/// Whether the kernel has received a request, or a part of it, that was not read.
static bool has_input(const wsl_slot *slot) {
  char byte;
  return wsl_peek(lws_get_socket_fd(slot->wsi), &byte, 1) > 0;
}

void wsl_stop_listening(wsl_loop *loop) {
  wsl_accept_rest(loop);
  wsl_close_listeners(loop);
  loop->is_last_request = true;
  for (uint32_t index = 0; index < loop->slot_count; index++) {
    wsl_slot *slot = &loop->slots[index];
    if (slot->wsi && slot->phase == PHASE_IDLE && !has_input(slot)) wsl_abort(loop, slot);
  }
}

void wsl_drain(wsl_loop *loop, uint32_t within_ms) {
  wsl_stop_listening(loop);
  wsl_arrivals_sweep(loop, INT64_MAX);
  loop->drain_by_ms = wsl_monotonic_ms() + within_ms;
  for (uint32_t index = 0; index < loop->slot_count; index++) {
    wsl_slot *slot = &loop->slots[index];
    if (slot->wsi && slot->phase == PHASE_DISCARDING) wsl_abort(loop, slot);
  }
  uv_timer_start(&loop->sweep, wsl_sweep, DRAIN_SWEEP_MS, DRAIN_SWEEP_MS);
  wsl_stop_if_drained(loop);
}

void wsl_wake(wsl_loop *loop) { uv_async_send(&loop->wake); }

void wsl_timer(wsl_loop *loop, int64_t at_ms) {
  uv_timer_stop(&loop->timer);
  if (at_ms < 0) return;
  int64_t after_ms = at_ms - wsl_monotonic_ms();
  uv_update_time(&loop->uv);
  uv_timer_start(&loop->timer, timed, after_ms > 0 ? (uint64_t)after_ms : 0, 0);
}

wsl_counters wsl_count(const wsl_loop *loop) { return loop->counters; }

uint32_t wsl_connections_max(const wsl_loop *loop) { return loop->limits.connections_max; }

void wsl_destroy(wsl_loop *loop) {
  wsl_log_use(loop);
  wsl_close_listeners(loop);
  wsl_arrivals_sweep(loop, INT64_MAX);
  wsl_relays_sweep(loop, INT64_MAX);
  uv_close((uv_handle_t *)&loop->timer, NULL);
  uv_close((uv_handle_t *)&loop->sweep, NULL);
  uv_close((uv_handle_t *)&loop->iteration_end, NULL);
  uv_close((uv_handle_t *)&loop->wake, NULL);
  if (loop->disconnect_epoll >= 0) uv_close((uv_handle_t *)&loop->disconnect_poll, NULL);
  wsl_context_destroy(loop);
  if (uv_loop_close(&loop->uv) != 0) wsl_log(loop, true, "a libuv handle was not closed");
  wsl_log_use(NULL);
  free(loop->slots);
  free(loop->slot_numbers);
  if (loop->spare_descriptor >= 0) close(loop->spare_descriptor);
  if (loop->disconnect_epoll >= 0) close(loop->disconnect_epoll);
  wsl_peers_destroy(loop->own_count);
  wsl_use_tls(loop, NULL);
  free(loop);
}
