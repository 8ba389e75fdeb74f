"""A picker of the kind `availability`, through real sockets."""

import json

import pytest

from harness import contract, store
from harness.host import Host
from harness.member import Member
from harness.pickerd import Pickerd
from harness.rawmember import RawMember

HOURS = [{"from": "09:00", "until": "11:00"}]
TIMES = {"kind": "availability", "timeZone": "Europe/Berlin", "dates": ["2018-11-26", "2018-11-27"],
         "stepMinutes": 30, "hours": HOURS}
DATES = {"kind": "availability", "dates": {"from": "2018-11-24", "through": "2018-11-30"}}


def changes(message, kind):
    return [change for change in message["changes"] if change["change"] == kind]


def test_a_mark_is_sent_with_the_counts_the_best_windows_and_the_result(server):
    session = server.session(TIMES)
    ana, bo = session.together("Ana", "Bo")

    delta = bo.mark("yes", [0, 2], [5, 6])

    assert [change["change"] for change in delta["changes"]] == ["marks", "heat", "best", "result"]
    marks, heat, best, result = delta["changes"]
    color = ana.screen.members[bo.id]["color"]
    assert marks == {"change": "marks", "member": bo.id, "name": "Bo", "color": color,
                     "runs": [[0, 2, "yes"], [5, 6, "yes"]]}
    assert heat == {"change": "heat", "respondents": 1, "runs": [[0, 2, 1, 0, 0], [5, 6, 1, 0, 0]]}
    assert best["windows"][0] == {
        "cell": 0, "text": "Mon, Nov 26, 09:00–09:30", "yes": 1, "maybe": 0, "no": 0}
    assert result["result"] == {
        "local": "2018-11-26T09:00", "instant": "2018-11-26T08:00:00Z",
        "until": "2018-11-26T08:30:00Z", "yes": 1, "maybe": 0, "no": 0}
    assert delta["by"] == bo.id
    ana.reach(1)
    assert ana.screen.availability.marks == {bo.id: {0: "yes", 1: "yes", 5: "yes"}}


def test_the_layout_is_that_of_the_members_time_zone(server):
    session = server.session(TIMES)
    berlin, york = session.join("Berlin"), session.join("York", timeZone="America/New_York")
    chinese = session.join("Li", timeZone="No/Where", locale="zh-Hans")

    layout = berlin.welcome["snapshot"]["availability"]
    assert layout["timeZone"] == "Europe/Berlin"
    assert layout["days"][0] == {
        "date": "2018-11-26", "text": "Mon, Nov 26", "cells": [[0, 4, 0]]}
    assert layout["rows"][1] == {"time": "09:30", "text": "09:30"}
    layout = york.welcome["snapshot"]["availability"]
    assert (layout["timeZone"], layout["rows"][0]["time"]) == ("America/New_York", "03:00")
    layout = chinese.welcome["snapshot"]["availability"]
    assert (layout["timeZone"], layout["days"][0]["text"]) == ("Europe/Berlin", "11月26日 星期一")

    york.mark("yes", [0, 1])
    berlin.reach(1), chinese.reach(1)
    texts = [m.screen.availability.fields["best"][0]["text"] for m in (berlin, york, chinese)]
    assert texts == ["Mon, Nov 26, 09:00–09:30", "Mon, Nov 26, 03:00–03:30",
                     "11月26日 星期一 09:00–09:30"]
    zone = session.get(timeZone="Asia/Tokyo")["snapshot"]["availability"]
    assert (zone["timeZone"], zone["rows"][0]["time"]) == ("Asia/Tokyo", "17:00")


def test_dates_are_the_same_everywhere_and_have_months(server):
    session = server.session(DATES | {"firstWeekday": 2})
    york = session.join("York", timeZone="America/New_York")

    layout = york.welcome["snapshot"]["availability"]
    assert layout["timeZone"] == "UTC" and layout["weekdays"][0] == "Mon"
    assert layout["days"][0] == {"date": "2018-11-24", "text": "Sat, Nov 24", "day": "24"}
    assert layout["months"] == [
        {"month": "2018-11", "title": "November 2018", "cells": [[0, 7, 26]]}]


@pytest.mark.parametrize("cells", [
    [], [[0, 0]], [[1, 0]], [[2, 3], [0, 1]], [[0, 2], [1, 3]], [[0, 1, 2]], [["0", 1]], [[0.5, 1]],
    [[0]], 5, None, [{"a": 1, "a": 2}], [[n * 2, n * 2 + 1] for n in range(65)]],
    ids=lambda cells: json.dumps(cells)[:20])
def test_runs_that_are_none_close_the_connection(server, cells):
    session = server.session(TIMES)
    ana = session.join("Ana")
    ana.send({"type": "mark", "ref": 1, "grade": "yes", "cells": cells, "generation": 1})
    ana.pending.clear()
    ana.closed(4400)
    assert session.revision() == 0


@pytest.mark.parametrize("change", [
    {"grade": 1}, {"generation": "1"}, {"generation": None}, {"ref": None}, "grade", "cells",
    "generation"], ids=str)
def test_a_mark_with_a_wrong_or_missing_field_closes_the_connection(server, change):
    ana = server.session(TIMES).join("Ana")
    mark = {"type": "mark", "ref": 1, "grade": "yes", "cells": [[0, 1]], "generation": 1}
    if isinstance(change, str):
        del mark[change]
    else:
        mark |= change
    ana.send_text(json.dumps(mark))
    ana.closed(4400)


def test_what_is_wrong_with_a_mark_is_refused_in_order_and_changes_nothing(start):
    server = start(limits={"members": 3, "runs": 2})
    closes = TIMES | {"closes": "2018-11-26T09:45"}
    session = server.session(closes | {"maybe": False})
    ana, bo, cem = session.together("Ana", "Bo", "Cem")
    ana.mark("yes", [0, 1])
    bo.mark("yes", [3, 4])
    server.clock("2018-11-26T08:30:00Z")
    ana.until(lambda m: m.screen.availability.fields["past"] == 2)
    before = session.get()

    def refused(grade, *cells, generation=1, member=ana):
        answer = member.mark(grade, *cells, generation=generation)
        assert answer["type"] == "refused" and answer["changes"] == [], answer
        assert answer["revision"] == before["revision"]
        return answer["code"], answer["params"]

    assert refused("maybe", [9, 10], generation=2) == ("noSuchGrade", {})
    assert refused("perhaps", [9, 10], generation=2) == ("noSuchGrade", {})
    assert refused("yes", [-1, 10], generation=2) == ("staleCells", {"generation": 1})
    assert refused("yes", [1, 2], [7, 9]) == ("noSuchCell", {"count": 8})
    assert refused("yes", [-1, 1]) == ("noSuchCell", {"count": 8})
    assert refused("yes", [1, 1 << 50]) == ("noSuchCell", {"count": 8})
    assert refused("yes", [1, 3]) == ("past", {"past": 2})
    assert refused("yes", [3, 4], [5, 6]) == ("tooManyRuns", {"count": 2})
    assert refused(None, [9, 10]) == ("noSuchCell", {"count": 8})
    assert ana.do("undo")["code"] == ana.do("redo")["code"] == "wrongKind"
    assert ana.do("select", column=0, row=0, generation=1)["code"] == "wrongKind"
    assert ana.tap("2018-11-26")["code"] == "wrongKind"
    for message in ({"type": "months", "from": "2018-11", "count": 1},
                    {"type": "rows", "column": 0, "from": 0, "count": 1},
                    {"type": "touch", "date": "2018-11-26"},
                    {"type": "touch", "column": 0, "row": 0}):
        ana.send(message)
        assert ana.expect("refused")["code"] == "wrongKind", message
    assert session.get() == before
    server.clock("2018-11-26T08:45:00Z")
    closed = {"closes": "2018-11-26T08:45:00.000Z"}
    answer = ana.mark("maybe", [0, 1])
    assert (answer["code"], answer["params"]) == ("closed", closed)
    assert ana.clear()["code"] == "closed"


def test_there_are_as_many_respondents_as_members_are_possible(start):
    server = start(limits={"members": 1, "memberMilliseconds": 0})
    session = server.session(TIMES)
    ana = session.join("Ana")
    ana.mark("yes", [0, 1])
    ana.leave()
    ana.closed(1000)
    bo = session.join("Bo")

    answer = bo.mark("yes", [0, 1])

    assert (answer["code"], answer["params"]) == ("full", {"count": 1})
    assert bo.mark(None, [0, 1])["type"] == "reply"
    assert bo.screen.availability.marks == {ana.id: {0: "yes"}}


@pytest.mark.parametrize("message", [
    {"grade": "yes", "cells": [[0, 2], [1, 3]], "generation": 1}, {"grade": "yes", "cells": [],
     "generation": 1}, {"cells": [[0, 1]], "generation": 1}], ids=str)
def test_a_posted_mark_that_is_wrong_is_a_bad_request(server, message):
    session = server.session(TIMES)
    member = server.post(session.path + "/members", {"name": "Ana"}).json["member"]
    answer = server.post(session.path + "/commands", {
        "member": member["id"], "secret": member["secret"], "type": "mark", "ref": 1, **message})
    assert (answer.status, answer.code) == (400, "badRequest")
    assert session.revision() == 0


def test_marks_can_be_posted(server):
    session = server.session(TIMES)
    member = server.post(session.path + "/members", {"name": "Ana"}).json["member"]
    author = {"member": member["id"], "secret": member["secret"]}

    answer = server.post(session.path + "/commands", {
        **author, "type": "mark", "ref": 1, "grade": "yes", "cells": [[0, 1]], "generation": 1})
    assert answer.status == 200 and contract.message_fits(answer.json)["ref"] == 1
    assert changes(answer.json, "marks")[0]["runs"] == [[0, 1, "yes"]]

    answer = server.post(session.path + "/commands", {
        **author, "type": "confirm", "ref": 2, "cell": 3, "generation": 1})
    assert changes(answer.json, "result")[0]["result"]["local"] == "2018-11-26T10:30"


@pytest.mark.parametrize("options, pointer", [
    ({"dates": {"from": "2018-01-01", "through": "2019-01-02"}}, "/dates"),
    ({"dates": ["2018-11-26", "2018-11-26"]}, "/dates/1"),
    ({"length": 49}, "/length"), ({"stepMinutes": 7}, "/stepMinutes"),
    ({"results": "me"}, "/results"), ({"minDays": 1}, "/minDays")], ids=str)
def test_a_bad_definition_has_its_place_and_changes_nothing(server, options, pointer):
    session = server.session(TIMES)
    for answer in (server.create(TIMES | options),
                   server.request("PUT", session.path + "/definition", TIMES | options)):
        assert (answer.status, answer.code) == (422, "badDefinition")
        assert answer.json["pointer"] == pointer
    assert session.revision() == 0


def test_there_are_no_notes(server):
    session = server.session(TIMES)
    for patch in ({"days": {"2018-11-26": {"text": "x"}}}, {"columns": {}}, {}):
        answer = server.request("PATCH", session.path + "/notes", patch)
        assert (answer.status, answer.code) == (400, "badRequest")


def test_confirm_takes_the_window_at_a_cell_until_it_is_reopened(server):
    session = server.session(TIMES | {"length": 2})
    ana, bo = session.together("Ana", "Bo")
    bo.mark("yes", [0, 4])
    best = session.result()

    delta = ana.confirm(5)

    assert [change["change"] for change in delta["changes"]] == ["status", "result"]
    assert delta["changes"][1]["result"]["local"] == "2018-11-27T09:30"
    assert delta["changes"][0]["result"] == delta["changes"][1]["result"] == session.result()
    delta = ana.reopen()
    assert delta["changes"] == [
        {"change": "status", "status": "open"}, {"change": "result", "result": best}]
    assert ana.do("confirm", cell=0, generation=2)["code"] == "staleCells"
    assert ana.confirm(8)["code"] == "noSuchCell"
    assert ana.confirm(7)["code"] == "notComplete"
    ana.send({"type": "confirm", "ref": 99, "cell": 0})
    ana.pending.clear()
    ana.closed(4400)


def test_a_member_that_resumes_gets_the_deltas_that_it_missed(server):
    session = server.session(TIMES)
    ana, bo = session.together("Ana", "Bo")
    ana.mark("yes", [0, 3])
    ana.drop()
    bo.reach(1)
    bo.mark("no", [1, 2])

    back = session.back(ana)

    assert back.welcome["resumed"]
    back.reach(2)
    assert back.screen.availability.marks[bo.id] == {1: "no"}
    again = session.back(back, revision=-1, timeZone="Asia/Tokyo")
    assert not again.welcome["resumed"]
    assert again.screen.availability.fields["timeZone"] == "Asia/Tokyo"


def test_a_slow_reader_gets_a_snapshot(server):
    session = server.session(
        TIMES | {"stepMinutes": 5, "hours": [{"from": "00:00", "until": "24:00"}]})
    ana = session.join("Ana")
    ana.is_trusted = True
    slow = RawMember(server, session, receive_buffer=4096)
    runs = [[3 * n, 3 * n + 1] for n in range(64)]
    for count in range(4_000):  # 2 KB each.
        ana.ask("mark", grade=("yes", "no")[count % 2], cells=runs, generation=1)
    ana.until(lambda m: not m.pending, timeout=120, what="all answers")
    revision = session.revision()
    while True:
        message = slow.message()
        assert message is not None
        if message["type"] == "snapshot":
            break
    contract.message_fits(message)
    assert message["revision"] == revision
    seen = session.get()["snapshot"]["availability"]
    assert message["snapshot"]["availability"]["marks"] == seen["marks"]
    slow.close()


def test_the_definition_changes_while_members_mark(server):
    session = server.session(TIMES)
    ana, bo = session.together("Ana", "Bo")
    bo.mark("yes", [2, 6])
    answer = server.request("PATCH", session.path + "/definition", {
        "hours": [{"from": "10:00", "until": "12:00"}]})

    assert [c["change"] for c in answer.json["changes"]] == [
        "definition", "cells", "marks", "heat", "best"]
    ana.reach(2)
    assert ana.screen.availability.marks == {bo.id: {0: "yes", 1: "yes"}}
    assert ana.mark("yes", [0, 1], generation=1)["code"] == "staleCells"
    assert ana.mark("yes", [0, 1])["type"] == "delta"


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
        self.member.drain(0.2)
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


@pytest.mark.parametrize("results", ["counts", "owner"])
def test_everybody_sees_the_own_marks(guarded, results):
    session, owner, eve, bo, cem = marked(guarded, results)
    for member in (bo, cem):
        member.reach(5)
        assert list(member.screen.availability.marks) == [member.id]
    back = session.back(cem, revision=-1, token=session.tokens["editor"])
    assert back.screen.availability.marks == {cem.id: {1: "maybe", 5: "no"}}
    answer = eve.member.mark("yes", [7, 8])
    assert answer["by"] == eve.member.id and changes(answer, "marks")[0]["runs"] == [[7, 8, "yes"]]
    back.reach(6)
    last = [message for message in back.record if message["type"] == "delta"][-1]
    assert "by" not in last and not changes(last, "marks")


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


def test_who_may_see_more_or_less_gets_a_snapshot(guarded):
    session, owner, eve, bo, cem = marked(guarded, "counts")
    eve.member.reach(5)
    token = session.tokens["owner"]
    for results, members in (("owner", 0), ("everyone", 2), ("counts", 0)):
        answer = guarded.request(
            "PATCH", session.path + "/definition", {"results": results}, token=token)
        eve.member.reach(answer.json["revision"])
        message = eve.member.expect("snapshot", passing=("delta", "presence"))
        assert message["revision"] == answer.json["revision"]
        seen = message["snapshot"]["availability"]
        assert len(seen["marks"]) == members and ("heat" in seen) == (results != "owner")
    owner.reach(8)
    assert not [message for message in owner.record if message["type"] == "snapshot"]

    assert not session.back(bo, token=session.tokens["editor"]).welcome["resumed"] or (
        bo.screen.revision == 8)
    late = session.back(cem, revision=8, token=session.tokens["editor"])
    assert not late.welcome["resumed"], "from the revision that says so"
    owner.mark("yes", [0, 1])
    late.reach(9)
    assert session.back(late, token=session.tokens["editor"]).welcome["resumed"]


def test_a_new_role_decides_what_a_member_sees(guarded):
    session, owner, eve, bo, cem = marked(guarded, "owner")
    cem.reach(5)
    promoted = session.back(cem, token=session.tokens["owner"])
    assert not promoted.welcome["resumed"] and len(promoted.screen.availability.marks) == 2


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


def test_the_marks_of_who_has_left_stay(start):
    server = start(limits={"memberMilliseconds": 0})
    session = server.session(TIMES)
    ana, bo = session.together("Ana", "Bo")
    bo.mark("yes", [0, 1])
    bo.leave()
    bo.closed(1000)
    ana.until(lambda m: bo.id not in m.screen.members)
    (marks,) = session.get()["snapshot"]["availability"]["marks"]
    assert (marks["member"], marks["name"]) == (bo.id, "Bo")
    back = session.back(bo)
    assert back.id == bo.id
    assert back.clear()["type"] == "delta"
    assert session.get()["snapshot"]["availability"]["marks"] == []


def test_cells_are_past_and_marks_closed_when_it_is_time(server):
    session = server.session(TIMES | {"closes": "2018-11-26T10:15"}, now="2018-11-26T07:59:00Z")
    ana = session.join("Ana")
    ana.mark("yes", [0, 8])
    for now, expected in (("08:00", ["past", "best", "result"]),
                          ("09:15", ["past", "closed", "best", "result"]),
                          ("09:20", None), ("09:30", ["past", "best", "result"])):
        revision = ana.screen.revision
        server.clock(f"2018-11-26T{now}:00Z")
        if expected is None:
            assert session.revision() == revision
            continue
        delta = ana.expect("delta")
        assert [change["change"] for change in delta["changes"]] == expected and "by" not in delta
    assert ana.screen.availability.fields["closed"]


def test_marks_survive_a_restart(start, tmp_path):
    server = start(auth="token", options=("--store", f"sqlite:{tmp_path}/store"))
    session, owner, eve, bo, cem = marked(server, "counts")
    cem.reach(5)
    before = session.get()
    owner.mark("yes", [0, 1], [3, 4])
    store.again(server, kill=False)
    got = session.get()  # The clock is that of the machine again: all cells are past.
    assert (got["revision"], got["snapshot"]["availability"]["past"]) == (7, 8)
    assert len(got["snapshot"]["availability"]["marks"]) == 3
    assert got["snapshot"]["availability"]["generation"] == 1
    back = store.back(session, cem, token=session.tokens["editor"])
    assert back.welcome["resumed"] and back.id == cem.id
    assert before["snapshot"]["availability"]["respondents"] == 2
