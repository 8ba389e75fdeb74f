#pragma once

#include <stdint.h>

/// The number of bytes read from a TCP socket since it was opened, or -1 on an error. It may be one
/// too high when the peer has closed its side.
int64_t wsl_bytes_read(int descriptor);
