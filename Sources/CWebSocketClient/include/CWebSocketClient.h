/// A WebSocket client built on libwebsockets. Each socket has its own thread and context.
///
/// No type of libwebsockets appears in this interface. Connections are plain or TLS. TLS verifies
/// the server's certificate and name with the system's CA certificates (override them with
/// OpenSSL's SSL_CERT_FILE). Proxy settings in the environment are ignored.
///
/// Threads: every function is safe on any thread. Callbacks are called on the socket's thread, one
/// at a time, and must not block it for long.
///
/// Ownership: memory passed to a function is borrowed until the function returns; memory passed to
/// a callback is borrowed until the callback returns. The borrower copies what it needs longer.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The longest message in bytes that is accepted; a longer one closes the connection with 1009. A
/// snapshot of a picker with many long columns can have several megabytes.
#define WSC_MESSAGE_BYTES_MAX (16u << 20)

/// The capacity of the send queue in bytes. `wsc_send` refuses a message that does not fit.
#define WSC_WAITING_BYTES_MAX (4u << 20)

typedef struct wsc_socket wsc_socket;

/// The server to connect to. All texts are NUL-terminated.
typedef struct wsc_address {
  const char *host;         ///< a name, an IPv4 address, or an IPv6 address without brackets
  uint16_t port;
  bool is_secure;           ///< TLS
  const char *path;         ///< begins with a slash
  const char *authority;    ///< the value of the Host header
  const char *subprotocol;  ///< the connection fails if the server does not select it
} wsc_address;

/// Callbacks. `owner` is the pointer passed to `wsc_dial`. None of them may be NULL.
typedef struct wsc_handlers {
  /// The WebSocket is open. Called at most once.
  void (*opened)(void *owner);
  /// A complete text message. The bytes are passed as received and may not be valid UTF-8.
  void (*received)(void *owner, const void *bytes, size_t count);
  /// The connection has ended or could not be established. Called exactly once, as the last
  /// callback.
  ///
  /// - code: the code of the first close frame, the server's or ours; 1005 if the server's has no
  ///   code; 1006 if there was no close frame.
  /// - reason: the reason in the close frame, or the error of the connection attempt; not
  ///   NUL-terminated.
  void (*closed)(void *owner, uint16_t code, const char *reason, size_t count);
} wsc_handlers;

/// Starts to connect and returns immediately.
///
/// `address` is copied. `owner` must live until `closed` has been called.
///
/// - Returns: The socket, which the caller must release with `wsc_release`. NULL if no memory or
///   thread is available; then no callback is called.
wsc_socket *wsc_dial(const wsc_address *address, const wsc_handlers *handlers, void *owner);

/// Queues a text message. Messages are sent in the order of the calls.
///
/// - Returns: False if the message is empty, the socket is closing or closed, or the queue would
///   exceed `WSC_WAITING_BYTES_MAX`.
bool wsc_send(wsc_socket *socket, const void *bytes, size_t count);

/// Closes with 1000 when all queued messages have been sent. A connection attempt in progress is
/// abandoned. `closed` is called within about 5 s, whatever the server does.
void wsc_close(wsc_socket *socket);

/// Closes the socket like `wsc_close` and releases the caller's reference: the caller must not use
/// the socket any more. Callbacks continue until `closed`.
void wsc_release(wsc_socket *socket);
