// Delays every flush by FLUSH_MICROSECONDS to simulate a slower disk. `make bench-store FLUSH=…`
// preloads it into everything it measures, including the bare transactions, because the gain of
// group commit depends on the duration of a flush.
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void wait_longer(void) {
  const char *text = getenv("FLUSH_MICROSECONDS");
  long microseconds = text ? strtol(text, NULL, 10) : 0;
  struct timespec rest = {microseconds / 1000000, microseconds % 1000000 * 1000};
  while (nanosleep(&rest, &rest) != 0) continue;
}

int fdatasync(int file) {
  int result = (int)syscall(SYS_fdatasync, file);
  wait_longer();
  return result;
}

int fsync(int file) {
  int result = (int)syscall(SYS_fsync, file);
  wait_longer();
  return result;
}
