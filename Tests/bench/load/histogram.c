#include "load.h"

enum { SHARE_BITS = 7 };

void histogram_add(histogram *histogram, int64_t nanoseconds) {
  uint64_t value = nanoseconds > 0 ? (uint64_t)nanoseconds : 0;
  int shift = value < (1u << SHARE_BITS) ? 0 : 63 - __builtin_clzll(value) - SHARE_BITS + 1;
  // A bucket per value below 128; above, each octave uses buckets 64 to 127.
  histogram->buckets[((uint64_t)shift << SHARE_BITS) + (value >> shift)]++;
  histogram->count++;
}

double histogram_at(const histogram *histogram, double share) {
  uint64_t wanted = (uint64_t)(share * (double)histogram->count), seen = 0;
  if (histogram->count == 0) return 0;
  if (wanted >= histogram->count) wanted = histogram->count - 1;
  for (uint64_t index = 0; index < sizeof histogram->buckets / sizeof *histogram->buckets;
       index++) {
    seen += histogram->buckets[index];
    if (seen <= wanted) continue;
    uint64_t shift = index >> SHARE_BITS, part = index & ((1u << SHARE_BITS) - 1);
    return (double)(((part + 1) << shift) - 1) / 1000;  // the upper bound of the bucket
  }
  return 0;
}
