"""All sessions together take at most `--limit sessionsBytes=`, whatever their definitions are."""

from pathlib import Path

import pytest

from harness.definitions import LISTS
from harness.metrics import samples
from harness.pickerd import wait_until
from harness.session import Session

MIB = 1024 * 1024
LIMIT = {"sessionsBytes": 32 * MIB, "createsPerSecond": 10_000, "readsPerSecond": 10_000}


def large(number):
    """A definition of 320 KB, different for each number, which takes 0.6 MB of memory."""
    rows = [f"{number}-{row}-".ljust(40, "x") for row in range(7_600)]
    return {"kind": "columns", "columns": [rows]}


@pytest.fixture
def small(start):
    return start(limits=LIMIT)


@pytest.fixture
def durable(start, tmp_path):
    return start(limits=LIMIT, options=["--store", f"sqlite:{tmp_path}/store.sqlite"])


def resident(server):
    """The server's resident memory in bytes."""
    pages = Path(f"/proc/{server.process.pid}/statm").read_text().split()[1]
    return int(pages) * 4096


def counted(server):
    return samples(server, "pickerd_sessions_bytes")[()]


def flood(server, count):
    """Creates sessions with large definitions that all differ.

    Returns the ids of those that exist, and the number of those that were refused."""
    answers = [
        server.post("/v1/sessions", {"definition": large(number)}) for number in range(count)]
    refused = [answer for answer in answers if answer.status != 201]
    assert {(answer.status, answer.code) for answer in refused} <= {(503, "full")}
    assert all("retry-after" in answer.headers for answer in refused)
    return [answer.json["session"] for answer in answers if answer.status == 201], len(refused)


@pytest.mark.parametrize("store", ["small", "durable"])
def test_large_definitions_do_not_grow_the_memory_and_other_sessions_go_on(store, request):
    server = request.getfixturevalue(store)
    session = server.session(LISTS)
    ana, bo = session.join("Ana"), session.join("Bo")
    before = resident(server)

    made, _ = flood(server, 250)

    # With a store, sessions that nobody uses make room for others.
    assert 40 < len(made) and (store == "durable" or len(made) < 60)
    assert resident(server) - before < 100 * MIB, "250 of them would take 147 MB"
    assert counted(server) <= 32 * MIB
    ana.select(0, 1)
    bo.select(0, 2)
    bo.do("undo")
    assert session.revision() == 3


def test_a_change_to_a_larger_definition_is_refused(small):
    session = small.session(LISTS)
    ana = session.join("Ana")
    flood(small, 60)

    answer = small.request("PUT", f"{session.path}/definition", large(1_000))

    assert (answer.status, answer.code) == (503, "full")
    assert session.revision() == 0
    ana.select(0, 1)


def test_deleted_sessions_make_room(small):
    made, refused_count = flood(small, 60)
    assert refused_count > 0

    for session in made:
        assert small.request("DELETE", f"/v1/sessions/{session}").status == 204

    assert counted(small) == 0
    made, refused_count = flood(small, 20)
    assert (len(made), refused_count) == (20, 0)


def test_a_session_that_is_not_in_memory_can_be_deleted_while_the_memory_is_full(durable):
    small, big = durable.session(LISTS), durable.session(large(1_000))
    wait_until(lambda: counted(durable) == 0, timeout=60, what="the eviction of both sessions")
    # With a member a session stays in memory. What is left has no room for one more of this size.
    for number in range(60):
        answer = durable.create(large(number))
        if answer.status == 503:
            break
        Session(durable, answer.json).join("Ana")
    assert answer.code == "full"

    assert durable.get(big.path).status == 200
    assert durable.get(small.path).status == 503
    assert durable.delete(small.path).status == 204

    assert durable.get(small.path).status == 404


def test_evicted_sessions_make_room_and_are_loaded_again(durable):
    made, _ = flood(durable, 60)

    wait_until(lambda: counted(durable) == 0, timeout=60, what="the eviction of all sessions")

    assert durable.get(f"/v1/sessions/{made[0]}").status == 200
    assert counted(durable) > MIB / 2
