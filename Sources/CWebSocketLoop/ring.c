#include "private.h"

#include <errno.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// io_uring, for nothing but to send to many connections in one call.
///
/// Every send is one that must not wait, so the kernel has done all of them when the call
/// returns: nothing is under way between two calls, and no memory has to outlive one.

/// Sends of one call: more hardly make each cheaper.
enum { ENTRIES = 256 };

struct wsl_ring {
  struct io_uring uring;
};

/// Needs Linux 5.18.
///
/// - Returns: NULL if the kernel has no io_uring, or not for us, as in most containers; the log
///   says why.
struct wsl_ring *wsl_ring_create(wsl_loop *loop) {
  struct wsl_ring *ring = malloc(sizeof *ring);
  if (!ring) return NULL;
  int result = io_uring_queue_init(ENTRIES, &ring->uring, IORING_SETUP_SUBMIT_ALL);
  if (result == 0) return ring;
  free(ring);
  char line[120];
  snprintf(line, sizeof line, "no io_uring, each connection is sent to by itself: %s",
           strerror(-result));
  wsl_log(loop, false, line);
  return NULL;
}

void wsl_ring_destroy(struct wsl_ring *ring) {
  if (!ring) return;
  io_uring_queue_exit(&ring->uring);
  free(ring);
}

/// Takes the results that have come.
///
/// - Returns: How many those were.
static size_t reap(struct io_uring *uring) {
  struct io_uring_cqe *completion;
  unsigned head;
  unsigned count = 0;
  io_uring_for_each_cqe(uring, head, completion) {
    wsl_parcel *parcel = io_uring_cqe_get_data(completion);
    // Whatever else went wrong, a plain call finds out whether it was the ring or the peer.
    bool is_sure = completion->res >= 0 || completion->res == -EAGAIN;
    parcel->result = is_sure ? completion->res : WSL_UNTRIED;
    count++;
  }
  io_uring_cq_advance(uring, count);
  return count;
}

static void prepare(struct io_uring_sqe *entry, wsl_parcel *parcel) {
  const struct iovec *first = parcel->message.msg_iov;
  int descriptor = lws_get_socket_fd(parcel->slot->wsi);
  if (parcel->message.msg_iovlen == 1)
    io_uring_prep_send(entry, descriptor, first->iov_base, first->iov_len, WSL_SEND_FLAGS);
  else io_uring_prep_sendmsg(entry, descriptor, &parcel->message, WSL_SEND_FLAGS);
  io_uring_sqe_set_data(entry, parcel);
}

/// Sends what was prepared.
static bool submit(struct io_uring *uring, size_t prepared) {
  for (size_t done = 0; done < prepared;) {
    int result = io_uring_submit_and_wait(uring, (unsigned)(prepared - done));
    done += reap(uring);
    if (result < 0 && result != -EINTR) return false;
  }
  return true;
}

/// Sends each parcel that is untried.
///
/// - Returns: False if the ring is of no use any more. What is untried still has to be sent.
bool wsl_ring_send(struct wsl_ring *ring, wsl_parcel *parcels, size_t count) {
  struct io_uring *uring = &ring->uring;
  size_t prepared = 0;
  for (size_t index = 0; index < count; index++) {
    if (parcels[index].result != WSL_UNTRIED) continue;
    struct io_uring_sqe *entry = io_uring_get_sqe(uring);
    if (!entry) return false;
    prepare(entry, &parcels[index]);
    if (++prepared < ENTRIES) continue;
    if (!submit(uring, prepared)) return false;
    prepared = 0;
  }
  return submit(uring, prepared);
}
