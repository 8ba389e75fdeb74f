#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "load.h"

/// The maximum number of handshakes and joins in flight.
enum { UNDER_WAY = 64 };
enum { PATIENCE_MS = 20000 };
enum { READ_AGAIN_NS = 500000000 };

void load_thin(load *load) {
  load->untimed = calloc(load->connection_count, sizeof *load->untimed);
  for (uint32_t index = 0; index < load->connection_count; index++) {
    connection *connection = &load->connections[index];
    if (!connection->is_slow && connection->number % load->settings.timed == 0) continue;
    epoll_ctl(load->epoll, EPOLL_CTL_DEL, connection->descriptor, NULL);
    load->untimed[load->untimed_count++] = connection;
  }
  load->next_read_at = load_now();
}

/// Reads the connections that epoll does not have, as far as it is time.
///
/// - Returns: Whether anything arrived.
static bool read_untimed(load *load) {
  uint64_t before = load->messages;
  for (int64_t now = load_now(); load->untimed_count && load->next_read_at <= now;
       load->next_read_at += READ_AGAIN_NS / load->untimed_count)
    connection_read(load, load->untimed[load->untimed_reads++ % load->untimed_count]);
  return load->messages != before;
}

bool load_poll(load *load, int milliseconds) {
  struct epoll_event events[512];
  bool has_read = read_untimed(load);
  if (load->untimed_count && milliseconds > 1) milliseconds = 1;
  int count = epoll_wait(load->epoll, events, 512, milliseconds);
  if (count < 0 && errno != EINTR) load_fail("epoll_wait: %s", strerror(errno));
  for (int index = 0; index < count; index++) connection_read(load, events[index].data.ptr);
  return has_read || count > 0;
}

static void wait_for(load *load, const uint32_t *count, uint32_t wanted, const char *what) {
  while (*count < wanted)
    if (!load_poll(load, PATIENCE_MS))
      load_fail("%u of %u %s", *count, load->connection_count, what);
}

void load_connect(load *load) {
  for (uint32_t index = 0; index < load->connection_count; index++) {
    if (index >= UNDER_WAY) wait_for(load, &load->open_count, index - UNDER_WAY, "connected");
    connection_open(load, &load->connections[index]);
  }
  wait_for(load, &load->open_count, load->connection_count, "connected");
}

void load_join(load *load) {
  for (uint32_t index = 0; index < load->connection_count; index++) {
    if (index >= UNDER_WAY) wait_for(load, &load->joined_count, index - UNDER_WAY, "joined");
    message_join(load, &load->connections[index]);
  }
  wait_for(load, &load->joined_count, load->connection_count, "joined");
}

void load_settle(load *load) {
  int64_t now = load_now(), until = now + 30 * INT64_C(1000000000), last_at = now;
  uint64_t before = load->messages;
  for (; now - last_at < 200000000; now = load_now()) {
    load_poll(load, 50);
    if (load->messages != before) last_at = now;
    before = load->messages;
    if (now > until) load_fail("the server does not fall silent");
  }
}

void load_idle(load *load, double seconds) {
  int64_t until = load_now() + (int64_t)(seconds * 1e9);
  while (load_now() < until) load_poll(load, 10);
}

void load_reset(load *load) {
  for (uint32_t index = 0; index < load->room_count; index++) {
    load->rooms[index].taps = 0;
    load->rooms[index].pending = 0;
  }
  for (uint32_t index = 0; index < load->connection_count; index++)
    load->connections[index].delta_count = 0;
  load_count_anew(load);
}

void load_count_anew(load *load) {
  load->taps = load->deliveries = load->bytes_out = load->bytes_in = load->messages = 0;
  memset(&load->latencies, 0, sizeof load->latencies);
  memset(&load->far, 0, sizeof load->far);
}

/// Waits for all outstanding deliveries.
static void receive_all(load *load) {
  int64_t last_at = load_now();
  for (uint32_t index = 0; index < load->active_count; index++) {
    while (load->rooms[load->active[index]].pending > 0) {
      if (load_poll(load, 1000)) last_at = load_now();
      else if (load_now() - last_at > 10 * INT64_C(1000000000)) load_fail("deltas are missing");
    }
  }
}

void load_closed(load *load, double seconds) {
  int64_t until = load_now() + (int64_t)(seconds * 1e9);
  load->is_looping = true;
  for (uint32_t index = 0; index < load->active_count; index++)
    message_tap(load, &load->rooms[load->active[index]], load_now());
  int64_t last_delta_at = load_now(), now = last_delta_at;
  // Busy-waits: the server must not pay for waking the generator, which has its own core.
  while ((now = load_now()) < until) {
    if (load_poll(load, 0)) last_delta_at = now;
    else if (now - last_delta_at > 10 * INT64_C(1000000000)) load_fail("a tap is not answered");
  }
  load->is_looping = false;
  receive_all(load);
}

static double random_unit(void) {
  static uint64_t state = 0x9e3779b97f4a7c15;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (double)(state >> 11) / 9007199254740992.0;
}

void load_open(load *load, double seconds, double rate) {
  int64_t begun = load_now(), until = begun + (int64_t)(seconds * 1e9);
  double due = (double)begun;
  while (due < (double)until) {
    due += -log(1 - random_unit()) * 1e9 / rate;
    // Busy-waits, too: a sleep would return late.
    while ((double)load_now() < due) load_poll(load, 0);
    uint32_t index = (uint32_t)(random_unit() * load->active_count);
    message_tap(load, &load->rooms[load->active[index]], (int64_t)due);
  }
  receive_all(load);
}
