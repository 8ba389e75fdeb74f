"""`GET …/months/2026-11.svg`: the drawing of a month, and taps at its points."""

import re
import xml.etree.ElementTree as tree

import pytest

from harness import calendar
from harness.definitions import CALENDAR, DATE

SVG = "{http://www.w3.org/2000/svg}"


def picture(session, month, **query):
    """The response to a request for the drawing of a month."""
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    return session.server.get(f"{session.path}/months/{month}.svg?{asked}",
                              token=session.tokens.get("viewer"))


def drawn(session, month, **query):
    """The root element of the drawing of a month."""
    answer = picture(session, month, **query)
    assert (answer.status, answer.type) == (200, "image/svg+xml"), answer
    return tree.fromstring(answer.body)


def texts(root):
    return [(e.text, float(e.get("x")), float(e.get("y")), e.get("fill"))
            for e in root.iter(SVG + "text")]


@pytest.mark.parametrize("size, weeks", [((350, 500), "six"), ((1000, 300), "fit")])
def test_a_tap_at_a_point_selects_the_day_drawn_there(server, size, weeks):
    session = server.session({**CALENDAR, "weeks": weeks, "selection": "single"})
    ana = session.join("Ana")
    width, height = size

    root = drawn(session, "2018-11", width=width, height=height)
    days = texts(root)[8:]

    grid = calendar.grid("2018-11", weeks=weeks)
    assert [int(text) for text, *_ in days] == [day.day for day in grid]
    for day, (_, x, y, _) in zip(grid, days):
        answer = ana.tap(month="2018-11", x=x / width, y=(y - 2) / height)
        if day.month != 11:
            assert answer["code"] == "otherMonth", (day, answer)
        else:
            assert answer["changes"][0]["start"] == day.isoformat(), answer


def test_a_month_has_the_geometry_and_colours_of_the_article(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    ana.tap("2018-11-08")
    ana.tap("2018-11-11")

    root = drawn(session, "2018-11", locale="zh-Hans")

    assert (root.get("width"), root.get("height")) == ("350", "500")
    title, *week = texts(root)[:8]
    assert (title[0], title[1]) == ("2018年11月", 175)
    assert [day[0] for day in week] == ["周日", "周一", "周二", "周三", "周四", "周五", "周六"]
    assert [day[3] for day in week] == ["#000000"] + ["#0000ff"] * 5 + ["#000000"]
    circles = list(root.iter(SVG + "circle"))
    assert [c.get("fill") for c in circles].count("#f5f5f5") == 12, "days of the adjacent months"
    assert [c.get("stroke") for c in circles].count("#eaeaea") == 30 - 4 - 1, (
        "all but the range and today")
    assert circles[0].get("r") == "20", "a margin of 5 points in a cell of 50"
    pill, = [r for r in root.iter(SVG + "rect") if r.get("fill") == "#34aff8"]
    assert (pill.get("x"), pill.get("width"), pill.get("height")) == ("205", "140", "58")
    assert pill.get("rx") == "29", "round ends"
    sunday, = [c for c in circles if c.get("fill") == "#34aff8"]
    assert sunday.get("cx") == "25", "a single day in a row is a circle"
    white = [text for text, *_, fill in texts(root) if fill == "#ffffff"]
    assert white == ["8", "9", "10", "11"]


def test_the_etag_changes_if_and_only_if_the_picture_changes(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    first = picture(session, "2018-11")
    again = picture(session, "2018-11")
    assert first.headers["etag"] == again.headers["etag"] and first.body == again.body
    assert not first.headers["etag"].startswith("W/")

    others = [picture(session, "2018-11", **query).headers["etag"] for query in (
        {"theme": "dark"}, {"theme": "eink"}, {"theme": "clear"}, {"width": 351},
        {"locale": "de"})]
    ana.tap("2018-11-08")
    tapped = picture(session, "2018-11").headers["etag"]
    ana.clear()
    server.clock("2018-11-24T10:00:00+08:00")
    tomorrow = picture(session, "2018-11").headers["etag"]

    assert len({first.headers["etag"], *others, tapped, tomorrow}) == 8
    ana.tap("2019-02-01")
    assert picture(session, "2018-11").headers["etag"] == tomorrow, "a tap in another month"


def test_a_picture_has_no_scripts_and_a_strict_policy(server):
    answer = picture(server.session(CALENDAR), "2018-11")

    assert answer.headers["content-security-policy"] == "default-src 'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert not re.search(rb"<script|<style|href|on\w+=", answer.body)


def test_an_invalid_size_theme_or_month_and_a_missing_month_are_rejected(server):
    days, date = server.session(CALENDAR), server.session(DATE)
    for session, name, status, code in (
            *((days, f"2018-11.svg?{query}", 400, "badRequest") for query in (
                "width=49", "width=4001", "height=49", "height=4001", "width=a", "width=",
                "theme=nobody", "theme=")),
            (days, "2017-12.svg", 404, "outsideMonths"), (days, "2020-01.svg", 404, "outsideMonths"),
            (days, "2018-13.svg", 400, "badRequest"), (days, "2018-1.svg", 400, "badRequest"),
            (date, "2018-11.svg", 404, "wrongKind")):
        answer = server.get(f"{session.path}/months/{name}")

        assert (answer.status, answer.code) == (status, code), name


def test_a_picture_requires_a_token_with_read_access(guarded):
    session = guarded.session(CALENDAR)

    assert picture(session, "2018-11").status == 200
    assert guarded.get(f"{session.path}/months/2018-11.svg").code == "noToken"
    assert guarded.get(f"{session.path}/months/2018-11.svg", token="x").code == "badToken"
    assert guarded.get("/v1/sessions/nobody/months/2018-11.svg").code == "noSuchSession"
    assert guarded.post(f"{session.path}/months/2018-11.svg", {}).status == 405


@pytest.mark.parametrize("locale, title, sunday", [
    ("en", "November 2018", "Sun"), ("de", "November 2018", "So"), ("ar-EG", None, None)])
def test_title_weekdays_and_digits_follow_the_locale(server, locale, title, sunday):
    session = server.session(CALENDAR)

    labels = texts(drawn(session, "2018-11", locale=locale))

    if title:
        assert (labels[0][0], labels[1][0]) == (title, sunday)
    else:
        assert "٢٠١٨" in labels[0][0] and labels[-1][0] == "٨"
