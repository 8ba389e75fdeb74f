"""Minimal WebSockets, so that measurements do not include the work of a library."""

import base64
import json
import os
import re
import select
import socket
import struct

from .answers import note_messages

REF = re.compile(rb'"ref":(\d+)')


def frame(text):
    """A text frame masked with zeros."""
    size = len(text)
    if size < 126:
        head = struct.pack("!BB", 0x81, 0x80 | size)
    elif size < 65_536:
        head = struct.pack("!BBH", 0x81, 0x80 | 126, size)
    else:
        head = struct.pack("!BBQ", 0x81, 0x80 | 127, size)
    return head + b"\0\0\0\0" + text


class Line:
    """A connection to a session from a given peer address."""

    def __init__(self, port, path, *, source="127.0.0.1", receive_buffer=None):
        self.socket = socket.socket()
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.bind((source, 0))
        self.socket.settimeout(20)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.connect(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: pickerd.v1\r\n\r\n".encode())
        self.waiting = b""
        while b"\r\n\r\n" not in self.waiting:
            self.waiting += self.received()
        head, self.waiting = self.waiting.split(b"\r\n\r\n", 1)
        if b" 101 " not in head:
            raise ConnectionRefusedError(head.split(b"\r\n", 1)[0].decode())

    def received(self):
        data = self.socket.recv(262_144)
        if not data:
            raise ConnectionResetError("closed by the server")
        return data

    def send(self, message):
        text = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.socket.sendall(frame(text))

    def messages(self):
        """The complete messages received; blocks until the socket is readable."""
        self.waiting += self.received()
        whole = []
        while True:
            size, start = self._next()
            if size is None or len(self.waiting) < start + size:
                return whole
            kind = self.waiting[0] & 15
            payload = self.waiting[start:start + size]
            self.waiting = self.waiting[start + size:]
            if kind == 9:
                self.socket.sendall(b"\x8a\x80\0\0\0\0" if not payload else
                                    bytes([0x8A, 0x80 | size]) + b"\0\0\0\0" + payload)
            elif kind == 8:
                raise ConnectionResetError(f"closed with {int.from_bytes(payload[:2], 'big')}")
            else:
                whole.append(payload)

    def _next(self):
        """The length of the next frame and the offset of its payload."""
        if len(self.waiting) < 2:
            return None, 0
        size = self.waiting[1] & 127
        if size < 126:
            return size, 2
        width = 2 if size == 126 else 8
        if len(self.waiting) < 2 + width:
            return None, 0
        return int.from_bytes(self.waiting[2:2 + width], "big"), 2 + width

    def until(self, type):
        """Reads until a message of `type` and returns it."""
        while True:
            for message in self.messages():
                if b'"type":"%s"' % type.encode() in message[:200]:
                    return json.loads(message)

    def join(self):
        self.send({"type": "join", "name": "Ana"})
        return self.until("welcome")

    def drain(self):
        """Counts and discards the messages received so far."""
        while select.select([self.socket], [], [], 0)[0]:
            note_messages(self.messages())

    def close(self):
        self.socket.close()
