#pragma once

#include <stdint.h>

/// How many octets were read from a TCP socket since it was opened, or -1. When the peer has
/// closed its side, one more may be counted.
int64_t wsl_octets_read(int descriptor);
