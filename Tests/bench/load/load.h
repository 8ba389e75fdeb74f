/// What the files of the load generator share.
///
/// One thread, raw epoll, or not even that (bulk.c), no library: whatever a server costs, the
/// generator must cost less.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Intended times of taps that are under way in a room, at most; a power of two.
#define LOAD_RING 4096

/// Prints what went wrong and ends with status 1.
_Noreturn void load_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Nanoseconds of the machine's monotonic clock.
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
  pid_t server;             ///< whose processor time and memory are read; 0 is nobody
  const char *rooms;        ///< a file with a line for each room: PATH MEMBERS IS_ACTIVE
  const char *joins[8];     ///< member k of a room says the k-th, modulo their count
  int join_count;
  const char *taps[16];     ///< said in turn in a room; @ is the member's next ref
  int tap_count;
  double warm, closed, open; ///< seconds
  double rate;              ///< taps a second of the open loop
  int window;               ///< taps under way in a room, sent and heard in bulk; 0 is one by one
  bool is_storm;            ///< connect, tap, wait for a line of stdin, come back with resume
} settings;

settings settings_read(int count, char **arguments);

// connection.c

typedef enum phase { PHASE_NONE, PHASE_UPGRADING, PHASE_OPEN, PHASE_JOINED } phase;

/// Who comes back, as its welcome named it.
typedef struct identity {
  char member[32], secret[64], epoch[64];
} identity;

typedef struct connection {
  int descriptor;
  uint32_t room;
  uint32_t number;          ///< among its room's
  phase phase;
  int64_t ref;              ///< of its last tap
  uint64_t heard;           ///< deltas since the phase began
  int64_t revision;         ///< of its last delta or welcome; only in a storm
  identity *identity;       ///< only in a storm
  uint8_t *rest;            ///< the beginning of a frame that has not come in whole
  uint32_t rest_count;
} connection;

typedef struct room {
  const char *path;
  uint32_t first, count;    ///< its connections
  bool is_active;
  uint64_t taps;            ///< since the phase began
  uint32_t turn;            ///< whose tap is next
  uint32_t variant;         ///< which tap is next
  uint64_t pending;         ///< deliveries of the last tap that are still to come
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
  uint64_t resumed, replaced; ///< welcomes with and without the missed deltas
  bool is_looping;          ///< the next tap goes out when all have the last
  int64_t next_due;
  bool is_holding;          ///< what is sent waits for `connection_flush`
  uint8_t held[8 + 65535];
  size_t held_count;
  histogram latencies;
} load;

/// Begins to connect; the handshake is sent at once, loopback takes it.
void connection_open(load *load, connection *connection);
void connection_close(load *load, connection *connection);
/// Sends a text message in a masked frame of at most 65,535 octets.
void connection_send(load *load, connection *connection, const char *text, size_t count);
/// Sends what was held; all of it was for this connection.
void connection_flush(load *load, connection *connection);
/// Reads what has come and hears each message in it.
void connection_read(load *load, connection *connection);

// messages.c

void message_heard(load *load, connection *connection, const char *text, size_t count,
                   int64_t now);
void message_join(load *load, connection *connection);
/// Lets the room's next member give its next tap. `due` is when it should have been sent.
void message_tap(load *load, room *room, int64_t due);

// phases.c

/// Waits for what comes, at most `milliseconds`, and hears it.
///
/// - Returns: Whether anything came.
bool load_poll(load *load, int milliseconds);
/// Connects all, at most so many at a time.
void load_connect(load *load);
void load_join(load *load);
/// Until nothing has come for 200 ms.
void load_settle(load *load);
/// Taps for so many seconds, in each active room when all have heard the last.
void load_closed(load *load, double seconds);
/// Taps at times of a Poisson process, whatever the server does.
void load_open(load *load, double seconds);
/// Forgets the taps that were given and what came of them; none may be under way.
void load_reset(load *load);
/// Lets what is counted begin at 0, whatever is under way.
void load_count_anew(load *load);

// bulk.c

/// Fills the windows. From here on nothing is heard through epoll.
void bulk_begin(load *load);
/// Keeps the windows full for so many seconds.
void bulk_run(load *load, double seconds);
/// Until every delivery of the taps that were given has come.
void bulk_end(load *load);

// storm.c

void load_storm(load *load);

// usage.c

/// Processor seconds of the server, in user and kernel mode.
double server_seconds(pid_t server);
/// Processor seconds of this process.
double own_seconds(void);
/// Octets of the server that are in memory.
long server_memory(pid_t server);
