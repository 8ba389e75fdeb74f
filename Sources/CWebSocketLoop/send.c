#include "private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Writes are batched: one system call per connection at the end of an event-loop iteration.
//
// A posted frame is copied into the batch once for any number of connections. The batch has a list
// of pieces for each connection. Frames bypass libwebsockets; only bytes that the kernel does not
// take are passed to it. It buffers them and writes them when the socket becomes writable.
//
// So that a large session does not delay the others, the frames for few connections come first, and
// those for many are sent in parts, one in an iteration. However many frames are posted meanwhile,
// the 16th part has all the rest. A connection whose part is still to come gets them all at once.
//
// Order on one connection: `wsl_send` first flushes the batch if it contains frames of the
// connection, and nothing is added to the batch while the connection is write-blocked. So bytes
// are never written ahead of older frames in the batch.

enum {
  MANY_MIN = 64,          ///< members of large sessions in a part, unless fewer are left
  PARTS_MAX = 16,         ///< equal parts at most, of which the last has all the rest
  FRAME_COPY_MAX = 16384, ///< a longer frame is not copied; the batch is flushed
  TEXT_FRAME = 0x81,      ///< FIN bit and opcode text
};

/// Whether data may be written: false after a close frame from us or from libwebsockets.
bool wsl_is_open(const wsl_slot *slot) {
  return slot && slot->phase == PHASE_OPEN && lws_get_close_length(slot->wsi) == 0;
}

/// Writes complete frames after everything that libwebsockets still buffers. It buffers the part
/// that the kernel does not take; the slot is then write-blocked. Without memory for that part the
/// connection is aborted.
void wsl_write(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count) {
  // libwebsockets does not change these bytes.
  unsigned char *unchanged = (unsigned char *)(uintptr_t)bytes;
  if (slot->tunnel) slot->tunnel->may_hold = true;
  if (lws_write(slot->wsi, unchanged, count, LWS_WRITE_RAW) < 0) {
    wsl_abort(loop, slot);
  } else if (lws_partial_buffered(slot->wsi)) {
    slot->is_write_blocked = true;
    if (!wsl_unsent_add(loop, slot, count)) wsl_abort(loop, slot);
  }
}

/// The frames posted to one connection, for one system call.
typedef struct parcel {
  struct iovec vectors[WSL_PIECES_EACH_MAX];
  size_t vector_count, byte_count;
} parcel;

/// Collects the frames posted to a slot, and empties the slot's list.
static void pack(const wsl_batch *batch, wsl_slot *slot, parcel *parcel) {
  parcel->vector_count = parcel->byte_count = 0;
  for (uint32_t number = slot->posted_first; number; number = batch->pieces[number - 1].next) {
    const wsl_piece *piece = &batch->pieces[number - 1];
    parcel->vectors[parcel->vector_count++] =
        (struct iovec){.iov_base = (void *)(uintptr_t)piece->bytes, .iov_len = piece->count};
    parcel->byte_count += piece->count;
  }
  slot->posted_first = slot->posted_last = slot->posted_count = 0;
}

/// Sends a parcel of at most one TLS record through a tunnel, encrypted at once. Returns the number
/// of bytes that it took.
static ssize_t send_encrypted(wsl_pipe *tunnel, const parcel *parcel) {
  uint8_t bytes[16384];
  size_t count = 0;
  if (parcel->byte_count > sizeof bytes) return -EAGAIN;
  for (size_t index = 0; index < parcel->vector_count; index++) {
    memcpy(bytes + count, parcel->vectors[index].iov_base, parcel->vectors[index].iov_len);
    count += parcel->vectors[index].iov_len;
  }
  return wsl_tunnel_send(tunnel, bytes, count) ? (ssize_t)count : -EAGAIN;
}

/// - Returns: The number of bytes that the kernel took, or a negative errno.
static ssize_t send_parcel(const wsl_slot *slot, parcel *parcel) {
  enum { FLAGS = MSG_DONTWAIT | MSG_NOSIGNAL };
  if (slot->tunnel) return send_encrypted(slot->tunnel, parcel);
  int descriptor = lws_get_socket_fd(slot->wsi);
  struct msghdr message = {.msg_iov = parcel->vectors, .msg_iovlen = parcel->vector_count};
  ssize_t taken = parcel->vector_count == 1
                      ? send(descriptor, parcel->vectors->iov_base, parcel->byte_count, FLAGS)
                      : sendmsg(descriptor, &message, FLAGS);
  return taken < 0 ? -errno : taken;
}

/// Passes the bytes that the kernel did not take to libwebsockets, as one contiguous copy, because
/// libwebsockets writes one buffered piece per writable event and buffers at most 1,024 of them.
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
  bool is_direct = !lws_partial_buffered(slot->wsi);
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
  wsl_batch *batch = &loop->batch;
  uint32_t rest = batch->many_count - batch->many_written;
  uint32_t part = rest / (PARTS_MAX - batch->part_count++) + 1;
  bool is_empty = flush(loop, batch->part_count == PARTS_MAX ? WSL_BATCH_SLOTS :
                              part > MANY_MIN ? part : MANY_MIN);
  if (is_empty) loop->batch.part_count = 0;
  return is_empty;
}

void wsl_flush(wsl_loop *loop) { flush(loop, WSL_BATCH_SLOTS); }

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

wsl_outcome wsl_send(wsl_loop *loop, wsl_id id, void *payload, size_t count) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (slot && slot->posted_first) wsl_flush(loop);
  if (!wsl_is_open(slot)) return WSL_GONE;
  wsl_write(loop, slot, make_frame(payload, &count), count);
  if (slot->phase != PHASE_OPEN) return WSL_GONE;
  return slot->is_write_blocked ? WSL_WRITE_BLOCKED : WSL_SENT;
}

// Posting --------------------------------------------------------------------------------------

/// Whether the batch can take a frame for a slot.
///
/// - Parameter is_copied: Whether the batch already contains the frame, for another connection.
static bool has_room(const wsl_batch *batch, const wsl_slot *slot, size_t count, bool is_copied) {
  return batch->few_count + batch->many_count < WSL_BATCH_SLOTS &&
         batch->piece_count < WSL_BATCH_PIECES && slot->posted_count < WSL_PIECES_EACH_MAX &&
         (!slot->posted_first || slot->posted_bytes + count <= WSL_PARCEL_BYTES) &&
         (is_copied || count > FRAME_COPY_MAX || batch->byte_count + count <= WSL_BATCH_BYTES);
}

/// Copies a frame into the batch. Returns `frame` itself if it is too long to be copied; the caller
/// must then flush the batch before the memory of the frame becomes invalid.
static const uint8_t *copy_frame(wsl_batch *batch, const uint8_t *frame, size_t count) {
  if (count > FRAME_COPY_MAX) return frame;
  uint8_t *copy = batch->bytes + batch->byte_count;
  memcpy(copy, frame, count);
  batch->byte_count += (uint32_t)count;
  return copy;
}

/// Adds a slot to those of the batch.
static void add_slot(wsl_batch *batch, uint32_t slot, bool to_many) {
  if (to_many) batch->slots[WSL_BATCH_SLOTS - ++batch->many_count] = slot;
  else batch->slots[batch->few_count++] = slot;
}

static void add_piece(wsl_loop *loop, wsl_slot *slot, const uint8_t *bytes, size_t count,
                      bool to_many) {
  wsl_batch *batch = &loop->batch;
  batch->pieces[batch->piece_count++] = (wsl_piece){.bytes = bytes, .count = (uint32_t)count};
  uint32_t number = batch->piece_count;
  if (slot->posted_first) {
    batch->pieces[slot->posted_last - 1].next = number;
  } else {
    add_slot(batch, (uint32_t)(slot - loop->slots), to_many);
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
                        bool to_many, const uint8_t **copy) {
  // Testing the phase suffices here, without wsl_is_open(), which would touch libwebsockets' memory
  // for every recipient: a callback changes the phase before libwebsockets writes a close frame.
  if (!slot || slot->phase != PHASE_OPEN) return WSL_GONE;
  if (!has_room(&loop->batch, slot, count, *copy != NULL)) {
    wsl_flush(loop);
    *copy = NULL;
    if (slot->phase != PHASE_OPEN) return WSL_GONE;
  }
  if (slot->is_write_blocked) {
    wsl_write(loop, slot, frame, count);
    return WSL_WRITE_BLOCKED;
  }
  if (!*copy) *copy = copy_frame(&loop->batch, frame, count);
  add_piece(loop, slot, *copy, count, to_many);
  return WSL_SENT;
}

wsl_outcome wsl_post(wsl_loop *loop, wsl_id id, void *payload, size_t count, bool to_many) {
  const uint8_t *frame = make_frame(payload, &count), *copy = NULL;
  wsl_outcome outcome = post(loop, wsl_slot_of(loop, id), frame, count, to_many, &copy);
  if (copy == frame) wsl_flush(loop);
  return outcome;
}

size_t wsl_post_all(wsl_loop *loop, const wsl_id *ids, size_t id_count, void *payload,
                    size_t count, bool to_many, uint32_t *blocked) {
  const uint8_t *frame = make_frame(payload, &count), *copy = NULL;
  size_t blocked_count = 0;
  for (size_t index = 0; index < id_count; index++) {
    wsl_slot *slot = wsl_slot_of(loop, ids[index]);
    if (post(loop, slot, frame, count, to_many, &copy) == WSL_WRITE_BLOCKED)
      blocked[blocked_count++] = (uint32_t)index;
  }
  if (copy == frame) wsl_flush(loop);
  return blocked_count;
}
