// A disk whose flush takes FLUSH_MICROSECONDS longer than this one's: preloaded by `make
// bench-store FLUSH=…` into everything that it measures, the bare transactions included. What a
// flush costs is the disk's, and what group commit gains depends on it.
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
