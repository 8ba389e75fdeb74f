"""A member on a raw socket, with full control over reads, frames and pongs."""

import json

from rawsocket import CLOSE, PING, PONG, TEXT, Gone, open_websocket

from .patience import PATIENCE


class RawMember:
    """Joins over a socket with a chosen receive buffer. Only `read` reads from the socket."""

    def __init__(self, server, session, *, receive_buffer=None, source=None, join=True,
                 name="Slow", **fields):
        self.raw = open_websocket(
            ("127.0.0.1", server.port), session.path, receive_buffer=receive_buffer,
            source=source, Sec_WebSocket_Protocol="pickerd.v1")
        self.socket, self.send_frame = self.raw.socket, self.raw.send_frame
        if join:
            self.send({"type": "join", "name": name, **fields})
            self.welcome = self.until_type("welcome")

    def send(self, message):
        self.raw.send_text(json.dumps(message))

    def read(self, timeout=PATIENCE):
        """The next frame as (opcode, payload); (None, b"") if the connection has ended."""
        self.socket.settimeout(timeout)
        try:
            return self.raw.read_frame()
        except Gone:
            return None, b""

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
