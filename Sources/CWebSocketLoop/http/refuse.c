#include "private.h"

#include <stdio.h>
#include <unistd.h>

// Error responses with a problem document (RFC 9457) that are written at once: to a request, or
// past libwebsockets when it cannot write or has not adopted the connection.

enum { READS_MAX = 64 };

/// Writes a complete response with a problem document (RFC 9457). `headers` are complete lines with
/// CRLF. `code` and `detail` are inserted unescaped.
/// - Returns: The length of the response in bytes.
size_t wsl_problem_text(char *into, size_t size, int status, const char *headers,
                        const char *code, const char *detail) {
  char body[WSL_PROBLEM_BYTES / 2];
  int body_count = snprintf(body, sizeof body, "{\"type\":\"about:blank\",\"title\":\"%s\","
                            "\"status\":%d,\"code\":\"%s\",\"detail\":\"%s\"}",
                            wsl_reason_phrase(status), status, code, detail);
  int count = snprintf(into, size, "HTTP/1.1 %d %s\r\n%sContent-Type: application/problem+json\r\n"
                       "Content-Length: %d\r\n\r\n%s", status, wsl_reason_phrase(status), headers,
                       body_count, body);
  return (size_t)count;
}

/// Refuses a request with a problem document. Returns -1, which the libwebsockets callback returns
/// to have the connection closed.
int wsl_refuse_request(struct lws *wsi, int status, const char *headers, const char *code,
                       const char *detail) {
  char lines[200], text[WSL_PROBLEM_BYTES];
  snprintf(lines, sizeof lines, "Connection: close\r\n%s", headers);
  size_t count = wsl_problem_text(text, sizeof text, status, lines, code, detail);
  wsl_slot *slot = wsl_slot_of_wsi(lws_context_user(lws_get_context(wsi)), wsi);
  if (slot) slot->is_refused = true;
  (void)!lws_write(wsi, (unsigned char *)text, count, LWS_WRITE_HTTP);
  return -1;
}

/// Reads what has been received of a request. Closing a socket with unread bytes sends a RST, which
/// can make the client discard the response.
static void discard_received(int descriptor) {
  char request[2048];
  for (int reads = 0; reads < READS_MAX; reads++)
    if (recv(descriptor, request, sizeof request, MSG_DONTWAIT) < (ssize_t)sizeof request) break;
}

/// Writes a problem document to a connection that libwebsockets is about to close, bypassing it.
void wsl_refuse_last(struct lws *wsi, int status, const char *code, const char *detail) {
  char text[WSL_PROBLEM_BYTES];
  size_t count =
      wsl_problem_text(text, sizeof text, status, "Connection: close\r\n", code, detail);
  discard_received(lws_get_socket_fd(wsi));
  if (lws_is_ssl(wsi)) wsl_tls_write_last(wsi, text, count);
  else (void)!send(lws_get_socket_fd(wsi), text, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Answers a connection that libwebsockets has not adopted with a problem document, and closes it.
/// With TLS it is closed without a response, which would need a handshake.
void wsl_refuse_connection(wsl_connection connection, int status, const char *code,
                           const char *detail) {
  char text[WSL_PROBLEM_BYTES];
  size_t count = wsl_problem_text(text, sizeof text, status,
                                  "Connection: close\r\nRetry-After: 5\r\n", code, detail);
  if (!connection.tls) {
    discard_received(connection.descriptor);
    (void)!send(connection.descriptor, text, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  shutdown(connection.descriptor, SHUT_WR);
  close(connection.descriptor);
  wsl_tls_end(connection.tls);
}
