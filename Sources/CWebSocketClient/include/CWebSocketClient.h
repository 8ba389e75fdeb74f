/// A WebSocket client over libwebsockets: each socket has a thread and a context of its own.
///
/// No type of libwebsockets is visible here. Plain and TLS connections; TLS checks the server's
/// certificate and name against the system's authorities (OpenSSL's SSL_CERT_FILE names others).
/// Connections are direct ones: proxies of the environment are not used.
///
/// Threads: every function may be called from any thread. Callbacks come from the socket's own
/// thread, one at a time, and must not block it for long.
///
/// Ownership: what a function takes by pointer is borrowed until it returns; what a callback is
/// given is borrowed until the callback returns. What must outlive that is copied by the taker.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// The longest message that is received, in octets; one octet more closes with 1009. A snapshot
/// of a picker with many long columns has some megabytes.
#define WSC_MESSAGE_BYTES_MAX (16u << 20)

/// The most octets that wait to be sent; what comes on top is not taken.
#define WSC_WAITING_BYTES_MAX (4u << 20)

typedef struct wsc_socket wsc_socket;

/// Where to dial. All texts end with NUL.
typedef struct wsc_address {
  const char *host;         ///< a name, an IPv4 address, or an IPv6 address without brackets
  uint16_t port;
  bool is_secure;           ///< TLS
  const char *path;         ///< begins with a slash
  const char *authority;    ///< what the Host header says
  const char *subprotocol;  ///< a server that selects no other is refused
} wsc_address;

/// What a socket tells. `owner` is the one given to `wsc_dial`. None may be NULL.
typedef struct wsc_handlers {
  /// The WebSocket is open. At most once.
  void (*opened)(void *owner);
  /// One whole text message. Its octets are the server's: they may be no UTF-8.
  void (*received)(void *owner, const void *bytes, size_t count);
  /// The socket is over, or never was. Exactly once, and nothing comes after it.
  ///
  /// - code: of the close frame that came first, the server's or ours; 1005 if the server's had
  ///   none; 1006 if there was no close frame.
  /// - reason: of the close frame, or why there was no connection; not terminated by NUL.
  void (*closed)(void *owner, uint16_t code, const char *reason, size_t count);
} wsc_handlers;

/// Begins to dial, and returns at once.
///
/// `address` is copied. `owner` must live until `closed` was called.
///
/// - Returns: The socket, to be given back to `wsc_release`; NULL if there is no memory or
///   thread for it, and then no callback comes.
wsc_socket *wsc_dial(const wsc_address *address, const wsc_handlers *handlers, void *owner);

/// Sends a text message, after those that were given before.
///
/// - Returns: False if the socket is closing or closed, or too much waits already.
bool wsc_send(wsc_socket *socket, const void *bytes, size_t count);

/// Closes with 1000 once everything that was given has gone out; a socket that is not open yet
/// is given up. `closed` follows within about 5 s, whatever the server does.
void wsc_close(wsc_socket *socket);

/// Gives the socket back. It is closed as by `wsc_close`; its callbacks come until `closed`.
void wsc_release(wsc_socket *socket);
