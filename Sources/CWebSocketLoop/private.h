/// The parts of CWebSocketLoop that its files share; not part of its interface.
///
/// The files, from the lowest layer to the highest. A file uses functions of files that come
/// before it in this list, never of files after it, not even as callbacks. CLayerTests checks this.
///
///     text.c        problem documents, UTF-8
///     tls.c         receives and sends with and without TLS
///     slots.c       slots: ids, allocation, abort, end of a WebSocket; what they hold
///     relay.c       passes bytes: to other nodes, and between a client with TLS and its WebSocket
///     send.c        messages, one by one or batched per event-loop iteration
///     websocket.c   opening, reassembly, close frames, pauses and pings
///     head.c        parses and checks the heads of requests
///     request.c     what a handler can read of a request
///     connection.c  connections before their WebSocket opens; how they end
///     response.c    responses, complete or streamed
///     http.c        heads, where they are served, bodies, and upgrades
///     sockets.c     listeners, and the PROXY protocol
///     loop.c        libwebsockets' context and callbacks; creates, runs and destroys a loop
///
/// Lower layers report to higher code only by the `wsl_handlers` of the loop.
///
/// The phases of a connection:
///
///     phase       what happens                          reads           ends with, and next phase
///     ----------  ------------------------------------  --------------  -------------------------
///     PROXIED     a PROXY header arrives                sockets.c       HEAD
///     HEAD        TLS handshake, a request's head; or   http.c          BODY, ASKED, OPEN; HEAD of
///                 a later request is awaited                            another loop; closed
///     BODY        the request's body arrives            http.c          ASKED; refusal: LINGERING
///     ASKED       the handler answers                   nobody          ANSWERING, STREAMING
///     ANSWERING   the response is sent                  nobody          HEAD, LINGERING
///     STREAMING   the response is sent in parts         nobody          LINGERING
///     LINGERING   what arrives after a last response    http.c          closed
///     BROKEN      ends with this iteration              nobody          closed
///     OPEN        WebSocket messages                    libwebsockets   CLOSING, FAILED, closed
///     CLOSING     we have sent a close frame            libwebsockets   the peer's; 5 s: closed
///     FAILED      libwebsockets fails the frame         libwebsockets   300 ms: closed
///     ABORTED     dropped in the next iteration         nobody          closed
///
/// In HEAD and BODY the handler can hold a connection: nothing is read of it, not even the TLS
/// handshake, and no time limit runs, until `wsl_read`.
///
/// In every phase a time limit, a failed write or a reset ends the connection. A WebSocket with TLS
/// has one end of a socket pair: a tunnel (relay.c) passes what OpenSSL decrypts and encrypts
/// between the other end and the client.
#pragma once

#include <libwebsockets.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <uv.h>

#include "CWebSocketLoop.h"

/// The limit for the request line and headers of one request; a longer head is answered 431. A
/// member token of 8 KiB fits.
#define WSL_HEAD_BYTES_MAX 12288

/// The limits for the parts of a head: so many are split and decoded. More header lines are
/// answered 431, more slashes in the path 404, more fields in the query 400.
#define WSL_HEADER_LINES_MAX 100
#define WSL_SEGMENTS_MAX 64
#define WSL_QUERY_FIELDS_MAX 64

/// The room for the repeated headers of a request, which are joined with two bytes.
#define WSL_JOINED_BYTES (WSL_HEAD_BYTES_MAX + 2 * WSL_HEADER_LINES_MAX)

/// The buffer size for a complete response with a problem document (RFC 9457). Its `detail` is
/// always short.
#define WSL_PROBLEM_BYTES 1024

_Static_assert(LWS_PRE <= WSL_HEADROOM, "a frame's headroom must hold libwebsockets' header");

/// Limits of the batch. Posted frames are sent at the end of an event-loop iteration, or earlier
/// when one of these is reached. They suffice for several concurrent taps in a session of ten
/// thousand members: what is posted while a tap is being sent goes out with it.
enum {
  WSL_BATCH_SLOTS = 32768,
  WSL_BATCH_PIECES = 131072,
  WSL_BATCH_BYTES = 8388608,
  WSL_PARCEL_BYTES = 32768,   ///< per connection, unless a single frame is longer
  WSL_PIECES_EACH_MAX = 1000, ///< per connection; sendmsg() takes at most 1,024
};

/// The headers that are used: those of `wsl_header`, and these.
enum {
  WSL_CONTENT_LENGTH = WSL_HEADER_COUNT, WSL_EXPECT, WSL_TRANSFER_ENCODING, WSL_UPGRADE,
  WSL_HEADERS
};

/// The beginning of a PROXY protocol header: its prefix and the addresses of TCP over IPv6.
typedef struct wsl_proxy_header {
  uint8_t bytes[16 + 36];
  size_t count;             ///< bytes received, including those that are not stored
  size_t length;            ///< as far as it is known
} wsl_proxy_header;

#define WSL_PROXY_PREFIX 16

/// A part of a head. `start` is 0 if it is absent.
typedef struct wsl_span {
  uint16_t start, count;
} wsl_span;

/// The parsed head of a request.
typedef struct wsl_head {
  wsl_method method;
  bool is_1_1;              ///< HTTP/1.1, not 1.0
  uint16_t headers;         ///< the start of their lines
  uint32_t repeated;        ///< a bit for each header
  wsl_span target, fields[WSL_HEADERS];
} wsl_head;

/// A response that refuses a request. Status 0: none; -1: no response, because the connection has
/// ended.
typedef struct wsl_problem {
  int status;
  const char *code, *detail;
} wsl_problem;

/// See the table above.
typedef enum wsl_phase {
  PHASE_FREE = 0,
  PHASE_PROXIED, PHASE_HEAD, PHASE_BODY, PHASE_ASKED, PHASE_ANSWERING,
  PHASE_STREAMING, PHASE_LINGERING, PHASE_BROKEN,
  PHASE_OPEN, PHASE_CLOSING, PHASE_FAILED, PHASE_ABORTED,
} wsl_phase;

/// A slot whose connection is a `wsl_http` has this phase.
#define PHASE_HTTP PHASE_ASKED

typedef struct wsl_slot wsl_slot;
typedef struct wsl_http wsl_http;
typedef struct wsl_pipe wsl_pipe;

/// A connection before its WebSocket opens, see http.c.
struct wsl_http {
  uv_poll_t poll;
  int events;               ///< that are polled
  wsl_phase phase;          ///< up to BROKEN
  wsl_loop *loop;
  wsl_connection connection;
  wsl_http **link, *next;   ///< in the loop's list
  wsl_http *next_settled;   ///< in the loop's list of those that the iteration's end must look at
  void (*ready)(wsl_http *http, int status, int events);  ///< handles an event
  bool is_settled;          ///< in that list
  bool is_held;             ///< by the handler, since `slot->paused_at_ms`
  bool is_streaming;        ///< the handler has started a stream, and not ended it
  bool is_half_closed;      ///< the peer sends nothing more
  bool is_kept;             ///< the request permits another one on the connection
  wsl_slot *slot;           ///< of the request; NULL: nothing was received of it
  int64_t deadline_ms;
  uint64_t body_rest;       ///< bytes of the body that were not received
  uint32_t dropped_bytes;   ///< since the last sweep
  union {
    wsl_proxy_header proxy; ///< PROXIED
    wsl_head head;          ///< of the request in `connection.head`
  };
};

/// One of the two connections of a relay.
typedef struct wsl_side {
  uv_poll_t poll;
  wsl_pipe *relay;
  struct wsl_side *other;
  int descriptor;
  SSL *tls;                 ///< NULL: none
  int events;               ///< that are polled
  bool has_ended;           ///< it sends nothing more
  bool is_deaf;             ///< it takes nothing more
  uint8_t *rest;            ///< what the other side has sent and this one has not taken, or NULL
  size_t rest_count, rest_sent;
  uint64_t *taken;          ///< counts what it takes; NULL: nothing does
} wsl_side;

/// Passes bytes between a client and a node, or a client with TLS and a slot, see relay.c.
struct wsl_pipe {
  wsl_loop *loop;
  wsl_connection connection; ///< of the client
  wsl_side client, node;    ///< in a tunnel, `node` is an end of the socket pair
  bool is_tunnel;
  bool may_hold;            ///< the socket pair may hold a part of a message for the client
  wsl_slot *slot;           ///< that a tunnel serves; NULL: it has ended, or there is none: the
                            ///< relay counts as the connection
  int64_t node_number;      ///< of the node
  bool is_connected;        ///< to the node
  uint8_t handle_count;     ///< that are not closed
  int64_t deadline_ms;      ///< to connect, or to end; 0: none
  int64_t passed_at_ms;     ///< when something was passed last
  wsl_pipe **link, *next;  ///< in the loop's list
};

/// The state of an incremental UTF-8 validator between two pieces of a text.
typedef struct wsl_utf8 {
  uint8_t missing;          ///< continuation bytes still expected, 0 to 3
  uint8_t low, high;        ///< the valid range of the next continuation byte
} wsl_utf8;

/// A WebSocket message that is being assembled from several pieces. The slot's pointer to it is
/// NULL at other times.
typedef struct wsl_assembly {
  size_t count, capacity;
  uint32_t fragments;       ///< complete frames received so far
  wsl_utf8 utf8;
  uint8_t bytes[];
} wsl_assembly;

/// The buffer of a request body being received, or of what is not sent of a response, never both.
typedef struct wsl_exchange {
  size_t count, capacity, sent;
  bool keep_alive;
  uint8_t bytes[];
} wsl_exchange;

/// What has an id: a request, or a WebSocket. The fields are ordered to avoid padding.
struct wsl_slot {
  struct lws *wsi;          ///< NULL: a request, or the connection has ended
  wsl_http *http;           ///< NULL: a WebSocket
  uint32_t generation;
  uint8_t phase;
  bool is_write_blocked;    ///< `WSL_WRITE_BLOCKED` or `write_blocked` was reported to the handler
  uint8_t pause_count;      ///< reading is disabled until as many `wsl_resume`
  bool is_opened;           ///< `opened` was called
  uint16_t posted_count;
  uint32_t posted_first, posted_last; ///< list of pieces in the batch, numbered from 1; 0: none
  uint32_t posted_bytes;
  wsl_pipe *tunnel;        ///< to a client with TLS; NULL: none, or it has ended
  int64_t deadline_ms;      ///< 0: none
  int64_t ping_at_ms, pong_at_ms;
  int64_t paused_at_ms;
  size_t unsent_bytes;      ///< of a response, or buffered by libwebsockets
  size_t unsent_reserved;   ///< how many of them the `reserve` handler has granted
  wsl_network_id network;   ///< the client's network, whose connections are limited
  uint32_t body_length;     ///< the announced length of the body
  uint32_t body_reserved;   ///< memory of it that the `reserve` handler has granted
  wsl_audience audience;
  uint32_t next_free;       ///< FREE: in the free list
  union {
    wsl_assembly *assembly; ///< of a WebSocket
    wsl_exchange *exchange; ///< of a request
  };
};

/// A frame posted to one connection.
typedef struct wsl_piece {
  const uint8_t *bytes;
  uint32_t count;
  uint32_t next;            ///< the next piece of the same connection, numbered from 1; 0: none
} wsl_piece;

/// The frames that were posted since an iteration ended with an empty batch.
typedef struct wsl_batch {
  uint32_t few_count, many_count, many_written, piece_count, byte_count;
  uint32_t part_count;  ///< iterations since one at whose end the batch was empty
  /// The connections with frames. At the start, `few_count` whose first frame was for few. At the
  /// end, in reverse order, `many_count` others, of which `many_written` have been written.
  uint32_t slots[WSL_BATCH_SLOTS];
  wsl_piece pieces[WSL_BATCH_PIECES];
  uint8_t bytes[WSL_BATCH_BYTES];
} wsl_batch;

typedef struct wsl_listener {
  wsl_loop *loop;
  uv_poll_t poll;
  int descriptor;
  bool is_inherited, is_polled;
} wsl_listener;

struct wsl_loop {
  uv_loop_t uv;
  uv_prepare_t iteration_end;
  uv_async_t wake;
  uv_timer_t timer, sweep;
  /// What wsl_timer() has set, until the iteration ends.
  int64_t timer_at_ms;
  bool is_timer_new;
  wsl_listener listeners[WSL_LISTENERS_MAX];
  size_t listener_count;
  wsl_http *unopened, *settled;
  wsl_pipe *relays;
  wsl_tls *tls;             ///< the certificate for new connections; NULL: none
  bool is_kicked;           ///< lws_cancel_service() was called and has not taken effect yet
  wsl_slot *adopted;        ///< slot of the adoption in progress; the first callback claims it
  struct lws_context *context;
  struct lws_vhost *vhost;
  struct lws_protocols *protocols;
  size_t protocol_count;
  wsl_limits limits;
  wsl_handlers handlers;
  void *owner;
  wsl_slot *slots;
  uint32_t slot_count;      ///< slots ever used
  uint32_t first_free;      ///< head of the free list: index + 1; 0: empty
  bool is_last_request;     ///< HTTP connections end with their next response
  int64_t drain_by_ms;      ///< 0: not draining
  uint64_t began_at_ns;     ///< the first event of this iteration; 0: none yet
  char last_error[200];     ///< of libwebsockets
  wsl_counters counters;
  wsl_batch batch;
};

// text.c
extern const wsl_utf8 wsl_utf8_start;
bool wsl_utf8_feed(wsl_utf8 *state, const uint8_t *bytes, size_t count);
size_t wsl_problem_text(char *into, size_t size, wsl_problem problem);
int64_t wsl_now_ms(void);

// tls.c
bool wsl_tls_begin(wsl_loop *loop, wsl_connection *connection);
ssize_t wsl_receive(int descriptor, SSL *tls, void *into, size_t size, int flags);
ssize_t wsl_transmit(int descriptor, SSL *tls, const void *bytes, size_t count);
void wsl_shut(int descriptor, SSL *tls);
void wsl_connection_free(wsl_connection connection);

// slots.c
void wsl_note_event(wsl_loop *loop);
wsl_slot *wsl_slot_take(wsl_loop *loop, wsl_http *http);
void wsl_stop_if_drained(wsl_loop *loop);
void wsl_slot_release(wsl_loop *loop, wsl_slot *slot);
wsl_slot *wsl_slot_of(wsl_loop *loop, wsl_id id);
wsl_slot *wsl_slot_of_wsi(wsl_loop *loop, struct lws *wsi);
wsl_id wsl_slot_id(const wsl_loop *loop, const wsl_slot *slot);
void wsl_slot_drop_parts(wsl_slot *slot);
void wsl_kick(wsl_loop *loop);
void wsl_abort(wsl_loop *loop, wsl_slot *slot);
void wsl_slot_end(wsl_loop *loop, wsl_slot *slot);
void wsl_leave(wsl_loop *loop, wsl_audience audience, wsl_network_id network);
bool wsl_body_reserve(wsl_loop *loop, wsl_slot *slot, size_t count);
void wsl_body_release(wsl_loop *loop, wsl_slot *slot);
bool wsl_unsent_add(wsl_loop *loop, wsl_slot *slot, size_t count);
void wsl_unsent_end(wsl_loop *loop, wsl_slot *slot);

// send.c
bool wsl_is_open(const wsl_slot *slot);
void wsl_write(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count);
/// Sends the posted frames for few connections, and a part of those for many. Calls the handlers
/// `write_blocked` and `written`, which must not send, post or close, because the batch is in use
/// until this function returns.
///
/// - Returns: Whether all are sent and the batch is empty, as after 16 calls at the latest.
bool wsl_flush_part(wsl_loop *loop);
/// Sends all posted frames.
void wsl_flush(wsl_loop *loop);

// websocket.c
int wsl_ws_callback(wsl_loop *loop, wsl_slot *slot, enum lws_callback_reasons reason, void *in,
                    size_t count);
void wsl_ws_check(wsl_loop *loop, wsl_slot *slot, int64_t now);

// head.c
bool wsl_is_equal(wsl_text text, const char *other);
size_t wsl_head_end(const char *bytes, size_t count, size_t from);
bool wsl_head_begins(const char *bytes, size_t count);
bool wsl_head_parse(const char *bytes, size_t count, wsl_head *head, wsl_problem *problem);
wsl_text wsl_head_field(const char *bytes, const wsl_head *head, int header);
void wsl_head_join(const char *bytes, size_t count, const wsl_head *head,
                   wsl_text fields[WSL_HEADER_COUNT], char *into);
bool wsl_has_token(wsl_text list, const char *token);
int64_t wsl_content_length(const char *bytes, const wsl_head *head);

// request.c
/// A request for a handler. `joined` has room for its repeated headers.
wsl_request wsl_request_of(const wsl_http *http, char joined[WSL_JOINED_BYTES]);

// relay.c
void wsl_refuse_socket(int descriptor, SSL *tls, wsl_problem problem);
void wsl_refuse_connection(wsl_loop *loop, wsl_connection connection, wsl_problem problem);
int wsl_tunnel_to(wsl_loop *loop, wsl_connection connection, wsl_slot *slot);
bool wsl_tunnel_send(wsl_pipe *tunnel, const void *bytes, size_t count);
void wsl_relays_sweep(wsl_loop *loop, int64_t now);

// connection.c
wsl_http *wsl_http_make(wsl_loop *loop, wsl_connection connection, wsl_phase phase,
                        uint32_t milliseconds);
void wsl_http_poll(wsl_http *http, int events,
                   void (*ready)(wsl_http *http, int status, int events));
void wsl_http_readable(wsl_http *http);
void wsl_http_hold(wsl_http *http);
wsl_connection wsl_http_take(wsl_http *http);
void wsl_http_end(wsl_http *http);
void wsl_http_settle(wsl_http *http);
void wsl_http_break(wsl_http *http);
void wsl_http_linger(wsl_http *http);
void wsl_http_refuse(wsl_http *http, wsl_problem problem);
void wsl_http_sweep(wsl_loop *loop, int64_t now);
/// Closes connections of which nothing was received, or all that are between two requests.
void wsl_http_close(wsl_loop *loop, bool also_begun);

// response.c
void wsl_http_await_answer(wsl_http *http);
bool wsl_response_is_sent(const wsl_http *http);

// http.c
void wsl_http_serve(wsl_loop *loop, wsl_connection connection);
void wsl_http_begin(wsl_loop *loop, wsl_connection connection);
void wsl_http_settle_all(wsl_loop *loop);

// sockets.c
/// Accepts the connections that the kernel would reset when the listeners are closed: their clients
/// may have sent requests already. Then closes the listeners, in the next event-loop iteration.
void wsl_close_listeners(wsl_loop *loop, bool accepts_rest);
