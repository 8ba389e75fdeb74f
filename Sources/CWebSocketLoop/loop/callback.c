#include "private.h"

/// Handles the events of a WebSocket.
static int websocket_callback(wsl_loop *loop, wsl_slot *slot, enum lws_callback_reasons reason,
                              void *in, size_t count) {
  switch (reason) {
  case LWS_CALLBACK_ESTABLISHED:
    return wsl_ws_opened(loop, slot);
  case LWS_CALLBACK_RECEIVE:
    wsl_ws_received(loop, slot, in, count);
    return 0;
  case LWS_CALLBACK_RECEIVE_PONG:
    wsl_ws_pong(slot);
    return 0;
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return wsl_ws_writable(loop, slot);
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
    return wsl_ws_peer_closes(loop, slot, in, count);
  case LWS_CALLBACK_WS_SERVER_DROP_PROTOCOL:
    wsl_ws_failing(loop, slot);
    return 0;
  default:
    return 0;
  }
}

/// Handles the events of an HTTP connection, and passes all others to `websocket_callback`.
static int http_callback(wsl_loop *loop, wsl_slot *slot, enum lws_callback_reasons reason,
                         void *in, size_t count) {
  switch (reason) {
  case LWS_CALLBACK_FILTER_HTTP_CONNECTION:
    return wsl_http_filter(slot, slot->wsi);
  case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
    return wsl_confirm_upgrade(loop, slot, slot->wsi);
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return slot->is_admitted ? 0 : -1;
  case LWS_CALLBACK_HTTP:
    return wsl_http_begin(loop, slot, slot->wsi);
  case LWS_CALLBACK_HTTP_BODY:
    return wsl_http_body(loop, slot, in, count);
  case LWS_CALLBACK_HTTP_BODY_COMPLETION:
    return wsl_http_body_complete(loop, slot, slot->wsi);
  case LWS_CALLBACK_HTTP_WRITEABLE:
    return wsl_http_writable(loop, slot);
  default:
    return websocket_callback(loop, slot, reason, in, count);
  }
}

int wsl_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                 size_t count) {
  (void)user;
  wsl_loop *loop = lws_context_user(lws_get_context(wsi));
  switch (reason) {
  case LWS_CALLBACK_PROTOCOL_INIT:  // here `wsi` is not a connection
  case LWS_CALLBACK_PROTOCOL_DESTROY:
  case LWS_CALLBACK_WSI_CREATE:     // too early for `wsl_slot_of_wsi`
    return 0;
  case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
    loop->is_kicked = false;
    return 0;
  default:
    break;
  }
  wsl_slot *slot = wsl_slot_of_wsi(loop, wsi);
  if (!slot) return 0;
  switch (reason) {
  case LWS_CALLBACK_CLOSED:
  case LWS_CALLBACK_CLOSED_HTTP:
    // libwebsockets uses the TLS state of a connection that moves to another loop until
    // LWS_CALLBACK_WSI_DESTROY.
    if (!slot->is_detached) wsl_slot_end(loop, slot);
    return 0;
  case LWS_CALLBACK_WSI_DESTROY:    // also connections that ended without one of the two above
    wsl_slot_end(loop, slot);
    return 0;
  case LWS_CALLBACK_RAW_ADOPT:      // the method CONNECT
    slot->is_refused = true;
    wsl_refuse_last(wsi, 501, "methodNotAllowed", "the method CONNECT is not supported");
    return -1;
  case LWS_CALLBACK_RAW_RX:
    return -1;
  default:
    break;
  }
  if (slot->phase == PHASE_ABORTED) return -1;
  return http_callback(loop, slot, reason, in, count);
}
