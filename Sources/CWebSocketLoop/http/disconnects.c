#include "private.h"

#include <sys/epoll.h>
#include <unistd.h>

// Detects that a peer has disconnected while libwebsockets does not read from the connection.
// While a response is sent, libwebsockets must not poll the socket for input (see `silence` in
// response.c). Without this file, it would notice a disconnect only at its next write.
//
// A second epoll instance, which the event loop polls, watches these connections. It reports the
// peer's FIN (EPOLLRDHUP) and, as epoll always does, a reset or an expired TCP_USER_TIMEOUT
// (EPOLLERR, EPOLLHUP).

enum {
  EVENTS_MAX = 64,
  HALF_CLOSED_MS = 2000,    ///< the time left to send a response after the peer's FIN
};

/// The peer has closed its side, or the connection is broken.
static void disconnected(wsl_loop *loop, wsl_slot *slot, uint32_t events) {
  int64_t deadline = wsl_monotonic_ms() + HALF_CLOSED_MS;
  if (slot->phase == PHASE_ABORTED) return;
  if ((events & (EPOLLERR | EPOLLHUP)) || slot->phase == PHASE_STREAMING) wsl_abort(loop, slot);
  else if (!slot->deadline_ms || slot->deadline_ms > deadline) slot->deadline_ms = deadline;
}

static void handle_events(uv_poll_t *poll, int status, int events) {
  wsl_loop *loop = poll->data;
  struct epoll_event found[EVENTS_MAX];
  (void)status, (void)events;
  int count = epoll_pwait(loop->disconnect_epoll, found, EVENTS_MAX, 0, NULL);
  for (int index = 0; index < count; index++) {
    wsl_slot *slot = wsl_slot_of(loop, found[index].data.u64);
    if (slot && slot->wsi) disconnected(loop, slot, found[index].events);
  }
}

bool wsl_disconnects_create(wsl_loop *loop) {
  loop->disconnect_epoll = epoll_create1(EPOLL_CLOEXEC);
  if (loop->disconnect_epoll < 0) return false;
  uv_poll_init(&loop->uv, &loop->disconnect_poll, loop->disconnect_epoll);
  loop->disconnect_poll.data = loop;
  uv_poll_start(&loop->disconnect_poll, UV_READABLE, handle_events);
  return true;
}

/// Watches a connection. The kernel removes it from the epoll instance when its descriptor closes.
void wsl_disconnects_watch(wsl_loop *loop, wsl_slot *slot) {
  struct epoll_event wanted = {.events = EPOLLRDHUP | EPOLLET,
                               .data.u64 = wsl_slot_id(loop, slot)};
  epoll_ctl(loop->disconnect_epoll, EPOLL_CTL_ADD, lws_get_socket_fd(slot->wsi), &wanted);
}

void wsl_disconnects_unwatch(wsl_loop *loop, wsl_slot *slot) {
  epoll_ctl(loop->disconnect_epoll, EPOLL_CTL_DEL, lws_get_socket_fd(slot->wsi), NULL);
}
