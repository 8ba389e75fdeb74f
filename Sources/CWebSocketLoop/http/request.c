#include "private.h"

#include <netinet/in.h>
#include <string.h>

static const struct {
  enum lws_token_indexes token;
  const char *custom;  ///< name with colon, for headers without a libwebsockets token
} headers[WSL_HEADER_COUNT] = {
    [WSL_HOST] = {WSI_TOKEN_HOST, NULL},
    [WSL_ORIGIN] = {WSI_TOKEN_ORIGIN, NULL},
    [WSL_AUTHORIZATION] = {WSI_TOKEN_HTTP_AUTHORIZATION, NULL},
    [WSL_ACCEPT] = {WSI_TOKEN_HTTP_ACCEPT, NULL},
    [WSL_ACCEPT_LANGUAGE] = {WSI_TOKEN_HTTP_ACCEPT_LANGUAGE, NULL},
    [WSL_ACCEPT_ENCODING] = {WSI_TOKEN_HTTP_ACCEPT_ENCODING, NULL},
    [WSL_CONTENT_TYPE] = {WSI_TOKEN_HTTP_CONTENT_TYPE, NULL},
    [WSL_IF_NONE_MATCH] = {WSI_TOKEN_HTTP_IF_NONE_MATCH, NULL},
    [WSL_USER_AGENT] = {WSI_TOKEN_HTTP_USER_AGENT, NULL},
    [WSL_X_FORWARDED_FOR] = {WSI_TOKEN_X_FORWARDED_FOR, NULL},
    [WSL_X_FORWARDED_PROTO] = {WSI_TOKEN_COUNT, "x-forwarded-proto:"},
    [WSL_LAST_EVENT_ID] = {WSI_TOKEN_COUNT, "last-event-id:"},
    [WSL_SUBPROTOCOLS] = {WSI_TOKEN_PROTOCOL, NULL},
    [WSL_ACCESS_CONTROL_REQUEST_HEADERS] = {WSI_TOKEN_HTTP_AC_REQUEST_HEADERS, NULL},
    [WSL_ACCESS_CONTROL_REQUEST_METHOD] = {WSI_TOKEN_COUNT, "access-control-request-method:"},
    [WSL_IF_MATCH] = {WSI_TOKEN_HTTP_IF_MATCH, NULL},
    [WSL_IDEMPOTENCY_KEY] = {WSI_TOKEN_COUNT, "idempotency-key:"},
};

/// Maps libwebsockets' methods. CONNECT is refused before a request exists.
static const wsl_method methods[] = {
    [LWSHUMETH_GET] = WSL_GET,     [LWSHUMETH_POST] = WSL_POST,
    [LWSHUMETH_OPTIONS] = WSL_OPTIONS, [LWSHUMETH_PUT] = WSL_PUT,
    [LWSHUMETH_PATCH] = WSL_PATCH, [LWSHUMETH_DELETE] = WSL_DELETE,
    [LWSHUMETH_CONNECT] = WSL_GET, [LWSHUMETH_HEAD] = WSL_HEAD,
};

/// Initializes everything but `scratch`, because clearing its 8 KiB would cost more than the rest.
void wsl_request_init(wsl_request *request, wsl_loop *loop, wsl_slot *slot, struct lws *wsi) {
  char *target = NULL;
  int count = 0;
  int method = lws_http_get_uri_and_method(wsi, &target, &count);
  request->loop = loop;
  request->slot = slot;
  request->wsi = wsi;
  request->method = method >= 0 && method <= LWSHUMETH_HEAD ? methods[method] : WSL_GET;
  request->body = (wsl_text){"", 0};
  request->unread = 0;
  request->exchange = NULL;
  request->is_refused = false;
}

wsl_method wsl_request_method(const wsl_request *request) { return request->method; }

wsl_text wsl_request_target(wsl_request *request) {
  size_t count = wsl_head_target(&request->slot->head, request->wsi, request->scratch);
  return (wsl_text){request->scratch, count};
}

wsl_text wsl_request_body(const wsl_request *request) { return request->body; }

void *wsl_request_take_body(wsl_request *request, size_t *counted) {
  void *body = request->exchange;
  *counted = wsl_body_pass(request->loop, request->slot);
  request->exchange = NULL;
  return body;
}

uint64_t wsl_request_unread(const wsl_request *request) { return request->unread; }

wsl_text wsl_request_header(wsl_request *request, wsl_header header) {
  struct lws *wsi = request->wsi;
  char *into = request->scratch;
  int size = sizeof request->scratch;
  const char *custom = headers[header].custom;
  int count = -1;
  if (custom) count = lws_hdr_custom_copy(wsi, into, size, custom, (int)strlen(custom));
  else if (lws_hdr_total_length(wsi, headers[header].token) > 0)
    count = lws_hdr_copy(wsi, into, size, headers[header].token);
  // An empty list of versions matches none; without the header every version matches.
  else if (header == WSL_IF_MATCH)
    count = lws_hdr_copy_fragment(wsi, into, size, headers[header].token, 0);
  return count < 0 ? (wsl_text){NULL, 0} : (wsl_text){into, (size_t)count};
}

/// The name of a header in lower case, including the colon.
const char *wsl_header_name(wsl_header header) {
  const char *custom = headers[header].custom;
  return custom ? custom : (const char *)lws_token_to_string(headers[header].token);
}

wsl_audience wsl_request_audience(const wsl_request *request) { return request->slot->audience; }

bool wsl_request_is_tls(const wsl_request *request) { return request->slot->is_tls; }

bool wsl_request_accepts_chunks(const wsl_request *request) {
  char version[16] = "";
  lws_hdr_copy(request->wsi, version, sizeof version, WSI_TOKEN_HTTP);
  return strcmp(version, "HTTP/1.1") == 0;
}

wsl_text wsl_request_peer(wsl_request *request) {
  const char *peer = wsl_address_text(request->slot->peer, request->scratch, INET6_ADDRSTRLEN);
  return (wsl_text){peer, strlen(peer)};
}
