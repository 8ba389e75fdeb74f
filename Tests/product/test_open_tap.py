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


def test_owner_is_an_alias_of_opener(server):
    session = server.session(CALENDAR, openTap="owner")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")

    assert bo.tap("2018-11-22")["code"] == "tapClaimed"
    assert session.log()[0]["session"]["openTap"] == "opener"
