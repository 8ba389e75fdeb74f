#include "private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Opening handshakes are checked here, because libwebsockets 4.1.6 accepts any key, version and
// method. It gets a head that has nothing else in it than the key and the selected subprotocol, so
// that it does not matter what it would misread, and answers it.

/// Whether a key is the base64 encoding of 16 bytes. - Source: RFC 6455, section 4.1
static bool is_key(wsl_text key) {
  static const char alphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (key.count != 24 || memcmp(key.bytes + 22, "==", 2) != 0) return false;
  for (size_t index = 0; index < 22; index++)
    if (!memchr(alphabet, key.bytes[index], sizeof alphabet - 1)) return false;
  return true;
}

/// The error in an opening handshake, or NULL if it is valid. - Source: RFC 6455, section 4.2.1
static const char *handshake_error(wsl_request *request) {
  const wsl_head *head = &request->http->head;
  if (head->method != WSL_GET) return "the method of a WebSocket handshake must be GET";
  if (!head->is_1_1) return "the HTTP version of a WebSocket handshake must be 1.1";
  if (!wsl_request_field(request, WSL_HOST).bytes) return "the Host header is missing";
  if (head->repeated >> WSL_HOST & 1) return "the Host header is repeated";
  if (!wsl_has_token(wsl_request_field(request, WSL_CONNECTION), "upgrade"))
    return "the Connection header must contain Upgrade";
  if (!is_key(wsl_request_field(request, WSL_KEY)))
    return "Sec-WebSocket-Key must be 16 bytes in base64";
  if (wsl_content_length(request->http->connection.head, head) != 0 ||
      head->fields[WSL_TRANSFER_ENCODING].start)
    return "a WebSocket handshake must not have a body";
  return NULL;
}

/// The first offered subprotocol that is configured. Empty if none is offered; NULL if none is
/// configured.
static const char *selected(const wsl_loop *loop, wsl_text offered) {
  const char *first = NULL;
  size_t place = SIZE_MAX;
  for (size_t index = 1; index < loop->protocol_count; index++) {
    const char *name = loop->protocols[index].name;
    for (size_t start = 0, end; start < offered.count; start = end + 1) {
      for (end = start; end < offered.count && !strchr(" \t,", offered.bytes[end]);) end++;
      bool is_it = end - start == strlen(name) &&
                   memcmp(offered.bytes + start, name, end - start) == 0;
      if (is_it && start < place) {
        place = start;
        first = name;
      }
    }
  }
  return offered.count == 0 ? "" : first;
}

/// Gives a connection whose upgrade the handler has accepted to libwebsockets, which opens the
/// WebSocket before this returns.
static void open_websocket(wsl_http *http, const char *subprotocol) {
  char head[300];
  wsl_loop *loop = http->loop;
  wsl_slot *slot = http->slot;
  wsl_text key = wsl_head_field(http->connection.head, &http->head, WSL_KEY);
  int count = snprintf(head, sizeof head,
                       "GET / HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                       "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %.24s\r\n%s%s%s\r\n",
                       key.bytes, *subprotocol ? "Sec-WebSocket-Protocol: " : "", subprotocol,
                       *subprotocol ? "\r\n" : "");
  wsl_connection connection = wsl_http_take(http);
  slot->http = NULL;
  free(connection.head);
  connection.head = NULL;
  int descriptor = connection.tls ? wsl_tunnel_to(loop, connection, slot) : connection.descriptor;
  loop->adopted = slot;
  // On failure libwebsockets closes the descriptor and no callback has claimed `adopted`.
  if (descriptor >= 0)
    lws_adopt_socket_vhost_readbuf(loop->vhost, descriptor, head, (size_t)count);
  if (!loop->adopted) return;
  loop->adopted = NULL;
  wsl_slot_end(loop, slot);
}

static void refuse(wsl_http *http, int status, const char *detail) {
  wsl_http_refuse(http, (wsl_problem){status, status == 500 ? "internal" : "badRequest", detail});
}

/// Validates a request for a WebSocket and asks the handler to admit it.
void wsl_upgrade(wsl_http *http) {
  wsl_loop *loop = http->loop;
  wsl_request request;
  wsl_request_init(&request, http);
  const char *wrong = handshake_error(&request);
  wsl_text version = wsl_head_field(http->connection.head, &http->head, WSL_VERSION);
  if (wrong) {
    refuse(http, 400, wrong);
    return;
  }
  if (!version.bytes || !wsl_is_equal(version, "13")) {
    refuse(http, 426, "Sec-WebSocket-Version must be 13");
    return;
  }
  http->phase = PHASE_ASKED;
  bool is_admitted =
      loop->handlers.admit(loop->owner, wsl_slot_id(loop, http->slot), &request) == 0;
  if (!is_admitted) {
    if (http->phase == PHASE_ASKED) refuse(http, 500, "the server failed to answer the upgrade");
    return;
  }
  const char *subprotocol = selected(loop, wsl_request_field(&request, WSL_SUBPROTOCOLS));
  if (subprotocol) open_websocket(http, subprotocol);
  else refuse(http, 400, "none of the offered subprotocols is supported");
}
