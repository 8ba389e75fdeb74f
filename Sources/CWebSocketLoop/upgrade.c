#include "private.h"

#include <string.h>
#include <strings.h>

// libwebsockets 4.1.6 upgrades for any key, version and method, so every upgrade is judged here, by
// the copied headers only. An upgrade to anything but `websocket` does not get here (overrides.c).

enum { SUBPROTOCOLS_MAX = 126, SUBPROTOCOL_MAX = 62 };  ///< octets; what libwebsockets can parse

/// Copies a header; false if it is absent, empty or longer than `size` - 1.
static bool copy(struct lws *wsi, enum lws_token_indexes header, char *into, int size) {
  return lws_hdr_copy(wsi, into, size, header) > 0;
}

/// Whether a key is 16 octets in base64. - Source: RFC 6455, section 4.1
static bool is_key(const char *key) {
  static const char alphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return strlen(key) == 24 && strspn(key, alphabet) == 22 && strcmp(key + 22, "==") == 0;
}

/// What is wrong with an opening handshake, or NULL. - Source: RFC 6455, section 4.2.1
static const char *fault(struct lws *wsi) {
  char text[128];
  if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0) return "A WebSocket is opened by GET.";
  if (!copy(wsi, WSI_TOKEN_HTTP, text, sizeof text) || strcmp(text, "HTTP/1.1") != 0)
    return "A WebSocket is opened by HTTP/1.1.";
  if (!copy(wsi, WSI_TOKEN_HOST, text, sizeof text) &&
      lws_hdr_total_length(wsi, WSI_TOKEN_HOST) == 0)
    return "Host is missing.";
  if (wsl_repeats(wsi, WSI_TOKEN_HOST)) return "Host comes twice.";
  if (!copy(wsi, WSI_TOKEN_CONNECTION, text, sizeof text - 1) || !wsl_has_token(text, "upgrade"))
    return "Connection does not say upgrade.";
  if (!copy(wsi, WSI_TOKEN_KEY, text, sizeof text) || !is_key(text))
    return "Sec-WebSocket-Key is not 16 octets in base64.";
  if (wsl_has_body(wsi)) return "An upgrade has no body.";
  return NULL;
}

/// The configured subprotocol that libwebsockets will select: the first that the client names.
/// NULL if it would hang up.
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

/// Judges an upgrade. 0 lets libwebsockets perform it, -1 hangs up after what was answered.
int wsl_confirm_upgrade(wsl_loop *loop, wsl_slot *slot, struct lws *wsi) {
  char text[SUBPROTOCOLS_MAX + 1];
  wsl_request request;
  slot->is_head_read = true;
  // Only if overrides.c has no effect: libwebsockets has sent 403, and may have freed the headers.
  if (!copy(wsi, WSI_TOKEN_UPGRADE, text, sizeof text)) return -1;
  if (strcasecmp(text, "websocket") != 0) return -1;
  const char *wrong = fault(wsi);
  if (wrong) return wsl_hang_up(wsi, 400, "", "badRequest", wrong);
  if (!copy(wsi, WSI_TOKEN_VERSION, text, sizeof text) || strcmp(text, "13") != 0)
    return wsl_hang_up(wsi, 426, "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
                       "badRequest", "Sec-WebSocket-Version is not 13.");
  if (lws_hdr_copy(wsi, text, sizeof text, WSI_TOKEN_PROTOCOL) < 0)
    return wsl_hang_up(wsi, 400, "", "badRequest", "Sec-WebSocket-Protocol is over 126 octets.");
  slot->generation++;
  wsl_request_init(&request, loop, slot, wsi);
  if (loop->handlers.admit(loop->owner, wsl_slot_id(loop, slot), &request) != 0)
    return request.is_refused || slot->is_detached
               ? -1
               : wsl_hang_up(wsi, 500, "", "internal", "No answer.");
  if (!selected(loop, text))
    return wsl_hang_up(wsi, 400, "", "badRequest", "None of the subprotocols is spoken here.");
  slot->is_admitted = true;
  return 0;
}
