#include "private.h"

#include <string.h>

// Writes are batched: one system call per connection at the end of an event-loop iteration.
//
// A posted frame is copied into the batch once for any number of connections. The batch has a list
// of pieces for each connection. Frames bypass libwebsockets; only bytes that the kernel does not
// take are passed to it. It buffers them and writes them when the socket becomes writable.
//
// Order on one connection: `wsl_send` first flushes the batch if it contains frames of the
// connection, and nothing is added to the batch while the connection is write-blocked. So bytes
// are never written ahead of older frames in the batch.

enum {
  FRAME_COPY_MAX = 16384, ///< a longer frame is not copied; the batch is flushed
  TEXT_FRAME = 0x81,      ///< FIN bit and opcode text
};

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
  uint16_t number = (uint16_t)batch->piece_count;
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
