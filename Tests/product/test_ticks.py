"""Ticks: how the passing of time changes open pickers, with a manual clock."""

import threading

import pytest

from harness.definitions import CALENDAR, DATE, LISTS, SLOT


def test_midnight_sends_a_delta_without_by(server):
    session = server.session(DATE, now="2018-07-25T23:59:00+08:00")
    ana, bo = session.together("Ana", "Bo")

    server.clock("2018-07-26T00:00:00+08:00")

    for member in (ana, bo):
        delta = member.expect("delta")
        assert (delta["revision"], delta["at"]) == (1, "2018-07-25T16:00:00.000Z")
        assert "by" not in delta and "ref" not in delta
        assert [(c["change"], c["column"], c["count"], c["row"]) for c in delta["changes"]] == [
            ("reload", 2, 26, 24)]


def test_nothing_is_sent_before_midnight(server):
    session = server.session(DATE, now="2018-07-25T23:00:00+08:00")
    ana = session.join("Ana")

    server.clock("2018-07-25T23:59:59.999+08:00")

    assert session.revision() == 0
    ana.receives_nothing()


def test_setting_the_clock_returns_after_every_session_has_ticked(server):
    sessions = [server.session(DATE, now="2018-07-25T12:00:00+08:00") for _ in range(20)]

    server.clock("2018-07-26T12:00:00+08:00")

    assert [session.revision() for session in sessions] == [1] * 20


def test_several_overdue_ticks_are_merged_into_one(server):
    session = server.session(DATE, now="2018-07-25T12:00:00+08:00")
    ana = session.join("Ana")

    server.clock("2018-08-30T12:00:00+08:00")

    delta = ana.expect("delta")
    assert [c["column"] for c in delta["changes"]] == [1, 2]
    ana.receives_nothing()
    line, = session.log()
    assert line["command"] == {"type": "tick"} and "by" not in line
    assert line["at"] == "2018-08-30T04:00:00.000Z"


def test_a_tick_that_changes_nothing_takes_no_revision(server):
    session = server.session(DATE, now="2018-07-25T12:00:00+08:00")
    fixed = server.session({**DATE, "max": "2018-07-20", "initial": "2018-07-01"}, now=None)
    lists = server.session(LISTS, now=None)

    server.clock("2018-07-25T13:00:00+08:00")
    assert session.revision() == 0
    server.clock("2018-07-28T13:00:00+08:00")

    assert (session.revision(), fixed.revision(), lists.revision()) == (1, 0, 0)


def test_commands_have_the_time_of_the_manual_clock(server):
    session = server.session(LISTS)
    ana = session.join("Ana")

    assert ana.select(0, 1)["at"] == "2018-11-23T02:00:00.000Z"
    server.clock("2018-11-23T10:00:00.123+08:00")
    assert ana.select(0, 2)["at"] == "2018-11-23T02:00:00.123Z"
    assert [line["at"] for line in session.log()] == [
        "2018-11-23T02:00:00.000Z", "2018-11-23T02:00:00.123Z"]
    assert session.join("Bo").welcome["now"] == "2018-11-23T02:00:00.123Z"


def test_an_elapsed_slot_is_clamped(server):
    session = server.session(SLOT)
    ana = session.join("Ana")

    server.clock("2018-11-23T10:01:00+08:00")

    delta = ana.expect("delta")
    assert delta["changes"][-2] == {
        "change": "row", "column": 2, "row": 0, "key": "30", "text": "30", "cause": "clamp",
        "reason": "elapsed", "wanted": "20"}


def test_setting_the_clock_back_clamps_slots_beyond_the_last_day(server):
    """"`noSuchTime` when a clock set back took the row away"."""
    session = server.session(SLOT, now="2018-11-24T10:00:00+08:00")
    ana = session.join("Ana")
    ana.select(0, 2)
    assert session.result()["local"] == "2018-11-26T00:00"

    server.clock("2018-11-23T10:00:00+08:00")

    delta = ana.expect("delta")
    assert session.result()["local"] == "2018-11-25T23:50"
    day = next(c for c in delta["changes"] if c["change"] == "row" and c["column"] == 0)
    assert (day["key"], day["cause"], day["reason"], day["wanted"]) == (
        "2018-11-25", "clamp", "noSuchTime", "2018-11-26")


def test_setting_the_clock_back_clamps_dates_after_today(server):
    session = server.session(DATE, now="2018-07-25T12:00:00+08:00")
    ana = session.join("Ana")

    server.clock("2018-07-20T12:00:00+08:00")

    delta = ana.expect("delta")
    assert session.result() == {"date": "2018-07-20"}
    assert delta["changes"][-2]["reason"] == "elapsed"
    assert delta["changes"][-2]["wanted"] == "25"


def test_the_clock_accepts_any_utc_offset(server):
    session = server.session(DATE, now="2018-07-25T12:00:00+08:00")

    for now in ("2018-07-25T23:00:00-11:00", "2018-07-26T10:00:00.5Z", "2018-07-26t10:00:01z"):
        server.clock(now)

    assert session.join("Bo").welcome["now"] == "2018-07-26T10:00:01.000Z"


def test_a_tick_that_would_put_min_after_max_leaves_the_bounds(server):
    definition = {**DATE, "min": "today", "max": "2018-07-26"}
    session = server.session(definition, now="2018-07-25T12:00:00+08:00")
    ana = session.join("Ana")

    server.clock("2018-07-26T12:00:00+08:00")
    assert ana.expect("delta")["revision"] == 1
    server.clock("2018-07-27T12:00:00+08:00")

    assert session.result() == {"date": "2018-07-26"}
    ana.receives_nothing()


def test_a_tick_precedes_a_command_of_the_same_time(server):
    session = server.session(SLOT)
    ana = session.join("Ana")
    server.clock("2018-11-23T11:00:00+08:00")

    answer = ana.do("select", column=1, row=0, generation=1, key="10")

    assert answer["code"] == "noSuchRow"
    assert answer["revision"] == 1


# Calendars


def test_a_new_month_changes_the_list_of_months(server):
    definition = {"kind": "calendar", "timeZone": "Asia/Shanghai",
                  "months": {"from": "thisMonth-P1M", "through": "thisMonth+P1M"}}
    session = server.session(definition, now="2018-11-30T23:59:00+08:00")
    ana = session.join("Ana")

    server.clock("2018-12-01T00:00:00+08:00")

    assert ana.expect("delta")["changes"] == [
        {"change": "months", "first": "2018-11", "last": "2019-01", "count": 3}]


def test_a_change_of_cells_sends_months_to_their_subscribers(server):
    """A new `today` makes no revision, log line or delta; subscribed members receive `months`."""
    session = server.session(CALENDAR)
    ana, bo = session.join("Ana", months={"from": "2018-11", "count": 1}), session.join("Bo")

    server.clock("2018-11-24T00:00:00+08:00")

    view = ana.expect("months")["months"][0]
    assert [cell["date"] for cell in view["cells"] if cell.get("today")] == ["2018-11-24"]
    bo.receives_nothing()
    ana.receives_nothing()
    assert (session.revision(), session.log()) == (0, [])


def test_a_subscriber_of_another_month_receives_nothing(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana", months={"from": "2019-06", "count": 1})

    server.clock("2018-11-24T00:00:00+08:00")

    ana.receives_nothing()


def test_a_tick_that_changes_range_and_cells_sends_both(server):
    definition = {**CALENDAR, "min": "today"}
    session = server.session(definition)
    ana = session.join("Ana", months={"from": "2018-11", "count": 1})
    ana.tap("2018-11-23")
    ana.tap("2018-11-26")

    server.clock("2018-11-25T00:00:00+08:00")

    delta = ana.expect("delta")
    change = delta["changes"][0]
    assert (change["start"], change["end"], change["hits"], change["cause"], change["reason"]) == (
        "2018-11-25", "2018-11-26", 2, "tick", "elapsed")
    assert change["by"] == ana.id
    cells = ana.expect("months")["months"][0]["cells"]
    assert {c["date"] for c in cells if c.get("disabled") and not c.get("outside")} == {
        f"2018-11-{day:02}" for day in range(1, 25)}


def test_a_range_that_has_elapsed_is_cleared(server):
    session = server.session({**CALENDAR, "min": "today"})
    ana = session.join("Ana")
    ana.tap("2018-11-23")
    ana.tap("2018-11-24")

    server.clock("2018-11-25T00:00:00+08:00")

    change, _ = ana.expect("delta")["changes"]
    assert (change["start"], change["end"], change["hits"]) == (None, None, 0)
    assert (change["cause"], change["reason"]) == ("tick", "elapsed")
    assert session.result() is None


def test_a_tick_that_changes_only_the_reach_sends_a_delta(server):
    """"By a tick the range's `cause` is `tick` with `reason` `elapsed`, also when only `reach`
    changed"."""
    session = server.session({**CALENDAR, "min": "today"})
    ana = session.join("Ana")
    ana.tap("2018-11-30")

    server.clock("2018-11-24T00:00:00+08:00")

    change, = ana.expect("delta")["changes"]
    assert (change["start"], change["end"], change["hits"]) == ("2018-11-30", "2018-11-30", 1)
    assert (change["cause"], change["reason"]) == ("tick", "elapsed")
    assert change["reach"] == {"from": "2018-11-24", "through": "2019-12-31"}


# Time zones


@pytest.mark.parametrize("zone, before, after", [
    ("Pacific/Kiritimati", "2018-11-23T09:59:59Z", "2018-11-23T10:00:00Z"),
    ("America/New_York", "2018-11-23T04:59:59Z", "2018-11-23T05:00:00Z"),
    ("Asia/Kathmandu", "2018-11-23T18:14:59Z", "2018-11-23T18:15:00Z"),
    ("UTC", "2018-11-23T23:59:59Z", "2018-11-24T00:00:00Z")])
def test_midnight_is_determined_in_the_sessions_time_zone(server, zone, before, after):
    session = server.session({"kind": "date", "timeZone": zone}, now=before)
    ana = session.join("Ana")

    server.clock(after)

    assert ana.expect("delta")["changes"][-1]["change"] == "reload"


def test_concurrent_ticks_and_selects_produce_one_history(server):
    session = server.session(SLOT)
    ana, bo = session.together("Ana", "Bo")

    def pass_time():
        for minute in range(1, 40):
            server.clock(f"2018-11-23T10:{minute:02}:00+08:00")

    time = threading.Thread(target=pass_time)
    time.start()
    for n in range(60):
        column = ana.screen.columns[n % 3]
        ana.do("select", column=n % 3, row=n % 4, generation=column["generation"])
    time.join()

    last = session.revision()
    for member in (ana, bo):
        member.reach(last)
    assert len(session.log()) == last
