"""A server and members on bare sockets, for benchmarks that need no generator."""

import base64
import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request

#: Below the ports that the system chooses, which could be connected with themselves.
PORT = 20000 + os.getpid() % 12000


def request(method, path, body=None, port=PORT):
    """The status and the body of the answer."""
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", data, method=method,
        headers={"Content-Type": "application/merge-patch+json" if method == "PATCH"
                 else "application/json"})
    try:
        with urllib.request.urlopen(asked, timeout=120) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def serve(store, *options):
    """Starts a server with one event loop on `PORT`, and the admin listener on the next port."""
    server = subprocess.Popen(
        [os.environ.get("PICKERD", ".build/release/pickerd"), "serve", "--listen",
         f"127.0.0.1:{PORT}", "--admin-listen", f"127.0.0.1:{PORT + 1}", "--store", store,
         "--loops", "1", *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while True:
        try:
            request("GET", "/healthz")
            return server
        except OSError:
            time.sleep(0.05)


def frame(text):
    """A text frame with an empty mask."""
    data = text.encode()
    head = bytes([0x81, 0x80 | len(data)]) if len(data) < 126 else (
        bytes([0x81, 0xFE]) + len(data).to_bytes(2, "big"))
    return head + bytes(4) + data


def joining(session, address="127.0.0.1"):
    """A connection from an address that has sent its handshake and `join`, and has read nothing."""
    there = socket.create_connection(("127.0.0.1", PORT), source_address=(address, 0))
    key = base64.b64encode(os.urandom(16)).decode()
    there.sendall((
        f"GET /v1/sessions/{session} HTTP/1.1\r\nHost: 127.0.0.1:{PORT}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: pickerd.v1\r\n\r\n").encode() + frame('{"type":"join"}'))
    there.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return there


def join(session, address="127.0.0.1"):
    """A member that has read its welcome."""
    there = joining(session, address)
    while b'"welcome"' not in there.recv(1 << 20):
        pass
    return there
