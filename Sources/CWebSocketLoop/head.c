#include "private.h"

#include <string.h>
#include <strings.h>

// Parses and checks the heads of requests. - Source: RFC 9112

/// The headers that are used; the others are only checked.
static const char *const names[WSL_HEADERS] = {
    [WSL_HOST] = "host", [WSL_ORIGIN] = "origin", [WSL_AUTHORIZATION] = "authorization",
    [WSL_ACCEPT] = "accept", [WSL_ACCEPT_LANGUAGE] = "accept-language",
    [WSL_ACCEPT_ENCODING] = "accept-encoding", [WSL_CONTENT_TYPE] = "content-type",
    [WSL_IF_NONE_MATCH] = "if-none-match", [WSL_USER_AGENT] = "user-agent",
    [WSL_X_FORWARDED_FOR] = "x-forwarded-for", [WSL_X_FORWARDED_PROTO] = "x-forwarded-proto",
    [WSL_LAST_EVENT_ID] = "last-event-id", [WSL_SUBPROTOCOLS] = "sec-websocket-protocol",
    [WSL_ACCESS_CONTROL_REQUEST_HEADERS] = "access-control-request-headers",
    [WSL_ACCESS_CONTROL_REQUEST_METHOD] = "access-control-request-method",
    [WSL_IF_MATCH] = "if-match", [WSL_IDEMPOTENCY_KEY] = "idempotency-key",
    [WSL_CONNECTION] = "connection", [WSL_CONTENT_LENGTH] = "content-length",
    [WSL_EXPECT] = "expect", [WSL_TRANSFER_ENCODING] = "transfer-encoding",
    [WSL_UPGRADE] = "upgrade", [WSL_KEY] = "sec-websocket-key",
    [WSL_VERSION] = "sec-websocket-version"};

static const char *const methods[] = {
    [WSL_GET] = "GET", [WSL_POST] = "POST", [WSL_OPTIONS] = "OPTIONS", [WSL_PUT] = "PUT",
    [WSL_PATCH] = "PATCH", [WSL_DELETE] = "DELETE", [WSL_HEAD] = "HEAD"};

bool wsl_is_equal(wsl_text text, const char *other) {
  return strlen(other) == text.count && strncasecmp(text.bytes, other, text.count) == 0;
}

/// Whether all bytes may be in a method or the name of a header, and there is one.
/// - Source: RFC 9110, section 5.6.2
static bool is_token(wsl_text text) {
  for (size_t index = 0; index < text.count; index++) {
    char byte = text.bytes[index], letter = byte | 0x20;
    bool is_alphanumeric = (byte >= '0' && byte <= '9') || (letter >= 'a' && letter <= 'z');
    if (!is_alphanumeric && (!byte || !strchr("!#$%&'*+-.^_`|~", byte))) return false;
  }
  return text.count > 0;
}

static size_t empty_lines(const char *bytes, size_t count) {
  size_t index = 0;
  while (index < count && (bytes[index] == '\r' || bytes[index] == '\n')) index++;
  return index;
}

/// The length of a head, with empty lines before it; 0 if it is incomplete. `from` bytes are known
/// not to contain its end.
/// - Source: RFC 9112, section 2.2
size_t wsl_head_end(const char *bytes, size_t count, size_t from) {
  size_t start = empty_lines(bytes, count);
  if (from > start + 3) start = from - 3;
  while (start < count) {
    const char *line = memchr(bytes + start, '\n', count - start);
    if (!line) return 0;
    start = (size_t)(line - bytes) + 1;
    if (start < count && bytes[start] == '\n') return start + 1;
    if (start + 1 < count && bytes[start] == '\r' && bytes[start + 1] == '\n') return start + 2;
  }
  return 0;
}

/// Whether bytes may be the beginning of a head.
bool wsl_head_begins(const char *bytes, size_t count) {
  size_t start = empty_lines(bytes, count), end = start;
  while (end < count && end < start + 16 && bytes[end] != ' ' && bytes[end] != '\n') end++;
  return end == start || is_token((wsl_text){bytes + start, end - start});
}

/// Takes a line without its end from a text that has one.
static wsl_text take_line(wsl_text *rest) {
  const char *end = memchr(rest->bytes, '\n', rest->count);
  size_t count = (size_t)(end - rest->bytes);
  wsl_text line = {rest->bytes, count > 0 && end[-1] == '\r' ? count - 1 : count};
  rest->bytes += count + 1;
  rest->count -= count + 1;
  return line;
}

static wsl_text take_word(wsl_text *line) {
  const char *end = memchr(line->bytes, ' ', line->count);
  wsl_text word = {line->bytes, end ? (size_t)(end - line->bytes) : line->count};
  size_t skipped = end ? word.count + 1 : word.count;
  line->bytes += skipped;
  line->count -= skipped;
  return word;
}

/// Splits a header's line at its colon. Returns false if it is malformed.
/// - Source: RFC 9112, section 5.1; RFC 9110, section 5.5
static bool split(wsl_text line, wsl_text *name, wsl_text *value) {
  const char *colon = memchr(line.bytes, ':', line.count);
  if (!colon || memchr(line.bytes, '\0', line.count) || memchr(line.bytes, '\r', line.count))
    return false;
  *name = (wsl_text){line.bytes, (size_t)(colon - line.bytes)};
  *value = (wsl_text){colon + 1, line.count - name->count - 1};
  while (value->count > 0 && (*value->bytes == ' ' || *value->bytes == '\t')) {
    value->bytes++;
    value->count--;
  }
  while (value->count > 0 && strchr(" \t", value->bytes[value->count - 1])) value->count--;
  return is_token(*name);
}

/// The number of a header that is used, or WSL_HEADERS.
static int header_of(wsl_text name) {
  int header = 0;
  while (header < WSL_HEADERS && !wsl_is_equal(name, names[header])) header++;
  return header;
}

/// The response to a target with more parts than are decoded. Status 0: none.
static wsl_problem check_parts(wsl_text target) {
  const char *query = memchr(target.bytes, '?', target.count);
  size_t path_count = query ? (size_t)(query - target.bytes) : target.count;
  size_t slashes = 0, fields = 1;
  for (size_t index = 0; index < path_count; index++) slashes += target.bytes[index] == '/';
  for (size_t index = path_count; index < target.count; index++)
    fields += target.bytes[index] == '&';
  if (slashes > WSL_SEGMENTS_MAX)
    return (wsl_problem){404, "notFound", "the path of the request has more than 64 segments"};
  if (fields > WSL_QUERY_FIELDS_MAX)
    return (wsl_problem){400, "badRequest", "the query of the request has more than 64 fields"};
  return (wsl_problem){0};
}

static bool parse_request_line(wsl_text line, const char *bytes, wsl_head *head,
                               wsl_problem *problem) {
  wsl_text method = take_word(&line), target = take_word(&line);
  size_t number = 0, count = sizeof methods / sizeof *methods;
  *problem = (wsl_problem){501, "methodNotAllowed", "the method of the request is unknown"};
  while (number < count && (strlen(methods[number]) != method.count ||
                            memcmp(methods[number], method.bytes, method.count) != 0)) number++;
  if (number == count) return false;
  head->method = (wsl_method)number;
  head->target = (wsl_span){(uint16_t)(target.bytes - bytes), (uint16_t)target.count};
  *problem = (wsl_problem){400, "badRequest", "the HTTP version must be 1.1 or 1.0"};
  head->is_1_1 = wsl_is_equal(line, "HTTP/1.1");
  if (!head->is_1_1 && !wsl_is_equal(line, "HTTP/1.0")) return false;
  *problem = check_parts(target);
  return problem->status == 0;
}

/// Parses a complete head. Returns false, with the response, if it is malformed.
bool wsl_head_parse(const char *bytes, size_t count, wsl_head *head, wsl_problem *problem) {
  size_t start = empty_lines(bytes, count), line_count = 0;
  wsl_text rest = {bytes + start, count - start}, name, value;
  *head = (wsl_head){0};
  if (!parse_request_line(take_line(&rest), bytes, head, problem)) return false;
  head->headers = (uint16_t)(rest.bytes - bytes);
  for (wsl_text line = take_line(&rest); line.count > 0; line = take_line(&rest)) {
    *problem = (wsl_problem){431, "tooLarge", "the head of the request has more than 100 headers"};
    if (++line_count > WSL_HEADER_LINES_MAX) return false;
    *problem = (wsl_problem){400, "badRequest", "the head of the request is malformed"};
    if (!split(line, &name, &value)) return false;
    int header = header_of(name);
    if (header == WSL_HEADERS) continue;
    if (head->fields[header].start) head->repeated |= 1u << header;
    else head->fields[header] = (wsl_span){(uint16_t)(value.bytes - bytes),
                                           (uint16_t)value.count};
  }
  return true;
}

/// The value of a header, the first one of several. NULL if it is absent or empty. But an empty
/// If-Match matches no version, and an empty Idempotency-Key is refused.
wsl_text wsl_head_field(const char *bytes, const wsl_head *head, int header) {
  wsl_span field = head->fields[header];
  bool may_be_empty = header == WSL_IF_MATCH || header == WSL_IDEMPOTENCY_KEY;
  if (!field.start || (!field.count && !may_be_empty)) return (wsl_text){NULL, 0};
  return (wsl_text){bytes + field.start, field.count};
}

/// Replaces the values of repeated headers with all their values, with a comma and a space between
/// them, which it writes to `into`.
void wsl_head_join(const char *bytes, size_t count, const wsl_head *head,
                   wsl_text fields[WSL_HEADER_COUNT], char *into) {
  wsl_text rest = {bytes + head->headers, count - head->headers}, name;
  wsl_text values[WSL_HEADER_LINES_MAX];
  int headers[WSL_HEADER_LINES_MAX], line_count = 0;
  if (!head->repeated) return;
  for (wsl_text line = take_line(&rest); line.count > 0; line = take_line(&rest)) {
    split(line, &name, &values[line_count]);
    headers[line_count++] = header_of(name);
  }
  for (int header = 0; header < WSL_HEADER_COUNT; header++) {
    char *start = into;
    if (!(head->repeated >> header & 1)) continue;
    for (int line = 0; line < line_count; line++) {
      if (headers[line] != header) continue;
      if (into > start) {
        *into++ = ',';
        *into++ = ' ';
      }
      memcpy(into, values[line].bytes, values[line].count);
      into += values[line].count;
    }
    fields[header] = (wsl_text){start, (size_t)(into - start)};
  }
}

/// Whether a comma-separated list contains a token, ignoring case.
/// - Source: RFC 9110, section 5.6.1
bool wsl_has_token(wsl_text list, const char *token) {
  size_t start = 0;
  for (size_t index = 0; index <= list.count; index++) {
    if (index < list.count && !strchr(" \t,", list.bytes[index])) continue;
    if (wsl_is_equal((wsl_text){list.bytes + start, index - start}, token)) return true;
    start = index + 1;
  }
  return false;
}

/// The Content-Length of a request: 0 if absent, -1 if repeated or not 1 to 18 digits.
int64_t wsl_content_length(const char *bytes, const wsl_head *head) {
  enum { DIGITS_MAX = 18 };
  wsl_span field = head->fields[WSL_CONTENT_LENGTH];
  int64_t length = 0;
  if (!field.start) return 0;
  if (field.count == 0 || field.count > DIGITS_MAX || head->repeated >> WSL_CONTENT_LENGTH & 1)
    return -1;
  for (size_t index = 0; index < field.count; index++) {
    char digit = bytes[field.start + index];
    if (digit < '0' || digit > '9') return -1;
    length = length * 10 + (digit - '0');
  }
  return length;
}
