#include "private.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool wsl_repeats(struct lws *wsi, enum lws_token_indexes header) {
  return lws_hdr_fragment_length(wsi, header, 1) > 0;
}

/// Whether a comma-separated list contains a token, ignoring case.
/// - Source: RFC 9110, section 5.6.1
bool wsl_has_token(const char *list, const char *token) {
  size_t length = strlen(token);
  while (*list) {
    list += strspn(list, " \t,");
    size_t count = strcspn(list, " \t,");
    if (count == length && strncasecmp(list, token, length) == 0) return true;
    list += count;
  }
  return false;
}

/// The Content-Length of a request: 0 if absent, -1 if repeated or not 1 to 18 digits.
int64_t wsl_content_length(struct lws *wsi) {
  enum { DIGITS_MAX = 18 };
  char digits[DIGITS_MAX + 1];
  if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH) == 0) return 0;
  if (wsl_repeats(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH)) return -1;
  int count = lws_hdr_copy(wsi, digits, sizeof digits, WSI_TOKEN_HTTP_CONTENT_LENGTH);
  while (count > 0 && (digits[count - 1] == ' ' || digits[count - 1] == '\t')) digits[--count] = 0;
  if (count <= 0 || strspn(digits, "0123456789") != (size_t)count) return -1;
  return strtoll(digits, NULL, 10);
}

bool wsl_has_body(struct lws *wsi) {
  return wsl_content_length(wsi) != 0 ||
         lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING);
}
