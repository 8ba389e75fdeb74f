#include "private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/// Everything that a turn of the loop has to send goes out at its end, together.
///
/// The frames of a turn are kept once, however many hear them; each connection has a list of
/// pieces. libwebsockets only learns of what the kernel does not take: it keeps that, and writes
/// it on when it can.

enum {
  FRAME_KEPT_MAX = WSL_BATCH_BYTES / 4, ///< a longer one is not copied, but goes out at once
  TEXT_FRAME = 0x81,                    ///< the last frame of a text message
};

/// Whether data may be written: not after a close frame, be it ours or libwebsockets' own.
bool wsl_is_open(const wsl_slot *slot) {
  return slot && slot->phase == PHASE_OPEN && lws_get_close_length(slot->wsi) == 0;
}

/// Writes the header in front of a message.
///
/// - Parameter count: The payload's octets; becomes the frame's.
/// - Returns: The frame.
/// - Source: RFC 6455, section 5.2
static uint8_t *make_frame(void *payload, size_t *count) {
  size_t octets = *count, length_octets = octets < 126 ? 0 : octets < 65536 ? 2 : 8;
  uint8_t *frame = (uint8_t *)payload - 2 - length_octets;
  frame[0] = TEXT_FRAME;
  frame[1] = (uint8_t)(length_octets == 0 ? octets : length_octets == 2 ? 126 : 127);
  for (size_t index = 0; index < length_octets; index++)
    frame[2 + index] = (uint8_t)(octets >> 8 * (length_octets - 1 - index));
  *count = octets + 2 + length_octets;
  return frame;
}

/// Gives libwebsockets what the kernel did not take, or what must wait behind that.
static void hold_back(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count) {
  // Written as it is: libwebsockets does not touch these octets.
  unsigned char *unchanged = (unsigned char *)(uintptr_t)bytes;
  if (lws_write(slot->wsi, unchanged, count, LWS_WRITE_RAW) < 0) wsl_doom(loop, slot);
  else if (lws_partial_buffered(slot->wsi)) slot->is_full = true;
}

wsl_outcome wsl_send(wsl_loop *loop, wsl_id id, void *payload, size_t count) {
  wsl_slot *slot = wsl_slot_of(loop, id);
  if (slot && slot->posted_first) wsl_flush(loop);
  if (!wsl_is_open(slot)) return WSL_GONE;
  hold_back(loop, slot, make_frame(payload, &count), count);
  if (slot->phase != PHASE_OPEN) return WSL_GONE;
  return slot->is_full ? WSL_FULL : WSL_SENT;
}

// Posting --------------------------------------------------------------------------------------

static bool has_room(const wsl_batch *batch, const wsl_slot *slot, size_t count) {
  return batch->slot_count < WSL_BATCH_SLOTS && batch->piece_count < WSL_BATCH_PIECES &&
         slot->posted_count < WSL_PIECES_EACH_MAX &&
         (count > FRAME_KEPT_MAX || batch->byte_count + count <= WSL_BATCH_BYTES);
}

/// Keeps a frame until the turn ends; one that is too long stays where it is.
static const uint8_t *keep(wsl_batch *batch, const uint8_t *frame, size_t count) {
  if (count > FRAME_KEPT_MAX) return frame;
  uint8_t *kept = batch->bytes + batch->byte_count;
  memcpy(kept, frame, count);
  batch->byte_count += (uint32_t)count;
  return kept;
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
  }
  slot->posted_last = number;
  slot->posted_count++;
}

/// - Parameter kept: The frame in the batch, or NULL while it is not there.
static wsl_outcome post(wsl_loop *loop, wsl_slot *slot, const uint8_t *frame, size_t count,
                        const uint8_t **kept) {
  // Before libwebsockets writes a close of its own a callback has the slot leave this phase, so
  // that its memory need not be touched for every hearer.
  if (!slot || slot->phase != PHASE_OPEN) return WSL_GONE;
  if (!has_room(&loop->batch, slot, *kept ? 0 : count)) {
    wsl_flush(loop);
    *kept = NULL;
    if (slot->phase != PHASE_OPEN) return WSL_GONE;
  }
  if (slot->is_full) {
    hold_back(loop, slot, frame, count);
    return WSL_FULL;
  }
  if (!*kept) *kept = keep(&loop->batch, frame, count);
  add_piece(loop, slot, *kept, count);
  return WSL_SENT;
}

wsl_outcome wsl_post(wsl_loop *loop, wsl_id id, void *payload, size_t count) {
  const uint8_t *frame = make_frame(payload, &count), *kept = NULL;
  wsl_outcome outcome = post(loop, wsl_slot_of(loop, id), frame, count, &kept);
  if (kept == frame) wsl_flush(loop);
  return outcome;
}

size_t wsl_post_all(wsl_loop *loop, const wsl_id *ids, size_t id_count, void *payload,
                    size_t count, uint32_t *full) {
  const uint8_t *frame = make_frame(payload, &count), *kept = NULL;
  size_t full_count = 0;
  for (size_t index = 0; index < id_count; index++) {
    wsl_slot *slot = wsl_slot_of(loop, ids[index]);
    if (post(loop, slot, frame, count, &kept) == WSL_FULL) full[full_count++] = (uint32_t)index;
  }
  if (kept == frame) wsl_flush(loop);
  return full_count;
}

// The end of a turn ----------------------------------------------------------------------------

/// Makes a parcel of what was posted to a connection.
static void pack(wsl_batch *batch, wsl_slot *slot, wsl_parcel *parcel, struct iovec *vectors) {
  *parcel = (wsl_parcel){.slot = slot, .message.msg_iov = vectors};
  for (uint16_t number = slot->posted_first; number; number = batch->pieces[number - 1].next) {
    const wsl_piece *piece = &batch->pieces[number - 1];
    vectors[parcel->message.msg_iovlen++] =
        (struct iovec){.iov_base = (void *)(uintptr_t)piece->bytes, .iov_len = piece->count};
    parcel->count += piece->count;
  }
  slot->posted_first = slot->posted_last = slot->posted_count = 0;
}

static void send_one(wsl_parcel *parcel) {
  const struct msghdr *message = &parcel->message;
  int descriptor = lws_get_socket_fd(parcel->slot->wsi);
  parcel->result = message->msg_iovlen == 1
                       ? send(descriptor, message->msg_iov->iov_base, parcel->count, WSL_SEND_FLAGS)
                       : sendmsg(descriptor, message, WSL_SEND_FLAGS);
  if (parcel->result < 0) parcel->result = -errno;
}

/// Sends the parcels, many at a time if that can be done.
static void send_all(wsl_loop *loop, size_t count) {
  wsl_batch *batch = &loop->batch;
  if (count > 1 && batch->ring && !wsl_ring_send(batch->ring, batch->parcels, count)) {
    wsl_ring_destroy(batch->ring);
    batch->ring = NULL;
    wsl_log(loop, false, "io_uring fails; from now on each connection is sent to by itself");
  }
  for (size_t index = 0; index < count; index++)
    if (batch->parcels[index].result == WSL_UNTRIED) send_one(&batch->parcels[index]);
}

/// Holds back what the kernel did not take of a parcel: as one, for libwebsockets writes one piece
/// each time the socket can take some, and keeps at most 1,024 of them.
static void hold_back_rest(wsl_loop *loop, wsl_parcel *parcel, size_t taken) {
  const struct iovec *vector = parcel->message.msg_iov;
  size_t rest = parcel->count - taken, filled = 0;
  if (parcel->message.msg_iovlen == 1) {
    hold_back(loop, parcel->slot, (const uint8_t *)vector->iov_base + taken, rest);
    return;
  }
  uint8_t *bytes = malloc(rest);
  if (!bytes) {
    wsl_doom(loop, parcel->slot);
    return;
  }
  for (; filled < rest; vector++) {
    size_t skipped = taken < vector->iov_len ? taken : vector->iov_len;
    memcpy(bytes + filled, (const uint8_t *)vector->iov_base + skipped, vector->iov_len - skipped);
    filled += vector->iov_len - skipped;
    taken -= skipped;
  }
  hold_back(loop, parcel->slot, bytes, rest);
  free(bytes);
}

/// Takes what came of a parcel.
static void settle(wsl_loop *loop, wsl_parcel *parcel) {
  wsl_slot *slot = parcel->slot;
  ssize_t taken = parcel->result;
  if (taken == (ssize_t)parcel->count) return;
  if (taken < 0 && taken != -EAGAIN && taken != -EWOULDBLOCK && taken != -EINTR) {
    wsl_doom(loop, slot);
    return;
  }
  hold_back_rest(loop, parcel, taken > 0 ? (size_t)taken : 0);
  if (slot->phase == PHASE_OPEN && slot->is_full)
    loop->handlers.full(loop->owner, wsl_slot_id(loop, slot));
}

/// Sends everything that was posted.
void wsl_flush(wsl_loop *loop) {
  wsl_batch *batch = &loop->batch;
  if (batch->slot_count == 0) return;
  size_t count = 0;
  struct iovec *vectors = batch->vectors;
  for (uint32_t index = 0; index < batch->slot_count; index++) {
    wsl_slot *slot = &loop->slots[batch->slots[index]];
    bool is_over = slot->phase != PHASE_OPEN;
    if (is_over) slot->posted_first = slot->posted_count = 0;
    if (!slot->posted_first) continue;
    wsl_parcel *parcel = &batch->parcels[count++];
    pack(batch, slot, parcel, vectors);
    vectors += parcel->message.msg_iovlen;
    // Behind what libwebsockets has begun to write by itself, such as a pong.
    parcel->result = lws_partial_buffered(slot->wsi) ? -EAGAIN : WSL_UNTRIED;
  }
  send_all(loop, count);
  batch->slot_count = batch->piece_count = batch->byte_count = 0;
  for (size_t index = 0; index < count; index++) settle(loop, &batch->parcels[index]);
}
