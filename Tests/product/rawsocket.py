"""WebSockets and HTTP/1.1 over plain sockets, with control over every byte.

Nothing enforces correctness: frames may be unmasked, truncated or invalid.
"""

import base64
import contextlib
import hashlib
import json
import os
import select
import socket
import ssl
import struct

from harness.patience import PATIENCE

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
KEY = base64.b64encode(b"0123456789abcdef").decode()
#: The headers of a handshake of pickerd's clients.
UPGRADE = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", KEY),
           ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Protocol", "pickerd.v1")]


class Gone(Exception):
    """The server has ended the TCP connection."""


class Raw:
    """A connection with a buffer. Every read has a timeout in seconds.

    `address` is the pair of a TCP address and port, or the path of a Unix socket; `first` is sent
    before everything else, also before the TLS handshake. `tls` is the SSLContext of a TLS
    connection.
    """

    def __init__(
            self, address, timeout=PATIENCE, receive_buffer=None, tls=None, first=b"", source=None):
        is_unix = isinstance(address, str)
        family = socket.AF_UNIX if is_unix else (
            socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        if source:
            self.socket.bind((source, 0))
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.settimeout(timeout)
        if not is_unix:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.connect(address)
        # Not without bytes: a Unix socket that the server has closed meanwhile would raise.
        if first:
            self.socket.sendall(first)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")
        self.timeout = timeout
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def _more(self):
        try:
            data = self.socket.recv(65536)
        except (ConnectionResetError, ssl.SSLError) as error:
            raise Gone("reset") from error
        if not data:
            raise Gone("end")
        self.buffer += data

    def read(self, count):
        while len(self.buffer) < count:
            self._more()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def read_line(self):
        while b"\r\n" not in self.buffer:
            self._more()
        line, self.buffer = self.buffer.split(b"\r\n", 1)
        return line

    def read_to_end(self):
        """All bytes until the server ends the connection."""
        try:
            while True:
                self._more()
        except Gone:
            data, self.buffer = self.buffer, b""
            return data

    def reset(self):
        """Ends the connection with an RST."""
        linger = struct.pack("ii", 1, 0)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.socket.close()

    # HTTP

    def request(self, method, path, headers=(), body=b"", host="localhost"):
        lines = [f"{method} {path} HTTP/1.1"]
        if host is not None:
            lines.append(f"Host: {host}")
        if body:
            lines.append(f"Content-Length: {len(body)}")
        lines += [f"{name}: {value}" for name, value in headers]
        self.send("\r\n".join(lines + ["", ""]).encode() + body)

    def response(self, is_head=False):
        """Status, headers with lower-case names, body."""
        status = int(self.read_line().split(b" ")[1])
        headers = {}
        while line := self.read_line():
            name, value = line.decode("latin-1").split(":", 1)
            headers[name.lower()] = value.strip()
        if status == 100:
            return status, headers, b""
        if is_head or status in (101, 204, 304):
            return status, headers, b""
        if "content-length" in headers:
            return status, headers, self.read(int(headers["content-length"]))
        return status, headers, self.read_to_end()

    def exchange(self, *arguments, **named):
        self.request(*arguments, **named)
        return self.response(is_head=arguments[0] == "HEAD")

    # WebSocket

    def upgrade(self, path="/", then=b"", **changes):
        """Sends a handshake and returns the response; `Header=None` leaves a header out.

        `then` is sent with it: nothing can time out between them.
        """
        headers = {
            "Host": "localhost",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": KEY,
            "Sec-WebSocket-Version": "13",
        }
        method, version = changes.pop("method", "GET"), changes.pop("version", "HTTP/1.1")
        for name, value in changes.items():
            headers[name.replace("_", "-")] = value
        lines = [f"{method} {path} {version}"]
        lines += [f"{name}: {value}" for name, value in headers.items() if value is not None]
        self.send("\r\n".join(lines + ["", ""]).encode() + then)
        return self.response()

    def send_frame(self, opcode, payload=b"", final=True, rsv=0, masked=True, length=None):
        """Sends a frame; `length` overrides the length in its header."""
        self.send(frame(opcode, payload, final, rsv, masked, length))

    def send_text(self, text):
        self.send_frame(TEXT, text.encode() if isinstance(text, str) else text)

    def read_frame(self):
        """Opcode and payload of the server's next frame, which must be whole and unmasked."""
        first, second = self.read(2)
        assert first & 0x80, "the server does not send fragments"
        assert not first & 0x70, "the server negotiated no extension"
        assert not second & 0x80, "a server does not mask"
        length = second & 0x7F
        if length == 126:
            (length,) = struct.unpack("!H", self.read(2))
        elif length == 127:
            (length,) = struct.unpack("!Q", self.read(8))
        return first & 0x0F, self.read(length)

    def read_text(self):
        """The next text message, skipping pings."""
        while True:
            opcode, payload = self.read_frame()
            if opcode == PING:
                continue
            assert opcode == TEXT, (opcode, payload)
            return payload.decode()

    def read_text_past_pongs(self):
        """The next text message, skipping pings and pongs."""
        while True:
            opcode, payload = self.read_frame()
            if opcode not in (PING, PONG):
                assert opcode == TEXT, (opcode, payload)
                return payload.decode()

    def read_close(self):
        """Code and reason of the close frame, skipping other frames; (None, "") if it has none."""
        while True:
            opcode, payload = self.read_frame()
            if opcode != CLOSE:
                continue
            if not payload:
                return None, ""
            return struct.unpack("!H", payload[:2])[0], payload[2:].decode()

    def answer_close(self, code=1000):
        """Answers a close frame, unless the server has already given up waiting for the answer."""
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            self.send_frame(CLOSE, struct.pack("!H", code))


def frame(opcode, payload=b"", final=True, rsv=0, masked=True, length=None):
    count = len(payload) if length is None else length
    head = bytes([(0x80 if final else 0) | rsv << 4 | opcode])
    mask_bit = 0x80 if masked else 0
    if count < 126:
        head += bytes([mask_bit | count])
    elif count < 65536:
        head += bytes([mask_bit | 126]) + struct.pack("!H", count)
    else:
        head += bytes([mask_bit | 127]) + struct.pack("!Q", count)
    if not masked:
        return head + payload
    mask = os.urandom(4)
    return head + mask + mask_payload(payload, mask)


def mask_payload(payload, mask):
    if not payload:
        return b""
    whole = (mask * (len(payload) // 4 + 1))[: len(payload)]
    number = int.from_bytes(payload, "big") ^ int.from_bytes(whole, "big")
    return number.to_bytes(len(payload), "big")


def accept_of(key):
    return base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()


def open_websocket(
        address, path="/", timeout=PATIENCE, receive_buffer=None, tls=None, first=b"", source=None,
        **headers):
    raw = Raw(address, timeout, receive_buffer, tls, first, source)
    status, answer, _ = raw.upgrade(path, **headers)
    assert status == 101, (status, answer)
    assert answer["sec-websocket-accept"] == accept_of(headers.get("Sec_WebSocket_Key", KEY))
    return raw


def drip(raw, pieces):
    """Sends the pieces, each when nothing has come for a while, until the server answers."""
    for piece in pieces:
        raw.send(piece)
        if select.select([raw.socket], [], [], 0.03)[0]:
            return
    raise AssertionError("the server has received everything")


def has_nothing(raw):
    """Whether nothing has arrived that is not read yet."""
    return not raw.buffer and not select.select([raw.socket], [], [], 0)[0]


def at_once(address, count, *request):
    """The responses to equal requests that are all sent before the first response is read.

    The server has them within a fraction of a second, however slowly this process reads.
    """
    connections = [Raw(address) for _ in range(count)]
    try:
        for raw in connections:
            raw.request(*request)
        return [raw.response() for raw in connections]
    finally:
        for raw in connections:
            raw.socket.close()


def problem(response):
    """The problem document of a response, whose status must equal the response's."""
    status, headers, body = response
    assert headers["content-type"] == "application/problem+json", headers
    document = json.loads(body)
    assert document["status"] == status
    return document
