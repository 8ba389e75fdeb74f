"""The host decides: `confirming`, `POST …/settle`, what waits, restarts at each step."""

import threading

import pytest

from harness.definitions import LISTS
from harness.store import again, back, stored

DECIDE = {"by": "host", "seconds": 300}
MERGE = {"Content-Type": "application/merge-patch+json"}
UNTIL = "2026-11-20T12:05:00.000Z"


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


def test_confirm_asks_the_host_and_shows_until_when(server):
    session, ana, bo, delta = confirming(server)

    assert delta["changes"] == [
        {"change": "status", "status": "confirming", "result": session.result(), "until": UNTIL}]
    got = session.get()
    assert (got["status"], got["until"], got["snapshot"]["until"]) == ("confirming", UNTIL, UNTIL)
    cem = session.join("Cem")
    assert cem.welcome["snapshot"]["status"] == "confirming"
    bo.reach(2)
    session.agree()


def test_a_grant_confirms_with_the_data_of_the_host(server):
    session, ana, bo, _ = confirming(server)
    result, data = session.result(), {"booking": 4711, "price": 1.10}

    answer = settle(session, True, data=data)

    assert answer.status == 200, answer
    assert answer.json["status"] == "confirmed" and answer.json["revision"] == 3
    for member in (ana, bo):
        delta = member.reach(3).record[-1]
        assert "by" not in delta and "ref" not in delta
        assert delta["changes"] == [
            {"change": "status", "status": "confirmed", "result": {**result, "data": data}},
            {"change": "result", "result": {**result, "data": data}}]
    got = session.get()
    assert got["snapshot"]["result"]["data"] == data and "op" not in got and "until" not in got
    line = session.log()[-1]
    assert line["command"] == {
        "type": "settle", "op": answer.json["op"], "granted": True, "data": data}
    reopened = ana.reopen()
    assert reopened["changes"][-1] == {"change": "result", "result": result}
    session.agree()


def test_a_denial_opens_the_session_with_the_reason_in_each_language(server):
    session, ana, bo, _ = confirming(server)
    cem = session.join("Cem", locale="de-AT")
    before = op(session)

    answer = settle(session, False, reason={"en": "sold out", "de": "ausverkauft"})

    assert (answer.status, answer.json["status"]) == (200, "open")
    change = {"change": "status", "status": "open", "reason": "denied"}
    assert ana.reach(3).record[-1]["changes"] == [{**change, "detail": "sold out"}]
    assert cem.reach(3).record[-1]["changes"] == [{**change, "detail": "ausverkauft"}]
    assert ana.select(0, 2)["type"] == "delta"
    # The same again is answered the same, another one is late, and nothing changes by it.
    same = settle(session, False, op=before, reason={"en": "sold out", "de": "ausverkauft"})
    assert (same.status, same.body) == (200, answer.body)
    late = settle(session, True, op=before)
    assert (late.status, late.code) == (409, "tooLate")
    assert late.json["stands"] == {"status": "open", "revision": 4, "granted": False}
    assert session.get()["status"] == "open"
    session.agree()


def test_the_first_of_two_decisions_at_once_counts(server):
    session, *_ = confirming(server)
    first, answers = op(session), []
    threads = [
        threading.Thread(target=lambda granted=granted: answers.append(
            settle(session, granted, op=first)))
        for granted in (True, False, True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    done = [answer for answer in answers if answer.status == 200]
    assert len(done) == 2 and done[0].body == done[1].body
    assert session.get()["status"] == done[0].json["status"]
    assert len(session.log()) == 3


def test_the_data_of_a_denial_is_not_in_the_log(server):
    session, *_ = confirming(server)
    assert settle(session, False, data={"fraud": 1}).status == 200
    assert session.log()[-1]["command"] == {
        "type": "settle", "op": session.log()[-1]["command"]["op"], "granted": False}


@pytest.mark.parametrize("fields, pointer", [
    ({"op": ""}, "/op"), ({"op": 5}, "/op"), ({"op": "x" * 257}, "/op"),
    ({"granted": 1}, "/granted"), ({"granted": None}, "/granted"), ({"reason": ""}, "/reason"),
    ({"reason": "x" * 201}, "/reason"), ({"reason": {}}, "/reason"),
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


@pytest.mark.parametrize("kill", [True, False], ids=["kill -9", "SIGTERM"])
@pytest.mark.parametrize("outcome", ["granted", "denied", "cancel"])
def test_a_confirmation_survives_a_restart_at_each_step(serve, kill, outcome):
    server = serve()
    session, ana, bo, _ = confirming(server, now=None)
    first, before = op(session), session.get()
    server.request("PATCH", session.path + "/notes",
                   {"columns": {"0": {"b": {"text": "later"}}}}, headers=MERGE)
    for member in (ana, bo):
        member.drain(0.05)
    again(server, kill=kill)
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
    again(server, kill=kill)

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
