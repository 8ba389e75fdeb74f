"""Calendars of nights, and prices that add up, through the socket."""

import json
from datetime import date
import xml.etree.ElementTree as tree

import icalendar
import pytest

from harness.store import again, back, stored

HOTEL = {"kind": "calendar", "unit": "nights", "timeZone": "Europe/Berlin",
         "months": {"from": "2026-11", "through": "2027-01"}, "currency": "EUR",
         "stays": [{"from": "2026-12-24", "through": "2027-01-06", "minNights": 3},
                   {"weekdays": [7], "arrival": False}],
         "taken": {"a": {"from": "2026-12-01", "through": "2026-12-03"},
                   "b": {"from": "2026-12-08", "through": "2026-12-09"}}}
MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture
def hotel(server):
    server.clock("2026-11-20T10:00:00Z")
    return server.session(HOTEL, title="Room 12")


def patch(session, what, body):
    return session.server.request("PATCH", f"{session.path}/{what}", body, headers=MERGE)


def price(session, amounts):
    days = {day: {"text": f"€ {amount}", "amount": amount} for day, amount in amounts.items()}
    answer = patch(session, "notes", {"days": days})
    assert answer.status == 200, answer
    return answer.json


def last(member):
    """The changes of the newest delta, by their name."""
    delta = [message for message in member.record if message["type"] == "delta"][-1]
    return {change["change"]: change for change in delta["changes"]}


def test_the_host_closes_a_turnover_day_under_a_stay(hotel):
    ana = hotel.join("Ana", months={"from": "2026-12", "count": 1})
    ana.tap("2026-12-13")
    ana.tap("2026-12-16")
    stays = HOTEL["stays"] + [{"from": "2026-12-16", "departure": False}]

    answer = patch(hotel, "definition", {"stays": stays})

    assert answer.status == 200, answer
    ana.reach(answer.json["revision"])
    change = last(ana)["range"]
    assert (change["start"], change["end"]) == ("2026-12-13", "2026-12-15")
    assert (change["cause"], change["reason"], change["wanted"]) == (
        "define", "noDeparture", "2026-12-16")
    assert ana.screen.result["nights"] == 2
    assert patch(hotel, "definition", {"stays": stays}).json["changes"] == []
    bad = patch(hotel, "definition", {"stays": [{"minNights": 3, "maxNights": 2}]})
    assert (bad.status, bad.code, bad.json["pointer"]) == (422, "badDefinition", "/stays/0/minNights")
    assert bad.json["detail"] == "minNights is 3, more than maxNights, which is 2"


def test_a_stay_is_an_event_that_ends_on_the_day_of_departure(hotel):
    ana = hotel.join("Ana")
    ana.tap("2026-12-16")
    ana.tap("2026-12-13")
    ana.do("confirm")

    body = hotel.server.get(hotel.path + "/event.ics").body
    event, = icalendar.Calendar.from_ical(body).walk("VEVENT")
    assert (event["DTSTART"].dt, event["DTEND"].dt) == (date(2026, 12, 13), date(2026, 12, 16))
    assert "20261213%2F20261216" in hotel.get()["links"]["google"].replace("/", "%2F")


def test_two_stays_share_a_day_in_the_picture(hotel):
    ana = hotel.join("Ana")
    ana.tap("2026-12-04")
    ana.tap("2026-12-08")
    picture = hotel.server.get(f"{hotel.path}/months/2026-12.svg?width=700&height=500").body

    root = tree.fromstring(picture)
    bands = [e for e in root.iter("{http://www.w3.org/2000/svg}rect") if e.get("x")]
    # December 4 is a Friday, the sixth column; the 8th a Tuesday, the third.
    spans = [(float(e.get("x")), float(e.get("x")) + float(e.get("width"))) for e in bands]
    assert (550, 700) in spans and (0, 250) in spans
    halves = list(root.iter("{http://www.w3.org/2000/svg}path"))
    assert len(halves) == 5, "December 1, 10, and the Saturdays 12, 19, 26"


def test_the_feed_has_the_total_that_was_confirmed(hotel):
    ana = hotel.join("Ana")
    price(hotel, {"2026-12-13": 100, "2026-12-14": 20.5})
    ana.tap("2026-12-13")
    ana.tap("2026-12-15")
    ana.do("confirm")
    price(hotel, {"2026-12-13": 500})
    ana.do("reopen")

    data, after = [], 0
    while page := hotel.server.get(f"/v1/feed?after={after}&limit=500",
                                   port=hotel.server.admin_port).body.splitlines():
        data += [json.loads(line)["data"] for line in page]
        after = json.loads(page[-1])["position"]
    found = [event["result"]["total"]["amount"] for event in data
             if event["session"] == hotel.id and event["result"]]
    assert found == [120.5, 520.5], "confirmed, and reopened at the prices of now"


def test_a_confirmed_price_stays_through_a_kill_and_the_new_one_counts_when_reopened(tmp_path):
    server = stored(tmp_path / "log", tmp_path / "hotel.sqlite")
    try:
        session = server.session({
            "kind": "calendar", "unit": "nights", "currency": "EUR",
            "months": {"from": "2018-11", "through": "2018-12"}})
        ana = session.join("Ana")
        price(session, {"2018-12-10": 100, "2018-12-11": 99.5})
        ana.tap("2018-12-10")
        ana.tap("2018-12-12")
        ana.do("confirm")
        price(session, {"2018-12-10": 200})
        again(server)
        ana = back(session, ana)
        assert session.get()["snapshot"]["result"]["total"] == {"amount": 199.5, "currency": "EUR"}
        ana.do("reopen")
        assert ana.screen.result["total"]["amount"] == 299.5
        assert session.get()["snapshot"]["result"] == ana.screen.result
    finally:
        server.stop()
