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

#include "CWebSocketLoopTypes.h"

/// Octets that must be writable in front of every payload that is sent or posted: the frame's
/// header is written there.
#define WSL_HEADROOM 16

/// The longest close reason in octets. - Source: RFC 6455, section 5.5
#define WSL_REASON_MAX 123

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

/// Listens at exactly one numeric IPv4 or IPv6 address, at most once per loop and audience. Port 0
/// is any.
///
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
/// A loop that drains answers 503 `draining` instead.
void wsl_adopt(wsl_loop *loop, wsl_connection connection, const void *head, size_t head_count);

/// Counts bytes of a body that is used longer than until `respond` returns; a negative `count` when
/// it no longer is. Any thread may call this.
void wsl_count_body(uint64_t *bodies_bytes, int64_t count);

/// Closes a connection that no loop will adopt.
void wsl_discard(wsl_connection connection, wsl_peers *count);

/// A count for several loops: at most `open_max` connections, and `network_max` of one network.
/// NULL when out of memory.
wsl_peers *wsl_peers_create(uint32_t open_max, uint32_t network_max);

void wsl_peers_destroy(wsl_peers *count);

/// The network of a numeric IPv4 or IPv6 address; an IPv4-mapped one is the IPv4 address. False if
/// it is no address.
bool wsl_network(const char *numeric, wsl_network_id *network);

/// Takes a connection away from its loop, within `admit` or `respond`, for another one. Writes
/// its request anew, with the headers that can be asked for, into `head`; a body is left out, and
/// what follows the request is lost.
///
/// - Returns: The connection; its descriptor is -1 if there is none left, or `size` is too small:
///   the connection is where it was then.
wsl_connection wsl_detach(wsl_request *request, void *head, size_t size, size_t *head_count);

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

/// Whether the request is of HTTP/1.1, so that its response may be chunked.
/// - Source: RFC 9112, section 6.1
bool wsl_request_takes_chunks(const wsl_request *request);

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
/// connection. A peer that closes is noticed at once, one that vanishes `pong_ms` after a write.
bool wsl_stream_start(wsl_loop *loop, wsl_id id, const void *head, size_t head_count);

/// Writes a piece of a streamed body, as `wsl_send` does, without headroom.
wsl_outcome wsl_stream_write(wsl_loop *loop, wsl_id id, const void *bytes, size_t count);

/// Ends a streamed response when all of it is with the kernel.
void wsl_stream_end(wsl_loop *loop, wsl_id id);

// Machine --------------------------------------------------------------------------------------

/// Milliseconds of a clock that never steps, from an arbitrary start.
int64_t wsl_monotonic_ms(void);

/// The same clock in nanoseconds.
int64_t wsl_monotonic_ns(void);

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

/// A gzip file that is made part by part. All zero before the first part.
typedef struct wsl_gzip_parts {
  uint32_t checksum;  ///< of the uncompressed bytes so far
  uint32_t length;    ///< how many there were, modulo 2^32
  bool has_begun;
} wsl_gzip_parts;

/// Compresses the next part of a gzip file; what is written so far can always be decompressed.
///
/// - Returns: How many bytes were written to `into`; 0 if `size` does not suffice.
///   `count + count / 16 + 64` always does.
/// - Source: RFC 1952
size_t wsl_gzip_part(wsl_gzip_parts *parts, const void *bytes, size_t count, bool is_last,
                     void *into, size_t size);

/// SHA-256 (FIPS 180-4) of `count` octets into 32.
void wsl_sha256(const void *bytes, size_t count, uint8_t digest[32]);
