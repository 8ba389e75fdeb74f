#ifndef HTTP_CLIENT_H
#define HTTP_CLIENT_H

// HTTP requests with libcurl's multi interface, many at a time on one thread. Redirects are not
// followed, proxies are not used, no connection is used twice.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

typedef struct http_client http_client;

// Whether a request may connect to an address. Called with the address that is connected to, after
// the name was resolved.
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
  // More of the answer is not read.
  size_t answer_max;
  long milliseconds;
  bool allows_http;
  // NULL: any address.
  http_admit admit;
  void *context;
} http_request;

typedef struct {
  uint64_t id;
  // 0 if there was no answer.
  long status;
  // Of the header Retry-After; 0 if there is none.
  int64_t retry_after;
  // At most answer_max bytes; valid until the next call of http_next().
  const uint8_t *body;
  size_t body_length;
  // Why there was no answer; empty otherwise. Valid as `body`.
  const char *problem;
} http_result;

// Loads libcurl. NULL if that is impossible; `problem` then says why.
http_client *http_new(const char **problem);
void http_free(http_client *client);

// Starts a request. False if there is no memory, or the URL is not one.
bool http_start(http_client *client, const http_request *request);

// Works on the requests until one of them can go on, at most for `milliseconds`.
void http_wait(http_client *client, int milliseconds);

// Takes the result of a finished request. False if there is none.
bool http_next(http_client *client, http_result *result);

#endif
