"""One change of a definition that 10,000 sessions share, and taps meanwhile; pickerd only.

Half of the sessions have a member, and the others leave the memory if there is a store.
"""

import contextlib
import http.client
import json
import multiprocessing
import resource
import selectors
import tempfile
import time
from statistics import median, quantiles

from attack import victims
from attack.lines import Line
from servers import Pickerd, database

SESSIONS = 10_000
#: After this time without members a session leaves the memory; see `Hub.evictSoon`.
IDLE_SECONDS = 6
ROOM = {"kind": "calendar", "months": {"from": "2026-01", "through": "2027-12"}, "maxDays": 1}
PRICES = {"days": {f"2026-{month:02}-{day:02}": {"text": "€ 120", "amount": 120}
                   for month in range(1, 13) for day in range(1, 29)}}
LISTS = {"kind": "columns", "columns": [["a", "b", "c", "d"]] * 2}
CHANGES = 5


def request(server, method, body):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request(method, "/v1/definitions/room", json.dumps(body))
    answer = connection.getresponse()
    answer.read()
    if answer.status not in (200, 201):
        raise SystemExit(f"inventory: {answer.status}")


class Members:
    """Connections that answer the server's pings while they wait."""

    def __init__(self, connections):
        self.connections = connections
        self.events = selectors.DefaultSelector()
        self.count = 0

    def join(self, port, path):
        line = Line(port, path)
        self.connections.callback(line.socket.close)
        line.join()
        self.events.register(line.socket, selectors.EVENT_READ, line)
        self.count += 1
        if self.count % 500 == 0:
            self.wait(0)

    def receive(self, seconds):
        """All messages of some time, each with its connection."""
        end = time.monotonic() + seconds
        while True:
            for key, _ in self.events.select(max(0, end - time.monotonic())):
                for message in key.data.messages():
                    yield key.data, message
            if time.monotonic() >= end:
                return

    def wait(self, seconds):
        for _ in self.receive(seconds):
            pass

    def follow(self, server, days):
        """Seconds from a change until all members have it."""
        wanted, have = b'"maxDays":%d' % days, set()
        begun = time.monotonic()
        request(server, "PATCH", {
            "definition": {"maxDays": days, "taken": {f"b{days}": {"from": "2026-03-10"}}},
            "notes": {"days": {"2026-03-10": None, "2026-03-11": {"text": f"€ {days}"}}}})
        for line, message in self.receive(60):
            if wanted in message:
                have.add(line)
                if len(have) == self.count:
                    return time.monotonic() - begun
        raise SystemExit(f"inventory: {len(have)} of {self.count} members have the change")


def measured(store):
    options = ("--limit", "connectionsPerAddress=100000")
    server = Pickerd(store=store, options=options, loops=2, is_pinned=False)
    try:
        request(server, "PUT", {"definition": ROOM, "notes": PRICES})
        rooms = server.create({}, SESSIONS, uses="room")
        others = server.create(LISTS, victims.COUNT)
        with contextlib.ExitStack() as connections:
            members = Members(connections)
            for path in rooms[::2]:
                members.join(server.port, path)
            members.wait(IDLE_SECONDS)
            found, seconds = multiprocessing.Queue(), []
            tapping = multiprocessing.Process(
                target=victims.measure, args=(server.port, others, 2.0 * CHANGES, found))
            tapping.start()
            for number in range(CHANGES):
                members.wait(0.8)
                seconds.append(members.follow(server, number + 2))
            latencies = found.get()
            tapping.join()
        if isinstance(latencies, str):
            raise SystemExit(f"inventory: {latencies}")
        return {"s until all have it": median(seconds),
                "s until all have it, longest": max(seconds),
                "ms of a tap, p50": median(latencies) / 1000,
                "ms of a tap, p99": quantiles(latencies, n=100)[98] / 1000,
                "ms of a tap, max": max(latencies) / 1000}
    finally:
        server.kill()


def inventory():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    found = {}
    with tempfile.TemporaryDirectory() as folder, database() as postgres:
        stores = {"memory": "memory:", "SQLite": f"sqlite:{folder}/store.sqlite",
                  "PostgreSQL": postgres}
        for name, store in stores.items():
            for key, value in measured(store).items():
                found[f"{name}: {key}"] = value
    return found
