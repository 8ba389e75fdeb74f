"""All sessions together take at most `--limit sessionsBytes=`, whatever their definitions are."""

import pytest

from harness.definitions import LISTS
from harness.metrics import samples

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
    before = server.resident_bytes()

    made, _ = flood(server, 120)

    # With a store, sessions that nobody uses make room for others.
    assert 40 < len(made) and (store == "durable" or len(made) < 60)
    assert server.resident_bytes() - before < 50 * MIB, "120 of them would take 71 MB"
    assert counted(server) <= 32 * MIB
    ana.select(0, 1)
    bo.select(0, 2)
    bo.do("undo")
    assert session.revision() == 3


def test_the_server_is_not_ready_while_it_refuses_sessions(small):
    assert small.get("/readyz").status == 200

    made, refused_count = flood(small, 60)

    assert refused_count > 0
    answer = small.get("/readyz")
    assert (answer.status, answer.code) == (503, "unavailable")
    assert "sessionsBytes" in answer.json["detail"]
    refused = "new sessions are refused: the sessions in memory take "
    assert small.log.read_text().count(refused) == 1
    for session in made:
        small.delete(f"/v1/sessions/{session}")
    assert small.get("/readyz").status == 200
    assert small.log.read_text().count("new sessions are accepted again") == 1
