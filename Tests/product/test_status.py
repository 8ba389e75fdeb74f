"""Confirm, cancel and reopen: their preconditions, and commands on sessions that are not open."""

import pytest

from harness.definitions import CALENDAR, DATE, LISTS, SLOT


def test_confirm_broadcasts_the_result(server):
    session = server.session(SLOT)
    ana, bo = session.together("Ana", "Bo")

    delta = ana.confirm()

    result = {"local": "2018-11-23T10:20", "instant": "2018-11-23T02:20:00Z"}
    assert delta["changes"] == [{"change": "status", "status": "confirmed", "result": result}]
    assert bo.expect("delta")["changes"] == delta["changes"]
    got = session.get()
    assert (got["status"], got["snapshot"]["result"]) == ("confirmed", result)


def test_cancel_and_reopen_change_the_status(server):
    session = server.session(LISTS)
    ana = session.join("Ana")

    cancelled = ana.cancel()["changes"]
    reopened = ana.reopen()["changes"]

    assert [(c["change"], c["status"]) for c in cancelled] == [("status", "cancelled")]
    assert [(c["change"], c["status"]) for c in reopened] == [("status", "open")]
    assert session.get()["status"] == "open"


def test_a_confirmed_session_can_be_reopened(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.confirm()

    ana.reopen()

    assert ana.select(0, 1)["type"] == "delta"


def test_confirm_requires_a_result(server):
    ana = server.session(CALENDAR).join("Ana")

    empty = ana.confirm()
    ana.tap("2018-11-20")
    half = ana.confirm()
    ana.tap("2018-11-22")
    whole = ana.confirm()

    assert (empty["code"], half["code"]) == ("notComplete", "notComplete")
    assert whole["changes"][0]["result"] == {"start": "2018-11-20", "end": "2018-11-22", "days": 3}


@pytest.mark.parametrize("close", ["confirm", "cancel"])
def test_a_session_that_is_not_open_refuses_changes(server, close):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1)
    ana.do(close)
    bo.reach(2)

    for member in (ana, bo):
        assert member.select(0, 2)["code"] == "notOpen"
        assert member.undo()["code"] == "notOpen"
        assert member.redo()["code"] == "notOpen"
    assert session.revision() == 2
    assert session.result() == {"keys": ["Windows", "Xcode"]}


def test_a_calendar_that_is_not_open_refuses_taps(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    ana.tap("2018-11-20")
    ana.cancel()

    refused = ana.tap("2018-11-22")

    assert refused["code"] == "notOpen"
    assert [(c["change"], c["start"], c["hits"]) for c in refused["changes"]] == [
        ("range", "2018-11-20", 1)]
    assert ana.clear()["code"] == "notOpen"


def test_not_open_is_checked_before_the_selection(server):
    ana = server.session(LISTS).join("Ana")
    ana.cancel()

    assert ana.do("select", column=99, row=0, generation=1)["code"] == "notOpen"
    assert ana.do("select", column=0, row=0, generation=9)["code"] == "notOpen"
    assert ana.tap("2018-11-20")["code"] == "wrongKind"


def test_rows_months_and_touches_work_in_a_cancelled_session(server):
    wheels = server.session(LISTS).join("Ana")
    months = server.session(CALENDAR, now=None).join("Bo")
    wheels.cancel()
    months.cancel()

    assert wheels.rows(0, 1, 2)["rows"][0]["key"] == "Windows"
    assert months.look("2018-11")["months"][0]["month"] == "2018-11"
    wheels.touch(column=0, row=1)
    wheels.receives_nothing()


def test_a_session_that_is_not_open_does_not_tick(server):
    session = server.session(DATE, now="2018-07-25T12:00:00+08:00")
    ana = session.join("Ana")
    ana.confirm()

    server.clock("2018-07-28T12:00:00+08:00")

    ana.receives_nothing()
    assert session.get()["snapshot"]["columns"][2]["count"] == 25
    assert session.revision() == 1


def test_reopen_ticks_the_session_to_the_current_time(server):
    session = server.session(DATE, now="2018-07-25T12:00:00+08:00")
    ana = session.join("Ana")
    ana.confirm()
    server.clock("2018-07-28T12:00:00+08:00")

    ana.reopen()

    ana.reach(session.revision())
    assert ana.screen.columns[2]["count"] == 28
    assert session.get()["status"] == "open"


def test_a_confirmed_result_does_not_change_with_time(server):
    session = server.session(SLOT)
    ana = session.join("Ana")
    ana.confirm()

    server.clock("2018-11-24T10:00:00+08:00")

    assert session.result()["local"] == "2018-11-23T10:20"


def test_welcome_has_the_status_of_a_cancelled_session(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.cancel()

    bo = session.join("Bo")

    assert bo.welcome["snapshot"]["status"] == "cancelled"


def test_only_the_owner_may_confirm_cancel_and_reopen(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    for command in ("confirm", "cancel", "reopen"):
        refused = bo.do(command)
        assert (refused["code"], refused["changes"]) == ("notAllowed", [])
    assert session.get()["status"] == "open"


def test_setting_the_same_status_again_takes_no_revision(server):
    """`reopen` of an open and `confirm` of a confirmed session change nothing."""
    session = server.session(LISTS)
    ana = session.join("Ana")

    reopened = ana.reopen()
    ana.confirm()
    again = ana.confirm()

    assert reopened["type"] == "reply"
    assert again["type"] == "reply" or again["code"] == "notOpen"
    assert session.revision() == 1


def test_the_status_is_in_the_log(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.confirm()
    ana.reopen()

    log = session.log()

    assert [line["command"]["type"] for line in log] == ["confirm", "reopen"]
    assert [line["by"] for line in log] == [ana.id, ana.id]
