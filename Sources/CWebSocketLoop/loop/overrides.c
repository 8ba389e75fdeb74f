#define _GNU_SOURCE  // RTLD_NEXT
#include "private.h"

#include <dlfcn.h>
#include <errno.h>
#include <openssl/ssl.h>
#include <strings.h>
#include <sys/epoll.h>

void lws_close_free_wsi(struct lws *wsi, enum lws_close_status reason, const char *caller);

// This file replaces functions that libwebsockets and libuv call, at points for which they have no
// callback. It relies on symbol interposition: the dynamic linker prefers a symbol of the program
// to the same symbol of a library. A libwebsockets that was linked with -Bsymbolic would call its
// own functions: it would refuse upgrades to other protocols, and some errors would not be problem
// documents. Tests/product/test_socket_refusals.py and test_header_names.py detect this, and
// test_histograms.py a libuv that waits by another function.

static int (*length_of_library)(struct lws *, enum lws_token_indexes);
static void (*close_of_library)(struct lws *, enum lws_close_status, const char *);
static ssize_t (*recv_of_library)(int, void *, size_t, int);
static int (*wait_of_library)(int, struct epoll_event *, int, int);
static int (*read_of_library)(SSL *, void *, int);
static int (*error_of_library)(const SSL *, int);
static int (*want_of_library)(const SSL *);

__attribute__((constructor)) static void find_replaced_functions(void) {
  *(void **)&length_of_library = dlsym(RTLD_NEXT, "lws_hdr_total_length");
  *(void **)&close_of_library = dlsym(RTLD_NEXT, "lws_close_free_wsi");
  *(void **)&recv_of_library = dlsym(RTLD_NEXT, "recv");
  *(void **)&wait_of_library = dlsym(RTLD_NEXT, "epoll_wait");
  *(void **)&read_of_library = dlsym(RTLD_NEXT, "SSL_read");
  *(void **)&error_of_library = dlsym(RTLD_NEXT, "SSL_get_error");
  *(void **)&want_of_library = dlsym(RTLD_NEXT, "SSL_want");
}

// Reading ---------------------------------------------------------------------------------------
//
// libwebsockets reads as much as it can. These functions give it the bytes of the current head,
// body or frames only; see loop/reading.c. Other callers, such as clients, have no slot.

static ssize_t peek_socket(const wsl_source *source, void *bytes, size_t size) {
  return recv_of_library(source->slot->descriptor, bytes, size, MSG_PEEK);
}

static ssize_t read_socket(const wsl_source *source, void *bytes, size_t size) {
  return recv_of_library(source->slot->descriptor, bytes, size, 0);
}

static ssize_t peek_tls(const wsl_source *source, void *bytes, size_t size) {
  return SSL_peek(source->tls, bytes, (int)size);
}

static ssize_t read_tls(const wsl_source *source, void *bytes, size_t size) {
  return read_of_library(source->tls, bytes, (int)size);
}

static wsl_slot *slot_of(int descriptor) {
  wsl_loop *loop = wsl_loop_of_thread();
  return loop ? wsl_slot_of_descriptor(loop, descriptor) : NULL;
}

/// Reads from a connection without TLS.
ssize_t recv(int descriptor, void *bytes, size_t size, int flags) {
  wsl_slot *slot = flags == 0 ? slot_of(descriptor) : NULL;
  if (!slot) return recv_of_library(descriptor, bytes, size, flags);
  wsl_source source = {.slot = slot, .peek = peek_socket, .read = read_socket};
  ssize_t count = wsl_read(wsl_loop_of_thread(), &source, bytes, size);
  if (count < WSL_READ_FAILED) {
    errno = count == WSL_READ_LATER ? EAGAIN : ECONNRESET;
    return -1;
  }
  return count;
}

/// The connection of the last SSL_read() on this thread if nothing may be read from it now.
static _Thread_local const SSL *paused;

/// Reads from a connection with TLS.
int SSL_read(SSL *tls, void *bytes, int size) {
  wsl_slot *slot = size > 0 ? slot_of(SSL_get_fd(tls)) : NULL;
  paused = NULL;
  if (!slot) return read_of_library(tls, bytes, size);
  wsl_source source = {.slot = slot, .tls = tls, .peek = peek_tls, .read = read_tls};
  ssize_t count = wsl_read(wsl_loop_of_thread(), &source, bytes, (size_t)size);
  // The socket does not report bytes that OpenSSL has decrypted.
  if (SSL_pending(tls) > 0) wsl_defer(wsl_loop_of_thread(), slot);
  if (count == WSL_READ_LATER) paused = tls;
  if (count == WSL_READ_MALFORMED) errno = ECONNRESET;
  return count < 0 ? -1 : (int)count;
}

/// libwebsockets calls this after SSL_read() has returned -1.
int SSL_get_error(const SSL *tls, int result) {
  return tls == paused ? SSL_ERROR_WANT_READ : error_of_library(tls, result);
}

/// libwebsockets calls this after SSL_get_error().
int SSL_want(const SSL *tls) {
  if (tls != paused) return want_of_library(tls);
  paused = NULL;
  return SSL_READING;
}

// Waiting ---------------------------------------------------------------------------------------

/// Measures for how long libuv waits for events. With UV_METRICS_IDLE_TIME it would do that itself,
/// but with a second system call in each iteration that waits.
int epoll_wait(int descriptor, struct epoll_event *events, int count, int timeout) {
  wsl_loop *loop = timeout == 0 ? NULL : wsl_loop_of_thread();
  if (!loop || descriptor != uv_backend_fd(&loop->uv))
    return wait_of_library(descriptor, events, count, timeout);
  uint64_t since = uv_hrtime();
  int found = wait_of_library(descriptor, events, count, timeout);
  loop->waited_ns += uv_hrtime() - since;
  return found;
}

// Headers and errors ----------------------------------------------------------------------------

/// Hides an `Upgrade` header for any protocol but `websocket`, so that it is ignored. libwebsockets
/// would send 403 and then read the freed headers (CVE-2025-11677), or switch to HTTP/2.
/// - Source: RFC 9110, section 7.8
int lws_hdr_total_length(struct lws *wsi, enum lws_token_indexes header) {
  char text[16];
  int count = length_of_library(wsi, header);
  if (header != WSI_TOKEN_UPGRADE || count == 0) return count;
  // lws_hdr_copy() cannot be used here, because it calls this function.
  bool is_known = lws_hdr_copy_fragment(wsi, text, sizeof text, header, 0) == count &&
                  strcasecmp(text, "websocket") == 0;
  return is_known ? count : 0;
}

/// Sends a problem document instead of libwebsockets' HTML error page.
int lws_return_http_status(struct lws *wsi, unsigned int code, const char *html_body) {
  char *path = NULL;
  int count = 0;
  (void)code, (void)html_body;
  if (lws_http_get_uri_and_method(wsi, &path, &count) < 0)
    wsl_refuse_request(wsi, 501, "", "methodNotAllowed", "the method of the request is unknown");
  else
    wsl_refuse_request(wsi, 400, "", "badRequest", "the head of the request is malformed");
  return 0;
}

/// Whether the peer has neither closed its side nor reset the connection.
static bool is_connected(int descriptor) {
  char byte;
  ssize_t count = recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

/// Answers 400 or 431 when libwebsockets closes a connection because of an error in an incomplete
/// request head, to which it sends no response itself.
static void refuse_head(wsl_slot *slot, struct lws *wsi) {
  if (slot->phase != PHASE_IDLE || slot->is_head_read || slot->is_refused) return;
  if (slot->head.length == 0 || !is_connected(lws_get_socket_fd(wsi))) return;
  slot->is_refused = true;
  if (slot->head.length >= WSL_HEAD_BYTES_MAX)
    wsl_refuse_last(wsi, 431, "tooLarge", "the head of the request is over 12288 bytes");
  else
    wsl_refuse_last(wsi, 400, "badRequest", "the head of the request is malformed");
}

/// libwebsockets calls this to end any connection, before it shuts the socket down.
void lws_close_free_wsi(struct lws *wsi, enum lws_close_status reason, const char *caller) {
  const struct lws_protocols *protocol = wsi ? lws_get_protocol(wsi) : NULL;
  if (protocol && protocol->callback == wsl_callback) {  // not a connection of CWebSocketClient
    wsl_slot *slot = wsl_slot_of_wsi(lws_context_user(lws_get_context(wsi)), wsi);
    if (slot) refuse_head(slot, wsi);
  }
  close_of_library(wsi, reason, caller);
}
