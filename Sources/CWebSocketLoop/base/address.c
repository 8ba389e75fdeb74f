#include "private.h"

#include <arpa/inet.h>
#include <string.h>

static const uint8_t ipv4_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

wsl_address wsl_address_of_ipv4(const void *bytes) {
  wsl_address address;
  memcpy(address.bytes, ipv4_prefix, sizeof ipv4_prefix);
  memcpy(address.bytes + sizeof ipv4_prefix, bytes, 4);
  return address;
}

wsl_address wsl_address_of_ipv6(const void *bytes) {
  wsl_address address;
  memcpy(address.bytes, bytes, sizeof address.bytes);
  return address;
}

wsl_address wsl_address_of(const struct sockaddr *peer) {
  switch (peer->sa_family) {
  case AF_INET:
    return wsl_address_of_ipv4(&((const struct sockaddr_in *)(const void *)peer)->sin_addr);
  case AF_INET6:
    return wsl_address_of_ipv6(&((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr);
  default:
    return (wsl_address){{0}};
  }
}

bool wsl_has_address(wsl_address address) {
  static const wsl_address none;
  return memcmp(address.bytes, none.bytes, sizeof none.bytes) != 0;
}

const char *wsl_address_text(wsl_address address, char *into, size_t size) {
  bool is_ipv4 = memcmp(address.bytes, ipv4_prefix, sizeof ipv4_prefix) == 0;
  if (!wsl_has_address(address)) return "unix";
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
