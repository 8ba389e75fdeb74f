#include "private.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <unistd.h>

// libwebsockets sees no TLS. A new certificate is a new SSL_CTX, which later connections take.

void wsl_use_tls(wsl_loop *loop, wsl_tls *tls) {
  if (tls) SSL_CTX_up_ref(tls);
  SSL_CTX_free(loop->tls);
  loop->tls = tls;
}

/// Begins TLS for a connection, with the certificate in force. Returns false without one. The first
/// reads make the handshake.
bool wsl_tls_begin(wsl_loop *loop, wsl_connection *connection) {
  connection->tls = loop->tls ? SSL_new(loop->tls) : NULL;
  if (!connection->tls || SSL_set_fd(connection->tls, connection->descriptor) != 1) return false;
  SSL_set_accept_state(connection->tls);
  return true;
}

/// Empties the queue of errors, as SSL_get_error() needs. Looking costs a fraction of that.
static void clear_errors(void) {
  if (ERR_peek_error()) ERR_clear_error();
}

/// The result of recv() and send() for that of OpenSSL.
static ssize_t result_of(SSL *tls, int result) {
  if (result > 0) return result;
  int error = SSL_get_error(tls, result);
  if (error == SSL_ERROR_ZERO_RETURN) return 0;
  errno = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? EAGAIN : ECONNRESET;
  return -1;
}

/// recv() that does not wait. With TLS it reads from one record.
ssize_t wsl_receive(int descriptor, SSL *tls, void *into, size_t size, int flags) {
  if (!tls) return recv(descriptor, into, size, flags | MSG_DONTWAIT);
  clear_errors();
  return result_of(tls, flags & MSG_PEEK ? SSL_peek(tls, into, (int)size)
                                         : SSL_read(tls, into, (int)size));
}

/// send() that does not wait. With TLS, what it does not take must be sent again next.
ssize_t wsl_transmit(int descriptor, SSL *tls, const void *bytes, size_t count) {
  size_t sent = 0;
  ssize_t piece = 0;
  if (!tls) return send(descriptor, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
  for (; sent < count; sent += (size_t)piece) {
    clear_errors();
    piece = result_of(tls, SSL_write(tls, (const char *)bytes + sent, (int)(count - sent)));
    if (piece <= 0) break;
  }
  return sent > 0 ? (ssize_t)sent : piece;
}

/// Sends nothing more, with TLS after close_notify. - Source: RFC 8446, section 6.1
void wsl_shut(int descriptor, SSL *tls) {
  clear_errors();
  if (tls && SSL_is_init_finished(tls)) (void)SSL_shutdown(tls);
  shutdown(descriptor, SHUT_WR);
}

/// Closes a connection, and frees what belongs to it.
void wsl_connection_free(wsl_connection connection) {
  if (connection.tls) wsl_shut(connection.descriptor, connection.tls);
  SSL_free(connection.tls);
  close(connection.descriptor);
  free(connection.head);
}
