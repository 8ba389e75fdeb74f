"""State that survives a restart."""

import contextlib
import time

import pytest

from harness.definitions import LISTS, TREE
from harness.pickerd import wait_until
from harness.store import again, back, log_lines


@pytest.mark.parametrize("kill", [True, False], ids=["kill -9", "SIGTERM"])
def test_everything_but_presence_survives_a_restart(serve, kill):
    server = serve()
    session = server.session(TREE, title="Where to?")
    ana, bo = session.together("Ana", "Bob")
    bo.do("rename", name="Bo")
    ana.select(0, 1)
    bo.select(1, 1)
    refused = bo.confirm()
    ana.confirm()
    before = session.get()

    for member in (ana, bo):
        member.drain(0.05)
    again(server, kill=kill)
    ana, bo = back(session, ana), back(session, bo)

    for member in (ana, bo):
        assert member.welcome["resumed"]
    after = session.get()
    for field in ("epoch", "revision", "status", "title", "snapshot"):
        assert after[field] == before[field], field
    roles = {m["name"]: (m["id"], m["role"], m["color"]) for m in before["members"]}
    assert {m["name"]: (m["id"], m["role"], m["color"]) for m in after["members"]} == roles
    bo.send({"type": "confirm", "ref": refused["ref"]})
    assert bo.answer(refused["ref"])["code"] == refused["code"] == "notAllowed"
    assert bo.select(1, 0)["code"] == "notOpen"
    ana.reopen()
    assert ana.undo()["type"] == "delta", "the undo list survives"
    assert session.get()["snapshot"]["columns"][1]["row"] == 0
    session.agree()


def test_the_file_has_no_tokens_and_secrets(serve, tmp_path):
    server = serve(auth="token")
    session = server.session(LISTS)
    ana = session.join("Ana", role="owner")
    ana.select(0, 1)
    server.kill()

    stored_bytes = b"".join(p.read_bytes() for p in tmp_path.glob("store.sqlite*"))
    for secret in (*session.tokens.values(), ana.welcome["member"]["secret"]):
        assert secret.encode() not in stored_bytes
    assert session.id.encode() in stored_bytes

    server.start()
    assert server.get(session.path).code == "noToken"
    assert server.get(session.path, token="x" * 22).code == "badToken"
    ana = back(session, ana, token=session.tokens["editor"])
    assert ana.welcome["resumed"] and ana.role == "editor"


def test_members_online_at_a_crash_time_out_after_the_restart(serve):
    server = serve(limits={"memberMilliseconds": 7000})
    session = server.session(LISTS)
    session.together("Ana", "Bo")

    again(server)

    assert [member["name"] for member in session.get()["members"]] == ["Ana", "Bo"]
    wait_until(lambda: session.get()["members"] == [], what="their leaving")


def test_a_server_that_ends_while_it_loads_sessions_does_not_crash(serve):
    """Regression: the handlers of `exit` released what the thread of the store used: SIGSEGV."""
    server = serve()
    for _ in range(800):
        session = server.create(LISTS).json["session"]
        assert server.post(f"/v1/sessions/{session}/members", {"name": "Ana"}).status == 201
    statuses = []
    for turn in range(8):
        server.terminate()
        statuses.append(server.exited())
        server.start()
        for _ in range(50 * (turn % 4)):
            server.get("/healthz")

    assert statuses == [0] * 8


def test_a_member_that_resumes_restarts_the_ttl_also_in_the_store(serve, tmp_path):
    """A restart would otherwise delete a session whose members only reconnect."""
    import sqlite3

    def active():
        with contextlib.closing(sqlite3.connect(tmp_path / "store.sqlite")) as store:
            return store.execute("SELECT active_at FROM session").fetchone()[0]

    server = serve()
    session = server.session(LISTS)
    ana = session.join("Ana")
    joined = active()
    ana.drop()
    wait_until(lambda: 1000 * time.time() > joined + 1, what="a later millisecond")

    came = back(session, ana)

    assert came.welcome["resumed"] and len(log_lines(session)) == 0
    wait_until(lambda: active() > joined, what="the time of the resume")


def test_a_session_retains_the_limits_it_was_created_with(serve):
    server = serve(limits={"undo": 50})
    session = server.session(LISTS)
    ana = session.join("Ana")
    for n in range(1, 11):
        ana.select(0, n % 4)
    for _ in range(8):
        ana.undo()
    before = session.get()
    server.kill()

    server.arguments[server.arguments.index("undo=50")] = "undo=2"
    server.start()

    after = session.get()
    assert (after["revision"], after["snapshot"]) == (before["revision"], before["snapshot"])
    assert back(session, ana).undo()["type"] == "delta"
