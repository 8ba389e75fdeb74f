/// The types of CWebSocketLoop.h: ids, limits, callbacks and counters.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wsl_loop wsl_loop;

/// A certificate with its key and the settings of TLS, of CCertificates.
typedef struct ssl_ctx_st wsl_tls;

/// The id of a WebSocket or of one request: generation << 32 | slot index. Never 0.
typedef uint64_t wsl_id;

/// Borrowed text, not NUL-terminated. `bytes` is NULL if the text is absent.
typedef struct wsl_text {
  const char *bytes;
  size_t count;
} wsl_text;

/// An IPv6 address, or an IPv4 address in its mapped form (`::ffff:0:0/96`). All zero: none, the
/// peer of a Unix socket.
typedef struct wsl_address {
  uint8_t bytes[16];
} wsl_address;

/// An IPv4 address, or the /64 prefix of an IPv6 address, as a number.
typedef uint64_t wsl_network_id;

/// The network id of connections that are exempt from limits per network: those of proxies and
/// operators.
#define WSL_EXEMPT_NETWORK 0

/// Connections of a loop's admin listener; further ones are answered 503.
#define WSL_ADMIN_CONNECTIONS_MAX 64

/// `admit` holds a connection.
#define WSL_HELD (-2)

/// A longer request body is large: `admit_body` decides whether it is received.
#define WSL_SMALL_BODY_BYTES 16384

/// A connection may have this many unsent bytes whatever the total is, so that slow readers of
/// large responses do not affect small ones.
#define WSL_UNCOUNTED_BYTES 65536

/// The clients for whom a listener is.
typedef enum wsl_audience {
  WSL_PUBLIC,    ///< clients; the handler may give their connections to another loop
  WSL_BACKEND,   ///< the application's backend: as WSL_PUBLIC, but no network is counted
  WSL_ADMIN,     ///< operators; their connections stay on this loop and are limited separately
  WSL_REDIRECT,  ///< clients that are redirected to https; their connections stay on this loop
} wsl_audience;

/// A connection that is not attached to a loop. Its owner passes it to `wsl_adopt`, `wsl_relay`,
/// `wsl_refuse` or `wsl_discard`.
typedef struct wsl_connection {
  int descriptor;
  wsl_audience audience;
  bool is_unix;
  bool is_relayed;         ///< another node relays it
  bool is_tls;
  bool is_later;           ///< it has served a request already
  wsl_address peer;        ///< the client's address, from the PROXY protocol if the listener has it
  wsl_network_id network;  ///< the network that it counts against
  struct ssl_st *tls;      ///< owned: NULL without TLS, or until a PROXY header was received
  char *head;              ///< owned: the head of its next request, with empty lines before it, or
  uint32_t head_count;     ///< a part of it
} wsl_connection;

/// Listeners of one loop.
#define WSL_LISTENERS_MAX 16

/// The result of a write. See `wsl_post`.
typedef enum wsl_outcome { WSL_SENT = 0, WSL_WRITE_BLOCKED = 1, WSL_GONE = 2 } wsl_outcome;

typedef enum wsl_method {
  WSL_GET, WSL_POST, WSL_OPTIONS, WSL_PUT, WSL_PATCH, WSL_DELETE, WSL_HEAD
} wsl_method;

/// The headers that a request provides; all others are ignored.
typedef enum wsl_header {
  WSL_HOST, WSL_ORIGIN, WSL_AUTHORIZATION, WSL_ACCEPT, WSL_ACCEPT_LANGUAGE, WSL_ACCEPT_ENCODING,
  WSL_CONTENT_TYPE, WSL_IF_NONE_MATCH, WSL_USER_AGENT, WSL_X_FORWARDED_FOR,
  WSL_X_FORWARDED_PROTO, WSL_LAST_EVENT_ID, WSL_SUBPROTOCOLS,
  WSL_ACCESS_CONTROL_REQUEST_HEADERS, WSL_ACCESS_CONTROL_REQUEST_METHOD, WSL_IF_MATCH,
  WSL_IDEMPOTENCY_KEY, WSL_CONNECTION, WSL_KEY, WSL_VERSION,
  WSL_HEADER_COUNT
} wsl_header;

/// A request, valid until the callback that received it returns.
typedef struct wsl_request {
  wsl_method method;
  bool is_tls;
  bool is_1_1;             ///< HTTP/1.1: the response may use chunked transfer coding
  wsl_audience audience;   ///< of the listener
  wsl_network_id network;  ///< that the connection counts against
  wsl_address peer;        ///< the client's address
  wsl_text target;         ///< as the client has sent it; not checked
  wsl_text headers[WSL_HEADER_COUNT]; ///< repeated ones are joined with a comma and a space
  wsl_text body;           ///< empty for an upgrade, and if it is unread
  uint64_t unread;         ///< the length of a body that is not received: it must be refused
  /// The memory of `body`. A handler that sets it to NULL owns it, frees it with `free`, on any
  /// thread, and releases the `body_reserved` bytes that `reserve` has granted.
  void *body_memory;
  size_t body_reserved;
} wsl_request;

/// Limits. Every field must be set; there are no defaults.
typedef struct wsl_limits {
  uint32_t connections_max;      ///< slots: requests and WebSockets of this loop
  uint32_t message_bytes_max;    ///< one assembled WebSocket message; a longer one: close 1009
  uint32_t fragments_max;        ///< frames of one message; more: close 1009
  uint32_t assembly_ms;          ///< from a message's first byte to its last; longer: close 1009
  uint32_t body_bytes_max;       ///< one HTTP request body; a longer one: `unread`
  uint32_t header_ms;            ///< to receive all headers of a request
  uint32_t body_ms;              ///< to receive a body, plus one second per 64 KiB of it
  uint32_t answer_ms;            ///< for the handler's answer, and between writes of a response
  uint32_t idle_seconds;         ///< until the next request on a keep-alive connection
  uint32_t ping_ms;              ///< between two pings
  uint32_t pong_ms;              ///< since the last pong; longer: the connection is dropped. Also
                                 ///< TCP_USER_TIMEOUT, the limit for unacknowledged data
  uint32_t close_ms;             ///< from `wsl_close` to the end of the connection, at most
} wsl_limits;

/// Memory that connections reserve: bodies that are being received, and what peers have not read.
typedef enum wsl_memory { WSL_BODIES, WSL_UNSENT } wsl_memory;

/// Callbacks, all called on the loop's thread. `owner` is the pointer passed to `wsl_create`. None
/// of them may be NULL.
///
/// Order for a WebSocket: `admit`, `opened`, any number of `received`, `write_blocked` and
/// `writable`, `closed`. After `closed` or `stream_closed` the id is not passed to any callback.
typedef struct wsl_handlers {
  /// A listener, numbered from 0, has connections to be accepted. Returns whether it may have more
  /// than the handler has accepted.
  bool (*acceptable)(void *owner, size_t listener);
  /// A connection has received something: of the TLS handshake, or of a request's head or body.
  /// Call `wsl_read` and return true, or return false: then nothing of it is read, and no time
  /// limit runs, until `wsl_read` in a later iteration.
  bool (*readable)(void *owner, wsl_id id);
  /// `count` bytes of a PROXY protocol header were received, of which the first 52 are in `bytes`.
  /// Returns its length, as far as it is known; -1 to close the connection; -2 to refuse it with
  /// 429, -3 with 503. If the header is complete, the handler notes the client in `connection`.
  long (*proxied)(void *owner, wsl_connection *connection, const uint8_t *bytes, size_t count);
  /// A counted connection has ended.
  void (*uncount)(void *owner, wsl_audience audience, wsl_network_id network);
  /// Counts a connection for another network. Returns false if that has too many.
  bool (*recount)(void *owner, wsl_network_id from, wsl_network_id to);
  /// Whether no connection is counted.
  bool (*counts_none)(void *owner);
  /// Reserves `count` more bytes for a connection of a network, in addition to `reserved`.
  /// `whole` is the length of a body. Returns false if they are not available.
  bool (*reserve)(void *owner, wsl_memory purpose, wsl_network_id network, size_t count,
                  size_t reserved, size_t whole);
  void (*release)(void *owner, wsl_memory purpose, wsl_network_id network, size_t count);
  /// The head of a request on a public connection was received, of which only the syntax was
  /// checked. Returns whether this loop does not serve it; `moved` follows then.
  bool (*is_elsewhere)(void *owner, const wsl_connection *connection);
  /// The handler owns the connection.
  void (*moved)(void *owner, wsl_connection connection);
  /// A request for a WebSocket, of which only Host and the length were checked. Return the number
  /// of the subprotocol, from 1, or 0 for none, to accept it. To refuse it, call `wsl_answer` and
  /// return -1. Return WSL_HELD to be asked again after `wsl_read`.
  int (*admit)(void *owner, wsl_id id, wsl_request *request);
  /// The WebSocket is open. Follows `admit` directly, with no other callback in between.
  void (*opened)(void *owner, wsl_id id);
  /// A complete text message: valid UTF-8 of at most `message_bytes_max` bytes.
  void (*received)(void *owner, wsl_id id, const void *bytes, size_t count);
  /// The connection has become write-blocked while posted messages were sent, as after
  /// `WSL_WRITE_BLOCKED`. Called from the end of the event-loop iteration, but also from within
  /// `wsl_send`, `wsl_post`, `wsl_post_all` and `wsl_close`. Must not send, post or close: the
  /// batch is in use.
  void (*write_blocked)(void *owner, wsl_id id);
  /// The kernel has taken everything that was sent before `WSL_WRITE_BLOCKED` or `write_blocked`.
  void (*writable)(void *owner, wsl_id id);
  /// The WebSocket has ended, whichever side ended it. Called exactly once for each `opened`.
  void (*closed)(void *owner, wsl_id id);
  /// The headers of a request announce a large body of `byte_count` bytes. Return 0 to receive it;
  /// `respond` follows. To refuse it, call `wsl_answer` and return any other value: the connection
  /// is closed when the body has been read and dropped, slowly.
  int (*admit_body)(void *owner, wsl_id id, wsl_request *request, size_t byte_count);
  /// A complete HTTP request. Answer it with `wsl_answer` or `wsl_stream_start`, now or later.
  void (*respond)(void *owner, wsl_id id, wsl_request *request);
  /// `writable` for a streamed response.
  void (*stream_writable)(void *owner, wsl_id id);
  /// The connection of a streamed response has ended. Not called after `wsl_stream_end`.
  void (*stream_closed)(void *owner, wsl_id id);
  /// The timer set by `wsl_timer` has fired; it is now cleared.
  void (*timer)(void *owner);
  /// `wsl_wake` was called at least once since the last `woken`.
  void (*woken)(void *owner);
  /// Writing the batch of posted messages has begun: those of the first connection have been
  /// written. Must not send, post or close.
  void (*written)(void *owner);
  /// An event-loop iteration has ended, at `now_ns` of the monotonic clock. `busy_ns` excludes the
  /// time spent waiting for events. `is_written`: everything posted has been written or buffered;
  /// if false, the next iteration begins without waiting.
  void (*iterated)(void *owner, uint64_t now_ns, uint64_t busy_ns, bool is_written);
  /// A warning (`is_error` false) or an error. The line may have any bytes.
  void (*log)(void *owner, bool is_error, const char *line);
} wsl_handlers;

/// Close codes that are counted separately: 1000 to 1015 by their offset, then all others together.
#define WSL_CLOSE_CODES 17

/// The offset of code 1006, which is never sent: the connection ended without a close frame.
#define WSL_CLOSED_ABNORMALLY 6

/// Gauges, and counters since the loop was created.
typedef struct wsl_counters {
  uint32_t connections;          ///< TCP connections now, relayed ones included
  uint32_t websockets;           ///< open WebSockets now
  uint64_t failed[WSL_CLOSE_CODES]; ///< WebSockets closed for violating RFC 6455 or a limit
  uint64_t left[WSL_CLOSE_CODES];   ///< WebSockets that the peer has closed, or that were lost
  uint64_t timed_out;            ///< connections dropped because a time limit expired
  uint32_t relays;               ///< connections that are relayed now
  uint64_t relayed;              ///< connections that were relayed
  uint64_t relays_failed;        ///< connections whose node could not be reached
  uint64_t relayed_to_nodes;     ///< bytes of clients that were passed to other nodes
  uint64_t relayed_to_clients;   ///< bytes of other nodes that were passed to clients
} wsl_counters;
