"""What a decision costs with ten and with 100,000 live holds, and in a long line; pickerd only.

The host holds a place and gives it back, one command after the other. The holds of a database are
written to its tables: to ask the server for so many takes minutes.
"""

import json
import os
import re
import resource
import selectors
import socket
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from sale import OPTIONS, stores
from servers import Pickerd, pickerd_binary

HALL = {"kind": "cascade", "nodes": [{"key": "hall", "text": "Hall"}]}
HOLDS, WAITERS, FEW = 100_000, 10_000, 10
#: Sessions of which each holds and gives back once.
DECIDING = 500
CONNECTIONS, AHEAD = 16, 5
#: Milliseconds of a day.
DAY = 86_400_000
#: Holds of the key `hall` that end in a day, in SQLite and PostgreSQL.
FILLING = """
BEGIN;
INSERT INTO inventory_claim (definition, id, is_session, state, keys, units, weight, holder,
  begun_at, ends_at, is_over, number)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
SELECT name, 'held-' || i, true, 'held', '["hall"]', 1, 1, 'holder ' || i, changed_at,
  changed_at + {day} + i, false, number + i FROM n, inventory WHERE name = 'hall';
INSERT INTO inventory_unit (definition, key, id, is_session, is_booked, units, ends_at)
SELECT definition, 'hall', id, is_session, false, units, ends_at FROM inventory_claim
WHERE definition = 'hall' AND holder LIKE 'holder %';
UPDATE inventory_key SET held = held + {count} WHERE definition = 'hall' AND key = 'hall';
UPDATE inventory SET number = number + {count}, open_count = open_count + {count}
WHERE name = 'hall';
COMMIT;
"""
LENGTH = re.compile(rb"(?i)content-length: (\d+)")


class Channel:
    """A connection with some requests that are not answered."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.waiting, self.asked = b"", []

    def send(self, number, request):
        self.asked.append(number)
        self.socket.sendall(request)

    def answers(self):
        """The statuses and bodies that have arrived, each with its number."""
        data = self.socket.recv(262_144)
        if not data:
            raise ConnectionResetError("closed by the server")
        self.waiting += data
        while b"\r\n\r\n" in self.waiting:
            head, rest = self.waiting.split(b"\r\n\r\n", 1)
            size = int(LENGTH.search(head)[1])
            if len(rest) < size:
                return
            self.waiting = rest[size:]
            yield self.asked.pop(0), int(head.split(b" ", 2)[1]), rest[:size]


def request(server, path, body, method="POST"):
    text = json.dumps(body).encode()
    return (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
            f"Authorization: Bearer {server.key}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(text)}\r\n\r\n").encode() + text


def answered(port, requests, wanted):
    """The bodies of the answers to many requests, which must have a status."""
    found = [None] * len(requests)
    events = selectors.DefaultSelector()
    left = iter(enumerate(requests))
    for channel in [Channel(port) for _ in range(min(CONNECTIONS, len(requests)))]:
        events.register(channel.socket, selectors.EVENT_READ, channel)
        for _, (number, request) in zip(range(AHEAD), left):
            channel.send(number, request)
    count = 0
    while count < len(requests):
        for key, _ in events.select(20):
            for number, status, body in key.data.answers():
                if status != wanted:
                    raise SystemExit(f"holds: {status} {body.decode()}")
                found[number] = body
                count += 1
                if after := next(left, None):
                    key.data.send(*after)
    for key in list(events.get_map().values()):
        key.data.socket.close()
    return found


def sessions(server, count, name):
    created = answered(
        server.port, [request(server, "/v1/sessions", {"uses": name})] * count, 201)
    return [f"/v1/sessions/{json.loads(body)['session']}" for body in created]


def command(server, paths, **message):
    answered(server.port,
             [request(server, f"{path}/commands", message) for path in paths], 200)


def decisions(server, name):
    """Milliseconds of a hold and of its end, p50: in new sessions, one after the other."""
    channel = Channel(server.port)
    took = {"hold": [], "release": []}
    for path in sessions(server, DECIDING, name):
        for what, times in took.items():
            sent = time.monotonic()
            channel.send(path, request(server, f"{path}/commands", {"type": what}))
            while not (answers := list(channel.answers())):
                pass
            if answers[0][1] != 200:
                raise SystemExit(f"holds: {answers}")
            times.append(1000 * (time.monotonic() - sent))
    channel.socket.close()
    return {what: median(times) for what, times in took.items()}


def hold(server, store, count):
    """Makes sessions that hold; in a database, holds without their sessions."""
    filling = FILLING.format(count=count, day=DAY)
    if store.startswith("sqlite:"):
        database = sqlite3.connect(store.removeprefix("sqlite:"))
        database.executescript(filling)
        database.close()
    elif store.startswith("postgres:"):
        # With the statistics that autovacuum would make by and by.
        subprocess.run(
            ["psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", store, "-c", filling, "-c", "ANALYZE"],
            check=True, env={**os.environ, "PGOPTIONS": "-c search_path=pickerd"})
    else:
        command(server, sessions(server, count, "hall"), type="hold")


def define(server, name, **inventory):
    answered(server.port, [request(
        server, f"/v1/definitions/{name}", {"definition": HALL, "inventory": inventory}, "PUT")],
        201)


class Keyed(Pickerd):
    """A server whose host has a key: it gives the commands of its sessions."""

    def __init__(self, folder, **given):
        file = Path(folder) / "keys.json"
        self.key = subprocess.run(
            [pickerd_binary(), "key", "add", file, "desk", "--scope", "sessions"], check=True,
            capture_output=True, text=True).stdout.strip()
        super().__init__(options=(*OPTIONS, "--auth", f"keys:{file}"), loops=2, is_pinned=False,
                         **given)


def measured(store, count=HOLDS, waiters=WAITERS):
    folder = tempfile.TemporaryDirectory()
    server = Keyed(folder.name, store=store)
    try:
        found = {}
        define(server, "hall", capacity=1_000_000, holdSeconds=86_400)
        command(server, sessions(server, FEW, "hall"), type="hold")
        few = decisions(server, "hall")
        hold(server, store, count - FEW)
        many = decisions(server, "hall")
        for what in ("hold", "release"):
            found[f"ms of a {what} with {FEW} live holds"] = few[what]
            found[f"ms of a {what} with {count:,} live holds"] = many[what]
        # Somebody else has the only place, and is in front of all.
        define(server, "box", capacity=1, holdSeconds=86_400, waiting=True)
        first, = sessions(server, 1, "box")
        command(server, [first], type="hold")
        joining = []
        for part in (FEW, waiters - FEW):
            paths = sessions(server, part, "box")
            begun = time.monotonic()
            command(server, paths, type="wait", keys=["hall"])
            joining.append(1000 * (time.monotonic() - begun) / part)
        found[f"ms of joining a line of up to {waiters:,}"] = joining[1]
        # Each one who gives the offer back passes it to the next.
        begun = time.monotonic()
        command(server, [first], type="release")
        for path in paths[:100]:
            command(server, [path], type="release")
        found[f"ms of leaving the front of a line of {waiters:,}"] = (
            1000 * (time.monotonic() - begun) / 101)
        return found
    finally:
        server.kill()
        folder.cleanup()


def holds():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    found = {}
    stack, all_stores = stores()
    with stack:
        for name, store in all_stores.items():
            for key, value in measured(store).items():
                found[f"{name}: {key}"] = value
    return found
