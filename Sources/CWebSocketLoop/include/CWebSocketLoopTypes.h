/// The types of CWebSocketLoop.h: names of things, limits, callbacks and counters.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct wsl_loop wsl_loop;
typedef struct wsl_request wsl_request;

/// A connection, or one request on it: generation << 32 | slot. Never 0.
typedef uint64_t wsl_id;

/// Text borrowed from a request; not terminated by NUL. `bytes` is NULL when there is none.
typedef struct wsl_text {
  const char *bytes;
  size_t count;
} wsl_text;

/// An IPv4 address, or the /64 prefix of an IPv6 address, as a number.
typedef uint64_t wsl_network_id;

/// The network of connections that are not limited per address: those of proxies and operators.
#define WSL_EXEMPT_NETWORK 0

/// A TCP connection that no loop serves at the moment.
typedef struct wsl_connection {
  int descriptor;
  wsl_network_id network;  ///< under which it is counted
} wsl_connection;

/// Counts connections over all loops that share it, in all and by network. Any thread may use it.
typedef struct wsl_peers wsl_peers;

typedef enum wsl_outcome { WSL_SENT = 0, WSL_FULL = 1, WSL_GONE = 2 } wsl_outcome;

typedef enum wsl_method {
  WSL_GET, WSL_POST, WSL_OPTIONS, WSL_PUT, WSL_PATCH, WSL_DELETE, WSL_HEAD
} wsl_method;

/// The headers a request can be asked for.
typedef enum wsl_header {
  WSL_HOST, WSL_ORIGIN, WSL_AUTHORIZATION, WSL_ACCEPT, WSL_ACCEPT_LANGUAGE, WSL_ACCEPT_ENCODING,
  WSL_CONTENT_TYPE, WSL_IF_NONE_MATCH, WSL_USER_AGENT, WSL_X_FORWARDED_FOR,
  WSL_X_FORWARDED_PROTO, WSL_LAST_EVENT_ID, WSL_SUBPROTOCOLS,
  WSL_ACCESS_CONTROL_REQUEST_HEADERS, WSL_ACCESS_CONTROL_REQUEST_METHOD, WSL_IF_MATCH,
  WSL_HEADER_COUNT
} wsl_header;

/// Limits. Every field counts; there are no defaults here.
typedef struct wsl_limits {
  uint32_t connections_max;      ///< TCP connections of all kinds; one more is answered with 503
  uint32_t network_connections_max; ///< of one IPv4 address or IPv6 /64; one more is 429
  wsl_peers *count;              ///< of all loops that have this pointer, with limits of its own;
                                 ///< outlives them; NULL counts this loop's alone
  uint32_t message_bytes_max;    ///< one assembled WebSocket message; one octet more is 1009
  uint32_t fragments_max;        ///< frames of one message; one more is 1009
  uint32_t assembly_ms;          ///< from a message's first octet to its last; longer is 1009
  uint32_t body_bytes_max;       ///< one HTTP request body; one octet more is 413
  uint64_t bodies_bytes_max;     ///< all bodies being received or used; a request over it is
                                 ///< answered with 503; those over 64 KiB may take 3/4 of it
  uint64_t *bodies_bytes;        ///< how many there are; outlives the loops; NULL: this loop's
  uint32_t header_ms;            ///< for all headers of a request, rounded up to seconds
  uint32_t body_ms;              ///< for a body, and a second more for each 64 KiB of it
  uint32_t answer_ms;            ///< for the handler's answer, and between two reads of a response
  uint32_t idle_seconds;         ///< for the next request on a connection that is kept alive
  uint32_t ping_ms;              ///< between two pings
  uint32_t pong_ms;              ///< since the last pong; longer is dropped. The same time is
                                 ///< TCP_USER_TIMEOUT: bytes that a peer does not acknowledge
  uint32_t close_ms;             ///< from `wsl_close` to the end of the connection, at most
} wsl_limits;

/// What happens on the loop's thread. `owner` is the one given to `wsl_create`. None may be NULL.
typedef struct wsl_handlers {
  /// A connection was accepted. Return 0 to have it served here; any other value: it is the
  /// handler's now, for `wsl_adopt` of a loop with the same `count`, or `wsl_discard`.
  int (*accepted)(void *owner, wsl_connection connection);
  /// Whether a numeric address is that of a proxy, whose connections are many people's.
  bool (*is_exempt)(void *owner, const char *address);
  /// A correct upgrade request for a WebSocket. Return 0 to accept it, or refuse it by calling
  /// `wsl_refuse`, or take it away by `wsl_detach`, and return any other value.
  int (*admit)(void *owner, wsl_id id, wsl_request *request);
  /// The WebSocket is open. Follows `admit` without anything in between.
  void (*opened)(void *owner, wsl_id id);
  /// One whole text message: valid UTF-8 of at most `message_bytes_max` octets.
  void (*received)(void *owner, wsl_id id, const void *bytes, size_t count);
  /// A part of what was posted has to wait, as after `WSL_FULL`. Also called from within any
  /// function that sends, posts or closes.
  void (*full)(void *owner, wsl_id id);
  /// All that was sent before `WSL_FULL` or `full` is with the kernel now.
  void (*writable)(void *owner, wsl_id id);
  /// The WebSocket is over, whoever ended it. Exactly once for each `opened`.
  void (*closed)(void *owner, wsl_id id);
  /// A whole HTTP request. Answer it with `wsl_answer` or `wsl_stream_start`, now or later; or
  /// take it away by `wsl_detach`.
  void (*respond)(void *owner, wsl_id id, wsl_request *request);
  /// As `writable`, for a streamed response.
  void (*stream_writable)(void *owner, wsl_id id);
  /// The peer of a streamed response is gone. Not after `wsl_stream_end`.
  void (*stream_closed)(void *owner, wsl_id id);
  /// The timer set by `wsl_timer` has fired. It is not set any more.
  void (*timer)(void *owner);
  /// `wsl_wake` was called, once or more often.
  void (*woken)(void *owner);
  /// Posted frames begin to go out: those of the first connection have been written. Nothing may
  /// be sent, posted or closed in it.
  void (*written)(void *owner);
  /// An event-loop iteration is over that was busy for so long, waiting for events left out.
  void (*iterated)(void *owner, uint64_t busy_ns);
  /// A warning (`is_error` false) or an error as one line of printable ASCII.
  void (*log)(void *owner, bool is_error, const char *line);
} wsl_handlers;

/// What was counted since the loop was created.
typedef struct wsl_counters {
  uint32_t connections;          ///< TCP connections now
  uint32_t websockets;           ///< open WebSockets now
  uint64_t accepted;             ///< TCP connections
  uint64_t refused_full;         ///< TCP connections refused for `connections_max` or descriptors
  uint64_t refused_network;      ///< TCP connections refused for `network_connections_max`
  uint64_t failed;               ///< WebSockets closed for breaking RFC 6455 or a limit
  uint64_t timed_out;            ///< connections hung up for being slow or silent
  uint64_t log_lines_dropped;    ///< log lines over 20 a second
} wsl_counters;
