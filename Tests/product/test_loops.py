"""Several event loops, each a thread with a shard of the sessions, act as one server."""

import http.client

import pytest

from harness.definitions import DATE, LISTS
from harness.loops import loop_of, one_on_each_loop
from harness.patience import PATIENCE
from harness.shop import accepts
from harness.pickerd import wait_until
from test_event_streams import Watcher

COUNT = 3


@pytest.fixture
def looped(start):
    """A server with three loops, however many cores there are."""
    return start(options=("--loops", str(COUNT)), limits={"messagesPerSecond": 100_000})


def tap_of(member, row):
    member.select(0, row)
    return member.screen.revision


def test_sessions_of_every_loop_are_reachable_by_http_and_websocket(looped):
    for session in one_on_each_loop(looped, COUNT, LISTS):
        ana, bo = session.together("Ana", "Bo")
        watcher = Watcher(session)
        made = looped.post(f"{session.path}/members", {"name": "Cem"})
        assert made.status == 201
        cem = made.json["member"]
        ana.select(0, 1)
        posted = looped.post(f"{session.path}/commands", {
            "member": cem["id"], "secret": cem["secret"], "type": "select", "ref": 1, "column": 1,
            "row": 2, "generation": 1})
        assert posted.status == 200, posted
        bo.reach(2)
        ana.reach(2)
        while watcher.screen.revision < 2:
            watcher.next("delta")
        assert [line["revision"] for line in session.log()] == [1, 2]
        assert session.get()["revision"] == 2
        assert looped.request("HEAD", f"{session.path}/events").status == 200
        session.agree()
        assert session.delete().status == 204
        for member in (ana, bo):
            member.closed(4410)
        watcher.next("end")
        assert looped.get(session.path).code == "noSuchSession"


def test_setting_the_clock_returns_after_every_loop_has_ticked(looped):
    sessions = [looped.session(DATE, now="2018-07-25T12:00:00+08:00") for _ in range(4 * COUNT)]

    looped.clock("2018-07-26T12:00:00+08:00")

    assert {loop_of(session.id, COUNT) for session in sessions} == set(range(COUNT))
    assert [session.revision() for session in sessions] == [1] * (4 * COUNT)
    fresh = [looped.session(DATE, now=None).get()["snapshot"]["columns"][2] for _ in range(COUNT)]
    assert [(days["count"], days["row"]) for days in fresh] == [(26, 25)] * COUNT


def test_sigterm_closes_the_members_of_every_loop_with_1001(looped):
    members = [session.join("Ana") for session in one_on_each_loop(looped, COUNT, LISTS)]

    looped.terminate()

    for member in members:
        member.expect("draining")
        member.closed(1001)
    assert looped.exited() == 0


def test_a_loop_without_connections_answers_the_requests_of_other_loops_until_these_end(looped):
    """A proxy would report a 503 of a restart to its client."""
    first, *others = [session.path for session in one_on_each_loop(looped, COUNT, LISTS)]
    connections = [
        http.client.HTTPConnection("127.0.0.1", looped.port, timeout=PATIENCE) for _ in others]
    for connection, path in zip(connections, others):
        connection.request("GET", first)
        assert connection.getresponse().read()
        connection.request("GET", path, body=iter([b"a"]), headers={"Content-Length": "2"})

    looped.terminate()
    # Then the loops without connections have ended, if they do not wait for the others.
    wait_until(lambda: not accepts(looped.port), what="the end of the listener")
    for connection in connections:
        connection.send(b"b")

    answers = [connection.getresponse() for connection in connections]
    assert [answer.status for answer in answers] == [200] * len(others)
    assert {answer.getheader("Connection") for answer in answers} == {"close"}
    assert looped.exited() == 0


def test_a_failing_store_affects_every_loop_and_recovers_for_all(serve, tmp_path):
    path = tmp_path / "store.sqlite"
    server = serve(options=("--loops", str(COUNT)))
    sessions = one_on_each_loop(server, COUNT, LISTS)
    members = [session.join("Ana") for session in sessions]
    path.rename(tmp_path / "away")
    for member in members:
        member.ask_select(0, 1)
    for member in members:
        member.closed(4503)
    assert server.get("/readyz").status == 503
    assert [server.create(LISTS).status for _ in range(COUNT)] == [503] * COUNT

    (tmp_path / "away").rename(path)
    wait_until(lambda: server.get("/readyz").status == 200, what="a healthy store")

    for session in sessions:
        before = session.revision()
        # No member received it, but it may be in the file that was moved away.
        assert before in (0, 1)
        assert tap_of(session.join("Bo"), 2) == before + 1
