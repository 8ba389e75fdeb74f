"""A member on a raw socket, with full control over reads, frames and pongs."""

import base64
import json
import os
import socket
import struct

from .patience import PATIENCE

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class RawMember:
    """Joins over a socket with a chosen receive buffer. Only `read` reads from the socket."""

    def __init__(self, server, session, *, receive_buffer=None, source=None, join=True,
                 name="Slow", **fields):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        if source:
            self.socket.bind((source, 0))
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", server.port))
        self.buffer = b""
        self.shake_hands(server, session)
        if join:
            self.send({"type": "join", "name": name, **fields})
            self.welcome = self.until_type("welcome")

    def shake_hands(self, server, session):
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((
            f"GET {session.path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: pickerd.v1\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(1)
        assert self.buffer.startswith(b"HTTP/1.1 101"), self.buffer
        self.buffer = b""

    def send(self, message):
        self.send_frame(TEXT, json.dumps(message).encode())

    def send_frame(self, opcode, payload, final=True):
        mask = os.urandom(4)
        first = bytes([(0x80 if final else 0) | opcode])
        if len(payload) < 126:
            head = first + bytes([0x80 | len(payload)])
        else:
            head = first + bytes([0x80 | 126]) + struct.pack(">H", len(payload))
        masked = bytes(byte ^ mask[n % 4] for n, byte in enumerate(payload))
        self.socket.sendall(head + mask + masked)

    def read(self, timeout=PATIENCE):
        """The next frame as (opcode, payload); (None, b"") if the connection has ended."""
        self.socket.settimeout(timeout)
        try:
            head = self._take(2)
            length = head[1] & 0x7F
            if length == 126:
                length, = struct.unpack(">H", self._take(2))
            elif length == 127:
                length, = struct.unpack(">Q", self._take(8))
            return head[0] & 0x0F, self._take(length)
        except (EOFError, ConnectionError):
            return None, b""

    def _take(self, count):
        while len(self.buffer) < count:
            more = self.socket.recv(1 << 16)
            if not more:
                raise EOFError
            self.buffer += more
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def message(self, timeout=PATIENCE):
        """The next text message, answering pings; None if the connection has ended."""
        while True:
            opcode, payload = self.read(timeout)
            if opcode == TEXT:
                return json.loads(payload)
            if opcode == PING:
                self.send_frame(PONG, payload)
            if opcode in (None, CLOSE):
                return None

    def until_type(self, type, timeout=PATIENCE):
        while True:
            message = self.message(timeout)
            assert message is not None, f"closed before {type}"
            if message["type"] == type:
                return message

    def close(self):
        self.socket.close()
