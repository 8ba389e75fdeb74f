#include "private.h"

#include <string.h>
#include <strings.h>

// Checks the targets of requests, so that the handler can decode them.

static int digit(char character) {
  if (character >= '0' && character <= '9') return character - '0';
  character |= 0x20;
  return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/// Whether every `%` begins an encoded byte, and the decoded text is UTF-8.
/// - Source: RFC 3986, section 2.1
static bool is_decodable(const char *text, size_t count) {
  wsl_utf8 utf8 = wsl_utf8_start;
  for (size_t index = 0; index < count; index++) {
    uint8_t byte = (uint8_t)text[index];
    if (byte == '%') {
      int high = index + 2 < count ? digit(text[index + 1]) : -1;
      int low = index + 2 < count ? digit(text[index + 2]) : -1;
      if (high < 0 || low < 0) return false;
      byte = (uint8_t)(high << 4 | low);
      index += 2;
    }
    if (!wsl_utf8_feed(&utf8, &byte, 1)) return false;
  }
  return utf8.missing == 0;
}

/// Whether a target has the absolute form, with an authority.
/// - Source: RFC 9112, section 3.2.2
static bool is_absolute(const char *target, size_t count) {
  static const char *const schemes[] = {"http://", "https://"};
  for (size_t index = 0; index < sizeof schemes / sizeof *schemes; index++) {
    size_t length = strlen(schemes[index]);
    if (count > length && strncasecmp(target, schemes[index], length) == 0)
      return target[length] != '/' && target[length] != '?';
  }
  return false;
}

/// The error in the target of a request, or NULL if it is valid.
const char *wsl_target_error(const wsl_slot *slot, struct lws *wsi) {
  char target[WSL_HEAD_BYTES_MAX + 1];
  size_t count = wsl_head_target(&slot->head, wsi, target);
  bool is_asterisk = count == 1 && target[0] == '*' &&
                     lws_hdr_total_length(wsi, WSI_TOKEN_OPTIONS_URI) > 0;
  if (slot->head.is_target_malformed || count == 0)
    return "the target of the request has a character that must be percent-encoded";
  if (target[0] != '/' && !is_asterisk && !is_absolute(target, count))
    return "the target of the request must be a path or a URL";
  return is_decodable(target, count)
             ? NULL : "the target of the request must be percent-encoded UTF-8";
}
