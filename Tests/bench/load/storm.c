#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "load.h"

/// Taps until the server is restarted, then resumes all members at once.
///
/// Prints `ready` when the server can be killed, reads its new port and process id from stdin, and
/// prints the time until all members had resumed.
void load_storm(load *load) {
  char line[64];
  int server;
  printf("ready\n");
  fflush(stdout);
  if (!fgets(line, sizeof line, stdin) ||
      sscanf(line, "%d %d", &load->settings.port, &server) != 2)
    load_fail("stdin ended before the new port and process id");
  load->settings.server = server;
  for (uint32_t index = 0; index < load->connection_count; index++) {
    connection_close(load, &load->connections[index]);
    load->connections[index].port = load->settings.port;
  }
  load_reset(load);
  load->resumed = load->replaced = 0;
  double cpu = server_seconds(server);
  int64_t begun = load_now();
  // Each member joins as soon as it is connected, as many at a time as the backlog allows.
  uint32_t opened = 0, joined = 0;
  while (load->joined_count < load->connection_count) {
    while (opened < load->connection_count && opened < load->joined_count + 1024)
      connection_open(load, &load->connections[opened++]);
    for (; joined < opened && load->connections[joined].phase == PHASE_OPEN; joined++)
      message_join(load, &load->connections[joined]);
    if (!load_poll(load, 20000)) load_fail("only %u members resumed", load->joined_count);
  }
  double seconds = (double)(load_now() - begun) / 1e9;
  printf("{\"count\":%u,\"resumed\":%llu,\"replaced\":%llu,\"seconds\":%.4f,\"cpu\":%.4f}\n",
         load->connection_count, (unsigned long long)load->resumed,
         (unsigned long long)load->replaced, seconds, server_seconds(server) - cpu);
}

/// Answers pings until there is a line of stdin, or its end.
static bool await_line(load *load) {
  char line[64];
  struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
  while (poll(&input, 1, 0) == 0) load_poll(load, 10);
  return fgets(line, sizeof line, stdin);
}

void load_await(load *load) {
  load_settle(load);
  load_reset(load);
  printf("ready\n");
  fflush(stdout);
  if (!await_line(load)) load_fail("stdin ended");
  int64_t begun = load_now(), until = begun + 120 * INT64_C(1000000000);
  while (load->messages < load->connection_count) {
    load_poll(load, 100);
    if (load_now() > until) load_fail("%llu messages", (unsigned long long)load->messages);
  }
  printf("{\"seconds\":%.4f}\n", (double)(load_now() - begun) / 1e9);
  fflush(stdout);
  await_line(load);  // the end of so many connections would be measured, too
}
