#define _GNU_SOURCE  // dup3
#include "private.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Removes a connection from its loop. libwebsockets cannot release a socket. `exchange_socket`
// works around that: it gives libwebsockets another socket to close under the same descriptor.

/// A head of WSL_HEAD_BYTES_MAX bytes, and the names of headers, which are not counted.
enum { MOVED_HEAD_MAX = WSL_HEAD_BYTES_MAX + 1024 };

/// A request head being serialized.
typedef struct wsl_head {
  char *bytes;
  size_t count, size;
  bool is_whole;
} wsl_head;

static void add(wsl_head *head, const char *format, ...) {
  va_list arguments;
  size_t rest = head->size - head->count;
  va_start(arguments, format);
  int count = vsnprintf(head->bytes + head->count, rest, format, arguments);
  va_end(arguments);
  if (count < 0 || (size_t)count >= rest) head->is_whole = false;
  else head->count += (size_t)count;
}

static void add_token(wsl_head *head, struct lws *wsi, enum lws_token_indexes token) {
  char value[256];
  if (lws_hdr_copy(wsi, value, sizeof value, token) > 0)
    add(head, "%s %s\r\n", (const char *)lws_token_to_string(token), value);
}

/// Serializes a GET request from its parsed headers.
static void write_head(wsl_head *head, wsl_request *request) {
  static const enum lws_token_indexes of_connection[] = {
      WSI_TOKEN_CONNECTION, WSI_TOKEN_UPGRADE, WSI_TOKEN_KEY, WSI_TOKEN_VERSION};
  char version[16] = "";
  wsl_text text = wsl_request_target(request);
  lws_hdr_copy(request->wsi, version, sizeof version, WSI_TOKEN_HTTP);
  add(head, "GET %.*s %s\r\n", (int)text.count, text.bytes, version);
  for (int header = 0; header < WSL_HEADER_COUNT; header++) {
    text = wsl_request_header(request, header);
    if (text.bytes) add(head, "%s %s\r\n", wsl_header_name(header), text.bytes);
  }
  for (size_t index = 0; index < sizeof of_connection / sizeof *of_connection; index++)
    add_token(head, request->wsi, of_connection[index]);
  add(head, "\r\n");
}

/// Duplicates the connection's descriptor and replaces the original with an unconnected socket,
/// which libwebsockets then shuts down and closes.
///
/// - Returns: The new descriptor of the connection, or -1 if no descriptor is available.
static int exchange_socket(struct lws *wsi) {
  int descriptor = lws_get_socket_fd(wsi);
  int nobody = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (nobody < 0) return -1;
  int taken = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (taken >= 0) {
    // Remove it from epoll first: epoll refers to the open socket, which the duplicate keeps alive.
    lws_rx_flow_control(wsi, LWS_RXFLOW_REASON_APPLIES | LWS_RXFLOW_REASON_USER_BOOL |
                                 LWS_RXFLOW_REASON_FLAG_PROCESS_NOW);
    if (dup3(nobody, descriptor, O_CLOEXEC) < 0) {
      close(taken);
      taken = -1;
    }
  }
  close(nobody);
  return taken;
}

/// Serializes the head of a request. Returns NULL if it is too long or there is no memory.
static wsl_exchange *copy_head(wsl_request *request) {
  wsl_exchange *copy = malloc(sizeof *copy + MOVED_HEAD_MAX);
  if (!copy) return NULL;
  *copy = (wsl_exchange){.capacity = MOVED_HEAD_MAX};
  wsl_head head = {.bytes = (char *)copy->bytes, .size = MOVED_HEAD_MAX, .is_whole = true};
  write_head(&head, request);
  copy->count = head.count;
  if (head.is_whole) return copy;
  free(copy);
  return NULL;
}

bool wsl_move(wsl_request *request, void *destination) {
  wsl_slot *slot = request->slot;
  wsl_exchange *head = request->method == WSL_GET ? copy_head(request) : NULL;
  int descriptor = head ? exchange_socket(request->wsi) : -1;
  if (descriptor < 0) {
    free(head);
    return false;
  }
  wsl_slot_drop_parts(slot);
  slot->exchange = head;
  slot->moving_descriptor = descriptor;
  slot->moving_tls = wsl_tls_take(request->wsi);
  slot->destination = destination;
  slot->is_detached = true;
  slot->phase = PHASE_ABORTED;
  return true;
}
