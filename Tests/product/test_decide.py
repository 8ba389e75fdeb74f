"""The host decides: `POST …/settle`, and restarts at each step."""

import pytest

from harness.definitions import LISTS
from harness.store import again, back, stored

DECIDE = {"by": "host", "seconds": 300}
MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture
def serve(tmp_path):
    """Starts a server on this test's store."""
    servers = []

    def begin(**rest):
        servers.append(stored(tmp_path / "log", tmp_path / "store.sqlite", **rest))
        return servers[-1]

    yield begin
    for server in servers:
        if server.is_alive:
            server.stop()


def confirming(server, *, now="2026-11-20T12:00:00Z", **fields):
    """A session whose owner has just confirmed: the host decides."""
    session = server.session(LISTS, now=now, **{"decide": DECIDE, **fields})
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1)
    delta = ana.confirm()
    assert delta["type"] == "delta", delta
    return session, ana, bo, delta


def op(session):
    return session.get()["op"]


def settle(session, granted, *, op=None, **fields):
    body = {"op": op or session.get()["op"], "granted": granted, **fields}
    return session.server.post(session.path + "/settle", body)


def test_the_data_of_a_denial_is_not_in_the_log(server):
    session, *_ = confirming(server)
    assert settle(session, False, data={"fraud": 1}).status == 200
    assert session.log()[-1]["command"] == {
        "type": "settle", "op": session.log()[-1]["command"]["op"], "granted": False}


@pytest.mark.parametrize("fields, pointer", [
    ({"op": "x" * 257}, "/op"), ({"granted": 1}, "/granted"), ({"reason": ""}, "/reason"),
    ({"reason": {"?": "x"}}, "/reason"), ({"data": "x" * 4095}, "/data")],
    ids=lambda value: str(value)[:40])
def test_bad_decisions_are_refused_with_a_pointer(server, fields, pointer):
    session = server.session(LISTS, decide=DECIDE)
    answer = server.post(session.path + "/settle", {"op": "x", "granted": True, **fields})
    assert (answer.status, answer.code, answer.json["pointer"]) == (400, "badRequest", pointer)


def test_nobody_but_the_owner_decides_where_tokens_are(guarded):
    session = guarded.session(LISTS, decide=DECIDE)
    ana = session.join("Ana")
    ana.select(0, 1), ana.confirm()
    body = {"op": op(session), "granted": True}
    where = session.path + "/settle"
    assert guarded.post(where, body).code == "noToken"
    for role in ("editor", "viewer"):
        assert guarded.post(where, body, token=session.tokens[role]).code == "notAllowed"
    assert guarded.post(where, body, token=session.tokens["owner"]).status == 200


# Restarts


@pytest.mark.parametrize("outcome", ["granted", "denied", "cancel"])
def test_a_confirmation_survives_a_kill_at_each_step(serve, outcome):
    server = serve()
    session, ana, bo, _ = confirming(server, now=None)
    first, before = op(session), session.get()
    server.request("PATCH", session.path + "/notes",
                   {"columns": {"0": {"b": {"text": "later"}}}}, headers=MERGE)
    for member in (ana, bo):
        member.drain(0.05)
    again(server)
    after = session.get()
    assert (after["op"], after["until"]) == (first, before["until"])
    assert after["snapshot"] == before["snapshot"]
    assert server.get(session.path + "/notes").json["columns"]["0"]["b"]["text"] == "later"
    ana = back(session, ana)
    assert ana.undo()["code"] == "confirming"

    if outcome == "cancel":
        ana.cancel()
    else:
        answer = settle(session, outcome == "granted", data=[1])
        assert answer.status == 200
    ana.reach(4)
    again(server)

    status = {"granted": "confirmed", "denied": "open", "cancel": "open"}[outcome]
    got = session.get()
    assert (got["status"], got["revision"]) == (status, 4)
    assert ("data" in got["snapshot"]["result"]) == (outcome == "granted")
    if outcome != "cancel":
        same = settle(session, outcome == "granted", op=first, data=[1])
        assert (same.status, same.body) == (200, answer.body)
    late = settle(session, outcome != "granted", op=first)
    assert (late.status, late.code) == (409, "tooLate")
    assert settle(session, True, op="x").code == "noSuchOp"
