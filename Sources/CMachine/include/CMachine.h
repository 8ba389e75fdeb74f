/// Clocks, random bytes, digests and compression. All functions are safe on any thread.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Milliseconds of CLOCK_MONOTONIC, which starts at an arbitrary time and never jumps.
int64_t machine_monotonic_ms(void);

/// The same clock in nanoseconds.
int64_t machine_monotonic_ns(void);

/// Milliseconds since 1970-01-01T00:00Z.
int64_t machine_wall_ms(void);

/// CPU time of the calling thread in microseconds.
int64_t machine_thread_us(void);

/// Writes the current time in the format of the HTTP Date header: 29 bytes and a NUL.
/// - Source: RFC 9110, section 5.6.7
void machine_http_date(char into[30]);

/// Fills `bytes` from libcrypto's random generator. Aborts the process if the generator fails,
/// because no secret could be generated any more.
void machine_random(void *bytes, size_t count);

/// Computes the SHA-256 digest (FIPS 180-4) of `count` bytes.
void machine_sha256(const void *bytes, size_t count, uint8_t digest[32]);

/// Compresses `count` bytes into the gzip format.
///
/// - Returns: The number of bytes written to `into`; 0 if they do not fit into `size`.
/// - Source: RFC 1952
size_t machine_gzip(const void *bytes, size_t count, void *into, size_t size);

/// The state of a gzip file that is compressed part by part. Zero-initialize it before the first
/// part.
typedef struct machine_gzip_parts {
  uint32_t checksum;  ///< CRC-32 of the uncompressed bytes so far
  uint32_t length;    ///< their number, modulo 2^32
  bool has_begun;
} machine_gzip_parts;

/// Compresses the next part of a gzip file and flushes it: the output so far can always be
/// decompressed.
///
/// - Returns: The number of bytes written to `into`; 0 if they do not fit into `size`. A size of
///   `count + count / 16 + 64` is always sufficient.
/// - Source: RFC 1952
size_t machine_gzip_part(machine_gzip_parts *parts, const void *bytes, size_t count, bool is_last,
                         void *into, size_t size);
