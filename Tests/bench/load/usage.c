#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "load.h"

int64_t load_now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// The scheduler's count in nanoseconds, which is finer than the ticks in /proc/PID/stat.
double server_seconds(pid_t server) {
  clockid_t clock;
  struct timespec time;
  if (server == 0) return 0;
  if (clock_getcpuclockid(server, &clock) != 0 || clock_gettime(clock, &time) != 0)
    load_fail("the server %d is gone", (int)server);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

double own_seconds(void) { return server_seconds(getpid()); }

long server_memory(pid_t server) {
  char path[64], line[256];
  long kilobytes = 0;
  if (server == 0) return 0;
  snprintf(path, sizeof path, "/proc/%d/status", (int)server);
  FILE *status = fopen(path, "r");
  if (!status) load_fail("the server %d is gone", (int)server);
  while (fgets(line, sizeof line, status))
    if (strncmp(line, "VmRSS:", 6) == 0) sscanf(line + 6, "%ld", &kilobytes);
  fclose(status);
  return kilobytes * 1024;
}
