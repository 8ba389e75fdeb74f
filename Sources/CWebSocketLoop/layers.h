/// The layers of CWebSocketLoop, and the functions that its files share.
///
/// The files, from the lowest layer to the highest. A file uses functions of files that come
/// before it in this list, never of files after it, not even as callbacks. CLayerTests checks this.
///
///     base/clocks.c            monotonic, wall and CPU time
///     base/crypto.c            random bytes and SHA-256
///     base/gzip.c              compression
///     base/phrase.c            reason phrases of HTTP statuses
///     base/utf8.c              incremental validation of UTF-8
///     base/address.c           addresses of peers, and their networks
///     base/proxy.c             parses headers of the PROXY protocol
///     base/tls.c               certificates, and the TLS state of connections
///     state/log.c              log lines of libwebsockets and of a loop, with a rate limit
///     state/peers.c            counts of connections, in total and per network
///     state/bodies.c           the memory of request bodies
///     state/unsent.c           the memory of what peers have not read
///     state/slots.c            slots: ids, allocation, abort, end of a connection
///     websocket/write.c        writes frames after those that libwebsockets has buffered
///     websocket/flush.c        sends the batch at the end of an event-loop iteration
///     websocket/send.c         sends a message at once, or posts it to the batch
///     websocket/closing.c      close frames of both sides, and drops
///     websocket/pings.c        answers the peer's pings
///     websocket/frames.c       follows the headers of frames as they are received
///     websocket/websocket.c    opening, write-blocking, pauses and pings
///     websocket/receive.c      reassembles and validates messages
///     http/head.c              follows the heads of requests as they are received
///     http/target.c            checks of request targets
///     http/headers.c           checks of request headers
///     http/refuse.c            error responses written at once
///     http/request.c           what a handler can read of a request
///     http/disconnects.c       detects disconnects while a response is sent
///     http/response.c          responses, complete or streamed
///     http/filter.c            refuses malformed and ambiguous requests
///     http/http.c              bodies, and the dispatch of requests
///     http/upgrade.c           validates upgrades to WebSocket
///     sockets/detach.c         removes a connection from its loop, to move it to another
///     sockets/adopt.c          attaches a connection to a loop
///     sockets/admit.c          counts new connections, up to the limits
///     sockets/relay.c          relays connections to other nodes
///     sockets/arrivals.c       connections that no loop serves yet
///     sockets/accept.c         accepts connections
///     sockets/listen.c         listening sockets
///     loop/sweep.c             time limits of all connections
///     loop/deferred.c          continues connections at the end of an event-loop iteration
///     loop/reading.c           limits what libwebsockets reads
///     loop/callback.c          dispatches libwebsockets' events to the files above
///     loop/overrides.c         replaces functions of libwebsockets (symbol interposition)
///     loop/context.c           libwebsockets' context and protocol table
///     loop/loop.c              creates, runs, drains and destroys a loop
///
/// Lower layers report to higher code only by the `wsl_handlers` of the loop.
#pragma once

// base/utf8.c
extern const wsl_utf8 wsl_utf8_start;
bool wsl_utf8_feed(wsl_utf8 *state, const uint8_t *bytes, size_t count);

// base/address.c
wsl_address wsl_address_of_ipv4(const void *bytes);
wsl_address wsl_address_of_ipv6(const void *bytes);
wsl_address wsl_address_of(const struct sockaddr *peer);
bool wsl_has_address(wsl_address address);
const char *wsl_address_text(wsl_address address, char *into, size_t size);
wsl_network_id wsl_network_of(wsl_address address);

// base/proxy.c
uint32_t wsl_proxy_header_length(const wsl_proxy_header *header);
bool wsl_proxy_client(const wsl_proxy_header *header, wsl_address *client);
void wsl_proxy_write(uint8_t into[WSL_PROXY_BYTES], wsl_address client);

// base/tls.c
wsl_tls_state *wsl_tls_begin(wsl_tls *tls);
wsl_tls_state *wsl_tls_offer(wsl_tls_state *tls);
wsl_tls_state *wsl_tls_take(struct lws *wsi);
void wsl_tls_settle(wsl_tls_state *tls);
void wsl_tls_end(wsl_tls_state *tls);
void wsl_tls_write_last(struct lws *wsi, const void *bytes, size_t count);
void wsl_tls_notify_close(struct lws *wsi);
void wsl_tls_discard_read(struct lws *wsi);
SSL_CTX *wsl_tls_for_no_client(void);

// state/log.c
void wsl_log_use(wsl_loop *loop);
wsl_loop *wsl_loop_of_thread(void);
void wsl_log(wsl_loop *loop, bool is_error, const char *line);
const char *wsl_log_last_error(void);

// state/peers.c
typedef enum wsl_admission { WSL_ADMITTED, WSL_TOO_MANY, WSL_TOO_MANY_OF_NETWORK } wsl_admission;
wsl_admission wsl_peers_begin(wsl_peers *count, wsl_network_id network);
void wsl_peers_end(wsl_peers *count, wsl_network_id network);
bool wsl_peers_none(wsl_peers *count);
bool wsl_peers_move(wsl_peers *count, wsl_network_id from, wsl_network_id to);
void wsl_peers_limit(wsl_peers *count, uint32_t open_max);
/// Memory that the connections of a network hold: bodies that are being received, and what they
/// have not read.
typedef enum wsl_holding { WSL_HOLDS_BODIES, WSL_HOLDS_UNSENT, WSL_HOLDINGS } wsl_holding;
bool wsl_peers_hold(wsl_peers *count, wsl_network_id network, wsl_holding holding, uint64_t bytes,
                    uint64_t most);
void wsl_peers_drop(wsl_peers *count, wsl_network_id network, wsl_holding holding, uint64_t bytes);

// state/bodies.c
bool wsl_body_reserve(wsl_loop *loop, wsl_slot *slot, size_t count);
size_t wsl_body_pass(wsl_loop *loop, wsl_slot *slot);
void wsl_body_release(wsl_loop *loop, wsl_slot *slot);

// state/unsent.c
bool wsl_unsent_begin(wsl_loop *loop, wsl_slot *slot, size_t count, size_t reserved);
bool wsl_unsent_add(wsl_loop *loop, wsl_slot *slot, size_t count);
void wsl_unsent_end(wsl_loop *loop, wsl_slot *slot);

// state/slots.c
wsl_slot *wsl_slot_take(wsl_loop *loop, wsl_connection connection);
void wsl_stop_if_drained(wsl_loop *loop);
void wsl_slot_release(wsl_loop *loop, wsl_slot *slot);
wsl_slot *wsl_slot_of(wsl_loop *loop, wsl_id id);
wsl_slot *wsl_slot_of_wsi(wsl_loop *loop, struct lws *wsi);
bool wsl_slot_connect(wsl_loop *loop, wsl_slot *slot, int descriptor);
wsl_slot *wsl_slot_of_descriptor(wsl_loop *loop, int descriptor);
wsl_id wsl_slot_id(const wsl_loop *loop, const wsl_slot *slot);
void wsl_ping_release(wsl_slot *slot);
void wsl_slot_drop_parts(wsl_slot *slot);
void wsl_defer(wsl_loop *loop, wsl_slot *slot);
void wsl_abort(wsl_loop *loop, wsl_slot *slot);
void wsl_kick(wsl_loop *loop);
void wsl_slot_end(wsl_loop *loop, wsl_slot *slot);

// websocket/write.c
bool wsl_is_open(const wsl_slot *slot);
void wsl_write(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count);

// websocket/flush.c
/// Sends the posted frames for few connections, and a part of those for many. Calls the handlers
/// `write_blocked` and `written`, which must not send, post or close, because the batch is in use
/// until this function returns.
///
/// - Returns: Whether all are sent and the batch is empty, as after 16 calls at the latest.
bool wsl_flush_part(wsl_loop *loop);
/// Sends all posted frames.
void wsl_flush(wsl_loop *loop);

// websocket/closing.c
void wsl_ws_fail(wsl_loop *loop, wsl_slot *slot, uint16_t code, const char *reason);
void wsl_ws_violated(wsl_loop *loop, wsl_slot *slot);
void wsl_ws_failing(wsl_loop *loop, wsl_slot *slot);
int wsl_ws_peer_closes(wsl_loop *loop, wsl_slot *slot, const uint8_t *body, size_t count);

// websocket/pings.c
bool wsl_ping_begin(wsl_frame_reader *frame);
void wsl_ping_mask(wsl_ping *ping, uint8_t byte);
void wsl_ping_append(wsl_ping *ping, const uint8_t *bytes, size_t count);
void wsl_ping_end(wsl_ping *ping);
void wsl_ping_answer(wsl_loop *loop, wsl_slot *slot);

// websocket/frames.c
size_t wsl_frames_follow(wsl_frame_reader *frame, uint8_t *bytes, size_t count,
                         const wsl_violation **violation);

// websocket/websocket.c
int wsl_ws_opened(wsl_loop *loop, wsl_slot *slot);
int wsl_ws_writable(wsl_loop *loop, wsl_slot *slot);
void wsl_ws_pong(wsl_slot *slot);
void wsl_ws_ping(wsl_loop *loop, wsl_slot *slot, int64_t now);

// websocket/receive.c
void wsl_ws_received(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count);

// http/head.c
size_t wsl_head_follow(wsl_head_reader *head, uint8_t *bytes, size_t count);
bool wsl_head_is_malformed(const wsl_head_reader *head);
size_t wsl_head_target(const wsl_head_reader *head, struct lws *wsi, char *into);

// http/target.c
const char *wsl_target_error(const wsl_slot *slot, struct lws *wsi);

// http/headers.c
bool wsl_has_token(const char *list, const char *token);
bool wsl_repeats(struct lws *wsi, enum lws_token_indexes header);
int64_t wsl_content_length(struct lws *wsi);
bool wsl_has_body(struct lws *wsi);

// http/refuse.c
size_t wsl_problem_text(char *into, size_t size, int status, const char *headers,
                        const char *code, const char *detail);
int wsl_refuse_request(struct lws *wsi, int status, const char *headers, const char *code,
                       const char *detail);
void wsl_refuse_last(struct lws *wsi, int status, const char *code, const char *detail);
void wsl_refuse_connection(wsl_connection connection, int status, const char *code,
                           const char *detail);

// http/request.c
void wsl_request_init(wsl_request *request, wsl_loop *loop, wsl_slot *slot, struct lws *wsi);
const char *wsl_header_name(wsl_header header);

// http/disconnects.c
bool wsl_disconnects_create(wsl_loop *loop);
void wsl_disconnects_watch(wsl_loop *loop, wsl_slot *slot);
void wsl_disconnects_unwatch(wsl_loop *loop, wsl_slot *slot);

// http/response.c
void wsl_request_end(wsl_slot *slot);
void wsl_discard_body(wsl_slot *slot, bool is_last);
int wsl_http_writable(wsl_loop *loop, wsl_slot *slot);
bool wsl_response_set(wsl_slot *slot, const void *head, size_t head_count, const void *body,
                      size_t body_count, bool keep_alive);

// http/filter.c
int wsl_http_filter(wsl_slot *slot, struct lws *wsi);

// http/http.c
int wsl_http_begin(wsl_loop *loop, wsl_slot *slot, struct lws *wsi);
int wsl_http_body(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count);
int wsl_http_body_complete(wsl_loop *loop, wsl_slot *slot, struct lws *wsi);
void wsl_http_resume(wsl_loop *loop, wsl_slot *slot);

// http/upgrade.c
int wsl_confirm_upgrade(wsl_loop *loop, wsl_slot *slot, struct lws *wsi);

// sockets/adopt.c
/// Answers a connection that no loop serves with 503, and closes it.
void wsl_turn_away(wsl_loop *loop, wsl_connection connection, const char *code,
                   const char *detail);
void wsl_refuse_new(wsl_loop *loop, wsl_connection connection);

// sockets/admit.c
wsl_network_id wsl_counted_network(const wsl_loop *loop, wsl_address peer);
bool wsl_admit(wsl_loop *loop, wsl_connection connection);
void wsl_refuse_network(wsl_loop *loop, wsl_connection connection);
void wsl_set_options(const wsl_loop *loop, wsl_connection connection);

// sockets/relay.c
void wsl_relay_to(wsl_loop *loop, wsl_connection connection, const char *address, uint16_t port);
void wsl_relays_sweep(wsl_loop *loop, int64_t now);

// sockets/arrivals.c
void wsl_serve(wsl_loop *loop, wsl_connection connection);
void wsl_expect_header(wsl_loop *loop, wsl_connection connection);
void wsl_arrivals_sweep(wsl_loop *loop, int64_t now);

// sockets/accept.c
void wsl_accept_all(uv_poll_t *poll, int status, int events);

// sockets/listen.c
/// Accepts the connections that the kernel would reset when the listeners are closed: their clients
/// may have sent requests already.
void wsl_accept_rest(wsl_loop *loop);
void wsl_close_listeners(wsl_loop *loop);

// loop/sweep.c
void wsl_sweep(uv_timer_t *timer);

// loop/deferred.c
void wsl_run_deferred(wsl_loop *loop);

// loop/reading.c
ssize_t wsl_read(wsl_loop *loop, const wsl_source *source, uint8_t *bytes, size_t size);

// loop/callback.c
int wsl_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                 size_t count);

// loop/context.c
bool wsl_context_create(wsl_loop *loop, const char *const *subprotocols, size_t count);
void wsl_context_destroy(wsl_loop *loop);
