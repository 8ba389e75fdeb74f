#include "private.h"

#include <string.h>
#include <strings.h>

// Validates upgrade requests, because libwebsockets 4.1.6 accepts any key, version and method. All
// checks use copies of the headers. Upgrades to other protocols than `websocket` are filtered out
// in overrides.c.

enum { SUBPROTOCOLS_MAX = 126, SUBPROTOCOL_MAX = 62 };  ///< bytes; what libwebsockets can parse

/// Copies a header. Returns false if it is absent, empty or longer than `size` - 1.
static bool copy(struct lws *wsi, enum lws_token_indexes header, char *into, int size) {
  return lws_hdr_copy(wsi, into, size, header) > 0;
}

/// Whether a key is the base64 encoding of 16 bytes. - Source: RFC 6455, section 4.1
static bool is_key(const char *key) {
  static const char alphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return strlen(key) == 24 && strspn(key, alphabet) == 22 && strcmp(key + 22, "==") == 0;
}

/// The error in an opening handshake, or NULL if it is valid. - Source: RFC 6455, section 4.2.1
static const char *handshake_error(struct lws *wsi) {
  char text[128];
  if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0)
    return "the method of a WebSocket handshake must be GET";
  if (!copy(wsi, WSI_TOKEN_HTTP, text, sizeof text) || strcmp(text, "HTTP/1.1") != 0)
    return "the HTTP version of a WebSocket handshake must be 1.1";
  if (!copy(wsi, WSI_TOKEN_HOST, text, sizeof text) &&
      lws_hdr_total_length(wsi, WSI_TOKEN_HOST) == 0)
    return "the Host header is missing";
  if (wsl_repeats(wsi, WSI_TOKEN_HOST)) return "the Host header is repeated";
  if (!copy(wsi, WSI_TOKEN_CONNECTION, text, sizeof text - 1) || !wsl_has_token(text, "upgrade"))
    return "the Connection header must contain Upgrade";
  if (!copy(wsi, WSI_TOKEN_KEY, text, sizeof text) || !is_key(text))
    return "Sec-WebSocket-Key must be 16 bytes in base64";
  if (wsl_has_body(wsi)) return "a WebSocket handshake must not have a body";
  return NULL;
}

/// The subprotocol that libwebsockets will select: the first one offered that is configured. Empty
/// if none is offered; NULL if none is configured or one is too long, for which libwebsockets would
/// drop the connection.
static const char *selected(const wsl_loop *loop, const char *offered) {
  const char *rest = offered;
  while (*rest) {
    rest += strspn(rest, " \t,");
    size_t count = strcspn(rest, " \t,");
    if (count > SUBPROTOCOL_MAX) return NULL;
    for (size_t index = 1; count > 0 && index < loop->protocol_count; index++) {
      const char *name = loop->protocols[index].name;
      if (strlen(name) == count && memcmp(name, rest, count) == 0) return name;
    }
    rest += count;
  }
  return *offered ? NULL : "";
}

void wsl_refuse(wsl_request *request, const void *head, size_t head_count, const void *body,
                size_t body_count) {
  request->is_refused = true;
  if (!wsl_response_set(request->slot, head, head_count, body, body_count, false)) return;
  wsl_exchange *response = request->slot->exchange;
  (void)!lws_write(request->wsi, response->bytes, response->count, LWS_WRITE_HTTP);
  wsl_slot_drop_parts(request->slot);
}

/// Validates an upgrade and asks the handler to admit it.
///
/// - Returns: 0 to let libwebsockets perform the upgrade, -1 to close the connection, whose
///   response has been written.
int wsl_confirm_upgrade(wsl_loop *loop, wsl_slot *slot, struct lws *wsi) {
  char text[SUBPROTOCOLS_MAX + 1];
  wsl_request request;
  slot->is_head_read = true;
  // True only if overrides.c has no effect: libwebsockets has then sent 403 and may have freed the
  // headers.
  if (!copy(wsi, WSI_TOKEN_UPGRADE, text, sizeof text)) return -1;
  if (strcasecmp(text, "websocket") != 0) return -1;
  const char *wrong = wsl_target_error(slot, wsi);
  if (!wrong) wrong = handshake_error(wsi);
  if (wrong) return wsl_refuse_request(wsi, 400, "", "badRequest", wrong);
  if (!copy(wsi, WSI_TOKEN_VERSION, text, sizeof text) || strcmp(text, "13") != 0)
    return wsl_refuse_request(wsi, 426, "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
                              "badRequest", "Sec-WebSocket-Version must be 13");
  if (lws_hdr_copy(wsi, text, sizeof text, WSI_TOKEN_PROTOCOL) < 0)
    return wsl_refuse_request(wsi, 400, "", "badRequest",
                              "Sec-WebSocket-Protocol must not be longer than 126 bytes");
  slot->generation++;
  wsl_request_init(&request, loop, slot, wsi);
  if (loop->handlers.admit(loop->owner, wsl_slot_id(loop, slot), &request) != 0)
    return request.is_refused || slot->is_detached
               ? -1
               : wsl_refuse_request(wsi, 500, "", "internal",
                                    "the server failed to answer the upgrade");
  if (!selected(loop, text))
    return wsl_refuse_request(wsi, 400, "", "badRequest",
                              "none of the offered subprotocols is supported");
  slot->is_admitted = true;
  return 0;
}
