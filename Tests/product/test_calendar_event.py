"""`event.ics`, checked with two iCalendar libraries, and the links of a confirmed session."""

from datetime import date, datetime
from urllib.parse import parse_qs, urlsplit

import icalendar
import pytest
import vobject

STAY = {"kind": "calendar", "months": {"from": "2026-11", "through": "2026-12"}}
BOOKING = {"kind": "slot", "leadMinutes": 0, "stepMinutes": 30, "timeZone": "America/New_York"}
NASTY = 'A, B; C\\D "E"\r\nATTENDEE:mailto:x@example.org\u2028X:1\u0085Y:2\x0bZ:3\x00 é' + "😀" * 40


def ics(session, **rest):
    return session.server.get(session.path + "/event.ics", **rest)


def event(session):
    """The only event; asserts that both libraries agree and every line is well-formed."""
    answer = ics(session)
    assert answer.status == 200 and answer.type.split(";")[0] == "text/calendar", answer
    body = answer.body
    assert body.endswith(b"END:VCALENDAR\r\n") and b"\n" not in body.replace(b"\r\n", b"")
    for line in body.split(b"\r\n"):
        assert len(line) <= 75, f"a line of {len(line)} bytes: {line}"
        line.decode()
    calendar = icalendar.Calendar.from_ical(body)
    assert calendar["METHOD"] == "PUBLISH" and calendar["VERSION"] == "2.0"
    (found,) = calendar.walk("VEVENT")
    assert not found.errors, found.errors
    other = vobject.readOne(body.decode()).vevent
    assert {child.name for child in other.getChildren()} == {
        "UID", "SEQUENCE", "DTSTAMP", "LAST-MODIFIED", "STATUS", "SUMMARY", "DTSTART", "DTEND"}
    assert other.dtstart.value == found["DTSTART"].dt and other.dtend.value == found["DTEND"].dt
    assert other.uid.value == found["UID"] and other.summary.value == found["SUMMARY"]
    return found


def test_a_range_is_an_all_day_event_with_an_exclusive_end(server):
    session = server.session(STAY, title="Winter in Rügen")
    ana = session.join("Ana")
    ana.tap("2026-11-23")
    assert (ics(session).status, ics(session).code) == (404, "notComplete"), "a range is open"
    ana.tap("2026-11-27")
    found = event(session)
    assert (found["DTSTART"].dt, found["DTEND"].dt) == (date(2026, 11, 23), date(2026, 11, 28))
    assert found["SUMMARY"] == "Winter in Rügen" and found["STATUS"] == "TENTATIVE"
    assert found["UID"] == f"{session.id}@pickerd" and found["SEQUENCE"] == 0
    first = ics(session)
    ana.confirm()
    confirmed = event(session)
    assert (confirmed["STATUS"], confirmed["SEQUENCE"]) == ("CONFIRMED", 1)
    assert ics(session).headers["etag"] != first.headers["etag"]
    ana.reopen()
    ana.cancel()
    assert (event(session)["STATUS"], event(session)["SEQUENCE"]) == ("CANCELLED", 3)


def test_a_date_and_a_single_day_are_events_of_one_day(server):
    session = server.session({"kind": "date", "min": "2026-01-01", "max": "2026-12-31",
                              "initial": "2026-12-31"})
    found = event(session)
    assert (found["DTSTART"].dt, found["DTEND"].dt) == (date(2026, 12, 31), date(2027, 1, 1))
    assert found["SUMMARY"] == "pickerd"
    single = server.session({**STAY, "selection": "single"})
    single.join("Ana").tap("2026-11-23")
    found = event(single)
    assert (found["DTSTART"].dt, found["DTEND"].dt) == (date(2026, 11, 23), date(2026, 11, 24))


@pytest.mark.parametrize("minutes, until", [(None, "30"), (90, "90")])
def test_a_slot_is_an_event_in_utc_with_the_length_in_minutes(server, minutes, until):
    session = server.session({**BOOKING, **({"minutes": minutes} if minutes else {})})
    found = event(session)
    result = session.result()
    start = datetime.fromisoformat(result["instant"])
    assert found["DTSTART"].dt == start and not found["DTSTART"].dt.utcoffset()
    assert (found["DTEND"].dt - start).total_seconds() == int(until) * 60


def test_a_title_cannot_inject_lines(server):
    session = server.session({**STAY, "selection": "single"}, title=NASTY)
    session.join("Ana").tap("2026-11-23")
    found = event(session)
    assert found["SUMMARY"] == (
        'A, B; C\\D "E"\nATTENDEE:mailto:x@example.org\nX:1\nY:2\nZ:3 é' + "😀" * 40)
    assert "ATTENDEE" not in found


def test_the_bytes_change_only_if_the_event_changes(server):
    session = server.session({**STAY, "selection": "single"})
    ana = session.join("Ana")
    ana.tap("2026-11-23")
    first = ics(session)
    assert first.body == ics(session).body
    tag = first.headers["etag"]
    known = ics(session, headers={"If-None-Match": tag})
    assert (known.status, known.body, known.headers["etag"]) == (304, b"", tag)
    assert ics(session, headers={"If-None-Match": '"other"'}).status == 200
    server.clock("2018-11-30T10:00:00Z")
    assert ics(session).headers["etag"] == tag
    ana.tap("2026-11-24")
    assert ics(session).headers["etag"] != tag


def test_sessions_of_other_kinds_and_without_a_result_have_no_event(server):
    for definition in ({"kind": "columns", "columns": [["a"]]},
                       {"kind": "cascade", "nodes": [{"text": "a"}]}):
        session = server.session(definition)
        assert (ics(session).status, ics(session).code) == (404, "wrongKind")
        session.join("Ana").confirm()
        assert "links" not in session.get()
    assert ics(server.session(STAY)).code == "notComplete"
    assert server.get("/v1/sessions/none/event.ics").code == "noSuchSession"
    assert server.request("POST", server.session(STAY).path + "/event.ics").status == 405


def test_a_confirmed_session_has_links(server):
    session = server.session(STAY, title="A & B = {start}")
    ana = session.join("Ana")
    ana.tap("2026-11-23")
    ana.tap("2026-11-27")
    assert "links" not in session.get()
    ana.confirm()
    links = session.get()["links"]
    here = f"http://127.0.0.1:{server.port}{session.path}/event.ics?ticket="
    assert links["ics"].startswith(here) and links == session.get()["links"]
    google = urlsplit(links["google"])
    assert (google.scheme, google.netloc) == ("https", "calendar.google.com")
    assert parse_qs(google.query) == {
        "action": ["TEMPLATE"], "text": ["A & B = {start}"], "dates": ["20261123/20261128"]}
    outlook = parse_qs(urlsplit(links["outlook"]).query)
    assert outlook["subject"] == ["A & B = {start}"] and outlook["allday"] == ["true"]
    assert (outlook["startdt"], outlook["enddt"]) == (["2026-11-23"], ["2026-11-28"])
    ana.reopen()
    assert "links" not in session.get()


def test_the_name_and_the_outlook_link_are_configurable(start):
    server = start(options=["--calendar-name", "pick.example.org",
                         "--outlook-link", "https://example.org/new?t={title}&s={start}&x={x}"])
    session = server.session({**BOOKING, "timeZone": "UTC"}, title="T")
    session.join("Ana").confirm()
    assert event(session)["UID"] == f"{session.id}@pick.example.org"
    instant = session.result()["instant"].replace(":", "%3A")
    assert session.get()["links"]["outlook"] == f"https://example.org/new?t=T&s={instant}&x={{x}}"


def test_the_event_requires_a_token_with_token_authentication(guarded):
    session = guarded.session({**BOOKING, "timeZone": "UTC"})
    assert ics(session).status == 401
    assert ics(session, token=session.tokens["viewer"]).status == 200
