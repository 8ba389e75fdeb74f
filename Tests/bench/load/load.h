/// Declarations of the load generator.
///
/// It uses one thread, raw epoll or no epoll at all (bulk.c), and no library but OpenSSL for TLS,
/// because it must use less CPU time than any server it measures.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// The maximum number of taps in flight in a room; a power of two.
#define LOAD_RING 4096
/// The exit status if as many taps wait: the rate is more than the server carries.
#define LOAD_OVERLOADED 3

/// Prints an error and exits with status 1.
_Noreturn void load_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// The monotonic clock in nanoseconds.
int64_t load_now(void);

// histogram.c

/// Counts of nanoseconds with a relative error under 1 %, from 0 to 2^63: 128 buckets an octave.
typedef struct histogram {
  uint64_t count;
  uint64_t buckets[64 * 128];
} histogram;

void histogram_add(histogram *histogram, int64_t nanoseconds);
/// Microseconds that a share of the values, such as 0.99, does not exceed; 0 if there are none.
double histogram_at(const histogram *histogram, double share);

// settings.c

typedef struct settings {
  int port;
  pid_t server;             ///< the process whose CPU time and memory are read; 0 for none
  const char *rooms;        ///< a file with a line for each room: PATH MEMBERS IS_ACTIVE [PORT...]
  const char *joins[8];     ///< member k of a room sends the k-th, modulo their count
  int join_count;
  const char *taps[16];     ///< sent round robin in a room; @ is the member's next ref
  int tap_count;
  double idle, warm, closed, open; ///< seconds
  double rates[8];          ///< taps per second of the open loops, one after the other
  int rate_count;
  double pause;             ///< the longest sleep in bulk in seconds, at least 0.001; default 0.1
  uint32_t timed;           ///< one of so many members; the others are read now and then; 0: all
  uint32_t slow;            ///< one of so many members does not read all that it gets; 0: none
  int window;               ///< taps in flight in a room, sent and received in bulk; 0: one by one
  bool is_shared;           ///< in bulk, all members of a room send; # is the sender's number
  bool is_storm;            ///< connect, tap, wait for a line of stdin, resume
  bool is_awaited;          ///< after the storm, wait for a line and a message to each member
  bool is_forwarded;        ///< each connection is of another address, as behind a proxy
  bool is_tls;
} settings;

settings settings_read(int count, char **arguments);

// tls.c and connection.c

/// SHAKING: in the handshake of TLS.
typedef enum phase {
  PHASE_NONE, PHASE_SHAKING, PHASE_UPGRADING, PHASE_OPEN, PHASE_JOINED
} phase;

/// The identity of a member from its welcome, for resuming.
typedef struct identity {
  char member[32], secret[64], epoch[64];
} identity;

typedef struct connection {
  int descriptor;
  uint32_t room;
  uint32_t number;          ///< index in its room
  int port;                 ///< of its server
  struct ssl_st *tls;       ///< NULL: none
  phase phase;
  bool is_slow;
  int64_t ref;              ///< of its last tap
  uint64_t delta_count;     ///< deltas since the phase began
  int64_t revision;         ///< of its last delta or welcome; only in a storm
  identity *identity;       ///< only in a storm
  uint8_t *rest;            ///< the start of an incomplete frame
  uint32_t rest_count;
} connection;

typedef struct room {
  const char *path;
  uint32_t first, count;    ///< its connections
  uint32_t slow_count;
  bool is_active;
  uint64_t taps;            ///< since the phase began
  int ports[8];             ///< member k is connected to the k-th, modulo their count
  int port_count;
  int sender;               ///< the port of the member that has tapped last
  uint32_t turn;            ///< the member that taps next
  uint32_t variant;         ///< the tap to send next
  uint64_t pending;         ///< outstanding deliveries of the last tap
  int64_t *sent;            ///< when each tap should have been sent; a ring
} room;

typedef struct load {
  settings settings;
  int epoll;
  connection *connections;
  uint32_t connection_count;
  room *rooms;
  uint32_t room_count;
  uint32_t *active;
  uint32_t active_count;
  uint32_t open_count, joined_count;
  uint64_t taps, deliveries, bytes_out, bytes_in, messages;
  uint64_t resumed, replaced; ///< welcomes with missed deltas and with a snapshot
  connection **untimed;     ///< connections that epoll does not have
  uint32_t untimed_count;
  uint64_t untimed_reads;
  int64_t next_read_at;     ///< of one of them
  bool is_looping;          ///< send the next tap when all members have the last one
  int64_t next_due;
  bool is_holding;          ///< buffer sends until `connection_flush`
  uint8_t held[8 + 65535];
  size_t held_count;
  histogram latencies;
  histogram far;            ///< of members at other servers than the sender's
} load;

/// Begins a TLS handshake with the server.
void tls_begin(connection *connection);
/// Continues it. - Returns: Whether it is complete.
bool tls_is_done(connection *connection);
void tls_end(connection *connection);
/// Like send() and recv(), with or without TLS.
ssize_t connection_write(connection *connection, const void *bytes, size_t count);
ssize_t connection_receive(connection *connection, uint8_t *into, size_t size);

/// Connects, which loopback accepts immediately, and begins the handshake.
void connection_open(load *load, connection *connection);
void connection_close(load *load, connection *connection);
/// Sends a text message in a masked frame of at most 65,535 bytes.
void connection_send(load *load, connection *connection, const char *text, size_t count);
/// Sends the buffered bytes, all of which are for this connection.
void connection_flush(load *load, connection *connection);
/// Reads and handles the available messages.
void connection_read(load *load, connection *connection);

// messages.c

void message_received(load *load, connection *connection, const char *text, size_t count,
                      int64_t now);
void message_join(load *load, connection *connection);
/// Sends the next tap of the room's next member. `due` is its intended time.
void message_tap(load *load, room *room, int64_t due);

// phases.c

/// Waits at most `milliseconds` for messages and handles them.
///
/// - Returns: Whether any message arrived.
bool load_poll(load *load, int milliseconds);
/// Opens all connections, a limited number at a time.
void load_connect(load *load);
void load_join(load *load);
/// Waits until no message has arrived for 200 ms.
void load_settle(load *load);
/// Answers pings for `seconds`.
void load_idle(load *load, double seconds);
/// Takes all connections from epoll that are not timed. The rest of the time they are read twice a
/// second, which costs a fraction of a system call for each delivery.
void load_thin(load *load);
/// Closed loop: each active room taps when all its members have the last tap.
void load_closed(load *load, double seconds);
/// Open loop: taps at the times of a Poisson process, `rate` a second, independent of the server.
void load_open(load *load, double seconds, double rate);
/// Resets all counts; no tap may be in flight.
void load_reset(load *load);
/// Resets the measured counts while taps may be in flight.
void load_count_anew(load *load);

// bulk.c

/// Fills the windows. From here on, epoll is not used.
void bulk_begin(load *load);
/// Keeps the windows full for `seconds`.
void bulk_run(load *load, double seconds);
/// Waits for all outstanding deliveries.
void bulk_end(load *load);

// storm.c

void load_storm(load *load);
/// Prints the seconds from a line of stdin until each member has received a message. Then waits for
/// another line.
void load_await(load *load);

// usage.c

/// CPU seconds of the server in user and kernel mode.
double server_seconds(pid_t server);
/// CPU seconds of this process.
double own_seconds(void);
/// The server's resident memory in bytes.
long server_memory(pid_t server);
