"""The picker is the page: it begins below the bar, and its result and buttons are in view."""

import pytest
from harness.definitions import CALENDAR, LISTS
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

DAYS = {"kind": "availability", "dates": {"from": "2018-11-24", "through": "2018-12-24"}}
KINDS = {"calendar": CALENDAR, "columns": LISTS, "availability": DAYS}
#: The smallest windows of a phone and of a laptop, and others.
PHONE = [{"width": 320, "height": 640}, {"width": 390, "height": 844}]
LAPTOP = [{"width": 1366, "height": 657}, {"width": 1280, "height": 720}]
ELEMENT = "pickerd-wheels, pickerd-calendar, pickerd-availability"


def place(one, selector):
    return one.page.locator(selector).first.bounding_box()


@pytest.mark.parametrize("sizes", [PHONE, LAPTOP], ids=["phone", "laptop"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_picker_begins_at_the_top_and_its_button_is_in_view_for_owner_and_guest(
        window, server, kind, sizes):
    title = "Donaudampfschifffahrtsgesellschaftskapitän and all of us"
    session = server.session(KINDS[kind], title=title)
    first, other = sizes
    ana, bo = (window(server, session, name=name, phone=sizes is PHONE, viewport=first)
               for name in ("Ana", ""))
    for size in (first, other, first):
        for one in (ana, bo):
            one.page.set_viewport_size(size)
            one.draws()
            assert place(one, ELEMENT)["y"] <= 120
            assert place(one, f":is({ELEMENT}) .bar")["y"] > 120
            expect(one.page.locator(f":is({ELEMENT}) .bar")).to_be_in_viewport(ratio=1)
            assert one.page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0
            assert one.overflow() <= 0
        expect(ana.button("Confirm")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [PHONE[0], LAPTOP[0]], ids=["phone", "laptop"])
def test_a_result_moves_nothing(window, server, size):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", phone=size in PHONE, viewport=size)
    expect(ana.page.locator(".hint")).to_contain_text("Pick the first day.")
    parts = [".scroller", '.day[data-date="2018-11-29"]', ".act.confirm"]
    before = [place(ana, part) for part in parts]

    for date in ("2018-11-24", "2018-11-28"):
        ana.day(date).click()
        ana.is_idle()
        assert [place(ana, part) for part in parts] == before

    expect(ana.chosen).to_have_text("Nov 24 – 28, 2018 · 5 days")
    expect(ana.chosen).to_be_in_viewport(ratio=1)


def test_all_settings_are_in_one_menu(window, server):
    ana = window(server, server.session(LISTS), name="Ana", phone=True)
    for field in ("#name", "#language", "#theme"):
        expect(ana.page.locator(field)).to_be_hidden()

    with ana.menu() as menu:
        for label in ("Your name", "Language", "Theme"):
            expect(menu.get_by_label(label)).to_be_in_viewport(ratio=1)
        ana.type("Escape")

    expect(ana.page.locator(".menu-button")).to_be_focused()


def test_a_phone_has_the_other_commands_in_the_menu(window, server):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", phone=True)
    ana.day("2018-11-24").tap()
    ana.is_idle()
    expect(ana.button("Clear")).to_have_count(0)

    with ana.menu() as menu:
        menu.get_by_role("button", name="Clear").click()
    expect(ana.day("2018-11-24")).to_have_attribute("aria-selected", "false")
    with ana.menu() as menu:
        menu.get_by_role("button", name="Cancel").click()
    expect(ana.page.get_by_text("Cancel for everybody?")).to_be_visible()
    ana.button("Yes, cancel").click()
    expect(ana.chosen).to_contain_text("Cancelled.")


def test_the_panels_for_developers_are_in_a_drawer(window, server):
    ana = window(server, server.session(LISTS), name="Ana", viewport=LAPTOP[1])
    drawer = ana.page.locator(".drawer")
    expect(drawer).to_be_hidden()
    with ana.menu() as menu:
        menu.get_by_role("button", name="For developers").click()
    expect(ana.host_panel).to_be_visible()
    expect(drawer.get_by_role("button", name="Done")).to_be_focused()
    expect(ana.button("Confirm")).to_be_in_viewport(ratio=1)
    box, panel = place(ana, ELEMENT), drawer.bounding_box()
    assert box["x"] + box["width"] <= panel["x"], "it covers nothing"
    ana.page.reload()
    expect(ana.host_panel).to_be_visible()

    drawer.get_by_role("button", name="Done").click()

    expect(drawer).to_be_hidden()


def test_the_name_is_asked_for_once_at_the_first_tap_which_is_done(window, server):
    session = server.session(CALENDAR)
    bo = window(server, session, name="", phone=True)
    expect(bo.name_question).to_have_count(0)

    bo.day("2018-11-24").tap()

    expect(bo.name_question).to_be_focused()
    expect(bo.day("2018-11-24")).to_have_attribute("aria-selected", "true")
    bo.type("Escape")
    bo.day("2018-11-28").tap()
    expect(bo.chosen).to_have_text("Nov 24 – 28, 2018 · 5 days")
    bo.is_idle()
    expect(bo.name_question).to_have_count(0)


def test_who_is_here_and_who_decides_is_behind_the_faces_on_a_phone(window, server):
    session = server.session(LISTS)
    session.join("Ana")
    bo = window(server, session, name="Bo", phone=True)
    expect(bo.decider).to_be_hidden()

    bo.page.locator(".who-button").click()

    expect(bo.decider).to_have_text("Ana confirms at the end.")
    expect(bo.decider).to_be_in_viewport()
    expect(bo.page.locator(".member")).to_have_text(["Bo (You)", "Ana"])


def test_a_note_about_a_member_is_one_line_high(window, server):
    """Regression: the style of the list of members applied to it."""
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana")
    session.join("Bo")
    expect(ana.note).to_contain_text("Bo has joined")
    assert ana.note.bounding_box()["height"] <= 50


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_a_receipt_has_the_weeks_of_the_range_and_reopened_all_months(window, server, size):
    session = server.session(CALENDAR, title="Trip")
    ana = window(server, session, name="Ana", phone=size == "phone")
    ana.day("2018-11-27").click()
    ana.day("2018-12-04").click()

    ana.button("Confirm").click()

    expect(ana.page.locator(".week:visible")).to_have_count(3)
    for date in ("2018-11-27", "2018-12-01", "2018-12-08"):
        expect(ana.day(date)).to_be_in_viewport()
    for date in ("2018-11-20", "2018-12-11"):
        expect(ana.day(date)).to_be_hidden()
    for month, date in (("2018-11", "2018-11-27"), ("2018-12", "2018-12-04")):
        band, day = ana.bands(month).last.bounding_box(), ana.day(date).bounding_box()
        assert abs(band["y"] + band["height"] / 2 - day["y"] - day["height"] / 2) < 2
    ana.reopens()
    expect(ana.day("2018-11-20")).to_be_visible()
    expect(ana.day("2018-11-27")).to_be_in_viewport()
