"""A host imports what it knows of its users' calendars."""

import pytest

from harness.host import Host
from harness.store import again, stored
from harness.tools import replay
from test_host_commands import Booking

TIMES = {"kind": "availability", "timeZone": "Europe/Berlin", "dates": ["2018-11-26"],
         "stepMinutes": 30, "hours": [{"from": "09:00", "until": "13:00"}]}
DATES = {"kind": "availability", "dates": {"from": "2018-11-24", "through": "2018-11-30"}}


def at(start, end):
    return {"from": f"2018-11-26T{start}", "until": f"2018-11-26T{end}"}


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


@pytest.fixture
def keyed(host, tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", auth=f"keys:{host.file}",
                    limits={"members": 3, "runs": 4})
    server.clock("2018-11-23T10:00:00Z")
    yield server
    server.stop()


class Meeting(Booking):
    def put(self, member, body, token=None):
        return self.server.request("PUT", f"{self.path}/members/{member}/marks", body,
                                   token=token or self.host.api)

    def marks(self):
        members = self.get()["snapshot"]["availability"]["marks"]
        return {one["member"]: one["runs"] for one in members}


def test_a_calendar_marks_what_its_member_has_not_marked_by_hand(keyed, host, tmp_path):
    meeting = Meeting(keyed, host, TIMES | {"results": "counts"})
    ana, bo = meeting.join("Ana"), meeting.join("Bo", role="editor")
    bo.mark("yes", [0, 1])
    day = {"free": [at("09:00", "13:00")], "tentative": [at("10:10", "10:20")],
           "busy": [{"from": "2018-11-26T08:15:00Z", "until": "2018-11-26T08:45:00Z"}]}

    answer = meeting.put(bo.id, day)

    # Cell 1 overlaps what is busy, cell 2 what may be; the mark on cell 0 was made by hand.
    assert answer.status == 200, answer
    changes = {change["change"]: change for change in answer.json["changes"]}
    assert changes["marks"]["runs"] == [[1, 2, "no"], [2, 3, "maybe"], [3, 8, "yes"]]
    assert meeting.marks() == {
        bo.id: [[0, 1, "yes"], [1, 2, "no"], [2, 3, "maybe"], [3, 8, "yes"]]}
    assert answer.json["revision"] == 2 and changes["heat"]["respondents"] == 1
    ana.reach(2), bo.reach(2)
    assert bo.screen.availability.marks[bo.id][1] == "no"
    assert bo.record[-1].get("by") is None and bo.record[-1]["host"] is True

    # The same again changes nothing. A later calendar replaces what the former one has marked.
    assert meeting.put(bo.id, day).json["changes"] == []
    bo.mark("maybe", [1, 3])  # Partly equal to what was imported, but by hand from now on.
    bo.mark(None, [7, 8])
    answer = meeting.put(bo.id, {"free": [at("09:30", "13:00")]})
    assert answer.json["changes"] == []
    assert meeting.put(bo.id, {"free": [at("10:30", "13:00")]}).json["changes"] == []
    kept = {bo.id: [[0, 1, "yes"], [1, 3, "maybe"], [3, 7, "yes"]]}
    assert meeting.marks() == kept
    busy = {"busy": [at("12:00", "23:59")]}
    assert meeting.put(bo.id, busy).json["changes"][0]["runs"] == [[3, 6, None], [6, 7, "no"]]
    kept = {bo.id: [[0, 1, "yes"], [1, 3, "maybe"], [6, 7, "no"]]}

    log = keyed.get(meeting.path + "/log", token=host.api)
    assert log.body.count(b'"type":"import"') == 2 and b'"busy":[[' in log.body
    seen = keyed.get(meeting.path + "/log", token=host.token(meeting.id, "owner", sub="ana")).body
    assert b'"type":"import"' in seen and b'"busy"' not in seen

    again(keyed)
    keyed.clock("2018-11-23T10:00:00Z")
    assert meeting.marks() == kept
    answer = meeting.put(bo.id, {"busy": [at("00:00", "23:59")]})
    assert answer.json["changes"][0]["runs"] == [[3, 6, "no"]]
    assert meeting.marks() == {bo.id: [[0, 1, "yes"], [1, 3, "maybe"], [3, 7, "no"]]}
    path = tmp_path / "log.ndjson"
    path.write_bytes(keyed.get(meeting.path + "/log", token=host.api).body)
    assert replay(str(path)).status == 0

    # Once a member has cleared its marks, everything may be imported.
    back = meeting.join("Bo", role="editor")
    back.drop()
    assert meeting.put(bo.id, {}).json["changes"][0]["runs"] == [[3, 7, None]]

    # Half past nine in Berlin: what has begun is not marked.
    keyed.clock("2018-11-26T08:30:00Z")
    answer = meeting.put(ana.id, {"free": [at("09:00", "13:00")]})
    assert meeting.marks()[ana.id] == [[2, 8, "yes"]], answer


def test_dates_are_imported_as_dates(keyed, host):
    meeting = Meeting(keyed, host, DATES | {"maybe": False})
    ana = meeting.join("Ana")

    answer = meeting.put(ana.id, {
        "free": [{"from": "2018-11-01", "through": "2018-12-31"}],
        "tentative": [{"from": "2018-11-26"}],
        "busy": [{"from": "2018-11-27", "through": "2018-11-28"}]})

    # There is no maybe: what is tentative is not free.
    assert answer.status == 200, answer
    assert meeting.marks() == {ana.id: [[0, 2, "yes"], [2, 5, "no"], [5, 7, "yes"]]}


def test_each_refusal_has_its_code_and_changes_nothing(keyed, host):
    meeting = Meeting(keyed, host, TIMES | {"closes": "2018-11-25T18:00"})
    ana = meeting.join("Ana")
    busy = {"busy": [at("10:00", "11:00")]}

    def problem(body=busy, member=ana.id, token=None):
        answer = meeting.put(member, body, token=token)
        return answer.status, answer.code, answer.json.get("pointer")

    assert problem(token=host.token(meeting.id, "owner", sub="ana"))[:2] == (403, "notAllowed")
    assert problem(token="pk_a.b")[:2] == (401, "badToken")
    assert problem(member="m_nobody")[:2] == (404, "noSuchMember")
    assert problem({"buzy": []}) == (400, "badRequest", "/buzy")
    assert problem({"busy": {}}) == (400, "badRequest", "/busy")
    assert problem({"busy": [at("10:00", "11:00"), 7]}) == (400, "badRequest", "/busy/1")
    assert problem({"free": [{"from": "2018-11-26"}]}) == (400, "badRequest", "/free/0/from")
    assert problem({"free": [at("10:00", "10:00")]}) == (400, "badRequest", "/free/0/until")
    assert problem({"free": [at("10:00", "10:30") | {"grade": "no"}]}) == (
        400, "badRequest", "/free/0/grade")
    assert problem({"free": [at("10:00", "10:30")] * 500, "busy": [at("10:00", "10:30")] * 501}) == (
        400, "badRequest", "/busy")
    assert problem({"free": [{"from": "x" * 70_000}]})[:2] == (413, "tooLarge")
    runs = {"free": [at("09:00", "13:00")], "busy": [at("10:00", "10:30"), at("11:00", "11:30")]}
    assert problem(runs)[:2] == (409, "tooManyRuns")
    assert meeting.marks() == {} and meeting.get()["revision"] == 0

    bo, cem = meeting.join("Bo", role="editor"), meeting.join("Cem", role="editor")
    for member in (bo, cem):
        member.mark("yes", [0, 1])
    bo.leave()
    bo.closed(1000)
    cem.until(lambda m: bo.id not in m.screen.members)
    meeting.join("Dora", role="editor").mark("yes", [0, 1])
    assert problem()[:2] == (409, "full")
    meeting.send("confirm")
    assert problem()[:2] == (409, "notOpen")
    meeting.send("reopen")
    keyed.clock("2018-11-25T17:00:00Z")
    assert problem()[:2] == (409, "closed")
    calendar = Meeting(keyed, host, {"kind": "date"})
    assert calendar.put(calendar.join("Ana").id, busy).code == "wrongKind"


def test_without_keys_nobody_imports(server):
    session = server.session(TIMES)
    ana = session.join("Ana")
    answer = server.request("PUT", f"{session.path}/members/{ana.id}/marks", {"busy": []})
    assert (answer.status, answer.code) == (404, "notFound")
