#include "private.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

enum {
  DIAL_SECONDS = 10,        ///< for the connection, and as long again for the handshake
  PING_SECONDS = 20,        ///< of silence, before we ask whether the server is there
  DEAD_SECONDS = 30,        ///< of silence, before we hang up
  PIECE_BYTES = 16384,      ///< libwebsockets hands messages over in pieces of this size
  DESCRIPTORS_MAX = 16,     ///< of one context; it reserves memory for each
};

/// Making a context with TLS changes a global of libwebsockets 4.1.6 that handshakes under way
/// depend on (the index of a connection's data in OpenSSL's). So one dials with TLS at a time.
static pthread_mutex_t tls_handshake = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/// Settings of the whole process. What libwebsockets says of a connection comes as the reason of
/// its end as well; and OpenSSL must not be cleaned up by `exit` while a socket's thread uses it.
static void prepare_process(void) {
  lws_set_log_level(0, NULL);
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

void wsc_leave_tls(wsc_socket *socket) {
  if (!socket->holds_tls) return;
  socket->holds_tls = false;
  pthread_mutex_unlock(&tls_handshake);
}

/// Makes the context. It lives on the thread's stack of calls: `protocols` must outlive it.
static struct lws_context *make_context(wsc_socket *socket,
                                        const struct lws_protocols *protocols) {
  struct lws_context_creation_info info = {
      .port = CONTEXT_PORT_NO_LISTEN,
      .protocols = protocols,
      .extensions = NULL,   // permessage-deflate of 4.1.6 aborts and overruns
      .alpn = "http/1.1",
      .options = socket->is_secure ? LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT : 0,
      .user = socket,
      .gid = (gid_t)-1,
      .uid = (uid_t)-1,
      .timeout_secs = DIAL_SECONDS,
      .connect_timeout_secs = DIAL_SECONDS,
      .fd_limit_per_thread = DESCRIPTORS_MAX,
      .pt_serv_buf_size = PIECE_BYTES,
      .http_proxy_address = "",  // else http_proxy is used, and no_proxy is not heeded
  };
  return lws_create_context(&info);
}

static void connect_to(wsc_socket *socket, struct lws_context *context) {
  static const lws_retry_bo_t idle = {.secs_since_valid_ping = PING_SECONDS,
                                      .secs_since_valid_hangup = DEAD_SECONDS};
  int tls = LCCSCF_USE_SSL;
  struct lws_client_connect_info info = {
      .context = context,
      .address = socket->host,
      .port = socket->port,
      .ssl_connection = (socket->is_secure ? tls : 0) | LCCSCF_HTTP_NO_FOLLOW_REDIRECT,
      .path = socket->path,
      .host = socket->authority,
      .protocol = socket->subprotocol,
      .alpn = "http/1.1",
      .retry_and_idle_policy = &idle,
      .pwsi = &socket->wsi,
  };
  if (!lws_client_connect_via_info(&info)) socket->phase = WSC_OVER;
}

static void share_context(wsc_socket *socket, struct lws_context *context) {
  pthread_mutex_lock(&socket->lock);
  socket->context = context;
  pthread_mutex_unlock(&socket->lock);
}

static void talk(wsc_socket *socket) {
  struct lws_protocols protocols[] = {
      {.name = socket->subprotocol, .callback = wsc_callback, .rx_buffer_size = PIECE_BYTES,
       .tx_packet_size = WSC_WAITING_BYTES_MAX},
      {.name = NULL},
  };
  if (socket->is_secure) {
    pthread_mutex_lock(&tls_handshake);
    socket->holds_tls = true;
  }
  struct lws_context *context = make_context(socket, protocols);
  if (!context) {
    static const char words[] = "libwebsockets does not start";
    wsc_note_reason(socket, words, sizeof words - 1);
    wsc_leave_tls(socket);
    return;
  }
  share_context(socket, context);
  if (!wsc_is_asked_to_close(socket)) connect_to(socket, context);
  else socket->phase = WSC_OVER;
  while (socket->phase != WSC_OVER && lws_service(context, 0) >= 0) {}
  wsc_leave_tls(socket);
  share_context(socket, NULL);
  socket->phase = WSC_OVER;
  lws_context_destroy(context);
}

static void *run(void *argument) {
  wsc_socket *socket = argument;
  pthread_once(&once, prepare_process);
  talk(socket);
  pthread_mutex_lock(&socket->lock);
  socket->is_closing = true;
  pthread_mutex_unlock(&socket->lock);
  uint16_t code = socket->close_code ? socket->close_code : 1006;
  socket->handlers.closed(socket->owner, code, socket->reason, socket->reason_count);
  wsc_give_up_holding(socket);
  return NULL;
}

static bool start_thread(wsc_socket *socket) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  int problem = pthread_create(&thread, &attributes, run, socket);
  pthread_attr_destroy(&attributes);
  return problem == 0;
}

wsc_socket *wsc_dial(const wsc_address *address, const wsc_handlers *handlers, void *owner) {
  wsc_socket *socket = calloc(1, sizeof *socket);
  if (!socket) return NULL;
  pthread_mutex_init(&socket->lock, NULL);
  socket->last = &socket->first;
  socket->handlers = *handlers;
  socket->owner = owner;
  socket->port = address->port;
  socket->is_secure = address->is_secure;
  socket->host = strdup(address->host);
  socket->path = strdup(address->path);
  socket->authority = strdup(address->authority);
  socket->subprotocol = strdup(address->subprotocol);
  socket->holders = 2;
  if (socket->host && socket->path && socket->authority && socket->subprotocol
      && start_thread(socket))
    return socket;
  socket->holders = 1;
  wsc_give_up_holding(socket);
  return NULL;
}
