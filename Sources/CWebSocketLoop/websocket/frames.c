#include "private.h"

#include <string.h>

// Follows the headers of frames before libwebsockets parses them: 4.1.6 accepts unmasked frames,
// and drops the connection without a close frame for a length that is not allowed. Pings are
// removed, see pings.c.

enum frame_state { FIRST, LENGTH, LONG_LENGTH, UNMASKED_CODE, MASK, PAYLOAD };

/// The FIN bit and the opcode.
enum { CLOSE_FRAME = 0x88, PING_FRAME = 0x89 };

enum { CONTROL_BIT = 0x08, MASK_BIT = 0x80, LENGTH_BITS = 0x7F, MASK_BYTES = 4 };

static const wsl_violation unmasked = {1002, "a client must mask its frames"};
static const wsl_violation long_control = {1002, "a control frame has at most 125 bytes"};
static const wsl_violation long_length = {1002, "the length of a frame has 63 bits"};

/// Caddy before 2.7 sends its close frames unmasked when its configuration is reloaded, and passes
/// our answer on to the client, which would stay away after 1002.
static const wsl_violation unmasked_leave = {1001, "the proxy is going away"};

/// Reads the byte with the mask bit and the length. Returns the violation, or NULL.
static const wsl_violation *read_length(wsl_frame_reader *frame, uint8_t byte) {
  uint8_t length = byte & LENGTH_BITS;
  if (!(byte & MASK_BIT)) {
    if (!frame->is_close || length < 2 || length > 125) return &unmasked;
    frame->payload = 0;
    frame->missing = 2;
    frame->state = UNMASKED_CODE;
    return NULL;
  }
  if (frame->is_control && length > 125) return &long_control;
  frame->payload = length < 126 ? length : 0;
  frame->missing = length < 126 ? MASK_BYTES : length == 126 ? 2 : 8;
  frame->state = length < 126 ? MASK : LONG_LENGTH;
  return NULL;
}

/// Reads a byte of a header. Returns the violation, or NULL.
static const wsl_violation *read_header(wsl_frame_reader *frame, uint8_t byte) {
  switch ((enum frame_state)frame->state) {
  case FIRST:
    frame->is_control = byte & CONTROL_BIT;
    frame->is_close = byte == CLOSE_FRAME;
    frame->is_ping = byte == PING_FRAME && wsl_ping_begin(frame);
    frame->state = LENGTH;
    return NULL;
  case LENGTH:
    return read_length(frame, byte);
  case LONG_LENGTH:
    if (frame->missing == 8 && byte & 0x80) return &long_length;
    frame->payload = frame->payload << 8 | byte;
    if (--frame->missing > 0) return NULL;
    frame->missing = MASK_BYTES;
    frame->state = MASK;
    return NULL;
  case UNMASKED_CODE:
    frame->payload = frame->payload << 8 | byte;
    if (--frame->missing > 0) return NULL;
    return frame->payload == unmasked_leave.code ? &unmasked_leave : &unmasked;
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
                         const wsl_violation **violation) {
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
