"""Attacks by many members, each of whom sends no more than it may."""

import selectors
import time

from .answers import note
from .lines import Line, frame

#: The default limit of messages a second, half of which each member sends at once.
PER_SECOND, AT_ONCE = 50, 25


def taps(first):
    return b"".join(
        frame(b'{"type":"select","ref":%d,"column":0,"row":%d,"generation":1}' % (ref, ref % 4))
        for ref in range(first, first + AT_ONCE))


def full_rate(state, stop):
    """All members send their taps at the same time, and read what they receive."""
    lines = [Line(state["port"], path, source=state["source"])
             for path in state["paths"] for _ in range(state["members"])]
    events = selectors.DefaultSelector()
    for line in lines:
        line.send({"type": "join", "name": "Ana"})
        line.socket.setblocking(False)
        events.register(line.socket, selectors.EVENT_READ, line)
    first, due = 1, time.monotonic()
    while not stop.is_set():
        if time.monotonic() >= due:
            batch = taps(first)
            for line in list(lines):
                send(line, batch, lines)
            first += AT_ONCE
            due += AT_ONCE / PER_SECOND
        for key, _ in events.select(0.01):
            if not is_alive(key.data):
                events.unregister(key.fileobj)


def send(line, batch, lines):
    """Sends taps, unless the server has not read those before."""
    try:
        if line.socket.send(batch) < len(batch):
            lines.remove(line)
    except BlockingIOError:
        pass
    except OSError:
        lines.remove(line)


def is_alive(line):
    """Discards what was received; false at the end of the connection."""
    try:
        received = line.socket.recv(1 << 18)
    except OSError:
        return False
    if b'"type":"delta"' in received:
        note("delta")
    return bool(received)
