/// What the files of CWebSocketLoop share. Nothing outside includes this.
#pragma once

#include <libwebsockets.h>
#include <sys/socket.h>
#include <uv.h>

#include "CWebSocketLoop.h"
#include "octets.h"

/// For the request line's and the headers' text of one request; more is hung up.
#define WSL_HEAD_BYTES_MAX 8192

/// For a whole response with a problem document; details are short.
#define WSL_PROBLEM_BYTES 1024

_Static_assert(LWS_PRE <= WSL_HEADROOM, "a frame's headroom must hold libwebsockets' header");

/// Posted frames are sent at the end of the event-loop iteration, or earlier when one of these
/// limits is reached. Enough for several concurrent taps in a session of a thousand members.
enum {
  WSL_BATCH_SLOTS = 1024,
  WSL_BATCH_PIECES = 8192,
  WSL_BATCH_BYTES = 65536,
  WSL_PARCEL_BYTES = 32768,   ///< of one connection, or one longer frame
  WSL_PIECES_EACH_MAX = 1000, ///< of one connection; sendmsg() takes 1,024
};

/// The state of a connection. A slot goes down this list, except for HTTP's keep-alive.
typedef enum wsl_phase {
  PHASE_FREE = 0,
  PHASE_IDLE,         ///< between requests, or reading headers: libwebsockets has its timeouts
  PHASE_BODY,         ///< a request's body arrives
  PHASE_ASKED,        ///< the handler has the request
  PHASE_ANSWERING,    ///< the response is going out
  PHASE_STREAMING,    ///< a response without an end is going out
  PHASE_DISCARDING,   ///< answered before the body was read: the rest of it is dropped
  PHASE_OPEN,         ///< a WebSocket
  PHASE_CLOSING,      ///< our close frame is written: waiting for the peer's
  PHASE_FAILED,       ///< libwebsockets closes; its parser may never see the peer's answer
  PHASE_DOOMED,       ///< to be dropped without a close frame
} wsl_phase;

/// Where a UTF-8 text stands between two pieces of it.
typedef struct wsl_utf8 {
  uint8_t missing;    ///< continuation octets still to come, 0 to 3
  uint8_t low, high;  ///< what the next one may be
} wsl_utf8;

/// A message that arrives in pieces. Only there while one does.
typedef struct wsl_assembly {
  size_t count, capacity;
  uint32_t fragments; ///< whole frames so far
  wsl_utf8 utf8;
  uint8_t bytes[];
} wsl_assembly;

/// A request's body or a response on its way.
typedef struct wsl_exchange {
  size_t count, capacity, sent;
  bool keep_alive;
  uint8_t bytes[];
} wsl_exchange;

typedef struct wsl_slot {
  struct lws *wsi;          ///< not after CLOSED
  uint32_t generation;
  uint8_t phase;
  bool is_full;             ///< the handler was told to wait
  bool is_admitted;         ///< the handler accepted the upgrade
  bool is_silent;           ///< not read from, as long as a response is under way
  bool is_paused;           ///< not read from until `wsl_resume`
  bool is_streaming;        ///< the handler has started a stream
  bool is_ending;           ///< the handler has ended it, or must not hear of it
  bool is_opened;           ///< `opened` was called
  bool is_admin;            ///< accepted by the admin listener
  bool is_detached;         ///< another loop has the connection, and counts it
  bool is_head_read;        ///< libwebsockets has read the head of the current request
  bool is_refused;          ///< an error was written; the connection ends
  int64_t deadline_ms;      ///< 0 is none; what happens then depends on the phase
  int64_t ping_at_ms, pong_at_ms;
  int64_t paused_at_ms;
  uint32_t body_bytes;      ///< of the request's body, counted in `bodies_bytes`
  int64_t octets_read;      ///< from the socket when the request before was over
  uint16_t posted_first, posted_last; ///< pieces of the batch, counted from 1; 0 is none
  uint16_t posted_count;
  uint32_t posted_bytes;
  wsl_network_id network;   ///< under which the connection is counted
  union {
    wsl_assembly *assembly; ///< OPEN
    wsl_exchange *exchange; ///< BODY … STREAMING
    uint32_t next_free;     ///< FREE
  };
} wsl_slot;

/// A frame posted to one connection.
typedef struct wsl_piece {
  const uint8_t *bytes;
  uint32_t count;
  uint16_t next;            ///< counted from 1; 0 is none
} wsl_piece;

/// The frames posted in this event-loop iteration.
typedef struct wsl_batch {
  uint32_t slot_count, piece_count, byte_count;
  uint32_t slots[WSL_BATCH_SLOTS];
  wsl_piece pieces[WSL_BATCH_PIECES];
  uint8_t bytes[WSL_BATCH_BYTES];
} wsl_batch;

/// A listening socket.
typedef struct wsl_listener {
  wsl_loop *loop;
  uv_poll_t poll;
  int descriptor;           ///< -1: not listening
  bool is_polled;
} wsl_listener;

struct wsl_loop {
  uv_loop_t uv;
  uv_prepare_t turn_end;
  uv_async_t wake;
  uv_timer_t timer, sweep;
  wsl_listener listeners[WSL_AUDIENCE_COUNT];
  int spare_descriptor;
  bool is_kicked;           ///< libwebsockets was woken, and has not come round since
  wsl_slot *adopted;        ///< waits for its wsi, whose first callback takes it
  struct lws_context *context;
  struct lws_vhost *vhost;
  struct lws_protocols *protocols;
  size_t protocol_count;
  wsl_limits limits;
  wsl_handlers handlers;
  void *owner;
  wsl_slot *slots;
  uint32_t slot_count;      ///< slots ever used
  uint32_t first_free;      ///< index + 1; 0 is none
  int64_t drain_by_ms;      ///< 0 is no drain
  uint64_t iterated_at_ns, idle_ns; ///< when the last iteration was over; idle time until then
  int64_t log_second;
  uint32_t log_lines;
  wsl_counters counters;
  uint64_t bodies_bytes;    ///< for a loop that is alone
  wsl_peers *own_count;     ///< of a loop that is alone
  int hangup_epoll;
  uv_poll_t hangups;
  wsl_batch batch;
};

struct wsl_request {
  wsl_loop *loop;
  wsl_slot *slot;
  struct lws *wsi;
  wsl_method method;
  wsl_text path, body;
  bool is_refused;
  char scratch[WSL_HEAD_BYTES_MAX + 1];
};

// slots.c
wsl_slot *wsl_slot_take(wsl_loop *loop);
void wsl_slot_release(wsl_loop *loop, wsl_slot *slot);
wsl_slot *wsl_slot_of(wsl_loop *loop, wsl_id id);
wsl_slot *wsl_slot_of_wsi(wsl_loop *loop, struct lws *wsi);
wsl_id wsl_slot_id(const wsl_loop *loop, const wsl_slot *slot);
void wsl_slot_drop_parts(wsl_slot *slot);
void wsl_doom(wsl_loop *loop, wsl_slot *slot);
void wsl_kick(wsl_loop *loop);
void wsl_slot_over(wsl_loop *loop, wsl_slot *slot);
void wsl_sweep(uv_timer_t *timer);

// listen.c
void wsl_close_listeners(wsl_loop *loop);
void wsl_refuse_connection(int descriptor, int status, const char *code, const char *detail);
void wsl_refuse_socket(int descriptor, int status, const char *headers, const char *code,
                       const char *detail);

// adopt.c
void wsl_serve(wsl_loop *loop, wsl_connection connection, const void *head, size_t head_count,
               bool is_admin);

// peers.c
typedef enum wsl_admission { WSL_ADMITTED, WSL_TOO_MANY, WSL_TOO_MANY_OF_NETWORK } wsl_admission;
wsl_admission wsl_peers_begin(wsl_peers *count, wsl_network_id network);
void wsl_peers_end(wsl_peers *count, wsl_network_id network);
void wsl_peers_limit(wsl_peers *count, uint32_t open_max);
wsl_network_id wsl_network_of(const struct sockaddr *address);

// hangup.c
bool wsl_hangups_create(wsl_loop *loop);
void wsl_hangups_watch(wsl_loop *loop, wsl_slot *slot);
void wsl_hangups_forget(wsl_loop *loop, wsl_slot *slot);

// callback.c
int wsl_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in,
                 size_t count);

// upgrade.c
int wsl_confirm_upgrade(wsl_loop *loop, wsl_slot *slot, struct lws *wsi);

// request.c
void wsl_request_init(wsl_request *request, wsl_loop *loop, wsl_slot *slot, struct lws *wsi);
const char *wsl_header_name(wsl_header header);
bool wsl_has_token(const char *list, const char *token);
bool wsl_repeats(struct lws *wsi, enum lws_token_indexes header);
size_t wsl_problem_text(char *into, size_t size, int status, const char *headers,
                        const char *code, const char *detail);
int wsl_hang_up(struct lws *wsi, int status, const char *headers, const char *code,
                const char *detail);

// http.c
int wsl_http_begin(wsl_loop *loop, wsl_slot *slot, struct lws *wsi);
int wsl_http_body(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count);
int wsl_http_body_complete(wsl_loop *loop, wsl_slot *slot, struct lws *wsi);
int wsl_http_filter(wsl_slot *slot, struct lws *wsi);
bool wsl_has_body(struct lws *wsi);

void wsl_body_over(wsl_loop *loop, wsl_slot *slot);

// response.c
int wsl_http_writable(wsl_loop *loop, wsl_slot *slot);
bool wsl_response_set(wsl_slot *slot, const void *head, size_t head_count, const void *body,
                      size_t body_count, bool keep_alive);

// websocket.c
int wsl_ws_opened(wsl_loop *loop, wsl_slot *slot);
int wsl_ws_writable(wsl_loop *loop, wsl_slot *slot);
void wsl_ws_pong(wsl_slot *slot);
void wsl_ws_failing(wsl_loop *loop, wsl_slot *slot);
int wsl_ws_peer_closes(wsl_loop *loop, wsl_slot *slot, const uint8_t *body, size_t count);
void wsl_ws_ping(wsl_loop *loop, wsl_slot *slot, int64_t now);
void wsl_ws_fail(wsl_loop *loop, wsl_slot *slot, uint16_t code, const char *reason);

// send.c
bool wsl_is_open(const wsl_slot *slot);
void wsl_flush(wsl_loop *loop);
void wsl_write(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count);

// receive.c
void wsl_ws_received(wsl_loop *loop, wsl_slot *slot, const void *bytes, size_t count);

// utf8.c
extern const wsl_utf8 wsl_utf8_start;
bool wsl_utf8_feed(wsl_utf8 *state, const uint8_t *bytes, size_t count);

// log.c
void wsl_log_use(wsl_loop *loop);
void wsl_log(wsl_loop *loop, bool is_error, const char *line);
const char *wsl_log_last_error(void);
