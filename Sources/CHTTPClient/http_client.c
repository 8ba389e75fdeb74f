#include "http_client.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libcurl.h"

// The loaded library, for one thread.
static libcurl curl;

typedef struct {
  CURL *easy;
  uint64_t id;
  struct curl_slist *headers;
  http_admit admit;
  void *context;
  bool refused;
  uint8_t *response;
  size_t length, max;
  char problem[CURL_ERROR_SIZE];
} exchange;

struct http_client {
  CURLM *multi;
  // The exchange whose result was taken last.
  exchange *taken;
};

static void exchange_free(exchange *exchange) {
  if (!exchange) return;
  if (exchange->easy) curl.easy_cleanup(exchange->easy);
  curl.slist_free_all(exchange->headers);
  free(exchange->response);
  free(exchange);
}

http_client *http_new(const char **problem) {
  *problem = libcurl_load(&curl);
  if (*problem) return NULL;
  *problem = "no memory";
  http_client *client = calloc(1, sizeof *client);
  if (!client) return NULL;
  client->multi = curl.multi_init();
  if (client->multi) return client;
  free(client);
  return NULL;
}

void http_free(http_client *client) {
  exchange_free(client->taken);
  curl.multi_cleanup(client->multi);
  free(client);
}

// The address is the one that libcurl connects to: a name that resolves to another one later is
// checked then.
static curl_socket_t open_socket(void *context, curlsocktype purpose,
                                 struct curl_sockaddr *address) {
  exchange *exchange = context;
  (void)purpose;
  if (exchange->admit && !exchange->admit(exchange->context, &address->addr)) {
    exchange->refused = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
  exchange *exchange = context;
  size_t length = size * count;
  size_t room = exchange->max - exchange->length;
  size_t taken = length < room ? length : room;
  if (taken > 0) {
    uint8_t *grown = realloc(exchange->response, exchange->length + taken);
    if (!grown) return 0;
    exchange->response = grown;
    memcpy(grown + exchange->length, bytes, taken);
    exchange->length += taken;
  }
  // Anything but `length` ends the transfer; the status is known by then.
  return taken;
}

static void configure(exchange *exchange, const http_request *request) {
  CURL *easy = exchange->easy;
  curl.easy_setopt(easy, CURLOPT_PRIVATE, exchange);
  curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->problem);
  curl.easy_setopt(easy, CURLOPT_URL, request->url);
  curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, request->allows_http ? "http,https" : "https");
  curl.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
  curl.easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl.easy_setopt(easy, CURLOPT_PROXY, "");
  curl.easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
  curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl.easy_setopt(easy, CURLOPT_TIMEOUT_MS, request->milliseconds);
  curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, request->milliseconds);
  curl.easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
  curl.easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
  curl.easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  curl.easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L);
  curl.easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, request->socket_path);
  curl.easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
  curl.easy_setopt(easy, CURLOPT_OPENSOCKETDATA, exchange);
  curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
  curl.easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
  curl.easy_setopt(easy, CURLOPT_HTTPHEADER, exchange->headers);
  if (request->body) {
    curl.easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length);
    curl.easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, request->body);
  }
}

bool http_start(http_client *client, const http_request *request) {
  exchange *started = calloc(1, sizeof *started);
  if (!started) return false;
  started->easy = curl.easy_init();
  started->id = request->id;
  started->admit = request->admit;
  started->context = request->context;
  started->max = request->response_max;
  bool is_complete = started->easy != NULL;
  // Empty: "Expect: 100-continue" would delay each request.
  started->headers = curl.slist_append(NULL, "Expect:");
  for (size_t i = 0; is_complete && i < request->header_count; i++) {
    struct curl_slist *longer = curl.slist_append(started->headers, request->headers[i]);
    is_complete = longer != NULL;
    if (longer) started->headers = longer;
  }
  if (is_complete) configure(started, request);
  if (is_complete && curl.multi_add_handle(client->multi, started->easy) == CURLM_OK) return true;
  exchange_free(started);
  return false;
}

void http_wait(http_client *client, int milliseconds) {
  int running = 0;
  curl.multi_perform(client->multi, &running);
  curl.multi_poll(client->multi, NULL, 0, milliseconds, NULL);
  curl.multi_perform(client->multi, &running);
}

bool http_next(http_client *client, http_result *result) {
  exchange_free(client->taken);
  client->taken = NULL;
  int left = 0;
  CURLMsg *message = curl.multi_info_read(client->multi, &left);
  while (message && message->msg != CURLMSG_DONE) {
    message = curl.multi_info_read(client->multi, &left);
  }
  if (!message) return false;
  CURLcode code = message->data.result;
  exchange *done = NULL;
  curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &done);
  client->taken = done;
  curl_off_t retry_after = 0;
  long status = 0;
  // A response longer than the maximum counts; one that timed out or was cut off does not.
  if (code == CURLE_OK || (code == CURLE_WRITE_ERROR && done->length == done->max)) {
    curl.easy_getinfo(done->easy, CURLINFO_RESPONSE_CODE, &status);
    curl.easy_getinfo(done->easy, CURLINFO_RETRY_AFTER, &retry_after);
  }
  if (!done->problem[0]) strcpy(done->problem, curl.easy_strerror(code));
  const char *problem = done->refused ? "the address is refused; see --allow-net" : done->problem;
  *result = (http_result){done->id,     status,       retry_after,
                          done->response, done->length, status ? "" : problem};
  curl.multi_remove_handle(client->multi, done->easy);
  return true;
}
