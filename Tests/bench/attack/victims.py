"""Tap latencies of members in sessions that are not attacked."""

import gc
import os
import selectors
import time

from .lines import REF, Line

COUNT = 20
#: Taps per second and victim; the default limit is 50 messages per second.
TAPS_PER_SECOND = 40
#: Seconds after which a tap counts as lost.
PATIENCE = 5.0


def be_first():
    """Raises the priority of this process above that of the attackers."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except PermissionError:
        return


class Victim:
    def __init__(self, port, path):
        self.line = Line(port, path)
        self.line.join()
        self.ref = 0
        self.sent = {}

    def tap(self, due):
        self.ref += 1
        self.sent[self.ref] = due
        self.line.send(b'{"type":"select","ref":%d,"column":0,"row":%d,"generation":1}'
                       % (self.ref, self.ref % 4))

    def receive(self, now):
        """Receives answers; the latencies of the answered taps in seconds."""
        found = []
        for message in self.line.messages():
            ref = REF.search(message)
            if ref and (due := self.sent.pop(int(ref[1]), None)) is not None:
                found.append(now - due)
        return found


def measure(port, paths, seconds, into):
    """Taps at a constant rate in all sessions, in a process of its own.

    Puts the latencies since each tap was due, in microseconds, into the queue `into`, or an error.
    """
    try:
        gc.disable()
        be_first()
        into.put(run(port, paths, seconds))
    except (OSError, TimeoutError) as failure:
        into.put(f"{type(failure).__name__}: {failure}")


def run(port, paths, seconds):
    victims = [Victim(port, path) for path in paths]
    events = selectors.DefaultSelector()
    for victim in victims:
        events.register(victim.line.socket, selectors.EVENT_READ, victim)
    wait = 1 / (TAPS_PER_SECOND * len(victims))
    latencies, number = [], 0
    due = time.monotonic() + 0.1
    end = due + seconds
    while True:
        now = time.monotonic()
        if now >= due and due < end:
            victims[number % len(victims)].tap(due)
            number += 1
            due += wait
            continue
        if due >= end and (now > end + PATIENCE or not any(one.sent for one in victims)):
            break
        for key, _ in events.select(max(0, (due if due < end else end + PATIENCE) - now)):
            latencies += key.data.receive(time.monotonic())
    lost = sum(len(victim.sent) for victim in victims)
    for victim in victims:
        victim.line.close()
    return [one * 1e6 for one in latencies] + [PATIENCE * 1e6] * lost
