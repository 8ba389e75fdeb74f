/// A WebSocket and HTTP/1.1 server that runs on one thread, built on libwebsockets and libuv.
///
/// No type of either library appears in this interface. Connections and requests are identified
/// by a `wsl_id`, which cannot dangle: functions that are passed the id of a connection or request
/// that has ended do nothing.
///
/// Threads: every function must be called on the thread that runs `wsl_run`, except `wsl_wake`,
/// `wsl_discard` and the counts of memory, which are safe on any thread. A process can run several
/// loops, each on its own thread. Another loop than the one that has received a request can serve
/// it (`is_elsewhere`, `wsl_adopt`), together with its connection.
///
/// Ownership: memory passed to a function is borrowed until the function returns; memory passed to
/// a callback is borrowed until the callback returns. Copy what is needed longer.
#pragma once

#include "CWebSocketLoopCounts.h"
#include "CWebSocketLoopTLS.h"
#include "CWebSocketLoopTypes.h"

/// Writable bytes that the caller reserves in front of every payload it sends or posts. The frame
/// header is written there.
#define WSL_HEADROOM 16

/// The longest close reason in bytes. - Source: RFC 6455, section 5.5
#define WSL_REASON_MAX 123

// The loop -------------------------------------------------------------------------------------

/// Creates a loop. `subprotocols` are the WebSocket subprotocols that the server accepts.
///
/// The limits and the subprotocol names are copied; `owner` must outlive the loop. RLIMIT_NOFILE is
/// raised as far as the hard limit permits. If that is not enough, `connections_max` is reduced
/// and a warning is logged.
///
/// - Returns: The loop, or NULL with advice for the operator in `problem`.
wsl_loop *wsl_create(const wsl_limits *limits, const char *const *subprotocols,
                     size_t subprotocol_count, const wsl_handlers *handlers, void *owner,
                     char *problem, size_t problem_size);

/// Listens on exactly one numeric IPv4 or IPv6 address, at most `WSL_LISTENERS_MAX` times per
/// loop. Port 0 selects any free port.
///
/// - Returns: The port, or -1 with a sentence in `problem`; the loop is then unchanged.
int wsl_listen(wsl_loop *loop, wsl_listening listening, const char *address, uint16_t port,
               char *problem, size_t problem_size);

/// Accepts connections from a listening TCP or Unix socket. Takes ownership of it, also on failure.
/// - Returns: False if there are too many listeners, together with those of `wsl_listen`.
bool wsl_listen_on(wsl_loop *loop, wsl_listening listening, int descriptor);

/// Runs the event loop until `wsl_stop` is called or a drain has finished.
void wsl_run(wsl_loop *loop);

/// Closes the listening sockets, and HTTP connections as soon as their requests are answered.
/// WebSockets and streams continue.
void wsl_stop_listening(wsl_loop *loop);

/// Does what `wsl_stop_listening` does, and stops the loop when the last connection has ended, also
/// those of loops with which it shares a counter, or after `within_ms` at the latest. The caller
/// closes the WebSockets with `wsl_close`.
void wsl_drain(wsl_loop *loop, uint32_t within_ms);

/// Makes `wsl_run` return. Connections stay open until `wsl_destroy`.
void wsl_stop(wsl_loop *loop);

/// Ends all connections, calls `closed` for each open WebSocket, and frees the loop. Must not be
/// called from within `wsl_run`.
void wsl_destroy(wsl_loop *loop);

/// Schedules a call of `woken` on the loop's thread. Safe on any thread until `wsl_destroy`.
/// Several calls before the loop wakes up cause only one `woken`.
void wsl_wake(wsl_loop *loop);

/// Sets the loop's only timer to a time of CLOCK_MONOTONIC in ms, replacing the previous one. -1
/// clears it.
void wsl_timer(wsl_loop *loop, int64_t at_ms);

wsl_counters wsl_count(const wsl_loop *loop);

/// The connection limit in effect, which is lower than the `connections_max` passed to
/// `wsl_create` when there are not enough file descriptors.
uint32_t wsl_connections_max(const wsl_loop *loop);

// Several loops --------------------------------------------------------------------------------

/// Serves a connection that another loop has accepted, and takes ownership of it. A draining loop
/// answers 503 `draining` instead.
void wsl_adopt(wsl_loop *loop, wsl_connection connection);

/// Keeps a connection, and takes ownership of it, until one of the three functions below is called
/// with the id. What its client sends stays in the kernel. After 10 s the answer is 503.
///
/// - Returns: Its id, which those functions ignore after that time; 0 if the connection was
///   answered with 503 because 1,024 connections are kept or the loop drains.
wsl_id wsl_hold(wsl_loop *loop, wsl_connection connection);

/// Serves a kept connection on this loop.
void wsl_serve_held(wsl_loop *loop, wsl_id id);

/// Relays a kept connection to another node: connects to a numeric address, sends a PROXY protocol
/// header, and passes on what both sides send, until both have ended. A side is not read while the
/// other has not taken 64 KiB. Answers 503 if the node does not accept the connection within 3 s.
void wsl_relay_held(wsl_loop *loop, wsl_id id, const char *address, uint16_t port);

/// Answers a kept connection with 503.
void wsl_refuse_held(wsl_loop *loop, wsl_id id);

/// Closes a connection that no loop will adopt.
void wsl_discard(wsl_connection connection, wsl_peers *count);

/// Creates a connection counter that several loops share: at most `open_max` connections in total
/// and `network_max` per network.
///
/// - Returns: The counter, or NULL when out of memory. The loops that use it must be destroyed
///   before it is.
wsl_peers *wsl_peers_create(uint32_t open_max, uint32_t network_max);

void wsl_peers_destroy(wsl_peers *count);

/// The network of an IPv6 address, given as two numbers: its /64. An IPv4-mapped address
/// (`::ffff:0:0/96`) is a network of its own.
wsl_network_id wsl_network_of_words(uint64_t high, uint64_t low);

// WebSockets -----------------------------------------------------------------------------------

/// Sends `count` bytes as one text message immediately, after everything posted to this connection
/// before. The bytes must be valid UTF-8. The `WSL_HEADROOM` bytes in front of `payload` are
/// overwritten with the frame header. The same payload can be sent to any number of connections of
/// one loop.
///
/// - Returns: `WSL_SENT`: the kernel has taken all of it. `WSL_WRITE_BLOCKED`: the connection is
///   write-blocked and the rest was copied to a buffer; wait for `writable` before sending more,
///   because the buffer has no limit. `WSL_GONE`: the connection has ended; nothing was sent.
wsl_outcome wsl_send(wsl_loop *loop, wsl_id id, void *payload, size_t count);

/// Queues a text message like `wsl_send`, but sends it at the end of this event-loop iteration or,
/// if it is one `to_many`, a later one, with one `send()` or `sendmsg()` per connection. The order
/// on a connection is kept. The payload can be reused as soon as this returns.
///
/// - Returns: `WSL_SENT`: queued; the `write_blocked` handler is called later if the kernel does
///   not take all of it. `WSL_WRITE_BLOCKED` and `WSL_GONE` as for `wsl_send`.
wsl_outcome wsl_post(wsl_loop *loop, wsl_id id, void *payload, size_t count, bool to_many);

/// Posts the same message to several connections. Ids of ended connections are skipped.
///
/// - Parameter blocked: An array with room for `id_count` elements. Receives the indices into `ids`
///   of the connections for which `wsl_post` would return `WSL_WRITE_BLOCKED`.
/// - Returns: The number of those connections.
size_t wsl_post_all(wsl_loop *loop, const wsl_id *ids, size_t id_count, void *payload,
                    size_t count, bool to_many, uint32_t *blocked);

/// Writes a close frame with `code` and `reason` (UTF-8, truncated to `WSL_REASON_MAX` bytes) after
/// everything sent or posted before, and waits for the peer's close frame. The connection ends,
/// and `closed` is called, after `close_ms` at the latest. Until then messages are neither
/// received nor sent.
void wsl_close(wsl_loop *loop, wsl_id id, uint16_t code, const char *reason, size_t reason_count);

/// Ends a connection without a close frame, as a lost network does; `closed` is called soon after.
/// What was posted and is not yet sent is lost.
void wsl_drop(wsl_loop *loop, wsl_id id);

/// Stops reading from a connection. Unread data stays in the kernel's buffers, except for at most
/// 1,024 bytes in libwebsockets' and, with TLS, 32 KiB in a tunnel's. Messages, pings and pongs are
/// not processed.
void wsl_pause(wsl_loop *loop, wsl_id id);

/// Resumes reading from a paused connection. No data is lost or reordered.
void wsl_resume(wsl_loop *loop, wsl_id id);

// Requests -------------------------------------------------------------------------------------
//
// A `wsl_request` is valid only until the callback that received it returns. The request's id
// stays valid until the response has been sent or the connection has ended.

wsl_method wsl_request_method(const wsl_request *request);

/// The target as the client has sent it: a path with a query, an http or https URL, or `*`. It is
/// printable ASCII and percent-encoded UTF-8.
wsl_text wsl_request_target(const wsl_request *request);

/// The value of a header. Repeated headers are joined with a comma and a space. NULL if it is
/// absent. Valid until the next call with this request.
wsl_text wsl_request_header(wsl_request *request, wsl_header header);

/// The body; empty for an upgrade, and if it is unread.
wsl_text wsl_request_body(const wsl_request *request);

/// The length of a body over `body_bytes_max`, for which the handler must refuse the request, or 0.
uint64_t wsl_request_unread(const wsl_request *request);

/// Takes the memory of the request's body, so that its bytes remain valid after `respond` has
/// returned. Its owner frees it with `wsl_body_free`, on any thread.
///
/// - Parameter counted: Set to the bytes by which it counts in `bodies_bytes` until its owner
///   subtracts them with `wsl_count_body`.
/// - Returns: NULL if there is no body, or it has been taken.
void *wsl_request_take_body(wsl_request *request, size_t *counted);

void wsl_body_free(void *body);

/// The audience of the listener that accepted the request's connection.
wsl_audience wsl_request_audience(const wsl_request *request);

/// Whether the request's connection uses TLS.
bool wsl_request_is_tls(const wsl_request *request);

/// Whether the response may use chunked transfer coding, that is, the request is HTTP/1.1.
/// - Source: RFC 9112, section 6.1
bool wsl_request_accepts_chunks(const wsl_request *request);

/// The client's numeric address, or `unix` for the peer of a Unix socket. Valid until the next call
/// with this request.
wsl_text wsl_request_peer(wsl_request *request);

/// Counts a request's connection against the network of the client for which a trusted proxy has
/// opened it, unless it counts against a network already.
/// - Returns: False if `network_connections_max` is reached; nothing is counted then.
bool wsl_count_client(wsl_loop *loop, wsl_id id, wsl_network_id network);

/// Whether the connection of a request that was not answered can serve another one. Not with an
/// unread body, if the client asks to close it, or after `wsl_stop_listening`.
bool wsl_is_reusable(wsl_loop *loop, wsl_id id);

/// Sends a complete response: `head` (status line, headers, empty line) and `body`. Both are
/// copied. The connection is closed afterwards if `keep_alive` is false or the client requested it.
///
/// - Parameter reserved: Bytes of `wsl_unsent_reserve`, which the loop releases in any case.
/// - Returns: False if the request has ended or was already answered, or if its network has no
///   more room for unread bytes: then it waits for another answer.
bool wsl_answer(wsl_loop *loop, wsl_id id, const void *head, size_t head_count, const void *body,
                size_t body_count, bool keep_alive, size_t reserved);

/// Starts a streamed response with `head` (copied). The body follows with `wsl_stream_write` and
/// is delimited by the end of the connection. A peer that closes its connection is detected
/// immediately; a peer that disappears is detected `pong_ms` after a write.
///
/// - Returns: False if the request has ended or was already answered.
bool wsl_stream_start(wsl_loop *loop, wsl_id id, const void *head, size_t head_count);

/// Writes a part of a streamed body immediately. The outcomes are those of `wsl_send`, with
/// `stream_writable` in place of `writable`. No headroom is needed.
wsl_outcome wsl_stream_write(wsl_loop *loop, wsl_id id, const void *bytes, size_t count);

/// Ends a streamed response: closes the connection when the kernel has taken all of it.
void wsl_stream_end(wsl_loop *loop, wsl_id id);
