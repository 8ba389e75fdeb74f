/// WebSockets and HTTP/1.1 on one thread, built on libwebsockets and libuv.
///
/// Connections, requests and WebSockets have a `wsl_id`, which cannot dangle: functions that are
/// passed the id of one that has ended do nothing. Every function must be called on the thread
/// that runs `wsl_run`, except `wsl_wake`, `wsl_running` and `wsl_discard`. A process can run
/// several loops, each on its own thread; another loop than the one that has received a request can
/// serve it, together with its connection.
///
/// Memory passed to a function is borrowed until the function returns; memory passed to a callback
/// is borrowed until the callback returns.
#pragma once

#include "CWebSocketLoopTypes.h"

/// Writable bytes that the caller reserves in front of every payload it sends or posts. The frame
/// header is written there.
#define WSL_HEADROOM 16

/// The longest close reason in bytes. - Source: RFC 6455, section 5.5
#define WSL_REASON_MAX 123

// The loop -------------------------------------------------------------------------------------

/// Creates a loop. `subprotocols` are the WebSocket subprotocols that the server accepts. The
/// limits and the names are copied; `owner` must outlive the loop.
///
/// - Returns: The loop, or NULL with advice for the operator in `problem`.
wsl_loop *wsl_create(const wsl_limits *limits, const char *const *subprotocols,
                     size_t subprotocol_count, const wsl_handlers *handlers, void *owner,
                     char *problem, size_t problem_size);

/// Reports connections to a listening socket, which other processes may share. Takes ownership of
/// it, also on failure.
/// - Returns: False if there are `WSL_LISTENERS_MAX`.
bool wsl_listen(wsl_loop *loop, int descriptor, bool is_inherited);

/// Sets the certificate for connections that are accepted from now on. A loop with a TLS listener
/// must have one.
void wsl_use_tls(wsl_loop *loop, wsl_tls *tls);

/// Runs the event loop until `wsl_stop` is called or a drain has finished.
void wsl_run(wsl_loop *loop);

/// The owner of the loop that the calling thread runs; NULL if it runs none. Safe on any thread.
void *wsl_running(void);

/// Closes the listening sockets, and HTTP connections as soon as their requests are answered.
/// WebSockets and streams continue.
void wsl_stop_listening(wsl_loop *loop);

/// Does what `wsl_stop_listening` does, and stops the loop when the last connection has ended, also
/// those of other loops (`counts_none`), or after `within_ms` at the latest. The caller closes the
/// WebSockets with `wsl_close`.
void wsl_drain(wsl_loop *loop, uint32_t within_ms);

/// Makes `wsl_run` return. Connections stay open until `wsl_destroy`.
void wsl_stop(wsl_loop *loop);

/// Ends all connections, calls `closed` for each open WebSocket, and frees the loop. Must not be
/// called from within `wsl_run`.
void wsl_destroy(wsl_loop *loop);

/// Schedules a call of `woken` on the loop's thread. Safe on any thread until `wsl_destroy`.
/// Several calls before the loop wakes up cause only one `woken`.
void wsl_wake(wsl_loop *loop);

/// Sets the loop's only timer to a time of CLOCK_MONOTONIC in ms, replacing the previous one, from
/// the end of the iteration on. -1 clears it.
void wsl_timer(wsl_loop *loop, int64_t at_ms);

wsl_counters wsl_count(const wsl_loop *loop);

// Connections ----------------------------------------------------------------------------------

/// Accepts a connection from a socket, with the address of its peer. Returns -1 if there is none.
int wsl_accept(int listener, void *peer, uint32_t size);

/// Serves a connection that was accepted and counted. If it `is_proxied`, it begins with a PROXY
/// protocol header, version 2.
void wsl_begin(wsl_loop *loop, wsl_connection connection, bool is_proxied);

/// Closes a connection that was accepted and not counted, without TLS after a response.
void wsl_turn_away(wsl_connection connection, int status, const char *code, const char *detail);

/// Serves a connection whose head another loop has received. A draining loop answers 503.
void wsl_adopt(wsl_loop *loop, wsl_connection connection);

/// Relays a connection to another node, to which `descriptor` is connecting: sends a header, and
/// passes on what both sides send, until both have ended. A side is not read while the other has
/// not taken 64 KiB. Answers 503 if the node does not accept the connection within 3 s. `node` is
/// for `wsl_end_relays`.
void wsl_relay(wsl_loop *loop, wsl_connection connection, int64_t node, int descriptor,
               const void *header, size_t header_count);

/// Ends the relays to a node that has stopped: it may hang, with its sockets open.
void wsl_end_relays(wsl_loop *loop, int64_t node);

/// Reads what a connection has received, see `readable`.
void wsl_read(wsl_loop *loop, wsl_id id);

/// Answers a connection with 503.
void wsl_refuse(wsl_loop *loop, wsl_connection connection, const char *code, const char *detail);

/// Closes a connection that no loop will serve. The caller uncounts it.
void wsl_discard(wsl_connection connection);

/// Counts the connection of a request or WebSocket against the network of the client for which a
/// trusted proxy has opened it, unless it counts against a network already or is the backend's.
/// - Returns: False if that has too many; nothing is counted then.
bool wsl_count_client(wsl_loop *loop, wsl_id id, wsl_network_id network);

/// The network that the connection of a request or a WebSocket counts against; `WSL_EXEMPT_NETWORK`
/// if it has ended.
wsl_network_id wsl_network_of(wsl_loop *loop, wsl_id id);

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

/// Ends a connection without a response or a close frame, as a lost network does; `closed` of a
/// WebSocket is called soon after. What was posted and is not yet sent is lost.
void wsl_drop(wsl_loop *loop, wsl_id id);

/// Stops reading from a connection. Unread data stays in the kernel's buffers, except for at most
/// 1,024 bytes in libwebsockets' and, with TLS, 32 KiB in a tunnel's. Messages, pings and pongs are
/// not processed.
void wsl_pause(wsl_loop *loop, wsl_id id);

/// Resumes reading from a connection when it was called as often as `wsl_pause`. No data is lost or
/// reordered.
void wsl_resume(wsl_loop *loop, wsl_id id);

// Responses ------------------------------------------------------------------------------------

/// Whether the connection of a request that was not answered can serve another one. Not with an
/// unread body, if the client asks to close it, or after `wsl_stop_listening`.
bool wsl_is_reusable(wsl_loop *loop, wsl_id id);

/// Sends a complete response: `head` (status line, headers, empty line) and `body`. Both are
/// copied. The connection is closed afterwards if `keep_alive` is false or the client requested it.
///
/// - Parameter reserved: Bytes that the caller reserved as WSL_UNSENT for the request's network;
///   they are released when the peer has read the response.
/// - Returns: False if the request has ended or was already answered.
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
