#include "private.h"

#include <string.h>

// Follows the heads of requests before libwebsockets parses them, for three reasons.
//
// libwebsockets must not read what follows a head: it would overwrite frames that arrive together
// with a handshake, and mistake the head of a pipelined request for a body.
//
// libwebsockets decodes and normalizes the target, so that two targets with different meanings
// become equal. Therefore it receives the target in a form that it does not change, see `encode`.
//
// libwebsockets 4.1.6 does not recognize the end of some names: after a name that is the beginning
// of one that it knows, as in `X-Auth: a` (X-Auth-Token), and after a line without a colon, the
// next line belongs to the name, and is lost. An attacker could hide `Origin` from the checks, or
// the head's end, so that a proxy and pickerd see different requests.

enum head_state {
  BEFORE,      ///< before the request line, and in empty lines there
  METHOD,
  TARGET,
  VERSION,
  NAME,
  LAST_LINE,   ///< after the CR of the empty line
  VALUE,
  SHORT_NAME,  ///< after the colon of a name that libwebsockets would continue
  COMPLETE,
  MALFORMED,
};

enum { MARK = 0x80 };  ///< set in all characters of an encoded target but the first

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

/// The state after a byte of a header's name.
static uint8_t after_name_byte(wsl_head_reader *head, uint8_t byte) {
  if (head->count == 0 && byte == '\r') return LAST_LINE;
  if (head->count == 0 && byte == '\n') return COMPLETE;
  if (byte == ':' && head->count > 0) return after_name(head);
  if (!is_token(byte)) return MALFORMED;
  if (head->count < sizeof head->name)
    head->name[head->count] = (char)(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
  if (head->count <= sizeof head->name) head->count++;
  return NAME;
}

static uint8_t after_line(wsl_head_reader *head) {
  head->count = 0;
  return NAME;
}

/// Encodes a character of the target. libwebsockets leaves bytes from 0x80 unchanged; a slash is
/// the only first character that it accepts.
static uint8_t encode(wsl_head_reader *head, uint8_t byte) {
  if (byte <= ' ' || byte >= 0x7F) head->is_target_malformed = true;
  if (head->has_target) return byte | MARK;
  head->has_target = true;
  head->target_first = (char)byte;
  return '/';
}

static uint8_t after_target_byte(wsl_head_reader *head, uint8_t *byte) {
  bool is_end = *byte == ' ' || *byte == '\r' || *byte == '\n';
  if (is_end && !head->has_target) head->is_target_malformed = true;
  if (*byte == '\n') return after_line(head);
  if (is_end) return VERSION;
  *byte = encode(head, *byte);
  return TARGET;
}

static uint8_t after_byte(wsl_head_reader *head, uint8_t *byte) {
  switch ((enum head_state)head->state) {
  case BEFORE:
    return *byte == '\r' || *byte == '\n' ? BEFORE : METHOD;
  case METHOD:
    return *byte == '\n' ? after_line(head) : *byte == ' ' ? TARGET : METHOD;
  case TARGET:
    return after_target_byte(head, byte);
  case VERSION:
  case VALUE:
    return *byte == '\n' ? after_line(head) : head->state;
  case NAME:
    return after_name_byte(head, *byte);
  case SHORT_NAME:
    // The first byte of the value of a header with a short name, of which nothing else is used,
    // becomes a second colon: then libwebsockets recognizes the end of the name.
    if (*byte == '\n') return MALFORMED;
    *byte = ':';
    return VALUE;
  case LAST_LINE:
    return *byte == '\n' ? COMPLETE : MALFORMED;
  case COMPLETE:
  case MALFORMED:
    break;
  }
  return head->state;
}

/// Follows received bytes until the end of the head, and changes some of them.
///
/// - Returns: The number of bytes that belong to the head: all of them while it is incomplete.
/// - Source: RFC 9112, sections 2.2, 3 and 5.1
size_t wsl_head_follow(wsl_head_reader *head, uint8_t *bytes, size_t count) {
  size_t index = 0;
  while (index < count && head->state != COMPLETE && head->state != MALFORMED)
    head->state = after_byte(head, &bytes[index++]);
  head->length += (uint32_t)index;
  return index;
}

bool wsl_head_is_malformed(const wsl_head_reader *head) { return head->state == MALFORMED; }

/// Copies the target of a request as the client has sent it. `into` has room for
/// WSL_HEAD_BYTES_MAX + 1 bytes.
size_t wsl_head_target(const wsl_head_reader *head, struct lws *wsi, char *into) {
  char *path = NULL;
  int count = 0;
  if (lws_http_get_uri_and_method(wsi, &path, &count) < 0 || count <= 0) return 0;
  if (count > WSL_HEAD_BYTES_MAX) count = WSL_HEAD_BYTES_MAX;
  into[0] = head->target_first;
  for (int index = 1; index < count; index++) into[index] = (char)(path[index] & ~MARK);
  return (size_t)count;
}
