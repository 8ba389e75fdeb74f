"""Slow readers get a snapshot instead of their pending deltas and do not delay others."""

import pytest

from conftest import for_one_test
from harness.definitions import heavy
from harness.rawmember import RawMember

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
    ana.until(lambda m: not m.pending, what="all answers")


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


def test_a_slow_reader_gets_a_snapshot_and_does_not_delay_others(flooded):
    session, ana, bo, slow = flooded
    without_checks(ana, bo)

    turn(ana, FLOOD)
    bo.until(lambda m: m.screen.revision == FLOOD)

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
