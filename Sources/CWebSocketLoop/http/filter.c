#include "private.h"

#include <string.h>

static bool is_method_with_body(struct lws *wsi) {
  return lws_hdr_total_length(wsi, WSI_TOKEN_POST_URI) ||
         lws_hdr_total_length(wsi, WSI_TOKEN_PUT_URI) ||
         lws_hdr_total_length(wsi, WSI_TOKEN_PATCH_URI);
}

/// Refuses a request whose length is unknown or that a proxy could delimit differently (request
/// smuggling), and closes the connection, because the bytes that follow cannot be trusted.
///
/// - Returns: 0 if the request is accepted.
/// - Source: RFC 9112, sections 3.2 and 6.3
int wsl_http_filter(wsl_slot *slot, struct lws *wsi) {
  char version[16] = "";
  slot->is_head_read = true;
  const char *wrong = wsl_target_error(slot, wsi);
  if (wrong) return wsl_refuse_request(wsi, 400, "", "badRequest", wrong);
  lws_hdr_copy(wsi, version, sizeof version, WSI_TOKEN_HTTP);
  bool is_1_1 = strcmp(version, "HTTP/1.1") == 0;
  if (!is_1_1 && strcmp(version, "HTTP/1.0") != 0)
    return wsl_refuse_request(wsi, 400, "", "badRequest", "the HTTP version must be 1.1 or 1.0");
  if (is_1_1 && lws_hdr_total_length(wsi, WSI_TOKEN_HOST) == 0)
    return wsl_refuse_request(wsi, 400, "", "badRequest", "the Host header is missing");
  if (wsl_repeats(wsi, WSI_TOKEN_HOST))
    return wsl_refuse_request(wsi, 400, "", "badRequest", "the Host header is repeated");
  if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_TRANSFER_ENCODING))
    return wsl_refuse_request(wsi, 411, "", "badRequest",
                              "Transfer-Encoding is not supported; send Content-Length");
  if (wsl_content_length(wsi) < 0)
    return wsl_refuse_request(wsi, 400, "", "badRequest",
                              "Content-Length must be one decimal number");
  // libwebsockets would assume a length of 100 MB.
  if (is_method_with_body(wsi) && !lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_CONTENT_LENGTH))
    return wsl_refuse_request(wsi, 411, "", "badRequest", "the Content-Length header is missing");
  return 0;
}
