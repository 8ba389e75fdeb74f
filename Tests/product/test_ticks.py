"""The manual clock, and what it sends to members with a calendar in view."""

from harness.definitions import CALENDAR, DATE


def test_the_clock_accepts_any_utc_offset(server):
    session = server.session(DATE, now="2018-07-25T12:00:00+08:00")

    for now in ("2018-07-25T23:00:00-11:00", "2018-07-26T10:00:00.5Z", "2018-07-26t10:00:01z"):
        server.clock(now)

    assert session.join("Bo").welcome["now"] == "2018-07-26T10:00:01.000Z"


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
