#include "private.h"

#include <stdio.h>
#include <string.h>

/// Milliseconds of CLOCK_MONOTONIC.
int64_t wsl_now_ms(void) { return (int64_t)(uv_hrtime() / 1000000); }

/// - Source: RFC 9110, section 15; RFC 6585 for 429 and 431
static const char *phrase_of(int status) {
  switch (status) {
  case 400: return "Bad Request";
  case 404: return "Not Found";
  case 411: return "Length Required";
  case 429: return "Too Many Requests";
  case 431: return "Request Header Fields Too Large";
  case 501: return "Not Implemented";
  case 503: return "Service Unavailable";
  default: return "Internal Server Error";
  }
}

/// Writes a complete response with a problem document (RFC 9457), after which the connection ends.
/// The code and the detail are inserted unescaped.
/// - Returns: The length of the response in bytes.
size_t wsl_problem_text(char *into, size_t size, wsl_problem problem) {
  char body[WSL_PROBLEM_BYTES / 2];
  bool is_temporary = problem.status == 503 || problem.status == 429;
  const char *phrase = phrase_of(problem.status);
  const char *headers = is_temporary ? "Retry-After: 5\r\n" : "";
  int body_count = snprintf(body, sizeof body, "{\"type\":\"about:blank\",\"title\":\"%s\","
                            "\"status\":%d,\"code\":\"%s\",\"detail\":\"%s\"}",
                            phrase, problem.status, problem.code, problem.detail);
  return (size_t)snprintf(into, size, "HTTP/1.1 %d %s\r\nConnection: close\r\n%sContent-Type: "
                          "application/problem+json\r\nContent-Length: %d\r\n\r\n%s",
                          problem.status, phrase, headers, body_count, body);
}

// UTF-8 ----------------------------------------------------------------------------------------

const wsl_utf8 wsl_utf8_start = {0, 0x80, 0xBF};

/// Sets the state that a lead byte requires for its continuation bytes. Returns false if the byte
/// is not a valid lead byte.
/// - Source: RFC 3629, section 4; Unicode, table 3-7
static bool lead(wsl_utf8 *state, uint8_t byte) {
  *state = wsl_utf8_start;
  if (byte >= 0xC2 && byte <= 0xDF) {
    state->missing = 1;
  } else if (byte >= 0xE0 && byte <= 0xEF) {
    state->missing = 2;
    if (byte == 0xE0) state->low = 0xA0;   // no overlong encodings
    if (byte == 0xED) state->high = 0x9F;  // no surrogates
  } else if (byte >= 0xF0 && byte <= 0xF4) {
    state->missing = 3;
    if (byte == 0xF0) state->low = 0x90;   // no overlong encodings
    if (byte == 0xF4) state->high = 0x8F;  // nothing past U+10FFFF
  } else {
    return false;
  }
  return true;
}

/// The number of ASCII bytes at the start.
static size_t ascii_prefix(const uint8_t *bytes, size_t count) {
  size_t index = 0;
  for (uint64_t word; index + sizeof word <= count; index += sizeof word) {
    memcpy(&word, bytes + index, sizeof word);
    if (word & UINT64_C(0x8080808080808080)) break;
  }
  while (index < count && bytes[index] < 0x80) index++;
  return index;
}

/// Validates the next piece of a text. Returns false at the first byte that cannot be part of a
/// valid text. The caller must check that `missing` is 0 at the end of the text.
bool wsl_utf8_feed(wsl_utf8 *state, const uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count;) {
    if (state->missing == 0) {
      index += ascii_prefix(bytes + index, count - index);
      if (index == count) return true;
      if (!lead(state, bytes[index++])) return false;
    } else {
      uint8_t byte = bytes[index++];
      if (byte < state->low || byte > state->high) return false;
      uint8_t missing = (uint8_t)(state->missing - 1);
      *state = wsl_utf8_start;
      state->missing = missing;
    }
  }
  return true;
}
