#include "private.h"

#include <string.h>

// Version 2 of the PROXY protocol, with which a proxy reports the client's address.
// - Source: https://www.haproxy.org/download/2.8/doc/proxy-protocol.txt, section 2.2

static const char signature[] = "\r\n\r\n\0\r\nQUIT\n";

enum { SIGNATURE_BYTES = sizeof signature - 1, PREFIX_BYTES = 16, REST_BYTES_MAX = 4096 };
enum { LOCAL = 0x20, PROXY = 0x21 };
enum { UNKNOWN = 0x00, TCP_IPV4 = 0x11, TCP_IPV6 = 0x21, UNIX_STREAM = 0x31 };

/// The length of a header, as far as it is known from the bytes received: at least those of its
/// prefix. 0 if the bytes are not the beginning of a header, or if it is too long.
uint32_t wsl_proxy_header_length(const wsl_proxy_header *header) {
  size_t known = header->count < SIGNATURE_BYTES ? header->count : SIGNATURE_BYTES;
  if (memcmp(header->bytes, signature, known) != 0) return 0;
  if (header->count < PREFIX_BYTES) return PREFIX_BYTES;
  uint32_t rest = (uint32_t)header->bytes[14] << 8 | header->bytes[15];
  return rest <= REST_BYTES_MAX ? PREFIX_BYTES + rest : 0;
}

/// Reads the client's address from a complete header. Without one (the proxy's own health checks,
/// or a client whose address is unknown or not numeric), `client` does not change.
///
/// - Returns: False if the header is invalid.
bool wsl_proxy_client(const wsl_proxy_header *header, wsl_address *client) {
  const uint8_t *addresses = header->bytes + PREFIX_BYTES;
  uint32_t count = header->count - PREFIX_BYTES;
  if (header->bytes[12] == LOCAL) return true;
  if (header->bytes[12] != PROXY) return false;
  switch (header->bytes[13]) {
  case UNKNOWN:
    return true;
  case UNIX_STREAM:
    return count >= 216;
  case TCP_IPV4:
    if (count >= 12) *client = wsl_address_of_ipv4(addresses);
    return count >= 12;
  case TCP_IPV6:
    if (count >= 36) *client = wsl_address_of_ipv6(addresses);
    return count >= 36;
  default:
    return false;
  }
}

/// Writes the header with which a connection is relayed. All addresses are written as IPv6, that of
/// a Unix socket as `::`, so that the other node reads the same `wsl_address`. In place of the
/// destination's port, the caller writes the audience of the listener.
void wsl_proxy_write(uint8_t into[WSL_PROXY_BYTES], wsl_address client) {
  memset(into, 0, WSL_PROXY_BYTES);
  memcpy(into, signature, SIGNATURE_BYTES);
  into[12] = PROXY;
  into[13] = TCP_IPV6;
  into[15] = WSL_PROXY_BYTES - PREFIX_BYTES;
  memcpy(into + PREFIX_BYTES, client.bytes, sizeof client.bytes);
}
