#include "private.h"

#include <netinet/in.h>
#include <string.h>

/// Initializes everything but `scratch`, because clearing it would cost more than the rest.
void wsl_request_init(wsl_request *request, wsl_http *http) {
  request->loop = http->loop;
  request->http = http;
  request->body = (wsl_text){"", 0};
  request->unread = 0;
  request->exchange = NULL;
}

wsl_method wsl_request_method(const wsl_request *request) { return request->http->head.method; }

wsl_text wsl_request_target(const wsl_request *request) {
  const wsl_connection *connection = &request->http->connection;
  wsl_span target = request->http->head.target;
  return (wsl_text){connection->head + target.start, target.count};
}

/// The value of any header that is used.
wsl_text wsl_request_field(wsl_request *request, int header) {
  const wsl_connection *connection = &request->http->connection;
  const wsl_head *head = &request->http->head;
  if (!(head->repeated >> header & 1)) return wsl_head_field(connection->head, head, header);
  size_t count = wsl_head_join(connection->head, connection->head_count, head, header,
                               request->scratch);
  return (wsl_text){request->scratch, count};
}

wsl_text wsl_request_header(wsl_request *request, wsl_header header) {
  return wsl_request_field(request, (int)header);
}

wsl_text wsl_request_body(const wsl_request *request) { return request->body; }

void *wsl_request_take_body(wsl_request *request, size_t *counted) {
  void *body = request->exchange;
  *counted = wsl_body_pass(request->loop, request->http->slot);
  request->exchange = NULL;
  return body;
}

uint64_t wsl_request_unread(const wsl_request *request) { return request->unread; }

wsl_audience wsl_request_audience(const wsl_request *request) {
  return request->http->connection.audience;
}

bool wsl_request_is_tls(const wsl_request *request) { return request->http->connection.is_tls; }

bool wsl_request_accepts_chunks(const wsl_request *request) { return request->http->head.is_1_1; }

wsl_text wsl_request_peer(wsl_request *request) {
  const char *peer = wsl_address_text(request->http->connection.peer, request->scratch,
                                      INET6_ADDRSTRLEN);
  return (wsl_text){peer, strlen(peer)};
}
