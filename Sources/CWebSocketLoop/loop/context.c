#include "private.h"

#include <stdlib.h>
#include <string.h>

enum {
  RECEIVE_BYTES = 1024,         ///< receive buffer of each WebSocket
  WRITE_BYTES_MAX = 1 << 24,    ///< per system call; libwebsockets copies what is not written
  SHARED_BYTES = 65536,         ///< one buffer per loop into which requests are read
};

/// Creates the protocol table. The first entry serves HTTP and upgrades without a subprotocol; no
/// client can request its empty name.
static bool make_protocols(wsl_loop *loop, const char *const *names, size_t count) {
  loop->protocols = calloc(count + 2, sizeof *loop->protocols);
  if (!loop->protocols) return false;
  loop->protocol_count = count + 1;
  for (size_t index = 0; index <= count; index++) {
    struct lws_protocols *protocol = &loop->protocols[index];
    protocol->name = index == 0 ? strdup("") : strdup(names[index - 1]);
    if (!protocol->name) return false;
    protocol->callback = wsl_callback;
    protocol->per_session_data_size = sizeof(uint32_t);  // without it DROP_PROTOCOL is not called
    protocol->rx_buffer_size = RECEIVE_BYTES;
    protocol->tx_packet_size = WRITE_BYTES_MAX;
  }
  return true;
}

static bool make_context(wsl_loop *loop) {
  static const lws_retry_bo_t no_pings_by_libwebsockets = {0};
  unsigned header_seconds = (loop->limits.header_ms + 999) / 1000;
  void *loops[] = {&loop->uv};
  struct lws_context_creation_info info = {
      .port = CONTEXT_PORT_NO_LISTEN_SERVER,
      .protocols = loop->protocols,
      .extensions = NULL,     // permessage-deflate of 4.1.6 aborts and overruns
      .alpn = "http/1.1",     // HTTP/2 of 4.1.6 overruns
      .options = LWS_SERVER_OPTION_LIBUV | LWS_SERVER_OPTION_DISABLE_OS_CA_CERTS |
                 LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT,
      .foreign_loops = loops,
      .user = loop,
      .gid = (gid_t)-1,
      .uid = (uid_t)-1,
      .pt_serv_buf_size = SHARED_BYTES,
      .max_http_header_data2 = WSL_HEAD_BYTES_MAX,
      .max_http_header_pool2 = loop->limits.connections_max + WSL_ADMIN_CONNECTIONS_MAX,
      .timeout_secs = header_seconds,
      .timeout_secs_ah_idle = header_seconds,
      .keepalive_timeout = (int)loop->limits.idle_seconds,
      .retry_and_idle_policy = &no_pings_by_libwebsockets,
      .vhost_name = "default",
      .provided_client_ssl_ctx = wsl_tls_for_no_client(),
  };
  loop->context = lws_create_context(&info);
  if (!loop->context) return false;
  loop->vhost = lws_get_vhost_by_name(loop->context, "default");
  // Without a certificate: see base/tls.c.
  info.options |= LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX;
  info.vhost_name = "tls";
  loop->tls_vhost = lws_create_vhost(loop->context, &info);
  return loop->vhost && loop->tls_vhost;
}

/// Creates the protocol table and the libwebsockets context. After a failure, `wsl_context_destroy`
/// frees what was created.
bool wsl_context_create(wsl_loop *loop, const char *const *subprotocols, size_t count) {
  return make_protocols(loop, subprotocols, count) && make_context(loop);
}

/// Runs the loop until the close callbacks of its handles have been called. That takes a few
/// iterations and never waits.
static void run_close_callbacks(wsl_loop *loop) {
  for (int round = 0; round < 1000 && uv_run(&loop->uv, UV_RUN_NOWAIT) != 0; round++) {}
}

/// Frees the context and the protocol table, and runs the close callbacks of the loop's own
/// handles. On a foreign event loop libwebsockets needs two calls: the first closes its handles,
/// whose close callbacks must have run before the second.
void wsl_context_destroy(wsl_loop *loop) {
  if (loop->context) {
    lws_context_destroy(loop->context);
    run_close_callbacks(loop);
    lws_context_destroy(loop->context);
  }
  run_close_callbacks(loop);
  loop->context = NULL;
  for (size_t index = 0; index < loop->protocol_count; index++)
    free((void *)(uintptr_t)loop->protocols[index].name);
  free(loop->protocols);
  loop->protocols = NULL;
  loop->protocol_count = 0;
}
