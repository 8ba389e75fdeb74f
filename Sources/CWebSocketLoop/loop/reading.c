#include "private.h"

// Decides which bytes libwebsockets reads from a connection: those of one head, body or sequence of
// valid frames. The bytes after them stay in the kernel, or in OpenSSL, until they are due.

enum { PEEKED_BYTES = 16384 };

/// Reads bytes of a request's head.
static ssize_t read_head(const wsl_source *source, uint8_t *bytes, size_t size) {
  uint8_t original[PEEKED_BYTES];
  wsl_head_reader *head = &source->slot->head;
  if (size > sizeof original) size = sizeof original;
  ssize_t count = source->peek(source, bytes, size);
  if (count <= 0) return count;
  size_t length = wsl_head_follow(head, bytes, (size_t)count);
  if (length == 0) return WSL_READ_LATER;
  // Removes the bytes from the socket; `bytes` has them as libwebsockets shall parse them.
  if (source->read(source, original, length) != (ssize_t)length) return WSL_READ_MALFORMED;
  return wsl_head_is_malformed(head) ? WSL_READ_MALFORMED : (ssize_t)length;
}

/// Reads bytes of a body, which are discarded in PHASE_DISCARDING.
static ssize_t read_body(wsl_loop *loop, const wsl_source *source, uint8_t *bytes, size_t size) {
  wsl_slot *slot = source->slot;
  if (size > slot->body_rest) size = (size_t)slot->body_rest;
  if (size == 0) return WSL_READ_LATER;
  ssize_t count = source->read(source, bytes, size);
  if (count <= 0) return count;
  slot->body_rest -= (uint64_t)count;
  if (slot->phase != PHASE_DISCARDING || slot->body_rest > 0) return count;
  if (slot->is_last) wsl_abort(loop, slot);
  else wsl_request_end(slot);
  return count;
}

/// Reads bytes of frames. After an invalid one, all bytes are discarded.
static ssize_t read_frames(wsl_loop *loop, const wsl_source *source, uint8_t *bytes, size_t size) {
  wsl_slot *slot = source->slot;
  bool was_violated = slot->violation;
  ssize_t count = source->read(source, bytes, size);
  if (count <= 0) return count;
  if (was_violated) return WSL_READ_LATER;
  count = (ssize_t)wsl_frames_follow(&slot->frame, bytes, (size_t)count, &slot->violation);
  if (slot->violation || slot->frame.ping) wsl_defer(loop, slot);
  return count > 0 ? count : WSL_READ_LATER;
}

/// Reads what is due of a connection.
///
/// - Returns: The number of bytes, as `source->read`; or WSL_READ_LATER or WSL_READ_MALFORMED.
ssize_t wsl_read(wsl_loop *loop, const wsl_source *source, uint8_t *bytes, size_t size) {
  const wsl_slot *slot = source->slot;
  switch ((wsl_phase)slot->phase) {
  case PHASE_IDLE:
    if (!slot->is_head_read) return read_head(source, bytes, size);
    break;
  case PHASE_BODY:
  case PHASE_DISCARDING:
    return read_body(loop, source, bytes, size);
  case PHASE_ASKED:
  case PHASE_ANSWERING:
  case PHASE_STREAMING:
    return WSL_READ_LATER;
  case PHASE_OPEN:
  case PHASE_CLOSING:
    return read_frames(loop, source, bytes, size);
  case PHASE_FREE:
  case PHASE_FAILED:
  case PHASE_ABORTED:
    break;
  }
  return source->read(source, bytes, size);
}
