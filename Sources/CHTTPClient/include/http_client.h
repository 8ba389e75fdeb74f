#ifndef HTTP_CLIENT_H
#define HTTP_CLIENT_H

// HTTP requests with libcurl's multi interface, many at a time on one thread. Redirects are not
// followed, proxies are not used, no connection is used twice.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct http_client http_client;

// Whether a request may connect to an address. Called after the name was resolved, with the address
// that is about to be connected to.
typedef bool (*http_admit)(void *context, const struct sockaddr *address);

typedef struct {
  uint64_t id;
  const char *method;
  const char *url;
  // Lines "Name: value", `header_count` of them.
  const char *const *headers;
  size_t header_count;
  // Sent unless NULL; copied.
  const uint8_t *body;
  size_t body_length;
  // The maximum length of the response body; more is not read.
  size_t response_max;
  long milliseconds;
  bool allows_http;
  // Connects to this Unix socket instead of the URL's address, unless NULL.
  const char *socket_path;
  // NULL: any address.
  http_admit admit;
  void *context;
} http_request;

typedef struct {
  uint64_t id;
  // 0 if there was no response.
  long status;
  // Of the header Retry-After; 0 if there is none.
  int64_t retry_after;
  // At most response_max bytes; valid until the next call of http_next().
  const uint8_t *body;
  size_t body_length;
  // Why there was no response; empty otherwise. Valid as `body`.
  const char *problem;
} http_result;

// Loads libcurl. Returns NULL if that is impossible, with the reason in `problem`.
http_client *http_new(const char **problem);
void http_free(http_client *client);

// Starts a request. Returns false if there is no memory or the URL is invalid.
bool http_start(http_client *client, const http_request *request);

// Performs all requests. Waits for activity on one of their sockets, at most for `milliseconds`.
void http_wait(http_client *client, int milliseconds);

// Removes a finished request and writes its result. Returns false if there is none.
bool http_next(http_client *client, http_result *result);

#endif
