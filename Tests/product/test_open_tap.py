"""`openTap`: which members may close an open range."""

from harness.definitions import CALENDAR


def change_of(delta):
    assert delta["type"] == "delta", delta
    return next(change for change in delta["changes"] if change["change"] == "range")


def test_only_the_member_who_opened_a_range_may_close_it(server):
    session = server.session(CALENDAR, openTap="opener")
    ana, bo = session.together("Ana", "Bo")
    bo.tap("2018-11-20")
    ana.reach(1)

    refused = ana.tap("2018-11-22")

    assert (refused["code"], refused["revision"]) == ("tapClaimed", 1)
    assert refused["changes"][0]["by"] == bo.id
    assert change_of(bo.tap("2018-11-22"))["hits"] == 2


def test_any_member_may_open_the_next_range(server):
    session = server.session(CALENDAR, openTap="opener")
    ana, bo = session.together("Ana", "Bo")
    for day in ("2018-11-20", "2018-11-22"):
        bo.tap(day)
    ana.reach(2)

    assert change_of(ana.tap("2018-11-24"))["hits"] == 3


def test_the_claim_ends_after_15_seconds_of_the_sessions_clock(server):
    session = server.session(CALENDAR, openTap="opener")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")
    bo.reach(1)

    server.clock("2018-11-23T10:00:14.999+08:00")
    assert bo.tap("2018-11-22")["code"] == "tapClaimed"

    server.clock("2018-11-23T10:00:15+08:00")
    assert change_of(bo.tap("2018-11-22"))["hits"] == 2


def test_the_claim_ends_when_the_member_has_left(server):
    session = server.session(CALENDAR, openTap="opener")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")
    bo.reach(1)
    ana.leave()
    bo.until(lambda m: ana.id not in m.screen.members)

    assert change_of(bo.tap("2018-11-22"))["hits"] == 2


def test_the_claim_of_an_offline_member_continues(server):
    session = server.session(CALENDAR, openTap="opener")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")
    bo.reach(1)
    ana.drop()
    bo.until(lambda m: not m.screen.members[ana.id]["online"])

    assert bo.tap("2018-11-22")["code"] == "tapClaimed"
    assert change_of(session.back(ana).tap("2018-11-22"))["hits"] == 2


def test_any_member_may_clear_or_undo_a_claimed_range(server):
    session = server.session(CALENDAR, openTap="opener")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")
    bo.reach(1)

    assert bo.undo()["type"] == "delta"
    assert bo.redo()["type"] == "delta"
    assert bo.clear()["type"] == "delta"
    assert change_of(bo.tap("2018-11-22"))["hits"] == 1


def test_undo_does_not_restart_the_15_seconds(server):
    """"an undo brings `by` back with the range, and the 15 s count from the tap that opened it"."""
    session = server.session(CALENDAR, openTap="opener")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")
    bo.reach(1)
    server.clock("2018-11-23T10:00:05+08:00")
    bo.clear()
    server.clock("2018-11-23T10:00:10+08:00")
    assert change_of(bo.undo())["by"] == ana.id

    server.clock("2018-11-23T10:00:14+08:00")
    assert bo.tap("2018-11-22")["code"] == "tapClaimed"
    server.clock("2018-11-23T10:00:15+08:00")
    assert change_of(bo.tap("2018-11-22"))["hits"] == 2


def test_single_selections_are_never_claimed(server):
    """`single` has no open ranges: every tap sets the date."""
    session = server.session({**CALENDAR, "selection": "single"}, openTap="opener")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")
    bo.reach(1)

    assert change_of(bo.tap("2018-11-22"))["hits"] == 2


def test_owner_is_an_alias_of_opener(server):
    session = server.session(CALENDAR, openTap="owner")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")

    assert bo.tap("2018-11-22")["code"] == "tapClaimed"
    assert session.log()[0]["session"]["openTap"] == "opener"
