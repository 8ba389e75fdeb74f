#include "private.h"

#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>

enum {
  DIAL_SECONDS = 10,        ///< to connect, and again for the handshake
  PING_SECONDS = 20,        ///< without data from the server, before a ping is sent
  DEAD_SECONDS = 30,        ///< without data from the server, before the connection is dropped
  PIECE_BYTES = 16384,      ///< the maximum size in which libwebsockets delivers parts of messages
  DESCRIPTORS_MAX = 16,     ///< per context, which allocates memory for each
};

static pthread_once_t process_once = PTHREAD_ONCE_INIT, tls_once = PTHREAD_ONCE_INIT;
static SSL_CTX *tls;  ///< shared by all connections; has the system's CA certificates

/// Sets process-wide options. The log of libwebsockets is off, because its errors are also reported
/// as the reason of a connection's end. `exit` must not clean up OpenSSL while the thread of a
/// socket uses it.
static void prepare_process(void) {
  lws_set_log_level(0, NULL);
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

/// Initialises TLS once for the process, so that handshakes can run concurrently.
///
/// libwebsockets 4.1.6 stores the index of its data in OpenSSL's objects in a global variable. Each
/// context with DO_SSL_GLOBAL_INIT changes it, also for handshakes in progress. So only this
/// temporary context has the option; the index remains valid after the context is destroyed.
static void prepare_tls(void) {
  struct lws_context_creation_info info = {
      .options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
      .gid = (gid_t)-1,
      .uid = (uid_t)-1,
      .fd_limit_per_thread = DESCRIPTORS_MAX,
  };
  struct lws_context *context = lws_create_context(&info);
  if (!context) return;
  lws_context_destroy(context);
  tls = SSL_CTX_new(TLS_client_method());
  if (!tls) return;
  SSL_CTX_set_mode(tls, SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_default_verify_paths(tls);
}

/// Creates the context of a socket. `protocols` must outlive it.
static struct lws_context *make_context(wsc_socket *socket,
                                        const struct lws_protocols *protocols) {
  struct lws_context_creation_info info = {
      .port = CONTEXT_PORT_NO_LISTEN,
      .protocols = protocols,
      .extensions = NULL,   // permessage-deflate of 4.1.6 aborts and overruns buffers
      .vhost_name = "client",
      .user = socket,
      .gid = (gid_t)-1,
      .uid = (uid_t)-1,
      .timeout_secs = DIAL_SECONDS,
      .connect_timeout_secs = DIAL_SECONDS,
      .fd_limit_per_thread = DESCRIPTORS_MAX,
      .pt_serv_buf_size = PIECE_BYTES,
      .http_proxy_address = "",  // otherwise http_proxy is used, and no_proxy is ignored
  };
  struct lws_context *context = lws_create_context(&info);
  if (!context || !socket->is_secure) return context;
  // lws_init_vhost_client_ssl requires this option; it initialises nothing global.
  info.options = LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  info.provided_client_ssl_ctx = tls;
  struct lws_vhost *vhost = lws_get_vhost_by_name(context, info.vhost_name);
  if (tls && vhost && lws_init_vhost_client_ssl(&info, vhost) == 0) return context;
  lws_context_destroy(context);
  return NULL;
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
  if (socket->is_secure) pthread_once(&tls_once, prepare_tls);
  struct lws_context *context = make_context(socket, protocols);
  if (!context) {
    static const char words[] = "libwebsockets does not start";
    wsc_note_reason(socket, words, sizeof words - 1);
    return;
  }
  share_context(socket, context);
  if (!wsc_is_asked_to_close(socket)) connect_to(socket, context);
  else socket->phase = WSC_OVER;
  while (socket->phase != WSC_OVER && lws_service(context, 0) >= 0) {}
  share_context(socket, NULL);
  socket->phase = WSC_OVER;
  lws_context_destroy(context);
}

static void *run(void *argument) {
  wsc_socket *socket = argument;
  pthread_once(&process_once, prepare_process);
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
