"""A picker of the kind `availability`, through real sockets."""

import json

import pytest

from harness.host import Host
from harness.member import Member
from harness.pickerd import Pickerd

HOURS = [{"from": "09:00", "until": "11:00"}]
TIMES = {"kind": "availability", "timeZone": "Europe/Berlin", "dates": ["2018-11-26", "2018-11-27"],
         "stepMinutes": 30, "hours": HOURS}
DATES = {"kind": "availability", "dates": {"from": "2018-11-24", "through": "2018-11-30"}}


def test_an_event_has_the_times_or_the_dates_of_the_window(server):
    session = server.session(TIMES | {"length": 2})
    ana = session.join("Ana")
    assert server.get(session.path + "/event.ics").code == "notComplete"
    ana.mark("yes", [0, 2])
    body = server.get(session.path + "/event.ics").body
    assert b"DTSTART:20181126T080000Z\r\nDTEND:20181126T090000Z\r\n" in body
    session = server.session(DATES | {"length": 3})
    session.join("Ana").mark("yes", [1, 4])
    body = server.get(session.path + "/event.ics").body
    assert b"DTSTART;VALUE=DATE:20181125\r\nDTEND;VALUE=DATE:20181128\r\n" in body


# Who sees what


class Bytes:
    """Everything that a session sends to somebody, as text."""

    def __init__(self, session, **join):
        self.member = session.join("Eve", **join)
        self.texts = []
        take = self.member.take
        def noted(message):
            self.texts.append(json.dumps(message))
            return take(message)
        self.member.take = noted
        self.texts.append(json.dumps(self.member.welcome))

    def everything(self, session, token=None):
        """What it got, and what it gets on request."""
        assert self.member.do("everything?")["code"] == "unknownType", "after all that came before"
        server = session.server
        for path in ("", "/log", "/definition", "/event.ics", "/notes"):
            self.texts.append(server.get(session.path + path, token=token).body.decode())
        return "\n".join(self.texts)


def marked(server, results):
    """A session with tokens, in which Bo and Cem have marked while Eve looked on."""
    session = server.session(TIMES | {"results": results})
    owner = session.join("Ana", role="owner")
    eve = Bytes(session, role="editor")
    bo, cem = session.join("Bo", role="editor"), session.join("Cem", role="editor")
    bo.mark("yes", [0, 3])
    cem.mark("maybe", [1, 2])
    cem.mark("no", [5, 6])
    bo.clear()
    bo.mark("yes", [1, 3])
    owner.reach(5)
    return session, owner, eve, bo, cem


@pytest.mark.parametrize("results", ["counts", "owner"])
def test_no_byte_says_what_others_have_marked(guarded, results):
    session, owner, eve, bo, cem = marked(guarded, results)
    eve.member.reach(5)
    token = session.tokens["editor"]

    texts = eve.everything(session, token=token)

    for member in (bo, cem):
        for text in texts.split("\n"):
            # Presence and the lists of members name them, marks and authors do not.
            assert f'"by": "{member.id}"' not in text and f'"by":"{member.id}"' not in text
            assert f'"marks": [{{"member": "{member.id}"' not in text
            assert f'"member": "{member.id}", "name"' not in text
            assert f'"member":"{member.id}","name"' not in text
    assert '"maybe"]' not in texts and '"yes"]' not in texts and '"no"]' not in texts
    assert '"cells"' not in texts.replace('"cells": [[', "").replace('"cells":[[', "")
    sees_counts = results == "counts"
    for word in ("respondents", "heat", "best", "instant"):
        assert (f'"{word}"' in texts) == sees_counts, word
    assert owner.screen.availability.marks == {
        bo.id: {1: "yes", 2: "yes"}, cem.id: {1: "maybe", 5: "no"}}
    log = guarded.get(session.path + "/log", token=session.tokens["owner"]).body.decode()
    assert bo.id in log and '"maybe"]' in log


def test_a_hidden_result_is_shown_without_counts_when_it_is_confirmed(guarded):
    session, owner, eve, bo, cem = marked(guarded, "owner")
    eve.member.reach(5)
    assert eve.member.screen.result is None and owner.screen.result["yes"] == 1
    token = session.tokens["editor"]
    assert guarded.get(session.path + "/event.ics", token=token).code == "notComplete"

    owner.confirm()
    eve.member.reach(6)

    shown = {"local": "2018-11-26T09:30", "instant": "2018-11-26T08:30:00Z",
             "until": "2018-11-26T09:00:00Z"}
    assert eve.member.screen.result == shown
    assert session.get(token=token)["snapshot"]["result"] == shown
    assert guarded.get(session.path + "/event.ics", token=token).status == 200
    owner.reopen()
    eve.member.reach(7)
    assert eve.member.screen.result is None


@pytest.mark.parametrize("confirms", ["owner", "host"])
def test_the_log_hides_the_window_on_which_the_host_decides(tmp_path, confirms):
    """Regression: a viewer read in the log's command what its GET and its deltas hide."""
    host = Host(tmp_path)
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None)
    try:
        decide = host.add("decide", "decide")
        made = server.post("/v1/sessions", {
            "definition": {"kind": "availability", "dates": ["2098-11-24", "2098-11-25"],
                           "results": "owner"}, "decide": {"by": "host", "seconds": 60},
        }, token=host.api).json
        path, viewer = f"/v1/sessions/{made['session']}", host.token(made["session"], "viewer")
        ana = Member(server.socket(path), "Ana", token=host.token(made["session"], "owner"))
        if confirms == "owner":
            assert ana.confirm(1)["type"] == "delta"
        else:
            generation = ana.screen.availability.fields["generation"]
            posted = server.post(f"{path}/commands", {
                "type": "confirm", "cell": 1, "generation": generation}, token=host.api)
            assert posted.status == 200, posted

        def commands(token):
            lines = server.get(f"{path}/log", token=token).body.splitlines()
            return [json.loads(line)["command"] for line in lines]

        assert commands(viewer) == [{"type": "confirm"}]
        [seen] = commands(host.api)
        assert seen["cell"] == 1
        settled = server.post(f"{path}/settle", {"op": seen["op"], "granted": False}, token=decide)
        assert settled.status == 200
        assert commands(viewer)[0] == {"type": "confirm"}, "also afterwards"
        ana.drop()
    finally:
        server.stop()


def test_in_an_open_session_the_first_member_sees_all_and_http_what_a_viewer_sees(server):
    session = server.session(TIMES | {"results": "owner"})
    ana, bo = session.together("Ana", "Bo")
    bo.mark("yes", [0, 1])
    ana.reach(1)
    assert ana.screen.availability.marks == {bo.id: {0: "yes"}} and ana.screen.result
    got = session.get()["snapshot"]
    assert got["availability"]["marks"] == [] and got["result"] is None
    assert "heat" not in got["availability"]
    (line,) = session.log()
    assert line["command"] == {"type": "mark"} and line["changes"] == [] and "by" not in line
    ana.leave()
    ana.closed(1000)
    message = bo.expect("snapshot", passing=("delta", "presence"))
    assert message["snapshot"]["result"]["yes"] == 1, "Bo is the owner now"
