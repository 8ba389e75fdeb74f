#include "private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Writes are batched per event-loop iteration: one system call per connection at its end.
//
// A posted frame is copied into the batch once for any number of connections. The batch has a list
// of pieces for each connection. Frames bypass libwebsockets; only bytes that the kernel does not
// take are passed to it. It buffers them and writes them when the socket becomes writable.
//
// Order on one connection: `wsl_send` first flushes the batch if it contains frames of the
// connection, and nothing is added to the batch while the connection is write-blocked. So bytes
// are never written ahead of older frames in the batch.

enum {
  FRAME_COPY_MAX = WSL_BATCH_BYTES / 4, ///< a longer frame is not copied; the batch is flushed
  TEXT_FRAME = 0x81,                    ///< FIN bit and opcode text
};

/// Whether data may be written: false after a close frame from us or from libwebsockets.
bool wsl_is_open(const wsl_slot *slot) {
  return slot && slot->phase == PHASE_OPEN && lws_get_close_length(slot->wsi) == 0;
}

/// Writes a frame header into the headroom in front of `payload`.
///
/// - Parameter count: The length of the payload; set to the length of the frame.
/// - Returns: The start of the frame.
/// - Source: RFC 6455, section 5.2
static uint8_t *make_frame(void *payload, size_t *count) {
  size_t bytes = *count, length_bytes = bytes < 126 ? 0 : bytes < 65536 ? 2 : 8;
  uint8_t *frame = (uint8_t *)payload - 2 - length_bytes;
  frame[0] = TEXT_FRAME;
  frame[1] = (uint8_t)(length_bytes == 0 ? bytes : length_bytes == 2 ? 126 : 127);
  for (size_t index = 0; index < length_bytes; index++)
    frame[2 + index] = (uint8_t)(bytes >> 8 * (length_bytes - 1 - index));
  *count = bytes + 2 + length_bytes;
  return frame;
}

/// Writes complete frames after everything that libwebsockets still buffers. It buffers the part
/// that the kernel does not take; the slot is then write-blocked.
void wsl_write(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count) {
  // libwebsockets does not change these bytes.
  unsigned char *unchanged = (unsigned char *)(uintptr_t)bytes;
  if (lws_write(slot->wsi, unchanged, count, LWS_WRITE_RAW) < 0) wsl_abort(loop, slot);
  else if (lws_partial_buffered(slot->wsi)) slot->is_full = true;
}

wsl_outcome wsl_send(wsl_loop *loop, wsl_id id, void *payload, size_t count) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (slot && slot->posted_first) wsl_flush(loop);
  if (!wsl_is_open(slot)) return WSL_GONE;
  wsl_write(loop, slot, make_frame(payload, &count), count);
  if (slot->phase != PHASE_OPEN) return WSL_GONE;
  return slot->is_full ? WSL_FULL : WSL_SENT;
}

// Posting --------------------------------------------------------------------------------------

/// Whether the batch can take a frame for a slot.
///
/// - Parameter is_copied: Whether the batch already contains the frame, for another connection.
static bool has_room(const wsl_batch *batch, const wsl_slot *slot, size_t count, bool is_copied) {
  return batch->slot_count < WSL_BATCH_SLOTS && batch->piece_count < WSL_BATCH_PIECES &&
         slot->posted_count < WSL_PIECES_EACH_MAX &&
         (!slot->posted_first || slot->posted_bytes + count <= WSL_PARCEL_BYTES) &&
         (is_copied || count > FRAME_COPY_MAX || batch->byte_count + count <= WSL_BATCH_BYTES);
}

/// Copies a frame into the batch. Returns `frame` itself if it is too long to be copied; the caller
/// must then flush the batch before the memory of the frame becomes invalid.
static const uint8_t *keep(wsl_batch *batch, const uint8_t *frame, size_t count) {
  if (count > FRAME_COPY_MAX) return frame;
  uint8_t *copy = batch->bytes + batch->byte_count;
  memcpy(copy, frame, count);
  batch->byte_count += (uint32_t)count;
  return copy;
}

static void add_piece(wsl_loop *loop, wsl_slot *slot, const uint8_t *bytes, size_t count) {
  wsl_batch *batch = &loop->batch;
  batch->pieces[batch->piece_count++] = (wsl_piece){.bytes = bytes, .count = (uint32_t)count};
  uint16_t number = (uint16_t)batch->piece_count;
  if (slot->posted_first) {
    batch->pieces[slot->posted_last - 1].next = number;
  } else {
    batch->slots[batch->slot_count++] = (uint32_t)(slot - loop->slots);
    slot->posted_first = number;
    slot->posted_count = 0;
    slot->posted_bytes = 0;
  }
  slot->posted_last = number;
  slot->posted_count++;
  slot->posted_bytes += (uint32_t)count;
}

/// Adds a frame to a connection's list in the batch, flushing the batch first if it is full. If the
/// connection is write-blocked, the frame is appended to libwebsockets' buffer instead.
///
/// - Parameter copy: In: the frame in the batch, or NULL if it is not in the batch. Out: likewise;
///   equal to `frame` if it was too long to be copied.
static wsl_outcome post(wsl_loop *loop, wsl_slot *slot, const uint8_t *frame, size_t count,
                        const uint8_t **copy) {
  // Testing the phase suffices here, without wsl_is_open(), which would touch libwebsockets' memory
  // for every recipient: a callback changes the phase before libwebsockets writes a close frame.
  if (!slot || slot->phase != PHASE_OPEN) return WSL_GONE;
  if (!has_room(&loop->batch, slot, count, *copy != NULL)) {
    wsl_flush(loop);
    *copy = NULL;
    if (slot->phase != PHASE_OPEN) return WSL_GONE;
  }
  if (slot->is_full) {
    wsl_write(loop, slot, frame, count);
    return WSL_FULL;
  }
  if (!*copy) *copy = keep(&loop->batch, frame, count);
  add_piece(loop, slot, *copy, count);
  return WSL_SENT;
}

wsl_outcome wsl_post(wsl_loop *loop, wsl_id id, void *payload, size_t count) {
  const uint8_t *frame = make_frame(payload, &count), *copy = NULL;
  wsl_outcome outcome = post(loop, wsl_slot_of(loop, id), frame, count, &copy);
  if (copy == frame) wsl_flush(loop);
  return outcome;
}

size_t wsl_post_all(wsl_loop *loop, const wsl_id *ids, size_t id_count, void *payload,
                    size_t count, uint32_t *full) {
  const uint8_t *frame = make_frame(payload, &count), *copy = NULL;
  size_t full_count = 0;
  for (size_t index = 0; index < id_count; index++) {
    wsl_slot *slot = wsl_slot_of(loop, ids[index]);
    if (post(loop, slot, frame, count, &copy) == WSL_FULL) full[full_count++] = (uint32_t)index;
  }
  if (copy == frame) wsl_flush(loop);
  return full_count;
}

// The end of an iteration -----------------------------------------------------------------------

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

/// Passes the bytes that the kernel did not take to libwebsockets, as one contiguous copy, because
/// libwebsockets writes one buffered piece per writable event and buffers at most 1,024 of them.
static void buffer_rest(wsl_loop *loop, wsl_slot *slot, const parcel *parcel, size_t taken) {
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
  ssize_t taken = lws_partial_buffered(slot->wsi) ? -EAGAIN : send_parcel(slot, &parcel);
  if (taken == (ssize_t)parcel.byte_count) return;
  if (taken < 0 && taken != -EAGAIN && taken != -EWOULDBLOCK && taken != -EINTR) {
    wsl_abort(loop, slot);
    return;
  }
  buffer_rest(loop, slot, &parcel, taken > 0 ? (size_t)taken : 0);
  if (slot->phase == PHASE_OPEN && slot->is_full)
    loop->handlers.full(loop->owner, wsl_slot_id(loop, slot));
}

/// Sends all posted frames and empties the batch. Calls the handlers `full` and `written`, which
/// must not send, post or close, because the batch is in use until this function returns.
void wsl_flush(wsl_loop *loop) {
  wsl_batch *batch = &loop->batch;
  for (uint32_t index = 0; index < batch->slot_count; index++) {
    wsl_slot *slot = &loop->slots[batch->slots[index]];
    if (slot->phase != PHASE_OPEN) slot->posted_first = slot->posted_count = 0;
    else if (slot->posted_first) flush_slot(loop, slot);
    if (index == 0) loop->handlers.written(loop->owner);
  }
  batch->slot_count = batch->piece_count = batch->byte_count = 0;
}
