#include "CMachine.h"

#include <time.h>

enum { NS_PER_MS = 1000000 };

static int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000 * NS_PER_MS + now.tv_nsec;
}

int64_t machine_monotonic_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

int64_t machine_monotonic_ms(void) { return machine_monotonic_ns() / NS_PER_MS; }

int64_t machine_wall_ms(void) { return clock_ns(CLOCK_REALTIME) / NS_PER_MS; }

int64_t machine_thread_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void machine_http_date(char into[30]) {
  time_t now = time(NULL);
  struct tm utc;
  strftime(into, 30, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&now, &utc));
}
