"""Attacks by many HTTP requests, by resumes, and by members with different views."""

import json
import selectors
import socket
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
