"""`result` in deltas: the server sends it, clients never compute it."""

from harness.definitions import CALENDAR, DATE, LISTS, SLOT
from test_event_streams import Watcher


def results(delta):
    """The results in a delta, none or one; `result` must be the last change."""
    changes = delta["changes"]
    assert all(change["change"] != "result" for change in changes[:-1]), changes
    return [change["result"] for change in changes if change["change"] == "result"]


def test_every_delta_that_changes_the_result_has_it(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    answers = [ana.select(0, 1), ana.undo(), ana.redo(), ana.confirm(), ana.reopen()]

    second, first = [{"keys": ["Windows", "Xcode"]}], [{"keys": ["MacOS", "Xcode"]}]
    assert [results(delta) for delta in answers] == [second, first, second, [], []]
    assert bo.reach(5).screen.result == session.result() == second[0]


def test_only_a_closed_range_has_a_result(server):
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")
    bo.look("2018-11")

    answers = [ana.tap("2018-11-20"), ana.tap("2018-11-25"), ana.tap("2018-11-03"), ana.undo(),
            ana.clear()]

    whole = {"start": "2018-11-20", "end": "2018-11-25", "days": 6}
    assert [results(delta) for delta in answers] == [[], [whole], [None], [whole], [None]]
    bo.reach(5)
    closed = next(m for m in bo.record if m.get("revision") == 2 and m["type"] == "delta")
    assert [change["change"] for change in closed["changes"]] == ["range", "bands", "result"]


def test_a_clamped_tap_has_the_clamped_result(server):
    session = server.session({**CALENDAR, "maxDays": 3})
    ana = session.join("Ana")
    ana.tap("2018-11-20")

    delta = ana.tap("2018-11-30")

    assert delta["changes"][0]["cause"] == "clamp"
    assert results(delta) == [{"start": "2018-11-20", "end": "2018-11-22", "days": 3}]


def test_a_tick_that_changes_the_result_has_it(server):
    session = server.session(SLOT)
    ana = session.join("Ana")

    server.clock("2018-11-23T10:01:00+08:00")

    assert results(ana.expect("delta")) == [
        {"local": "2018-11-23T10:30", "instant": "2018-11-23T02:30:00Z"}]


def test_a_tick_that_changes_only_the_result_sends_a_delta(server):
    """01:20 occurs twice on this day; once the first has passed, the row means the second."""
    slot = {"kind": "slot", "timeZone": "America/New_York", "leadMinutes": 0}
    session = server.session(slot, now="2018-11-04T05:20:00Z")
    ana = session.join("Ana")
    ana.select(2, 2)
    assert session.result() == {"local": "2018-11-04T01:20", "instant": "2018-11-04T05:20:00Z"}

    server.clock("2018-11-04T05:21:00Z")

    delta = ana.expect("delta")
    assert delta["changes"] == [{"change": "result", "result": {
        "local": "2018-11-04T01:20", "instant": "2018-11-04T06:20:00Z"}}]
    assert session.log()[-1]["changes"] == delta["changes"]


def test_a_tick_that_does_not_change_the_result_has_none(server):
    session = server.session(DATE, now="2018-07-25T23:59:00+08:00")
    ana = session.join("Ana")

    server.clock("2018-07-26T00:00:00+08:00")

    assert results(ana.expect("delta")) == []


def test_resumed_deltas_log_lines_and_events_have_the_result(server):
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")
    watcher = Watcher(session)
    ana.drop()
    bo.tap("2018-11-20")
    bo.tap("2018-11-22")
    whole = [{"start": "2018-11-20", "end": "2018-11-22", "days": 3}]

    again = session.back(ana).reach(2)

    assert [results(m) for m in again.record if m["type"] == "delta"] == [[], whole]
    assert [results(line) for line in session.log()] == [[], whole]
    watcher.next("delta")
    assert results(watcher.next("delta")) == whole
    watcher.close()
