"""Slow readers get a snapshot instead of their pending deltas and do not delay others."""

import json
import math
import time

import pytest

from conftest import for_one_test
from harness.definitions import CALENDAR, heavy
from harness.member import Hung
from harness.rawmember import TEXT, RawMember

#: Deltas of about 50 KiB each: more than the socket buffers of both sides can hold.
FLOOD = 500


@pytest.fixture(scope="module")
def _patient(_shared):
    return _shared("patient", limits={
        "messagesPerSecond": 100_000, "stalledMilliseconds": 300_000, "pingMilliseconds": 600_000})


@pytest.fixture
def server(_patient, request):
    """A server that does not close slow readers, so that a busy machine has time for the floods."""
    yield from for_one_test(_patient, request)


@pytest.fixture
def flooded(server):
    """A session in which Ana selects, Bo receives every delta and `slow` does not read."""
    session = server.session(heavy())
    ana, bo = session.together("Ana", "Bo")
    slow = RawMember(server, session, receive_buffer=4096)
    yield session, ana, bo, slow
    slow.close()


def turn(ana, count):
    for n in range(count):
        ana.ask("select", column=0, row=(ana.screen.columns[0]["row"] + n + 1) % 2, generation=1)
    ana.until(lambda m: not m.pending, timeout=120, what="all answers")


def without_checks(*members):
    """Skips the schemas: 500 large deltas would take a minute. Order and fold are still checked."""
    for member in members:
        member.is_trusted = True


def story(slow, until):
    """The messages that `slow` reads up to revision `until`, without presence."""
    received = []
    while True:
        message = slow.message()
        assert message is not None, f"closed after {[m['type'] for m in received][-3:]}"
        if message["type"] != "presence":
            received.append(message)
        if message.get("revision") == until and message["type"] in ("delta", "snapshot"):
            return received


def test_at_most_128_kib_of_old_deltas_precede_the_snapshot(flooded):
    """The server cannot replace deltas that are already in the kernel's send buffer."""
    session, ana, bo, slow = flooded
    without_checks(ana, bo)
    turn(ana, 100)

    data = 0
    while True:
        opcode, payload = slow.read()
        assert opcode is not None
        if opcode == TEXT and json.loads(payload)["type"] == "snapshot":
            break
        data += len(payload)

    received_before = 16_384  # capacity of the smallest receive buffer
    assert data <= 128 * 1024 + received_before


def test_a_slow_reader_gets_a_snapshot_and_does_not_delay_others(flooded):
    session, ana, bo, slow = flooded
    without_checks(ana, bo)

    turn(ana, FLOOD)
    bo.until(lambda m: m.screen.revision == FLOOD, timeout=120)

    received = story(slow, FLOOD)
    kinds = [m["type"] for m in received]
    assert "snapshot" in kinds and kinds.count("delta") < FLOOD
    last = max(n for n, kind in enumerate(kinds) if kind == "snapshot")
    revision = slow.welcome["revision"]
    for message in received:
        if message["type"] == "delta":
            assert message["revision"] == revision + 1, "only a snapshot may skip revisions"
        revision = message["revision"]
    server = session.get()
    if last == len(received) - 1:
        assert received[last]["snapshot"] == server["snapshot"]
        assert {m["id"] for m in received[last]["members"]} == {m["id"] for m in server["members"]}

    turn(ana, 1)
    assert slow.until_type("delta")["revision"] == FLOOD + 1


def test_every_command_of_a_slow_reader_is_answered_once(flooded):
    """"`refused` and `reply` stay, and a dropped delta with its own `ref` becomes a `reply`".

    "`reply`, `refused` … carry the revision at which they are true: all deltas up to it were sent
    before, none after it": here that is the revision of the snapshot.
    """
    session, ana, bo, slow = flooded
    without_checks(ana, bo)

    for n in range(FLOOD):
        slow.send({"type": "select", "ref": 2 * n + 1, "column": 0, "row": (n + 1) % 2,
                   "generation": 1})
        slow.send({"type": "select", "ref": 2 * n + 2, "column": 9, "row": 0, "generation": 1})
    bo.until(lambda m: m.screen.revision == FLOOD, timeout=120)

    refs, types, now = [], set(), 0
    while len(refs) < 2 * FLOOD:
        message = slow.message()
        types.add(message["type"])
        if message["type"] in ("delta", "snapshot"):
            now = message["revision"]
        if "ref" in message:
            refs.append(message["ref"])
            done = message["ref"] % 2 == 1
            assert (message["type"] in ("delta", "reply")) == done, message
            assert message["type"] != "delta" or now == (message["ref"] + 1) // 2, message
            assert message["revision"] == now, f"the last state sent has revision {now}: {message}"
    assert refs == list(range(1, 2 * FLOOD + 1))
    assert {"snapshot", "reply", "refused"} <= types


def test_a_slow_reader_subscribed_to_months_gets_them_with_the_snapshot(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    without_checks(ana)
    slow = RawMember(server, session, receive_buffer=4096, months={"from": "2018-01", "count": 24})
    slow.until_type("months")

    for n in range(6000):
        ana.ask("tap", date=("2018-01-01", "2019-12-31")[n % 2])
        if n % 500 == 499:
            ana.until(lambda m: not m.pending, timeout=120)

    kinds = []
    while True:
        message = slow.message()
        assert message is not None
        kinds.append(message["type"])
        if message.get("revision") == 6000 and message["type"] in ("months", "delta"):
            break
    slow.close()
    assert "snapshot" in kinds, "6,000 taps over 24 months exceed all buffers"
    at = kinds.index("snapshot")
    assert "months" in kinds[at:]


def test_a_stalled_reader_is_closed_after_the_configured_time(start):
    """`outboxBytes` limits a slow reader's buffer, `stalledMilliseconds` its inactivity."""
    server = start(limits={"messagesPerSecond": 100_000, "bufferBytes": 16 * 1_048_576,
                           "stalledMilliseconds": 500, "pingMilliseconds": 600_000})
    # Once, because a busy machine may delay some.
    assert any(seconds_until_closed(server) < 9 for _ in range(5)), "the default is 10 s"


def seconds_until_closed(server):
    session = server.session(heavy())
    ana = session.join("Ana")
    without_checks(ana)
    slow = RawMember(server, session, receive_buffer=4096)
    begun = time.monotonic()
    while (ana.screen.members.get(slow.welcome["member"]["id"]) or {"online": True})["online"]:
        try:
            turn(ana, 20)
        except Hung:  # She has stalled herself.
            return math.inf
        assert time.monotonic() - begun < 120, "not closed"
    slow.close()
    return time.monotonic() - begun
