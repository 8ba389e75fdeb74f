#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>

#include "load.h"

/// One cipher, so that all servers encrypt with the same.
static SSL_CTX *client_context(void) {
  static SSL_CTX *context;
  if (context) return context;
  context = SSL_CTX_new(TLS_client_method());
  if (!context || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") != 1)
    load_fail("no TLS");
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  return context;
}

void tls_begin(connection *connection) {
  SSL *tls = SSL_new(client_context());
  if (!tls || SSL_set_fd(tls, connection->descriptor) != 1) load_fail("no TLS");
  fcntl(connection->descriptor, F_SETFL, O_NONBLOCK);
  SSL_set_connect_state(tls);
  connection->tls = tls;
  tls_is_done(connection);
}

bool tls_is_done(connection *connection) {
  ERR_clear_error();
  int done = SSL_do_handshake(connection->tls);
  if (done != 1 && SSL_get_error(connection->tls, done) != SSL_ERROR_WANT_READ)
    load_fail("no TLS handshake: %s", ERR_reason_error_string(ERR_peek_error()));
  return done == 1;
}

void tls_end(connection *connection) {
  SSL_free(connection->tls);
  connection->tls = NULL;
}

static ssize_t tls_send(connection *connection, const void *bytes, size_t count) {
  int written;
  while ((written = SSL_write(connection->tls, bytes, (int)count)) <= 0) {
    struct pollfd socket = {.fd = connection->descriptor, .events = POLLOUT};
    if (SSL_get_error(connection->tls, written) != SSL_ERROR_WANT_WRITE) return -1;
    poll(&socket, 1, 1000);
  }
  return written;
}

/// Reads until the socket is empty, because epoll does not report what OpenSSL has decrypted.
static ssize_t tls_receive(connection *connection, uint8_t *into, size_t size) {
  size_t count = 0;
  int came = 1;
  ERR_clear_error();
  while (came > 0 && count < size) {
    came = SSL_read(connection->tls, into + count, (int)(size - count));
    if (came > 0) count += (size_t)came;
  }
  if (count > 0) return (ssize_t)count;
  if (SSL_get_error(connection->tls, came) != SSL_ERROR_WANT_READ) return 0;
  errno = EAGAIN;
  return -1;
}

ssize_t connection_write(connection *connection, const void *bytes, size_t count) {
  if (connection->tls) return tls_send(connection, bytes, count);
  return send(connection->descriptor, bytes, count, MSG_NOSIGNAL);
}

ssize_t connection_receive(connection *connection, uint8_t *into, size_t size) {
  if (connection->tls) return tls_receive(connection, into, size);
  return recv(connection->descriptor, into, size, MSG_DONTWAIT);
}
