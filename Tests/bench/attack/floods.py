"""Attacks by many HTTP requests, by resumes, and by members with different views."""

import json
import re
import selectors
import socket
import ssl
import time

from .answers import note, repeat
from .client import SOURCE
from .lines import Line, frame
from .members import PER_SECOND

#: Columns of 200 rows each: 1.3 MB of rows in view.
COLUMNS = {"kind": "columns", "columns": [
    [f"{column} {row}".ljust(200, "x") for row in range(200)] for column in range(31)]}
#: A selection in the first column reloads 200 rows.
CASCADE = {"kind": "cascade", "nodes": [
    {"text": root, "children": [{"text": f"{row}".ljust(200, root)} for row in range(200)]}
    for root in "ab"]}
CALENDAR = {"kind": "calendar", "months": {"from": "2000-01", "through": "2999-12"}}
#: Deltas that a member has missed.
MISSED = 500
#: Requests that each connection has sent and that are not answered.
AHEAD = 5
#: Headers that the server uses.
HEADERS = ["Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Content-Type",
           "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID", "Origin", "User-Agent",
           "X-Forwarded-For", "X-Forwarded-Proto"]
START = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
#: Requests of 12 KB that would take long to decode, with few and with many parts.
LINES = START + "".join(f"{name}: x\r\n" * 2 for name in HEADERS) + "a:\r\n" * 2_800 + "\r\n"
SEGMENTS = START.replace("/healthz", "/a" * 5_500) + "\r\n"
REPEATED = (START + "".join(f"{name}: {'a,' * 210}\r\n" * 2 for name in HEADERS)
            + "a:\r\n" * 60 + "\r\n")
STATUS = re.compile(rb"HTTP/1.1 (\d+)")
#: Members with 24 different months in view each.
VIEWERS = 500
DAYS = ["2026-01-01", "2990-01-01"]


def requests(state, stop):
    """Requests on many connections, each of which sends the next one after an answer."""
    events = selectors.DefaultSelector()
    request = (f"{state['method']} {state['path']} HTTP/1.1\r\n"
               f"Host: 127.0.0.1:{state['port']}\r\n\r\n").encode()

    def connect():
        connection = socket.socket()
        connection.bind((SOURCE, 0))
        connection.settimeout(20)
        connection.connect(("127.0.0.1", state["port"]))
        connection.sendall(request * AHEAD)
        connection.setblocking(False)
        events.register(connection, selectors.EVENT_READ)

    for _ in range(state["connections"]):
        connect()
    while not stop.is_set():
        for key, _ in events.select(0.01):
            try:
                received = key.fileobj.recv(1 << 18)
                if count := received.count(b"HTTP/1.1 200"):
                    note("200")
                    key.fileobj.send(request * count)
            except BlockingIOError:
                continue
            except OSError:
                received = b""
            if not received:
                events.unregister(key.fileobj)
                key.fileobj.close()
                connect()


def again(state, stop):
    """Connections that send the same, are answered, and begin again."""
    events = selectors.DefaultSelector()

    def connect():
        connection = socket.socket()
        connection.bind((SOURCE, 0))
        connection.settimeout(20)
        connection.connect(("127.0.0.1", state["tls_port"] or state["port"]))
        connection.sendall(state["sent"])
        events.register(connection, selectors.EVENT_READ)

    for _ in range(state["connections"]):
        connect()
    while not stop.is_set():
        for key, _ in events.select(0.01):
            try:
                received = key.fileobj.recv(4096)
                status = STATUS.match(received)
                note(status[1].decode() if status else "hello" if received else "closed")
            except OSError as failure:
                note(failure)
            events.unregister(key.fileobj)
            key.fileobj.close()
            connect()


def client_hello():
    context, sent = ssl.create_default_context(), ssl.MemoryBIO()
    try:
        context.wrap_bio(ssl.MemoryBIO(), sent, server_hostname="localhost").do_handshake()
    except ssl.SSLWantReadError:
        return sent.read()


def missed(port, path):
    """A member that has missed 500 large deltas: the `resume` of its next join."""
    line = Line(port, path, source=SOURCE)
    welcome = line.join()
    for ref in range(1, MISSED + 1):
        line.send({"type": "select", "ref": ref, "column": 0, "row": ref % 2, "generation": 1})
        line.until("delta")
    line.close()
    return {"member": welcome["member"]["id"], "secret": welcome["member"]["secret"],
            "epoch": welcome["epoch"], "revision": welcome["revision"]}


def resumes(state, stop):
    """Resumes again and again, and reads nothing but the welcome."""
    def resume():
        line = Line(state["port"], state["path"], source=SOURCE, receive_buffer=4096)
        line.send({"type": "join", "name": "Ana", "resume": state["resume"]})
        line.until("welcome")
        note("welcome")
        line.close()

    repeat(stop, resume)


def viewers(port, path):
    """The connections of members that display different months."""
    lines = []
    for number in range(VIEWERS):
        line = Line(port, path, source=SOURCE)
        months = {"from": f"{2026 + number // 12}-{number % 12 + 1:02}", "count": 24}
        line.send({"type": "join", "name": "Ana", "months": months})
        line.socket.setblocking(False)
        lines.append(line)
    return lines


def views(state, stop):
    """One of the members taps at its full rate."""
    events = selectors.DefaultSelector()
    for line in state["lines"]:
        events.register(line.socket, selectors.EVENT_READ)
    # Each measurement has refs of its own.
    ref, due = 1_000 * state["number"], time.monotonic()
    while not stop.is_set():
        if time.monotonic() >= due:
            ref, due = ref + 1, due + 1 / PER_SECOND
            state["lines"][0].socket.send(frame(json.dumps(
                {"type": "tap", "ref": ref, "date": DAYS[ref % 2]}).encode()))
        for key, _ in events.select(0.005):
            try:
                if b'"change":"bands"' in key.fileobj.recv(1 << 18):
                    note("bands")
            except OSError:
                events.unregister(key.fileobj)
