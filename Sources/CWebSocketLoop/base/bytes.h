#pragma once

#include <stdint.h>

/// The number of bytes that this process has read from a TCP connection so far, or -1 on an error.
/// After the peer has closed its side, the result may be too high by one.
int64_t wsl_bytes_read(int descriptor);
