#include "private.h"

#include <stdio.h>
#include <unistd.h>

// Error responses with a problem document (RFC 9457) that are written at once: to a request, or
// directly to a socket when libwebsockets cannot write or has not adopted the connection.

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

/// Writes a problem document directly to a socket, bypassing libwebsockets.
void wsl_refuse_socket(int descriptor, int status, const char *headers, const char *code,
                       const char *detail) {
  char request[2048], lines[100], text[WSL_PROBLEM_BYTES];
  snprintf(lines, sizeof lines, "Connection: close\r\n%s", headers);
  size_t count = wsl_problem_text(text, sizeof text, status, lines, code, detail);
  // Read the request first: closing a socket with unread bytes sends a RST, which can make the
  // client discard the response.
  for (int reads = 0; reads < READS_MAX; reads++)
    if (recv(descriptor, request, sizeof request, MSG_DONTWAIT) < (ssize_t)sizeof request) break;
  (void)!send(descriptor, text, count, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Answers a connection that libwebsockets has not adopted with a problem document, and closes it.
void wsl_refuse_connection(int descriptor, int status, const char *code, const char *detail) {
  wsl_refuse_socket(descriptor, status, "Retry-After: 5\r\n", code, detail);
  shutdown(descriptor, SHUT_WR);
  close(descriptor);
}
