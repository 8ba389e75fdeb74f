"""What does not move on the page, and what fits: banners, small screens and enlarged texts."""

import pytest
from harness.definitions import CALENDAR, DATE, LISTS
from harness.fingers import swipe_up
from playwright.sync_api import expect
from test_web_home import CLS

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

SMALL = {"viewport": {"width": 320, "height": 568}}
SIZES = {"desktop": {}, "phone": {"phone": True}, "320 px": {"phone": True, **SMALL}}


def places(one, *selectors):
    """The places of elements in the page."""
    return [one.page.locator(selector).first.bounding_box() for selector in selectors]


@pytest.mark.parametrize("size, locale, waits", [
    ("desktop", "en", "1 change waits."), ("320 px", "de", "1 Änderung wartet."),
    ("phone", "ar", "تنتظر: 1")])
def test_a_lost_connection_moves_no_day_and_covers_no_title_and_no_button(
        window, server, wire, size, locale, waits):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", port=wire.port, locale=locale, **SIZES[size])
    day = '.day[data-date="2018-11-27"]'
    before = places(ana, ".scroller", day, ".act.confirm")

    wire.cut()
    banner = ana.page.locator(".banner")
    expect(banner).to_be_visible()
    assert places(ana, ".scroller", day, ".act.confirm") == before
    assert ana.connection.evaluate("(main) => main.scrollWidth <= main.clientWidth")
    strip, bar = places(ana, ".banner", ".bar")
    assert abs(strip["y"] + strip["height"] - bar["y"]) <= 1, "it is directly above the buttons"
    assert banner.bounding_box()["height"] < 80, "and a strip"

    ana.page.locator(day).click()
    expect(banner).to_contain_text(waits)
    assert places(ana, ".scroller", day) == before[:2]
    wire.restore()
    expect(banner).to_be_hidden()
    assert places(ana, ".scroller", day) == before[:2]

    # The head of a month that is scrolled away, and the last week of all, are above the strip.
    ana.month("2018-11").evaluate(
        "(month) => { month.closest('.scroller').scrollTop = month.offsetTop + 60; }")
    wire.cut()
    expect(banner).to_be_visible()
    head, strip = ana.month("2018-11").locator(".head").bounding_box(), banner.bounding_box()
    assert head["y"] + head["height"] < strip["y"] and strip["y"] + strip["height"] <= bar["y"] + 1
    ana.page.locator(".scroller").evaluate("(list) => list.scrollTo(0, list.scrollHeight)")
    last = ana.day("2019-12-31")
    expect(last).to_be_visible()
    week = last.bounding_box()
    assert week["y"] + week["height"] <= strip["y"]


def test_members_with_long_names_move_no_day(window, server):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", phone=True, **SMALL)
    day = '.day[data-date="2018-11-27"]'
    before = places(ana, ".scroller", day)
    for name in ("Bartholomew Longname", "Christina-Alexandra von Hohenstein", "Maximiliane Mustermann", "Dia"):
        session.join(name)
        expect(ana.page.locator(".member", has_text=name)).to_be_attached()
        assert places(ana, ".scroller", day) == before
    for count in range(4):
        session.join(f"Member {count}")
    expect(ana.page.locator(".member")).to_have_count(9)
    expect(ana.page.locator(".face.more")).to_be_visible()
    assert places(ana, ".scroller", day) == before
    assert ana.overflow() <= 0


def test_a_banner_over_the_picker_lets_taps_through_except_on_its_button(window, server, wire):
    ana = window(server, server.session(LISTS), name="Ana", port=wire.port)
    wire.cut()
    expect(ana.page.locator("[part=retry]")).to_be_visible()

    hit = """(one) => {
        const { left, top, width, height } = one.getBoundingClientRect();
        const hit = one.getRootNode().elementFromPoint(left + width / 2, top + height / 2);
        return hit.closest("[part]").getAttribute("part"); }"""
    assert ana.page.locator(".banner").evaluate(hit) != "connection"
    assert ana.page.locator("[part=retry]").evaluate(hit) == "retry"


def test_the_banner_of_a_lost_connection_replaces_a_note_but_not_the_answer_of_a_tap(
        window, server, wire):
    session = server.session({**CALENDAR, "min": "2018-11-10"})
    ana = window(server, session, name="Ana", port=wire.port)
    bo = window(server, session, name="Bo")
    bo.day("2018-11-14").click()
    expect(ana.note).to_contain_text("Bo starts on Nov 14")
    wire.cut()
    expect(ana.page.locator(".banner")).to_be_visible()
    expect(ana.page.locator(".note")).to_be_hidden()

    ana.day("2018-11-05").click(force=True)

    expect(ana.note).to_contain_text("the earliest day you can pick is Nov 10, 2018")
    expect(ana.page.locator(".banner")).to_have_css("opacity", "0")


def test_a_finger_on_the_calendar_scrolls_the_page_at_its_end_on_a_low_screen(window, server):
    first = {"width": 568, "height": 320}
    ana = window(server, server.session(CALENDAR), name="Ana", phone=True, viewport=first)
    scroller = ana.page.locator(".scroller")
    # A later test may use the page, with its first size.
    for width, height in ((800, 304), (390, 320), (568, 320)):
        ana.page.set_viewport_size({"width": width, "height": height})
        ana.draws()
        scroller.evaluate("""(list) => {
            list.scrollIntoView({ block: "center" });
            list.scrollTop = list.scrollHeight; }""")

        assert scroller.bounding_box()["height"] <= height - 90, "room for a finger beside it"
        swipe_up(ana.page, scroller.bounding_box())


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_failure_to_open_a_picker_is_shown_beside_its_button(window, server, size):
    ana = window(server, name="Ana", **SIZES[size])
    expect(ana.cards).to_have_count(11)
    ana.page.context.set_offline(True)
    problem = ana.page.get_by_role("alert")

    for button in ("[data-open=ask-0]", "[data-open=date-0]", "[data-start]"):
        ana.page.locator(button).focus()
        ana.page.keyboard.press("Enter")
        expect(ana.page.locator(f":has(> {button}) > [role=alert]")).to_be_in_viewport(ratio=1)
        expect(problem).to_contain_text("The server cannot be reached.")
        expect(ana.page.locator(button)).to_be_focused()
        assert places(ana, "[role=alert]")[0]["y"] >= places(ana, button)[0]["y"]


def test_the_skip_link_is_hidden_with_enlarged_texts_until_it_has_the_focus(window, server):
    ana = window(server, server.session(CALENDAR), name="Ana", **SMALL)
    ana.page.evaluate("document.documentElement.style.fontSize = '40px'")
    skip = ana.page.locator("#skip")

    expect(skip).not_to_be_in_viewport()
    ana.page.keyboard.press("Tab")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", ["desktop", "320 px"])
def test_texts_of_twice_the_size_fit(window, server, wire, size):
    session = server.session(DATE)
    ana = window(server, session, name="Ana", port=wire.port, **{**SIZES[size], "locale": "de"})
    ana.page.evaluate("document.documentElement.style.fontSize = '200%'")
    expect(ana.page.locator(".share-button")).to_be_visible()
    wire.cut()
    expect(ana.page.locator(".banner")).to_be_visible()

    share = ana.invite().bounding_box()
    for part in (".primary", ".qr" if size == "desktop" else ".link"):
        box = ana.invitation.locator(f"{part}:visible").first.bounding_box()
        assert box["x"] + box["width"] <= share["x"] + share["width"], part
    year = ana.selected(0)
    assert year.evaluate("(row) => row.scrollWidth <= row.clientWidth"), "the year is not cut"
    assert ana.page.locator(".banner").bounding_box()["height"] < 300


@pytest.mark.parametrize("size, locale", [("desktop", "en"), ("phone", "de"), ("320 px", "ar")])
def test_the_head_of_a_month_has_room_with_texts_of_twice_the_size(window, server, size, locale):
    session = server.session(CALENDAR)
    for name in ("Bo", "Cem"):
        session.join(name)
    ana = window(server, session, name="Ana", locale=locale, **SIZES[size])
    ana.doubles_texts()
    expect(ana.page.locator(".title").first).to_have_css("font-size", "36px" if size == "desktop" else "28px")
    ana.draws()
    assert ana.page.evaluate("innerWidth") == ana.page.viewport_size["width"], "nothing is beside the page"
    month = ana.month("2018-11")
    chevron = """(title) => {
        const range = document.createRange();
        range.selectNodeContents(title);
        const { left, right } = range.getBoundingClientRect();
        return [left, right]; }"""
    left, right = month.locator(".title").evaluate(chevron)
    today = ana.page.locator(".today").bounding_box()
    assert today["width"] <= 1 or today["x"] >= right or today["x"] + today["width"] <= left
    expect(ana.page.locator(".here .face")).to_have_count(2 if size == "320 px" else 3)
    for face in ana.page.locator(".face .picture:visible").all():
        box = face.bounding_box()
        is_above = box["y"] + box["height"] <= today["y"]
        is_beside = (box["x"] + box["width"] <= today["x"]
                     or today["x"] + today["width"] <= box["x"])
        assert today["width"] <= 1 or is_above or is_beside
    for weekday in month.locator(".weekday").all():
        assert weekday.evaluate("(one) => one.scrollWidth <= one.clientWidth + 1"), weekday.inner_text()
    faces = ana.page.locator(".here .face:visible").last.bounding_box()
    share = ana.page.locator(".share-button").bounding_box()
    assert faces["x"] >= share["x"] + share["width"] or faces["x"] + faces["width"] <= share["x"]


def test_the_grades_cover_no_text_with_texts_of_twice_the_size(window, server):
    ana = window(server, server.session({"kind": "availability", "dates": ["2018-11-26", "2018-11-27"]}), phone=True, locale="de")
    ana.doubles_texts()
    expect(ana.page.locator(".swatch").first).to_be_hidden()
    remark, grades = places(ana, ".best-remark", ".grades")
    assert remark["height"] > 0 and remark["y"] + remark["height"] <= grades["y"]


@pytest.mark.parametrize("options", [{"viewport": {"width": 1366, "height": 657}}, {"phone": True}], ids=["laptop", "phone"])
def test_a_link_moves_nothing_after_the_first_paint(window, server, options):
    """Regression: the bar became as wide as that of a picker, and the sentences of the rail took room one after the other."""
    session = server.session(CALENDAR)
    session.join("Bo")
    ana = window(server, path="#/", name="Ana", **options)
    ana.page.goto(f"http://127.0.0.1:{server.port}/?new#/s/{session.id}")
    ana.is_loaded()
    expect(ana.decider).to_contain_text("confirms at the end")
    assert ana.page.evaluate(CLS) == 0


def test_a_tip_and_the_question_for_the_name_are_not_cut_with_texts_of_twice_the_size(window, server):
    session = server.session({**DATE, "min": "2000-01-01", "initial": "2017-11-23", "max": "2018-11-23"})
    ana = window(server, session, name="", phone=True, locale="de")
    ana.doubles_texts()
    expect(ana.page.locator(".share-button")).to_be_visible()
    ana.type_at(1, "End")
    expect(ana.name_question).to_be_visible()
    sheet = ana.page.locator(".name-sheet")
    assert sheet.evaluate("(one) => one.scrollWidth <= one.clientWidth")
    ana.answers("Ana")
    ana.type_at(0, "End")
    expect(ana.tip).to_have_text("Spätestens wählbar ist 23. Nov. 2018")
    columns, tip = places(ana, ".columns", ".tip")
    for start, length in (("x", "width"), ("y", "height")):
        assert columns[start] <= tip[start]
        assert tip[start] + tip[length] <= columns[start] + columns[length]
