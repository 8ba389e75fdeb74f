#include <time.h>
#include <unistd.h>

#include "load.h"

// Sends and receives in bulk without epoll: rooms have several taps in flight, and the generator
// sleeps while the server processes them. One recv() then returns all deliveries to a member, so
// that the server's cost per delivery does not include waking the generator.

/// The fraction of the deliveries in flight that should arrive during a sleep.
static const double SLEEP_SHARE = 0.5;
enum { SLEEP_MIN_NS = 1000000 };

/// Fills a room's window with taps in one send().
static void fill(load *load, room *room) {
  uint64_t window = (uint64_t)load->settings.window * room->count;
  int64_t now = load_now();
  if (room->pending >= window) return;
  // The buffered bytes must be for one connection.
  load->is_holding = !load->settings.is_shared;
  while (room->pending < window) message_tap(load, room, now);
  load->is_holding = false;
  connection_flush(load, &load->connections[room->first + room->turn]);
}

/// Reads once from each member of the active rooms.
///
/// - Returns: The number of deliveries.
static uint64_t look(load *load, bool is_filling) {
  uint64_t before = load->deliveries;
  for (uint32_t index = 0; index < load->active_count; index++) {
    room *room = &load->rooms[load->active[index]];
    for (uint32_t number = 0; number < room->count; number++)
      connection_read(load, &load->connections[room->first + number]);
    if (is_filling) fill(load, room);
  }
  return load->deliveries - before;
}

static uint64_t under_way(const load *load) {
  uint64_t count = 0;
  for (uint32_t index = 0; index < load->active_count; index++)
    count += load->rooms[load->active[index]].pending;
  return count;
}

static void sleep_ns(const load *load, double nanoseconds) {
  double most = load->settings.pause * 1e9;
  if (nanoseconds > most) nanoseconds = most;
  if (nanoseconds < SLEEP_MIN_NS) nanoseconds = SLEEP_MIN_NS;
  time_t seconds = (time_t)(nanoseconds / 1e9);
  long rest = (long)(nanoseconds - (double)seconds * 1e9);
  nanosleep(&(struct timespec){.tv_sec = seconds, .tv_nsec = rest}, NULL);
}

void bulk_begin(load *load) {
  close(load->epoll);  // otherwise every delivery would wake it
  load->epoll = -1;
  look(load, true);
}

void bulk_run(load *load, double seconds) {
  int64_t before = load_now(), now = before, until = before + (int64_t)(seconds * 1e9);
  int64_t last_delta_at = before;
  double each_ns = 0;  // per delivery, at the rate of the last iteration
  while (now < until) {
    sleep_ns(load, (double)under_way(load) * each_ns * SLEEP_SHARE);
    uint64_t count = look(load, true);
    now = load_now();
    if (count > 0) {
      each_ns = (double)(now - before) / (double)count;
      last_delta_at = now;
    } else if (now - last_delta_at > 10 * INT64_C(1000000000)) {
      load_fail("a tap is not answered");
    }
    before = now;
  }
}

void bulk_end(load *load) {
  int64_t last_delta_at = load_now();
  while (under_way(load) > 0) {
    sleep_ns(load, SLEEP_MIN_NS);
    if (look(load, false) > 0) last_delta_at = load_now();
    else if (load_now() - last_delta_at > 10 * INT64_C(1000000000)) load_fail("deltas are missing");
  }
}
