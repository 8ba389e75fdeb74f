#define _GNU_SOURCE  // RTLD_NEXT
#include "private.h"

#include <dlfcn.h>
#include <errno.h>
#include <strings.h>

void lws_close_free_wsi(struct lws *wsi, enum lws_close_status reason, const char *caller);

// Three functions of libwebsockets that it calls itself. The dynamic linker looks a symbol up in
// the program first, so that these take their place. libwebsockets has no callback where they are
// called. With a libwebsockets that binds its own symbols (-Bsymbolic) they would have no effect:
// foreign upgrades would be refused and some errors not be problem documents, as the tests would
// show (Tests/product/test_socket_refusals.py).

static int (*length_of_library)(struct lws *, enum lws_token_indexes);
static void (*close_of_library)(struct lws *, enum lws_close_status, const char *);

__attribute__((constructor)) static void find_replaced_functions(void) {
  *(void **)&length_of_library = dlsym(RTLD_NEXT, "lws_hdr_total_length");
  *(void **)&close_of_library = dlsym(RTLD_NEXT, "lws_close_free_wsi");
}

/// Hides an `Upgrade` to anything but `websocket`, so that it is ignored. libwebsockets would send
/// 403, free the headers and go on reading them (CVE-2025-11677), or speak HTTP/2.
/// - Source: RFC 9110, section 7.8
int lws_hdr_total_length(struct lws *wsi, enum lws_token_indexes header) {
  char text[16];
  int count = length_of_library(wsi, header);
  if (header != WSI_TOKEN_UPGRADE || count == 0) return count;
  // Not lws_hdr_copy(), which asks for the length.
  bool is_known = lws_hdr_copy_fragment(wsi, text, sizeof text, header, 0) == count &&
                  strcasecmp(text, "websocket") == 0;
  return is_known ? count : 0;
}

/// Answers with a problem document, where libwebsockets would send a page of HTML: to a target that
/// it cannot decode or that is no path, and to a method that it does not know.
int lws_return_http_status(struct lws *wsi, unsigned int code, const char *html_body) {
  char *path = NULL;
  int count = 0;
  (void)code, (void)html_body;
  if (lws_http_get_uri_and_method(wsi, &path, &count) < 0)
    wsl_hang_up(wsi, 501, "", "methodNotAllowed", "the method of the request is unknown");
  else
    wsl_hang_up(wsi, 400, "", "badRequest",
                "the target of the request must be a path, with valid percent-encoding");
  return 0;
}

/// Whether the peer still reads, as far as the kernel knows.
static bool is_connected(int descriptor) {
  char byte;
  ssize_t count = recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK));
}

/// Answers a connection that ends before the head of a request was whole: libwebsockets found an
/// error in it, which it does not answer.
static void refuse_head(wsl_slot *slot, struct lws *wsi) {
  int descriptor = lws_get_socket_fd(wsi);
  if (slot->phase != PHASE_IDLE || slot->is_head_read || slot->is_refused) return;
  int64_t count = wsl_octets_read(descriptor) - slot->octets_read;
  if (count <= 0 || !is_connected(descriptor)) return;
  slot->is_refused = true;
  if (count >= WSL_HEAD_BYTES_MAX)
    wsl_refuse_socket(descriptor, 431, "", "tooLarge",
                      "the head of the request is over 8192 bytes");
  else
    wsl_refuse_socket(descriptor, 400, "", "badRequest", "the head of the request is malformed");
}

/// Called by libwebsockets to end any connection, before it shuts the socket down.
void lws_close_free_wsi(struct lws *wsi, enum lws_close_status reason, const char *caller) {
  const struct lws_protocols *protocol = wsi ? lws_get_protocol(wsi) : NULL;
  if (protocol && protocol->callback == wsl_callback) {  // not a client's
    wsl_slot *slot = wsl_slot_of_wsi(lws_context_user(lws_get_context(wsi)), wsi);
    if (slot) refuse_head(slot, wsi);
  }
  close_of_library(wsi, reason, caller);
}
