"""Sales from one inventory; pickerd only.

- `lastplace`: 1,000 sessions hold the last place of a day at once, beside a bare transaction of the
  same statements.
- `sale`: 100 holds a second from an inventory of 10,000 sessions in memory, and taps meanwhile.
"""

import contextlib
import http.client
import json
import multiprocessing
import os
import re
import resource
import selectors
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

from attack import victims
from attack.lines import Line
from hold_sql import bare_transaction
from servers import Pickerd, database

DAYS = {"kind": "calendar", "months": {"from": "2040-01", "through": "2040-12"},
        "selection": "single"}
LISTS = {"kind": "columns", "columns": [["a", "b", "c", "d"]] * 2}
OPTIONS = ("--limit", "connectionsPerAddress=100000", "--limit", "connections=100000",
           "--limit", "commandsPerSecond=1000000")
ASKING, ASKED_DAYS = 1000, [f"2040-02-{day:02}" for day in range(1, 6)]
WATCHING, SELLING = 10_000, 2500
SOLD_DAYS = [f"2040-01-{day:02}" for day in range(5, 25)]
HOLDS_PER_SECOND, QUIET_SECONDS, SALE_SECONDS = 100, 10.0, 20.0
#: The longest time until a change is seen.
AGE_MAX = 2.0
SETTLED_SECONDS = 1.5
LEFT = {day: re.compile(rb'"date":"%s"[^{}]*"left":(\d+)' % day.encode()) for day in SOLD_DAYS}


def put(server, **inventory):
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request("PUT", "/v1/definitions/sale",
                       json.dumps({"definition": DAYS, "inventory": inventory}))
    answer = connection.getresponse()
    text = answer.read()
    if answer.status != 201:
        raise SystemExit(f"sale: {answer.status} {text.decode()}")


def stores():
    """The stores by name, each new."""
    stack = contextlib.ExitStack()
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    postgres = stack.enter_context(database())
    return stack, {"memory": "memory:", "SQLite": f"sqlite:{folder}/store.sqlite",
                   "PostgreSQL": postgres}


class Asking:
    """A member who taps a day and holds it."""

    def __init__(self, port, path):
        self.line = Line(port, path)
        self.line.join()
        self.ref = 0
        #: Whether others have taken its value since the last tap.
        self.has_lost = False

    def send(self, message):
        self.ref += 1
        self.line.send(message % self.ref)

    def answer(self):
        """The answer to the last command, if it has arrived; blocks until something has."""
        found = None
        for message in self.line.messages():
            self.has_lost = self.has_lost or b'"cause":"inventory"' in message
            if b'"ref":%d,' % self.ref in message[:200]:
                found = message
        return found

    def is_right(self, message, day):
        """Whether a refusal says that others hold the day, or has come after that was seen."""
        refused = json.loads(message)
        return (refused["code"], refused["params"].get("keys")) == ("held", [day]) or (
            self.has_lost and refused["code"] == "notComplete")


def answers(members, events):
    """The answers of all members, with the times when they came."""
    found = {}
    while len(found) < len(members):
        ready = events.select(20)
        if not ready:
            raise SystemExit(f"lastplace: {len(found)} of {len(members)} have an answer")
        for key, _ in ready:
            message = key.data.answer()
            if message:
                found[key.data] = message, time.monotonic()
    return found


def race(members, events, day):
    """Milliseconds of the answers, after one has got the day and all others are refused for it."""
    for member in members:
        member.has_lost = False
        member.send(b'{"type":"tap","ref":%%d,"date":"%s"}' % day.encode())
    answers(members, events)
    # Everybody has seen what has become of the days before.
    time.sleep(SETTLED_SECONDS)
    sent = {}
    for member in members:
        sent[member] = time.monotonic()
        member.send(b'{"type":"hold","ref":%d}')
    found = answers(members, events)
    held = [member for member, (text, _) in found.items() if b'"state":"held"' in text]
    wrong = [text for member, (text, _) in found.items()
             if member not in held and not member.is_right(text, day)]
    if len(held) != 1 or wrong:
        raise SystemExit(f"lastplace: {len(held)} have {day}; {len(wrong)} wrong: {wrong[:1]}")
    return [1000 * (found[member][1] - sent[member]) for member in members]


def last_place():
    """One of 1,000 has the last place, on each of five days."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    found = {}
    stack, all_stores = stores()
    with stack:
        for name, store in all_stores.items():
            server = Pickerd(store=store, options=OPTIONS, loops=2, is_pinned=False)
            try:
                put(server, capacity=1)
                paths = server.create({}, ASKING, uses="sale")
                members = [Asking(server.port, path) for path in paths]
                events = selectors.DefaultSelector()
                for member in members:
                    events.register(member.line.socket, selectors.EVENT_READ, member)
                rounds = [race(members, events, day) for day in ASKED_DAYS]
                for member in members:
                    member.line.close()
            finally:
                server.kill()
            found[f"{name}: ms until the answer, p50"] = median(map(median, rounds))
            found[f"{name}: ms until the answer, p99"] = median(
                quantiles(one, n=100)[98] for one in rounds)
            found[f"{name}: ms until the last answer"] = median(map(max, rounds))
            bare = bare_transaction(store, ASKING, ASKED_DAYS[-1])
            if bare is not None:
                found[f"{name}: ms of a bare transaction"] = bare
    return found


class Watching:
    """A member who looks at the month of the sale."""

    def __init__(self, port, path):
        self.line = Line(port, path)
        self.line.send({"type": "join", "name": "Ana", "months": {"from": "2040-01", "count": 1}})
        self.ref = 0
        self.seen = []

    def send(self, message):
        self.ref += 1
        self.line.send(message % self.ref)

    def receive(self):
        now = time.monotonic()
        for message in self.line.messages():
            if b'"left":' in message:
                found = LEFT[SOLD_DAYS[0]].search(message)
                if found:
                    self.seen.append((now, int(found[1])))
            if b'"state":"held"' in message:
                yield now


def watch(port, paths, sellers, begin, into):
    """10,000 members, some of whom hold a day in turn, in a process of its own.

    Puts the number of holds and the ages of the levels into the queue `into`.
    """
    try:
        # The members are at other machines: what reads for them waits for the server.
        os.nice(10)
        members = [Watching(port, path) for path in paths]
        events = selectors.DefaultSelector()
        for member in members:
            member.line.until("welcome")
            events.register(member.line.socket, selectors.EVENT_READ, member)
        selling = members[::len(members) // sellers][:sellers]
        for number, member in enumerate(selling):
            day = SOLD_DAYS[number % len(SOLD_DAYS)]
            member.send(b'{"type":"tap","ref":%%d,"date":"%s"}' % day.encode())
        into.put("ready")
        into.put(sell(members, selling, events, begin))
    except (OSError, TimeoutError) as failure:
        into.put(f"{type(failure).__name__}: {failure}")


def sell(members, selling, events, begin):
    held, number, end, begun = [], 0, None, None
    holding = set(selling[::len(SOLD_DAYS)])
    while end is None or time.monotonic() < end:
        now = time.monotonic()
        if begun is None and begin.is_set():
            begun = now
        if begun is not None and end is None and now >= begun + number / HOLDS_PER_SECOND:
            selling[number].send(b'{"type":"hold","ref":%d}')
            number += 1
            if number >= min(len(selling), SALE_SECONDS * HOLDS_PER_SECOND):
                end = now + 2 * AGE_MAX
            continue
        for key, _ in events.select(0.005):
            for at in key.data.receive():
                if key.data in holding:
                    held.append(at)
    return held, ages([one for one in members if one not in holding], held, begun)


def ages(members, held, begun):
    """How old the level of the first day was when each member got a newer one, in seconds.

    A level is old from the first hold on that it does not count.
    """
    held.sort()
    capacity, old = 1000, []
    for member in members:
        counted = 0
        for at, left in member.seen:
            if at < begun:
                continue
            if capacity - left > counted and counted < len(held):
                old.append(max(0.0, at - held[counted]))
            counted = capacity - left
        if counted < len(held):
            old.append(2 * AGE_MAX)
    return old


def taps(port, paths, seconds):
    found = multiprocessing.Queue()
    tapping = multiprocessing.Process(target=victims.measure, args=(port, paths, seconds, found))
    tapping.start()
    latencies = found.get()
    tapping.join()
    if isinstance(latencies, str):
        raise SystemExit(f"sale: {latencies}")
    return quantiles(latencies, n=100)[98] / 1000


def used(server, body, *given):
    """What `body` returns, and the cores that the server has used meanwhile."""
    def seconds():
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    before, begun = seconds(), time.monotonic()
    result = body(*given)
    return result, (seconds() - before) / (time.monotonic() - begun)


def sale():
    """Taps of other sessions before and during a sale, and the ages of the levels meanwhile."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    server = Pickerd(options=OPTIONS, loops=2, is_pinned=False)
    try:
        put(server, capacity=1000, few=1000)
        paths = server.create({}, WATCHING, uses="sale")
        others = server.create(LISTS, victims.COUNT)
        begin, found = multiprocessing.Event(), multiprocessing.Queue()
        watching = multiprocessing.Process(
            target=watch, args=(server.port, paths, SELLING, begin, found))
        watching.start()
        if (said := found.get()) != "ready":
            raise SystemExit(f"sale: {said}")
        quiet, quiet_used = used(server, taps, server.port, others, QUIET_SECONDS)
        begin.set()
        busy, busy_used = used(server, taps, server.port, others, SALE_SECONDS - 1)
        result = found.get()
        watching.join()
        if isinstance(result, str):
            raise SystemExit(f"sale: {result}")
        held, old = result
        return {"holds of the first day": len(held),
                "ms of a tap before, p99": quiet, "ms of a tap during the sale, p99": busy,
                "cores used by the server before": quiet_used,
                "cores used by the server during the sale": busy_used,
                "s of age of a level, p50": median(old),
                "s of age of a level, p99": quantiles(old, n=100)[98],
                "s of age of a level, longest": max(old)}
    finally:
        server.kill()
