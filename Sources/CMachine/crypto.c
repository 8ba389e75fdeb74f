#include "CMachine.h"

#include <openssl/rand.h>
#include <openssl/sha.h>
#include <stdlib.h>

void machine_random(void *bytes, size_t count) {
  while (count > 0) {
    int piece = count > 65536 ? 65536 : (int)count;
    if (RAND_bytes(bytes, piece) != 1) abort();
    bytes = (char *)bytes + piece;
    count -= (size_t)piece;
  }
}

void machine_sha256(const void *bytes, size_t count, uint8_t digest[32]) {
  SHA256(bytes, count, digest);
}
