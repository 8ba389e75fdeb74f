#include "private.h"

#include <string.h>

// Follows the headers of frames before libwebsockets parses them: 4.1.6 accepts unmasked frames,
// and drops the connection without a close frame for a length that is not allowed. Pings are
// removed, see pings.c.

enum frame_state { FIRST, LENGTH, LONG_LENGTH, MASK, PAYLOAD };

/// The FIN bit and the opcode of a ping.
enum { PING_FRAME = 0x89 };

enum { CONTROL_BIT = 0x08, MASK_BIT = 0x80, LENGTH_BITS = 0x7F, MASK_BYTES = 4 };

/// Reads the byte with the mask bit and the length. Returns the violation, or NULL.
static const char *read_length(wsl_frame_reader *frame, uint8_t byte) {
  uint8_t length = byte & LENGTH_BITS;
  if (!(byte & MASK_BIT)) return "a client must mask its frames";
  if (frame->is_control && length > 125) return "a control frame has at most 125 bytes";
  frame->payload = length < 126 ? length : 0;
  frame->missing = length < 126 ? MASK_BYTES : length == 126 ? 2 : 8;
  frame->state = length < 126 ? MASK : LONG_LENGTH;
  return NULL;
}

/// Reads a byte of a header. Returns the violation, or NULL.
static const char *read_header(wsl_frame_reader *frame, uint8_t byte) {
  switch ((enum frame_state)frame->state) {
  case FIRST:
    frame->is_control = byte & CONTROL_BIT;
    frame->is_ping = byte == PING_FRAME && wsl_ping_begin(frame);
    frame->state = LENGTH;
    return NULL;
  case LENGTH:
    return read_length(frame, byte);
  case LONG_LENGTH:
    if (frame->missing == 8 && byte & 0x80) return "the length of a frame has 63 bits";
    frame->payload = frame->payload << 8 | byte;
    if (--frame->missing > 0) return NULL;
    frame->missing = MASK_BYTES;
    frame->state = MASK;
    return NULL;
  case MASK:
    if (frame->is_ping) wsl_ping_mask(frame->ping, byte);
    if (--frame->missing == 0) frame->state = frame->payload > 0 ? PAYLOAD : FIRST;
    return NULL;
  case PAYLOAD:
    break;
  }
  return NULL;
}

/// Reads bytes of a payload, and removes those of a ping.
///
/// - Parameter kept: The number of bytes before `from` that were not removed.
/// - Returns: The number of bytes read.
static size_t read_payload(wsl_frame_reader *frame, uint8_t *bytes, size_t from, size_t count,
                           size_t *kept) {
  size_t rest = count - from;
  size_t read = frame->payload < rest ? (size_t)frame->payload : rest;
  if (frame->is_ping) {
    wsl_ping_append(frame->ping, bytes + from, read);
  } else {
    if (*kept != from) memmove(bytes + *kept, bytes + from, read);
    *kept += read;
  }
  frame->payload -= read;
  if (frame->payload == 0) frame->state = FIRST;
  return read;
}

/// Follows received bytes up to the first frame that violates RFC 6455, and removes pings.
///
/// - Parameter violation: Set if there is such a frame.
/// - Returns: The number of bytes that are left; of those before the frame, if there is one.
/// - Source: RFC 6455, sections 5.1, 5.2 and 5.5
size_t wsl_frames_follow(wsl_frame_reader *frame, uint8_t *bytes, size_t count,
                         const char **violation) {
  size_t start = 0, index = 0, kept = 0;
  while (index < count) {
    if (frame->state == PAYLOAD) {
      index += read_payload(frame, bytes, index, count, &kept);
    } else {
      uint8_t byte = bytes[index++];
      if (frame->state == FIRST) start = kept;
      *violation = read_header(frame, byte);
      if (*violation) return start;
      if (!frame->is_ping) bytes[kept++] = byte;
    }
    if (frame->is_ping && frame->state == FIRST) {
      wsl_ping_end(frame->ping);
      frame->is_ping = false;
    }
  }
  return kept;
}
