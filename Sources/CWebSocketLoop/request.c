#include "private.h"

wsl_request wsl_request_of(const wsl_http *http, char joined[WSL_JOINED_BYTES]) {
  const wsl_connection *connection = &http->connection;
  const wsl_head *head = &http->head;
  const char *bytes = connection->head;
  wsl_request request = {.method = head->method,
                         .is_tls = connection->is_tls,
                         .is_1_1 = head->is_1_1,
                         .audience = connection->audience,
                         .network = connection->network,
                         .peer = connection->peer,
                         .target = {bytes + head->target.start, head->target.count},
                         .body = {"", 0}};
  for (int header = 0; header < WSL_HEADER_COUNT; header++)
    request.headers[header] = wsl_head_field(bytes, head, header);
  wsl_head_join(bytes, connection->head_count, head, request.headers, joined);
  return request;
}
