#include "private.h"

#include <sys/epoll.h>
#include <unistd.h>

/// Notices the end of connections that libwebsockets does not read from: while a response is under
/// way it must not poll for input (see `silence` in response.c), and without that it learns of the
/// peer's end only when it writes.
///
/// An epoll instance of our own, which the event loop polls. It watches for the peer's FIN
/// (EPOLLRDHUP) and, without asking, for a reset or a TCP_USER_TIMEOUT (EPOLLERR, EPOLLHUP).

enum {
  EVENTS_MAX = 64,
  HALF_CLOSED_MS = 2000,    ///< for the answer to a peer that has only closed its own side
};

/// The peer has closed its side, or the connection is broken.
static void hung_up(wsl_loop *loop, wsl_slot *slot, uint32_t events) {
  int64_t deadline = wsl_monotonic_ms() + HALF_CLOSED_MS;
  if (slot->phase == PHASE_DOOMED) return;
  if ((events & (EPOLLERR | EPOLLHUP)) || slot->phase == PHASE_STREAMING) wsl_doom(loop, slot);
  else if (!slot->deadline_ms || slot->deadline_ms > deadline) slot->deadline_ms = deadline;
}

static void look(uv_poll_t *poll, int status, int events) {
  wsl_loop *loop = poll->data;
  struct epoll_event found[EVENTS_MAX];
  (void)status, (void)events;
  int count = epoll_wait(loop->hangup_epoll, found, EVENTS_MAX, 0);
  for (int index = 0; index < count; index++) {
    wsl_slot *slot = wsl_slot_of(loop, found[index].data.u64);
    if (slot && slot->wsi) hung_up(loop, slot, found[index].events);
  }
}

bool wsl_hangups_create(wsl_loop *loop) {
  loop->hangup_epoll = epoll_create1(EPOLL_CLOEXEC);
  if (loop->hangup_epoll < 0) return false;
  uv_poll_init(&loop->uv, &loop->hangups, loop->hangup_epoll);
  loop->hangups.data = loop;
  uv_poll_start(&loop->hangups, UV_READABLE, look);
  return true;
}

/// A closed descriptor leaves the epoll instance by itself.
void wsl_hangups_watch(wsl_loop *loop, wsl_slot *slot) {
  struct epoll_event wanted = {.events = EPOLLRDHUP | EPOLLET,
                               .data.u64 = wsl_slot_id(loop, slot)};
  epoll_ctl(loop->hangup_epoll, EPOLL_CTL_ADD, lws_get_socket_fd(slot->wsi), &wanted);
}

void wsl_hangups_forget(wsl_loop *loop, wsl_slot *slot) {
  epoll_ctl(loop->hangup_epoll, EPOLL_CTL_DEL, lws_get_socket_fd(slot->wsi), NULL);
}
