/// A library to preload: adds CLOCK_OFFSET_SECONDS to the real-time clock of a program.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long offset(void) {
  static long seconds;
  static int is_known;
  if (!is_known) {
    const char *text = getenv("CLOCK_OFFSET_SECONDS");
    seconds = text ? atol(text) : 0;
    is_known = 1;
  }
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*real)(clockid_t, struct timespec *);
  if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
  int status = real(clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += offset();
  return status;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec precise;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (result) *result = precise.tv_sec;
  return precise.tv_sec;
}
