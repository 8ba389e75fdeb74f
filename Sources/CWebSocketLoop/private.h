/// Types shared by the files of CWebSocketLoop; not part of its interface. The functions that they
/// share are in layers.h.
#pragma once

#include <libwebsockets.h>
#include <sys/socket.h>
#include <uv.h>

#include "CWebSocketLoop.h"

/// The limit for the request line and headers of one request; a longer head is answered 431. A
/// member token of 8 KiB fits.
#define WSL_HEAD_BYTES_MAX 12288

/// The buffer size for a complete response with a problem document (RFC 9457). Its `detail` is
/// always short.
#define WSL_PROBLEM_BYTES 1024

_Static_assert(LWS_PRE <= WSL_HEADROOM, "a frame's headroom must hold libwebsockets' header");

/// Limits of the batch. Posted frames are sent at the end of an event-loop iteration, or earlier
/// when one of these is reached. They suffice for several concurrent taps in a session of a
/// thousand members, also if each displays other months.
enum {
  WSL_BATCH_SLOTS = 1024,
  WSL_BATCH_PIECES = 8192,
  WSL_BATCH_BYTES = 8388608,
  WSL_PARCEL_BYTES = 32768,   ///< per connection, unless a single frame is longer
  WSL_PIECES_EACH_MAX = 1000, ///< per connection; sendmsg() takes at most 1,024
};

/// The beginning of a PROXY protocol header: its prefix and the addresses of TCP over IPv6.
typedef struct wsl_proxy_header {
  uint8_t bytes[16 + 36];
  uint32_t count;           ///< bytes received, including those that are not stored
} wsl_proxy_header;

/// The length of a header that `wsl_proxy_write` writes.
#define WSL_PROXY_BYTES (16 + 36)

/// A connection that no loop serves yet, see sockets/arrivals.c.
typedef struct wsl_arrival wsl_arrival;

/// A connection that is relayed to another node, see sockets/relay.c.
typedef struct wsl_relay wsl_relay;

/// The state of a connection. The phase of a slot only moves down this list, except when a
/// keep-alive connection receives its next request and when the slot is released (PHASE_FREE).
typedef enum wsl_phase {
  PHASE_FREE = 0,
  PHASE_IDLE,         ///< between requests, or reading headers; libwebsockets' timeouts apply
  PHASE_BODY,         ///< receiving a request's body
  PHASE_ASKED,        ///< the handler is processing the request
  PHASE_ANSWERING,    ///< sending a response
  PHASE_STREAMING,    ///< sending a streamed response
  PHASE_DISCARDING,   ///< answered before the body was read; the rest of it is discarded
  PHASE_OPEN,         ///< an open WebSocket
  PHASE_CLOSING,      ///< we have sent a close frame and wait for the peer's
  PHASE_FAILED,       ///< libwebsockets sends a close frame and may not parse the peer's
  PHASE_ABORTED,      ///< aborted: will be dropped without a close frame
} wsl_phase;

/// The state of an incremental UTF-8 validator between two pieces of a text.
typedef struct wsl_utf8 {
  uint8_t missing;    ///< continuation bytes still expected, 0 to 3
  uint8_t low, high;  ///< the valid range of the next continuation byte
} wsl_utf8;

/// A WebSocket message that is being assembled from several pieces. The slot's pointer to it is
/// NULL at other times.
typedef struct wsl_assembly {
  size_t count, capacity;
  uint32_t fragments; ///< complete frames received so far
  wsl_utf8 utf8;
  uint8_t bytes[];
} wsl_assembly;

/// The buffer of a request body being received (PHASE_BODY) or of a response being sent
/// (PHASE_ANSWERING), never both.
typedef struct wsl_exchange {
  size_t count, capacity, sent;
  bool keep_alive;
  uint8_t bytes[];
} wsl_exchange;

/// How much of the head of a request was received; see http/head.c. All zero before it.
typedef struct wsl_head_reader {
  uint8_t state;
  uint8_t count;      ///< bytes of the name of the current header; at most one more than `name` has
  char name[40];      ///< in lower case; longer than all names that libwebsockets knows
  bool has_target;    ///< the target has begun
  bool is_target_malformed; ///< it has characters that no URL has, or none
  char target_first;  ///< its first character
  uint32_t length;    ///< bytes received, with empty lines before the head
} wsl_head_reader;

/// The last ping of a connection, see websocket/pings.c. The reader's pointer to it is NULL at
/// other times.
typedef struct wsl_ping {
  uint8_t count, mask_count; ///< bytes of the payload and of the mask received so far
  uint8_t mask[4];
  uint8_t bytes[125];        ///< the payload, unmasked
  bool is_whole;
  bool is_due;               ///< `pong` has not been sent
  uint8_t pong_count;
  uint8_t pong[2 + 125];     ///< a frame
} wsl_ping;

/// How a frame violates RFC 6455, and what the connection is closed with.
typedef struct wsl_violation {
  uint16_t code;
  const char *reason;
} wsl_violation;

/// How much of a frame was received; see websocket/frames.c. All zero before it.
typedef struct wsl_frame_reader {
  uint64_t payload;   ///< bytes of the payload that have not been received
  uint8_t state;
  uint8_t missing;    ///< bytes of the current part of the header that have not been received
  bool is_control, is_close;
  bool is_ping;             ///< the frame is removed, and its payload is in `ping`
  wsl_ping *ping;
} wsl_frame_reader;

/// The state of a connection. Every connection has one, so the fields are ordered to avoid padding.
typedef struct wsl_slot {
  struct lws *wsi;          ///< NULL once libwebsockets has reported the end of the connection
  uint32_t generation;
  uint8_t phase;
  bool is_write_blocked;    ///< `WSL_WRITE_BLOCKED` or `write_blocked` was reported to the handler
  bool is_admitted;         ///< the handler accepted the upgrade
  bool is_silent;           ///< reading is disabled while a response is sent, see `silence`
  bool is_paused;           ///< reading is disabled until `wsl_resume`, or `wsl_http_resume`
  bool is_streaming;        ///< the handler has started a stream
  bool is_ending;           ///< the handler has ended the stream: `stream_closed` is not called
  bool is_opened;           ///< `opened` was called
  bool is_tls;
  bool is_detached;         ///< `wsl_move` was called; the next loop counts the connection
  bool is_head_read;        ///< libwebsockets has read the head of the current request
  bool is_refused;          ///< an error response was written; the connection is about to end
  bool is_last;             ///< the connection ends when the body has been discarded
  bool is_deferred;         ///< in the list of loop/deferred.c
  bool is_body_dropped;     ///< the request's body is read and dropped, instead of stored
  bool is_body_answered;    ///< the request was refused before its body was read
  bool is_continue_asked;   ///< the client waits for 100 Continue before it sends the body
  uint16_t posted_first, posted_last; ///< list of pieces in the batch, numbered from 1; 0: none
  uint16_t posted_count;
  uint32_t next_deferred;   ///< the next slot there: index + 1; 0: none
  int descriptor;
  wsl_head_reader head;
  wsl_frame_reader frame;
  const wsl_violation *violation; ///< of the peer; what it sends is discarded. NULL: none
  int64_t deadline_ms;      ///< 0: none; see sweep.c for its effect in each phase
  int64_t ping_at_ms, pong_at_ms;
  int64_t paused_at_ms;
  uint64_t body_rest;       ///< bytes of the body that have not been received
  size_t unsent_bytes;      ///< of a response, or buffered by libwebsockets
  size_t unsent_reserved;   ///< how many of them are counted in `limits.unsent_bytes`
  wsl_network_id network;   ///< the client's network, whose connections are limited
  wsl_address peer;
  uint32_t dropped_bytes;   ///< bytes of dropped bodies since the last sweep
  uint32_t body_length;     ///< the announced length of the body
  uint32_t body_bytes;      ///< memory of the request's body as counted in `bodies_bytes`
  uint32_t posted_bytes;
  wsl_audience audience;
  int moving_descriptor;    ///< with `is_detached`: the connection's own descriptor,
  wsl_tls_state *moving_tls; ///< its TLS state, if any,
  void *destination;        ///< and where it moves to; the request's head is in `exchange`
  union {                   ///< the active member depends on the phase
    wsl_assembly *assembly; ///< OPEN
    wsl_exchange *exchange; ///< BODY to STREAMING
    uint32_t next_free;     ///< FREE
  };
} wsl_slot;

_Static_assert(sizeof(wsl_slot) <= 256, "a slot has no padding");

/// The socket or TLS state from which a connection is read. `peek` and `read` return what `recv`
/// and `SSL_read` do.
typedef struct wsl_source {
  wsl_slot *slot;
  wsl_tls_state *tls;
  ssize_t (*peek)(const struct wsl_source *source, void *bytes, size_t size);
  ssize_t (*read)(const struct wsl_source *source, void *bytes, size_t size);
} wsl_source;

/// Results of `wsl_read` that are not numbers of bytes.
enum {
  WSL_READ_FAILED = -1,     ///< as from `source->read`
  WSL_READ_LATER = -2,      ///< nothing may be read now
  WSL_READ_MALFORMED = -3,  ///< the head of a request is malformed
};

/// A frame posted to one connection.
typedef struct wsl_piece {
  const uint8_t *bytes;
  uint32_t count;
  uint16_t next;            ///< the next piece of the same connection, numbered from 1; 0: none
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
  wsl_listening listening;
  bool is_polled;
} wsl_listener;

struct wsl_loop {
  uv_loop_t uv;
  uv_prepare_t iteration_end;
  uv_async_t wake;
  uv_timer_t timer, sweep;
  wsl_listener listeners[WSL_LISTENERS_MAX];
  uint32_t listener_count;
  wsl_arrival *arrivals, *held;
  uint32_t held_count;
  wsl_id last_held;         ///< id of the last connection that was held
  wsl_relay *relays;
  wsl_tls *tls;             ///< the certificate for new connections; NULL: none
  int spare_descriptor;
  bool is_kicked;           ///< lws_cancel_service() was called and has not taken effect yet
  wsl_slot *adopted;        ///< slot of the adoption in progress; the first callback claims it
  struct lws_context *context;
  struct lws_vhost *vhost, *tls_vhost;
  struct lws_protocols *protocols;
  size_t protocol_count;
  wsl_limits limits;
  wsl_handlers handlers;
  void *owner;
  wsl_slot *slots;
  uint32_t *slot_numbers;   ///< by descriptor: the number of the last slot that had it; 0: none
  size_t descriptor_count;  ///< entries of `slot_numbers`
  uint32_t slot_count;      ///< slots ever used
  uint32_t first_free;      ///< head of the free list: index + 1; 0: empty
  uint32_t first_deferred;  ///< head of the list of loop/deferred.c: index + 1; 0: empty
  uint32_t admin_count;     ///< connections of admin listeners
  bool is_last_request;     ///< HTTP connections end with their next response
  int64_t drain_by_ms;      ///< 0: not draining
  uint64_t iterated_at_ns;  ///< end of the last iteration
  uint64_t waited_ns;       ///< time spent waiting for events since then
  int64_t log_second;
  uint32_t log_lines;
  wsl_counters counters;
  uint64_t bodies_bytes;    ///< the total of this loop, unless `limits` has a shared one
  uint64_t unsent_bytes;    ///< likewise
  wsl_peers *own_count;     ///< the counter of this loop, unless `limits` has a shared one
  int disconnect_epoll;
  uv_poll_t disconnect_poll;
  wsl_batch batch;
};

struct wsl_request {
  wsl_loop *loop;
  wsl_slot *slot;
  struct lws *wsi;
  wsl_method method;
  wsl_text body;
  uint64_t unread;          ///< bytes of a body that is not received
  wsl_exchange *exchange;   ///< owns `body`; NULL if the handler has taken it
  bool is_refused;
  char scratch[WSL_HEAD_BYTES_MAX + 1];
};

#include "layers.h"
