#include "private.h"

#include <string.h>

// Follows the heads of requests before libwebsockets parses them, because 4.1.6 does not recognize
// the end of some names: after a name that is the beginning of one that it knows, as in `X-Auth: a`
// (X-Auth-Token), and after a line without a colon, the next line belongs to the name, and is lost.
// An attacker could hide `Origin` from the checks, or the head's end, so that a proxy and pickerd
// see different requests.

enum head_state {
  BEFORE,      ///< before the request line, and in empty lines there
  REQUEST_LINE,
  NAME,
  LAST_LINE,   ///< after the CR of the empty line
  VALUE,
  SHORT_NAME,  ///< after the colon of a name that libwebsockets would continue
};

/// Whether a byte may be in the name of a header. - Source: RFC 9110, section 5.6.2
static bool is_token(uint8_t byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') || (byte && strchr("!#$%&'*+-.^_`|~", byte));
}

/// Whether libwebsockets knows longer names that begin with this one, but not this one.
static bool is_beginning(const char *name, size_t count) {
  bool is_found = false;
  const char *known;
  for (int token = 0; (known = (const char *)lws_token_to_string(token)); token++) {
    if (strncmp(known, name, count) != 0) continue;
    if (known[count] == ':') return false;
    is_found = true;
  }
  return is_found;
}

/// The state after the colon of a name.
static uint8_t after_name(const wsl_head_reader *head) {
  if (head->count > sizeof head->name) return VALUE;
  return is_beginning(head->name, head->count) ? SHORT_NAME : VALUE;
}

/// Adds a byte to the name of a header. Returns false if the line is malformed.
static bool add_to_name(wsl_head_reader *head, uint8_t byte) {
  if (byte == ':' && head->count > 0) {
    head->state = after_name(head);
    return true;
  }
  if (!is_token(byte)) return false;
  if (head->count < sizeof head->name)
    head->name[head->count] = (char)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
  if (head->count <= sizeof head->name) head->count++;
  return true;
}

/// Follows received bytes until the end of the head. The first byte of the value of a header with a
/// short name, of which nothing else is used, becomes a second colon: then libwebsockets recognizes
/// the end of the name.
///
/// - Returns: false if a header line is malformed.
/// - Source: RFC 9112, sections 2.2 and 5.1
bool wsl_head_follow(wsl_head_reader *head, uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count; index++) {
    uint8_t byte = bytes[index];
    switch ((enum head_state)head->state) {
    case BEFORE:
      if (byte != '\r' && byte != '\n') head->state = REQUEST_LINE;
      break;
    case SHORT_NAME:
      if (byte == '\n') return false;
      bytes[index] = ':';
      head->state = VALUE;
      break;
    case REQUEST_LINE:
    case VALUE:
      if (byte != '\n') break;
      head->state = NAME;
      head->count = 0;
      break;
    case NAME:
      if (head->count == 0 && byte == '\r') head->state = LAST_LINE;
      else if (head->count == 0 && byte == '\n') return *head = (wsl_head_reader){0}, true;
      else if (!add_to_name(head, byte)) return false;
      break;
    case LAST_LINE:
      *head = (wsl_head_reader){0};
      return byte == '\n';
    }
  }
  return true;
}
