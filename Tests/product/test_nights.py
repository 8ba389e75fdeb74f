"""Calendars of nights: the event, and the picture of a month."""

from datetime import date
import xml.etree.ElementTree as tree

import icalendar
import pytest

HOTEL = {"kind": "calendar", "unit": "nights", "timeZone": "Europe/Berlin",
         "months": {"from": "2026-11", "through": "2027-01"}, "currency": "EUR",
         "stays": [{"from": "2026-12-24", "through": "2027-01-06", "minNights": 3},
                   {"weekdays": [7], "arrival": False}],
         "taken": {"a": {"from": "2026-12-01", "through": "2026-12-03"},
                   "b": {"from": "2026-12-08", "through": "2026-12-09"}}}


@pytest.fixture
def hotel(server):
    server.clock("2026-11-20T10:00:00Z")
    return server.session(HOTEL, title="Room 12")


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
