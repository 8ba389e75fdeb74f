"""`openTap`: which members may close an open range."""

from harness.definitions import CALENDAR


def test_owner_is_an_alias_of_opener(server):
    session = server.session(CALENDAR, openTap="owner")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")

    assert bo.tap("2018-11-22")["code"] == "tapClaimed"
    assert session.log()[0]["session"]["openTap"] == "opener"
