/// load: connects members to rooms, taps, and prints measurements as JSON.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#include "load.h"

static void read_rooms(load *load) {
  char line[512], path[400];
  unsigned members;
  int is_active, used, more;
  FILE *file = fopen(load->settings.rooms, "r");
  if (!file) load_fail("no file %s", load->settings.rooms);
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%399s %u %d%n", path, &members, &is_active, &used) != 3)
      load_fail("not a room: %s", line);
    load->rooms = realloc(load->rooms, (load->room_count + 1) * sizeof *load->rooms);
    load->rooms[load->room_count++] = (room){.path = strdup(path), .first = load->connection_count,
                                             .count = members, .is_active = is_active};
    room *room = &load->rooms[load->room_count - 1];
    for (const char *rest = line + used;
         room->port_count < 8 && sscanf(rest, "%d%n", &room->ports[room->port_count], &more) == 1;
         rest += more)
      room->port_count++;
    if (room->port_count == 0) room->ports[room->port_count++] = load->settings.port;
    load->connection_count += members;
  }
  fclose(file);
}

static void make_connections(load *load) {
  load->connections = calloc(load->connection_count, sizeof *load->connections);
  load->active = calloc(load->room_count, sizeof *load->active);
  for (uint32_t index = 0; index < load->room_count; index++) {
    room *room = &load->rooms[index];
    if (room->is_active) {
      load->active[load->active_count++] = index;
      room->sent = calloc(LOAD_RING, sizeof *room->sent);
    }
    for (uint32_t number = 0; number < room->count; number++) {
      connection *connection = &load->connections[room->first + number];
      connection->room = index;
      connection->number = number;
      connection->is_slow = load->settings.slow && number % load->settings.slow == 1;
      room->slow_count += connection->is_slow;
      connection->port = room->ports[number % (uint32_t)room->port_count];
      if (load->settings.is_storm) connection->identity = calloc(1, sizeof(identity));
    }
  }
}

typedef struct spent {
  int64_t begun;
  double server, own;
} spent;

static spent begin(const load *load) {
  return (spent){load_now(), server_seconds(load->settings.server), own_seconds()};
}

static void print_phase(const load *load, const char *name, spent before) {
  double seconds = (double)(load_now() - before.begun) / 1e9;
  double cpu = server_seconds(load->settings.server) - before.server;
  double own = own_seconds() - before.own;
  double deliveries = load->deliveries ? (double)load->deliveries : 1;
  double taps = load->taps ? (double)load->taps : 1;
  const histogram *latencies = &load->latencies;
  printf(",\"%s\":{\"seconds\":%.4f,\"taps\":%llu,\"deliveries\":%llu,\"perSecond\":%.1f,"
         "\"cpuPerDelivery\":%.4f,\"cpuPerTap\":%.4f,\"p50\":%.2f,\"p99\":%.2f,\"p999\":%.2f,"
         "\"far50\":%.2f,\"far99\":%.2f,"
         "\"bytesPerTap\":%.1f,\"bytesPerDelivery\":%.1f,\"serverLoad\":%.3f,\"ownLoad\":%.3f}",
         name, seconds, (unsigned long long)load->taps, (unsigned long long)load->deliveries,
         (double)load->deliveries / seconds, cpu * 1e6 / deliveries, cpu * 1e6 / taps,
         histogram_at(latencies, 0.5), histogram_at(latencies, 0.99),
         histogram_at(latencies, 0.999), histogram_at(&load->far, 0.5),
         histogram_at(&load->far, 0.99), (double)(load->bytes_in + load->bytes_out) / taps,
         (double)load->bytes_out / deliveries, cpu / seconds, own / seconds);
}

/// Connects and joins all members and prints the cost.
static void gather(load *load) {
  pid_t server = load->settings.server;
  double count = load->connection_count;
  long empty = server_memory(server);
  spent before = begin(load);
  load_connect(load);
  double seconds = (double)(load_now() - before.begun) / 1e9;
  double cpu = server_seconds(server) - before.server;
  long connected = server_memory(server);
  before = begin(load);
  load_join(load);
  double joining = (double)(load_now() - before.begun) / 1e9;
  load_settle(load);
  double join = server_seconds(server) - before.server;
  printf("\"connections\":%.0f,\"connectsPerSecond\":%.1f,\"joinsPerSecond\":%.1f,"
         "\"cpuPerConnect\":%.3f,\"cpuPerJoin\":%.3f,\"memoryEmpty\":%ld,"
         "\"memoryPerConnection\":%.1f,\"memoryPerMember\":%.1f",
         count, count / seconds, count / joining, cpu * 1e6 / count, join * 1e6 / count, empty,
         (double)(connected - empty) / count, (double)(server_memory(server) - empty) / count);
}

/// One tap at a time: first a closed loop, then an open loop at a rate.
static void measure(load *load) {
  if (load->settings.idle > 0) {
    load_reset(load);
    spent before = begin(load);
    load_idle(load, load->settings.idle);
    print_phase(load, "idle", before);
  }
  if (load->settings.warm > 0) {
    load_reset(load);
    load_closed(load, load->settings.warm);
  }
  if (load->settings.closed > 0) {
    load_reset(load);
    spent before = begin(load);
    load_closed(load, load->settings.closed);
    print_phase(load, "closed", before);
  }
  for (int index = 0; index < load->settings.rate_count; index++) {
    char name[16] = "open";
    if (load->settings.open <= 0 || load->settings.rates[index] <= 0) continue;
    if (index > 0) snprintf(name, sizeof name, "open%d", index + 1);
    load_reset(load);
    spent before = begin(load);
    load_open(load, load->settings.open, load->settings.rates[index]);
    print_phase(load, name, before);
  }
}

/// Ends a line of the output: its reader can measure something else at the same time.
static void mark(void) {
  printf("\n");
  fflush(stdout);
}

/// In bulk: measures the middle of the run, without its start and end, between two marks.
static void measure_bulk(load *load) {
  load_reset(load);
  bulk_begin(load);
  bulk_run(load, load->settings.warm);
  mark();
  load_count_anew(load);
  spent before = begin(load);
  bulk_run(load, load->settings.closed);
  print_phase(load, "bulk", before);
  mark();
  bulk_end(load);
}

int main(int count, char **arguments) {
  static load load;
  struct rlimit files;
  signal(SIGPIPE, SIG_IGN);
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  load.settings = settings_read(count, arguments);
  read_rooms(&load);
  make_connections(&load);
  load.epoll = epoll_create1(EPOLL_CLOEXEC);
  printf("{");
  gather(&load);
  if (load.settings.timed > 0) load_thin(&load);
  if (load.settings.window > 0) measure_bulk(&load);
  else measure(&load);
  printf("}\n");
  if (load.settings.is_storm) load_storm(&load);
  if (load.settings.is_awaited) load_await(&load);
}
