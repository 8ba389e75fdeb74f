/// A WebSocket and HTTP/1.1 server on one thread, over libwebsockets and libuv.
///
/// No type of either library is visible here. Everything is named by a `wsl_id`, which never
/// dangles: an id whose connection or request is over is recognised and ignored.
///
/// Threads: every function belongs to the thread that calls `wsl_run`, but `wsl_wake`,
/// `wsl_peek`, `wsl_discard`, the clocks and the cryptography, which any thread may call. Several
/// loops may run in one process, each on its own thread; a connection can be taken from one
/// (`accepted`, `wsl_detach`) and given to another (`wsl_adopt`).
///
/// Ownership: what a function takes by pointer is borrowed until it returns; what a callback is
/// given is borrowed until the callback returns. What must outlive that is copied by the taker.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Octets that must be writable in front of every payload that is sent or posted: the frame's
/// header is written there.
#define WSL_HEADROOM 16

/// The longest close reason in octets. - Source: RFC 6455, section 5.5
#define WSL_REASON_MAX 123

typedef struct wsl_loop wsl_loop;
typedef struct wsl_request wsl_request;

/// A connection, or one request on it: generation << 32 | slot. Never 0.
typedef uint64_t wsl_id;

/// Text borrowed from a request; not terminated by NUL. `bytes` is NULL when there is none.
typedef struct wsl_text {
  const char *bytes;
  size_t count;
} wsl_text;

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
  uint32_t *connections_open;    ///< how many there are, of all loops that have this pointer;
                                 ///< outlives them; NULL counts this loop's alone
  uint32_t message_bytes_max;    ///< one assembled WebSocket message; one octet more is 1009
  uint32_t fragments_max;        ///< frames of one message; one more is 1009
  uint32_t assembly_ms;          ///< from a message's first octet to its last; longer is 1009
  uint32_t body_bytes_max;       ///< one HTTP request body; one octet more is 413
  uint64_t bodies_bytes_max;     ///< all bodies being received or used; a request over it is
                                 ///< answered with 503; those over 64 KiB may take 3/4 of it
  uint64_t *bodies_bytes;        ///< how many there are; outlives the loops; NULL: this loop's
  uint32_t request_seconds;      ///< for all headers of a request; longer is hung up
  uint32_t body_ms;              ///< for a body, and a second more for each 64 KiB of it
  uint32_t answer_ms;            ///< for the handler's answer, and between two reads of a response
  uint32_t idle_seconds;         ///< for the next request on a connection that is kept alive
  uint32_t ping_ms;              ///< between two pings
  uint32_t pong_ms;              ///< since the last pong; longer is hung up
  uint32_t close_ms;             ///< from `wsl_close` to the end of the connection, at most
} wsl_limits;

/// What happens on the loop's thread. `owner` is the one given to `wsl_create`. None may be NULL.
typedef struct wsl_handlers {
  /// A connection was accepted. Return 0 to have it served here; any other value: it is the
  /// handler's now, for `wsl_adopt` of a loop with the same `connections_open`, or `wsl_discard`.
  int (*accepted)(void *owner, int descriptor);
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
  uint64_t failed;               ///< WebSockets closed for breaking RFC 6455 or a limit
  uint64_t timed_out;            ///< connections hung up for being slow or silent
  uint64_t log_lines_dropped;    ///< log lines over 20 a second
} wsl_counters;

// The loop -------------------------------------------------------------------------------------

/// Makes a loop. `subprotocols` are the WebSocket subprotocols that can be selected.
///
/// The limits and the names are copied; `owner` must outlive the loop. The limit of open
/// descriptors is raised as far as it may; `connections_max` is cut to it, with a warning.
///
/// - Returns: The loop, or NULL with a sentence in `problem` that says what to do.
wsl_loop *wsl_create(const wsl_limits *limits, const char *const *subprotocols,
                     size_t subprotocol_count, const wsl_handlers *handlers, void *owner,
                     char *problem, size_t problem_size);

/// Whom a listener is for.
typedef enum wsl_audience {
  WSL_PUBLIC,  ///< clients: connections may go to other loops
  WSL_ADMIN,   ///< operators: connections stay on the loop, see `wsl_request_is_admin`
  WSL_AUDIENCE_COUNT
} wsl_audience;

/// Listens at one numeric address, at most once per loop and audience. Port 0 is any.
/// - Returns: The port, or -1 with a sentence in `problem`; the loop is unchanged then.
int wsl_listen(wsl_loop *loop, wsl_audience audience, const char *address, uint16_t port,
               char *problem, size_t problem_size);

/// Serves until `wsl_stop`, or until a drain is over.
void wsl_run(wsl_loop *loop);

/// Closes the listeners: no more connections are accepted.
void wsl_stop_listening(wsl_loop *loop);

/// Stops listening, hangs up idle HTTP connections, and stops the loop when no connection is
/// left, but after `within_ms` at the latest. Closing the WebSockets is the caller's.
void wsl_drain(wsl_loop *loop, uint32_t within_ms);

/// Makes `wsl_run` return. Connections stay as they are until `wsl_destroy`.
void wsl_stop(wsl_loop *loop);

/// Ends all connections, with `closed` for each, and frees the loop. Not within `wsl_run`.
void wsl_destroy(wsl_loop *loop);

/// Calls `woken` soon, on the loop's thread. Any thread may call this, until `wsl_destroy`.
void wsl_wake(wsl_loop *loop);

/// Sets the one timer to a time of `wsl_monotonic_ms`, in place of the one before; -1 clears it.
void wsl_timer(wsl_loop *loop, int64_t at_ms);

wsl_counters wsl_count(const wsl_loop *loop);

/// The limit of connections, which may be lower than what `wsl_create` was given.
uint32_t wsl_connections_max(const wsl_loop *loop);

// Several loops --------------------------------------------------------------------------------

/// Copies what has arrived on a connection, without taking it: at most `size` octets.
size_t wsl_peek(int descriptor, void *into, size_t size);

/// Serves a connection that another loop has accepted or detached. `head` (borrowed, may be of 0
/// octets) is a whole request without a body that was read from it. Takes the descriptor over.
void wsl_adopt(wsl_loop *loop, int descriptor, const void *head, size_t head_count);

/// Counts (negative: no longer) bytes of a body used after `respond` returned. For any thread.
void wsl_count_body(uint64_t *bodies_bytes, int64_t count);

/// Hangs up a connection that no loop will adopt.
void wsl_discard(int descriptor, uint32_t *connections_open);

/// Takes a connection away from its loop, within `admit` or `respond`, for another one. Writes
/// its request anew, with the headers that can be asked for, into `head`; a body is left out, and
/// what follows the request is lost.
///
/// - Returns: The descriptor; -1 if there is none left, or `size` is too small: the connection
///   is where it was then.
int wsl_detach(wsl_request *request, void *head, size_t size, size_t *head_count);

// WebSockets -----------------------------------------------------------------------------------

/// Sends `count` octets as one text message, at once. They must be valid UTF-8, and
/// `WSL_HEADROOM` octets in front of `payload` are overwritten with the frame's header; the same
/// payload can be sent to any number of connections of one loop.
///
/// - Returns: `WSL_SENT`: with the kernel. `WSL_FULL`: taken, but a part of it waits in a copy;
///   send again after `writable`, or the copies grow. `WSL_GONE`: nothing was taken.
wsl_outcome wsl_send(wsl_loop *loop, wsl_id id, void *payload, size_t count);

/// Queues a text message like `wsl_send`, but sends it at the end of the event-loop iteration, in
/// one `send()` or `sendmsg()` per connection. Keeps the order with `wsl_send`.
///
/// - Returns: `WSL_SENT`: taken; `full` follows in this iteration if a part of it has to wait.
wsl_outcome wsl_post(wsl_loop *loop, wsl_id id, void *payload, size_t count);

/// Posts the same to many.
///
/// - Parameter full: Room for `id_count`; gets the places of those that answer `WSL_FULL`.
/// - Returns: How many those are.
size_t wsl_post_all(wsl_loop *loop, const wsl_id *ids, size_t id_count, void *payload,
                    size_t count, uint32_t *full);

/// Writes a close frame with `code` and `reason` (UTF-8, cut at `WSL_REASON_MAX`) behind everything
/// sent before, and waits for the peer's. The connection ends, and `closed` is called, after
/// `close_ms` at the latest. No message is received or sent any more.
void wsl_close(wsl_loop *loop, wsl_id id, uint16_t code, const char *reason, size_t reason_count);

/// Stops reading from a connection: what the peer sends waits in the kernel, and at most a receive
/// buffer of 1,024 bytes in libwebsockets. No messages, pings or pongs are processed.
void wsl_pause(wsl_loop *loop, wsl_id id);

/// Reads from a paused connection again. Nothing was lost or reordered.
void wsl_resume(wsl_loop *loop, wsl_id id);

// Requests -------------------------------------------------------------------------------------

wsl_method wsl_request_method(const wsl_request *request);

/// The path, percent-decoded, with `//`, `/./` and `/../` resolved (libwebsockets does so).
wsl_text wsl_request_path(wsl_request *request);

/// The `index`th `name=value` of the query, percent-decoded, `+` as space; NULL after the last.
/// Valid until the next call with this request.
wsl_text wsl_request_query(wsl_request *request, size_t index);

/// A header's value; repeated ones are joined with a comma and blanks. NULL if it is absent.
/// Valid until the next call with this request.
wsl_text wsl_request_header(wsl_request *request, wsl_header header);

/// The body; empty for an upgrade.
wsl_text wsl_request_body(const wsl_request *request);

/// Whether the request's connection was accepted by the `WSL_ADMIN` listener.
bool wsl_request_is_admin(const wsl_request *request);

/// The peer's numeric address. Valid until the next call with this request.
wsl_text wsl_request_peer(wsl_request *request);

/// Refuses an upgrade with `head` (status line, headers, empty line) and `body`, within `admit`.
void wsl_refuse(wsl_request *request, const void *head, size_t head_count, const void *body,
                size_t body_count);

/// Answers a request with `head` (status line, headers, empty line) and `body`; both are copied.
/// If `keep_alive` is false, or the client asked so, the connection ends after that.
///
/// - Returns: Whether the request was still there.
bool wsl_answer(wsl_loop *loop, wsl_id id, const void *head, size_t head_count, const void *body,
                size_t body_count, bool keep_alive);

/// Answers a request with `head` (copied) and a body that follows in pieces and ends with the
/// connection. The peer that goes away is noticed within a second.
bool wsl_stream_start(wsl_loop *loop, wsl_id id, const void *head, size_t head_count);

/// Writes a piece of a streamed body, as `wsl_send` does, without headroom.
wsl_outcome wsl_stream_write(wsl_loop *loop, wsl_id id, const void *bytes, size_t count);

/// Ends a streamed response when all of it is with the kernel.
void wsl_stream_end(wsl_loop *loop, wsl_id id);

// Machine --------------------------------------------------------------------------------------

/// Milliseconds of a clock that never steps, from an arbitrary start.
int64_t wsl_monotonic_ms(void);

/// Milliseconds since 1970-01-01T00:00Z.
int64_t wsl_wall_ms(void);

/// Microseconds that this thread has worked.
int64_t wsl_thread_us(void);

/// Writes the time as HTTP's Date header has it, 29 octets and a NUL.
/// - Source: RFC 9110, section 5.6.7
void wsl_http_date(char into[30]);

/// Fills `bytes` from libcrypto's generator. Aborts if it fails: nothing could be kept secret.
void wsl_random(void *bytes, size_t count);

/// Compresses `count` bytes into the gzip format. Any thread may call this.
///
/// - Returns: How many bytes were written to `into`; 0 if `size` does not suffice.
/// - Source: RFC 1952
size_t wsl_gzip(const void *bytes, size_t count, void *into, size_t size);

/// SHA-256 (FIPS 180-4) of `count` octets into 32.
void wsl_sha256(const void *bytes, size_t count, uint8_t digest[32]);
