"""`at` and `hits`: a late command never acts on what its author has not seen."""

from harness.definitions import CALENDAR
from harness.host import Host
from harness.member import Member
from harness.pickerd import Pickerd
from harness.store import again, back, stored
from test_http_commands import Poster


def refused(answer, params, changes=None):
    assert (answer["type"], answer["code"]) == ("refused", "stale"), answer
    assert answer["params"] == params
    if changes is not None:
        assert answer["changes"] == changes


def test_commands_over_http_are_checked_too(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    cem = Poster(session)
    ana.tap("2018-11-20")

    refused(cem.do("clear", at=0), {"revision": 1, "by": ana.id}, changes=[])
    assert cem.do("tap", date="2018-11-21", hits=0)["code"] == "stale"
    assert cem.do("tap", date="2018-11-21", hits=1)["type"] == "delta"
    answer = cem.post("undo", ref=99, at="1")
    assert (answer.status, answer.json["pointer"]) == (400, "/at")


def test_the_answer_is_the_same_after_kill_9_and_a_restart(tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite")
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")
    bo.reach(1).tap("2018-11-22")
    first = ana.do("confirm", at=1, ref=9)
    refused(first, {"revision": 2, "by": bo.id})

    again(server)
    ana = back(session, ana)

    assert ana.do("confirm", at=1, ref=9) == first
    refused(ana.do("clear", at=1), {"revision": 2, "by": bo.id}, changes=[])
    server.stop()


def test_a_stale_confirm_makes_no_event(tmp_path):
    host = Host(tmp_path)
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None)
    feed = host.add("feed", "feed")
    id = server.post("/v1/sessions", {"definition": CALENDAR}, token=host.api).json["session"]
    url = server.socket(f"/v1/sessions/{id}")
    ana = Member(url, "Ana", token=host.token(id, "owner"))
    bo = Member(url, "Bo", token=host.token(id, "editor"))
    ana.tap("2018-11-20")
    bo.reach(1).tap("2018-11-22")

    refused(ana.do("confirm", at=1), {"revision": 2, "by": bo.id})

    events = server.get("/v1/feed", token=feed).body
    assert b"session.created" in events and b"session.confirm" not in events
    server.stop()
