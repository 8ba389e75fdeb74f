#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load.h"

/// The maximum header of a masked frame of at most 65,535 bytes.
enum { FRAME_HEAD_MAX = 8 };
enum { OPCODE_TEXT = 1, OPCODE_CLOSE = 8, OPCODE_PING = 9, OPCODE_PONG = 10 };

/// The size of a read; more than the longest message.
static uint8_t buffer[1 << 20];

/// Asks to open the WebSocket.
static void send_upgrade(load *load, connection *connection) {
  char request[512], forwarded[64] = "";
  if (load->settings.is_forwarded)
    snprintf(forwarded, sizeof forwarded, "X-Forwarded-For: 198.18.%u.%u\r\n",
             connection->number >> 8 & 255, connection->number & 255);
  int count = snprintf(request, sizeof request,
                       "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
                       "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                       "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: pickerd.v1\r\n%s\r\n",
                       load->rooms[connection->room].path, connection->port, forwarded);
  if (connection_write(connection, request, (size_t)count) != count)
    load_fail("cannot shake hands: %s", strerror(errno));
  connection->phase = PHASE_UPGRADING;
}

/// Connections of one address; the others have the next addresses of 127.0.0.0/8.
enum { EACH_ADDRESS = 16384 };
/// The receive buffer of a slow member.
enum { SLOW_BYTES = 4096 };

static void bind_address(uint32_t number, int descriptor) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK + number / EACH_ADDRESS)};
  int one = 1;
  if (number < EACH_ADDRESS) return;
  // The port is chosen by connect().
  setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
  if (bind(descriptor, (struct sockaddr *)&address, sizeof address) != 0)
    load_fail("cannot bind: %s", strerror(errno));
}

void connection_open(load *load, connection *connection) {
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)connection->port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};
  // Closes with a reset, which leaves no port in TIME_WAIT.
  struct linger linger = {.l_onoff = 1, .l_linger = 0};
  int one = 1, slow_bytes = SLOW_BYTES;
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) load_fail("no socket: %s", strerror(errno));
  setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  if (connection->is_slow)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &slow_bytes, sizeof slow_bytes);
  bind_address((uint32_t)(connection - load->connections), descriptor);
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) != 0)
    load_fail("cannot connect: %s", strerror(errno));
  connection->descriptor = descriptor;
  connection->phase = PHASE_SHAKING;
  if (load->settings.is_tls) tls_begin(connection);
  if (!connection->tls) send_upgrade(load, connection);
  epoll_ctl(load->epoll, EPOLL_CTL_ADD, descriptor, &event);
}

void connection_close(load *load, connection *connection) {
  if (connection->phase == PHASE_NONE) return;
  if (connection->phase >= PHASE_OPEN) load->open_count--;
  if (connection->phase == PHASE_JOINED) load->joined_count--;
  tls_end(connection);
  close(connection->descriptor);
  free(connection->rest);
  connection->rest = NULL;
  connection->rest_count = 0;
  connection->phase = PHASE_NONE;
}

/// Writes a masked frame.
///
/// - Returns: Its length in bytes.
static size_t write_frame(uint8_t *frame, int opcode, const void *payload, size_t count) {
  // A new mask per frame would only cost the generator time; the server unmasks in any case.
  static const uint8_t mask[4] = {0x5a, 0xc3, 0x17, 0x88};
  size_t head = count < 126 ? 2 : 4;
  if (count > 65535) load_fail("a message of %zu bytes", count);
  frame[0] = (uint8_t)(0x80 | opcode);
  frame[1] = (uint8_t)(0x80 | (count < 126 ? count : 126));
  if (head == 4) {
    frame[2] = (uint8_t)(count >> 8);
    frame[3] = (uint8_t)count;
  }
  memcpy(frame + head, mask, sizeof mask);
  for (size_t index = 0; index < count; index++)
    frame[head + 4 + index] = ((const uint8_t *)payload)[index] ^ mask[index & 3];
  return head + 4 + count;
}

void connection_flush(load *load, connection *connection) {
  size_t count = load->held_count;
  if (count == 0) return;
  if (connection_write(connection, load->held, count) != (ssize_t)count)
    load_fail("cannot send to %s: %s", load->rooms[connection->room].path, strerror(errno));
  load->bytes_in += count;
  load->held_count = 0;
}

static void send_frame(load *load, connection *connection, int opcode, const void *payload,
                       size_t count) {
  if (load->held_count + count + FRAME_HEAD_MAX > sizeof load->held)
    connection_flush(load, connection);
  load->held_count += write_frame(load->held + load->held_count, opcode, payload, count);
  if (!load->is_holding) connection_flush(load, connection);
}

void connection_send(load *load, connection *connection, const char *text, size_t count) {
  send_frame(load, connection, OPCODE_TEXT, text, count);
}

/// Consumes the response to the handshake.
///
/// - Returns: Its length in bytes; 0 if it is incomplete.
static size_t take_handshake(load *load, connection *connection, const uint8_t *bytes,
                             size_t count) {
  const uint8_t *end = memmem(bytes, count, "\r\n\r\n", 4);
  if (!end) return 0;
  if (count < 12 || memcmp(bytes, "HTTP/1.1 101", 12) != 0)
    load_fail("the handshake was refused: %.*s", (int)(count < 300 ? count : 300), bytes);
  connection->phase = PHASE_OPEN;
  load->open_count++;
  return (size_t)(end + 4 - bytes);
}

/// Consumes one frame; the server's frames are neither masked nor fragmented.
///
/// - Returns: Its length in bytes; 0 if it is incomplete.
static size_t take_frame(load *load, connection *connection, const uint8_t *bytes, size_t count,
                         int64_t now) {
  if (count < 2) return 0;
  size_t head = 2, length = bytes[1];
  if (length == 126) {
    if (count < 4) return 0;
    head = 4;
    length = (size_t)bytes[2] << 8 | bytes[3];
  } else if (length == 127) {
    if (count < 10) return 0;
    head = 10;
    length = 0;
    for (int index = 2; index < 10; index++) length = length << 8 | bytes[index];
  }
  if (count < head + length) return 0;
  load->bytes_out += head + length;
  switch (bytes[0]) {
    case 0x80 | OPCODE_TEXT:
      message_received(load, connection, (const char *)bytes + head, length, now);
      break;
    case 0x80 | OPCODE_PING:
      send_frame(load, connection, OPCODE_PONG, bytes + head, length);
      break;
    case 0x80 | OPCODE_CLOSE:
      load_fail("the server closes with %d: %.*s",
                length < 2 ? 0 : bytes[head] << 8 | bytes[head + 1],
                length < 2 ? 0 : (int)length - 2, bytes + head + 2);
    default: load_fail("a frame that begins with 0x%02x", bytes[0]);
  }
  return head + length;
}

void connection_read(load *load, connection *connection) {
  if (connection->phase == PHASE_SHAKING) {
    if (!tls_is_done(connection)) return;
    send_upgrade(load, connection);
  }
  size_t before = connection->rest_count;
  if (before > 0) memcpy(buffer, connection->rest, before);
  ssize_t came = connection_receive(connection, buffer + before, sizeof buffer - before);
  if (came < 0 && errno == EAGAIN) return;
  if (came <= 0)
    load_fail("the server hung up on %s: %s", load->rooms[connection->room].path,
              came < 0 ? strerror(errno) : "end");
  int64_t now = load_now();
  size_t count = before + (size_t)came, start = 0, taken;
  do {
    taken = connection->phase == PHASE_UPGRADING
                ? take_handshake(load, connection, buffer + start, count - start)
                : take_frame(load, connection, buffer + start, count - start, now);
    start += taken;
  } while (taken > 0 && start < count);
  if (count == start && before == 0) return;
  if (count - start == sizeof buffer) load_fail("a message of more than %zu bytes", count);
  connection->rest_count = (uint32_t)(count - start);
  if (count > start) {
    connection->rest = realloc(connection->rest, count - start);
    memcpy(connection->rest, buffer + start, count - start);
  }
}
