#include "private.h"

#include <arpa/inet.h>
#include <string.h>

static const uint8_t ipv4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

static wsl_address of_ipv4(const void *bytes) {
  wsl_address address;
  memcpy(address.bytes, ipv4_prefix, sizeof ipv4_prefix);
  memcpy(address.bytes + sizeof ipv4_prefix, bytes, 4);
  return address;
}

static wsl_address of_ipv6(const void *bytes) {
  wsl_address address;
  memcpy(address.bytes, bytes, sizeof address.bytes);
  return address;
}

wsl_address wsl_address_of(const struct sockaddr *peer) {
  switch (peer->sa_family) {
  case AF_INET:
    return of_ipv4(&((const struct sockaddr_in *)(const void *)peer)->sin_addr);
  case AF_INET6:
    return of_ipv6(&((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr);
  default:
    return (wsl_address){{0}};
  }
}

static bool has_address(wsl_address address) {
  static const wsl_address none;
  return memcmp(address.bytes, none.bytes, sizeof none.bytes) != 0;
}

const char *wsl_address_text(wsl_address address, char *into, size_t size) {
  bool is_ipv4 = memcmp(address.bytes, ipv4_prefix, sizeof ipv4_prefix) == 0;
  if (!has_address(address)) return "unix";
  return is_ipv4 ? inet_ntop(AF_INET, address.bytes + sizeof ipv4_prefix, into, (socklen_t)size)
                 : inet_ntop(AF_INET6, address.bytes, into, (socklen_t)size);
}

/// IPv4 networks are numbered as the /64 prefix 0:0:ffff::, with the address in the last 32 bits.
/// No IPv6 network has that number, because RFC 4291 reserves 0000::/8.
wsl_network_id wsl_network_of_words(uint64_t high, uint64_t low) {
  bool is_ipv4 = high == 0 && low >> 32 == 0xFFFF;
  return is_ipv4 ? UINT64_C(0xFFFF00000000) | (uint32_t)low : high;
}

wsl_network_id wsl_network_of(wsl_address address) {
  uint64_t words[2] = {0, 0};
  for (int index = 0; index < 16; index++)
    words[index / 8] = words[index / 8] << 8 | address.bytes[index];
  return wsl_network_of_words(words[0], words[1]);
}

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
    if (count >= 12) *client = of_ipv4(addresses);
    return count >= 12;
  case TCP_IPV6:
    if (count >= 36) *client = of_ipv6(addresses);
    return count >= 36;
  default:
    return false;
  }
}

/// Writes the header with which a connection is relayed. All addresses are written as IPv6, that of
/// a Unix socket as `::`, so that the other node reads the same `wsl_address`. The port of the
/// destination has the audience of the listener, which the caller writes.
void wsl_proxy_write(uint8_t into[WSL_PROXY_BYTES], wsl_address client) {
  memset(into, 0, WSL_PROXY_BYTES);
  memcpy(into, signature, SIGNATURE_BYTES);
  into[12] = PROXY;
  into[13] = TCP_IPV6;
  into[15] = WSL_PROXY_BYTES - PREFIX_BYTES;
  memcpy(into + PREFIX_BYTES, client.bytes, sizeof client.bytes);
}
