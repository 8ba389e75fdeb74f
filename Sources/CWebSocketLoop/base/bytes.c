#include "base/bytes.h"

#include <linux/sockios.h>
#include <linux/tcp.h>  // <netinet/tcp.h>, used elsewhere, lacks tcpi_bytes_received
#include <netinet/in.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static int64_t received(int descriptor) {
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  if (getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return -1;
  return (int64_t)info.tcpi_bytes_received;
}

int64_t wsl_bytes_read(int descriptor) {
  int waiting = 0;
  int64_t before, after = received(descriptor);
  do {  // until nothing has arrived between the two calls
    before = after;
    if (ioctl(descriptor, SIOCINQ, &waiting) != 0) return -1;
    after = received(descriptor);
  } while (before != after);
  return after < 0 ? -1 : after - waiting;
}
