#include "private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// The end of an event-loop iteration: one system call per connection sends the frames of the batch.
// So that a large session does not delay the others, the frames for few connections come first, and
// those for many are sent in parts, one in an iteration. However many frames are posted meanwhile,
// the 16th part has all the rest.
//
// Frames bypass libwebsockets; only bytes that the kernel does not take are passed to it. It
// buffers them and writes them when the socket becomes writable. With TLS, all frames of the batch
// are passed to it together: it encrypts them with one SSL_write(), which makes records of up to
// 16 KiB, each sent with one system call.

enum {
  MANY_MAX = 64,   ///< members of large sessions to whom a part is sent
  PARTS_MAX = 16,  ///< parts, of which the last has all the rest
};

/// The frames posted to one connection, for one system call.
typedef struct parcel {
  struct iovec vectors[WSL_PIECES_EACH_MAX];
  size_t vector_count, byte_count;
} parcel;

/// Collects the frames posted to a slot, and empties the slot's list.
static void pack(const wsl_batch *batch, wsl_slot *slot, parcel *parcel) {
  parcel->vector_count = parcel->byte_count = 0;
  for (uint16_t number = slot->posted_first; number; number = batch->pieces[number - 1].next) {
    const wsl_piece *piece = &batch->pieces[number - 1];
    parcel->vectors[parcel->vector_count++] =
        (struct iovec){.iov_base = (void *)(uintptr_t)piece->bytes, .iov_len = piece->count};
    parcel->byte_count += piece->count;
  }
  slot->posted_first = slot->posted_last = slot->posted_count = 0;
}

/// - Returns: The number of bytes that the kernel took, or a negative errno.
static ssize_t send_parcel(const wsl_slot *slot, parcel *parcel) {
  enum { FLAGS = MSG_DONTWAIT | MSG_NOSIGNAL };
  int descriptor = lws_get_socket_fd(slot->wsi);
  struct msghdr message = {.msg_iov = parcel->vectors, .msg_iovlen = parcel->vector_count};
  ssize_t taken = parcel->vector_count == 1
                      ? send(descriptor, parcel->vectors->iov_base, parcel->byte_count, FLAGS)
                      : sendmsg(descriptor, &message, FLAGS);
  return taken < 0 ? -errno : taken;
}

/// Passes the bytes that the kernel did not take to libwebsockets, as one contiguous copy: a TLS
/// record for all, and because libwebsockets writes one buffered piece per writable event and
/// buffers at most 1,024 of them.
static void write_rest(wsl_loop *loop, wsl_slot *slot, const parcel *parcel, size_t taken) {
  const struct iovec *vector = parcel->vectors;
  size_t rest = parcel->byte_count - taken, filled = 0;
  if (parcel->vector_count == 1) {
    wsl_write(loop, slot, (const uint8_t *)vector->iov_base + taken, rest);
    return;
  }
  uint8_t *bytes = malloc(rest);
  if (!bytes) {
    wsl_abort(loop, slot);
    return;
  }
  for (; filled < rest; vector++) {
    size_t skipped = taken < vector->iov_len ? taken : vector->iov_len;
    memcpy(bytes + filled, (const uint8_t *)vector->iov_base + skipped, vector->iov_len - skipped);
    filled += vector->iov_len - skipped;
    taken -= skipped;
  }
  wsl_write(loop, slot, bytes, rest);
  free(bytes);
}

static void flush_slot(wsl_loop *loop, wsl_slot *slot) {
  parcel parcel;
  pack(&loop->batch, slot, &parcel);
  // Frames that libwebsockets has partly written, such as a pong, come first.
  bool is_direct = !slot->is_tls && !lws_partial_buffered(slot->wsi);
  ssize_t taken = is_direct ? send_parcel(slot, &parcel) : -EAGAIN;
  if (taken == (ssize_t)parcel.byte_count) return;
  if (taken < 0 && taken != -EAGAIN && taken != -EWOULDBLOCK && taken != -EINTR) {
    wsl_abort(loop, slot);
    return;
  }
  write_rest(loop, slot, &parcel, taken > 0 ? (size_t)taken : 0);
  if (slot->phase == PHASE_OPEN && slot->is_write_blocked)
    loop->handlers.write_blocked(loop->owner, wsl_slot_id(loop, slot));
}

/// Sends the frames for few connections, and those for many to at most `many_max`.
///
/// - Returns: Whether all frames are sent and the batch is empty.
static bool flush(wsl_loop *loop, uint32_t many_max) {
  wsl_batch *batch = &loop->batch;
  bool is_rest = batch->many_written > 0;
  uint32_t few = batch->few_count, many = batch->many_count - batch->many_written;
  if (many > many_max) many = many_max;
  for (uint32_t number = 0; number < few + many; number++) {
    uint32_t place = number < few ? number : WSL_BATCH_SLOTS - ++batch->many_written;
    wsl_slot *slot = &loop->slots[batch->slots[place]];
    if (slot->phase != PHASE_OPEN) slot->posted_first = slot->posted_count = 0;
    else if (slot->posted_first) flush_slot(loop, slot);
    if (number == 0 && (few > 0 || !is_rest)) loop->handlers.written(loop->owner);
  }
  batch->few_count = 0;
  if (batch->many_written < batch->many_count) return false;
  batch->many_count = batch->many_written = batch->piece_count = batch->byte_count = 0;
  return true;
}

bool wsl_flush_part(wsl_loop *loop) {
  bool is_last = ++loop->batch.part_count == PARTS_MAX;
  bool is_empty = flush(loop, is_last ? WSL_BATCH_SLOTS : MANY_MAX);
  if (is_empty) loop->batch.part_count = 0;
  return is_empty;
}

void wsl_flush(wsl_loop *loop) { flush(loop, WSL_BATCH_SLOTS); }
