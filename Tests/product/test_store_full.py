"""A store that has reached `--limit storeBytes=` refuses what grows it, until space is free."""

import pytest

from harness.definitions import LISTS
from harness.loops import metric
from harness.pickerd import wait_until
from harness.store import again, back

LIMIT = 16_777_216


@pytest.fixture
def small(serve):
    return serve(limits={"storeBytes": LIMIT})


def large(number):
    """A definition of about 1 MB, which others do not share."""
    return {"kind": "columns", "columns": [
        [f"{number:03} {row:04} " + "x" * 180 for row in range(5_000)]]}


def fill(server):
    """Creates sessions until the store is full; their paths, and the refusal."""
    paths = []
    for number in range(40):
        answer = server.create(large(number))
        if answer.status != 201:
            return paths, answer
        paths.append(f"/v1/sessions/{answer.json['session']}")
    raise AssertionError("40 definitions of 1 MB fit into 16 MiB")


def test_a_full_store_refuses_growth_with_the_reason_until_sessions_are_deleted(small):
    session = small.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    paths, refused = fill(small)

    assert (refused.status, refused.code) == (503, "full")
    assert "the store" in refused.json["detail"]
    assert 12 <= len(paths) and LIMIT <= metric(small, "pickerd_store_bytes") < LIMIT + 2_000_000
    answer = ana.do("select", column=0, row=1, generation=1)
    assert (answer["code"], "the store" in answer["detail"]) == ("full", True)
    answer = small.post(f"{session.path}/members", {"name": "Cem"})
    assert (answer.status, answer.code) == (503, "full")
    answer = small.request("PUT", f"{session.path}/definition", LISTS | {"locale": "de"})
    assert (answer.status, answer.code) == (503, "full")
    late = session.connect()
    late.send({"type": "join", "name": "Dua"})
    late.closed(4503)
    bo.leave()
    ana.until(lambda m: len(m.screen.members) == 1, what="Bo's leaving")

    again(small)
    ana = back(session, ana)
    assert small.create(LISTS).code == "full"
    assert ana.do("undo")["code"] == "full"
    for path in paths[:2]:
        assert small.delete(path).status == 204

    wait_until(lambda: small.create(LISTS).status == 201, what="space in the store")
    assert ana.do("select", column=0, row=1, generation=1)["type"] == "delta"
    assert metric(small, "pickerd_store_bytes") < LIMIT
