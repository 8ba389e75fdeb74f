"""Accessibility: keyboard only, right to left, reduced motion and screen readers."""

import pytest
from harness.definitions import CALENDAR, DATE, LISTS
from harness.pickerd import wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages


def focuses(one, date):
    """Waits until a day has the focus."""
    one.page.wait_for_function(
        "(date) => document.activeElement.shadowRoot?.activeElement?.dataset.date === date", arg=date)


def tab_to(one, matches, most=40):
    """Presses Tab until the focused element, also inside shadow roots, matches a selector."""
    for _ in range(most):
        one.page.keyboard.press("Tab")
        if one.page.evaluate(
                """(selector) => { let on = document.activeElement;
                while (on?.shadowRoot?.activeElement) on = on.shadowRoot.activeElement;
                return on?.matches(selector) ?? false; }""", matches):
            return
    raise AssertionError(f"Tab does not reach {matches}")


def test_a_date_can_be_confirmed_with_the_keyboard_only(window, server):
    ana = window(server, name="Ana")
    expect(ana.card("date-0")).to_be_visible()
    tab_to(ana, "[data-open=date-0]")
    ana.page.keyboard.press("Enter")
    expect(ana.chosen).not_to_be_empty()

    # Month, day, year.
    tab_to(ana, ".wheel[data-column='0']")
    ana.type(*"2000")
    ana.page.keyboard.press("ArrowLeft")
    ana.page.keyboard.press("ArrowLeft")
    ana.page.keyboard.press("2")
    expect(ana.chosen).to_contain_text("February")
    tab_to(ana, ".act.confirm")
    ana.page.keyboard.press("Enter")

    expect(ana.chosen).to_contain_text("✓ Confirmed.")
    expect(ana.chosen).to_contain_text("2000")
    # The button is gone. Its focus is not on Reopen, which a second Enter would press.
    expect(ana.chosen).to_be_focused()


def test_the_undo_button_of_a_note_leaves_its_focus_at_the_result(window, server):
    session = server.session(DATE)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")
    bo.type_at(0, "ArrowUp")
    undo = ana.page.locator(".undo-note")
    expect(undo).to_be_visible()

    undo.focus()
    ana.page.keyboard.press("Enter")

    expect(ana.chosen).to_be_focused()
    expect(undo).to_be_hidden()
    expect(bo.selected(0)).to_have_text("2018")


def test_the_undo_button_of_a_note_leaves_its_focus_at_the_bar_without_a_result(window, server):
    session = server.session(CALENDAR)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")
    bo.day("2018-11-14").click()
    undo = ana.page.locator(".undo-note")
    expect(undo).to_be_visible()

    undo.focus()
    ana.page.keyboard.press("Enter")

    expect(ana.page.locator("[part=bar]")).to_be_focused()


def test_a_range_can_be_selected_with_the_keyboard_only(window, server):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana")
    tab_to(ana, "#skip")
    ana.page.keyboard.press("Enter")
    focuses(ana, "2018-11-23")

    for key, date in (
            ("ArrowRight", "2018-11-24"), ("ArrowRight", "2018-11-25"), ("ArrowDown", "2018-12-02"),
            ("ArrowUp", "2018-11-25"), ("ArrowLeft", "2018-11-24"), ("Home", "2018-11-18"),
            ("End", "2018-11-24"), ("PageDown", "2018-12-24"), ("PageUp", "2018-11-24"),
            ("Shift+PageDown", "2019-11-24"), ("Shift+PageUp", "2018-11-24"),
            ("Shift+PageUp", "2018-01-01"), ("ArrowLeft", "2018-01-01")):
        ana.page.keyboard.press(key)
        focuses(ana, date)
    assert ana.page.locator('.day[tabindex="0"]').count() == 1

    # Escape clears only an open range.
    for key, taps in (("t", 0), ("Enter", 1), ("Escape", 0)):
        ana.page.keyboard.press(key)
        expect(ana.page.locator(".hits")).to_have_text("1 tap" if taps else "0 taps")
    focuses(ana, "2018-11-23")
    for key in ("ArrowLeft", "ArrowUp", "Enter", "End", "Space"):
        ana.page.keyboard.press(key)
    expect(ana.chosen).to_have_text("Nov 15 – 17, 2018 · 3 days")
    ana.page.keyboard.press("Escape")
    ana.is_idle()
    expect(ana.chosen).to_have_text("Nov 15 – 17, 2018 · 3 days")


def test_the_focus_stays_in_the_calendar_when_the_host_changes_the_months(window, server):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana")
    for change, date, focused in (
            ({"months": {"from": "2018-10", "through": "2019-06"}}, "2018-12-16", "2018-12-16"),
            ({"firstWeekday": 2}, "2018-12-16", "2018-12-16"),
            ({"months": {"from": "2018-12", "through": "2019-06"}}, "2018-11-16", "2018-12-01"),
            ({"months": {"from": "2018-01", "through": "2018-11"}}, "2018-12-16", "2018-11-30")):
        ana.day(date).focus()
        focuses(ana, date)

        version = session.patch("definition", change).json["version"]

        ana.page.wait_for_function("""(version) =>
            document.querySelector("pickerd-calendar").picker.state.version === version""", arg=version)
        focuses(ana, focused)
        expect(ana.day(focused)).to_have_attribute("tabindex", "0")
        assert ana.day(focused).get_attribute("aria-label")
        ana.page.keyboard.press("Enter")
        expect(ana.day(focused)).to_have_attribute("aria-selected", "true")
        assert ana.page.locator('.day[tabindex="0"]').count() == 1
        ana.is_idle()


def test_midnight_keeps_the_focus_and_a_mouse_button_that_is_down_on_a_day(window, server):
    server.clock("2018-11-30T22:00:00+08:00")
    months = {"from": "thisMonth", "through": "thisMonth+P6M"}
    session = server.session({**CALENDAR, "months": months})
    ana = window(server, session, name="Ana", viewport={"width": 600, "height": 900})
    ana.button("Next month").click()
    ana.day("2018-12-12").focus()
    ana.page.wait_for_function(
        "() => document.querySelector('pickerd-calendar').list.monthInView === '2018-12'")
    box = ana.day("2018-12-12").bounding_box()
    ana.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    ana.page.mouse.down()

    server.clock("2018-12-01T00:00:10+08:00")
    expect(ana.month("2018-11")).to_have_count(0)
    focuses(ana, "2018-12-12")
    ana.page.mouse.up()

    expect(ana.day("2018-12-12")).to_have_attribute("aria-selected", "true")


def test_a_wheel_is_a_listbox_whose_rows_are_selected_with_keys(window, server):
    session = server.session(DATE)
    ana = window(server, session, name="Ana")
    wheel = ana.page.get_by_role("listbox", name="Year")
    expect(wheel).to_have_count(1)
    active = wheel.evaluate("""(wheel) =>
        wheel.getRootNode().getElementById(wheel.getAttribute("aria-activedescendant")).textContent""")
    assert active == "2018"
    row = ana.selected(0)
    expect(row).to_have_attribute("aria-posinset", "69")
    expect(row).to_have_attribute("aria-setsize", "69")
    ana.wheel(0).focus()

    for key, year in (("ArrowUp", "2017"), ("PageUp", "2012"), ("ArrowDown", "2013"),
                      ("PageDown", "2018"), ("Home", "1950"), ("End", "2018")):
        ana.page.keyboard.press(key)
        expect(ana.selected(0)).to_have_text(year)
    ana.page.keyboard.press("ArrowLeft")
    assert ana.wheel(2).evaluate("(wheel) => wheel.getRootNode().activeElement === wheel")


def test_names_are_readable_in_sentences_of_the_other_direction(window, server):
    session = server.session(CALENDAR)
    guest = window(server, session, name="ضيف 27")
    ana = window(server, session, name="Ana (2)", locale="ar")
    guest.day("2018-11-14").click()
    expect(ana.page.locator(".hint")).to_contain_text("\u2068ضيف 27\u2069")
    ana.day("2018-11-16").click()
    expect(guest.note).to_contain_text("Ana (2) picked Nov 14")
    # A name that does not fit is cut at its end.
    for one in (guest, ana):
        tag = one.day("2018-11-14")
        expect(tag).to_have_attribute("data-by", "You" if one is guest else "ضيف 27")
        assert tag.evaluate("(day) => getComputedStyle(day, '::before').unicodeBidi") == "plaintext"


def test_arrow_keys_follow_the_visual_direction_in_right_to_left(window, server):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", locale="ar")
    tab_to(ana, ".day")
    ana.page.keyboard.press("ArrowLeft")
    focuses(ana, "2018-11-24")

    wheels = server.session(LISTS)
    bo = window(server, wheels, name="Bo", locale="ar")
    first, second = bo.wheel(0).bounding_box(), bo.wheel(1).bounding_box()
    assert first["x"] > second["x"]
    bo.wheel(0).focus()
    bo.page.keyboard.press("ArrowLeft")
    assert bo.wheel(1).evaluate("(wheel) => wheel.getRootNode().activeElement === wheel")


def test_reduced_motion_disables_the_animation_of_wheels(window, server):
    session = server.session(DATE)
    ana = window(server, session, name="Ana", reduced_motion="reduce")

    ana.wheel(0).focus()
    selected = ana.wheel(0).evaluate("""(wheel) => {
        wheel.dispatchEvent(new KeyboardEvent("keydown", { key: "Home" }));
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
          done(wheel.querySelector('.row[aria-selected="true"]').textContent)))); }""")

    assert selected == "1950", "after two frames"

    def is_in_the_middle():
        row, wheel = ana.selected(0).bounding_box(), ana.wheel(0).bounding_box()
        return abs(row["y"] + row["height"] / 2 - wheel["y"] - wheel["height"] / 2) < 1

    wait_until(is_in_the_middle, what="the row in the middle")


def test_forced_colors_show_the_range_and_the_days_that_cannot_be_picked(window, server):
    session = server.session({**CALENDAR, "min": "2018-11-10"})
    ana = window(server, session, name="Ana", forced_colors="active")
    ana.day("2018-11-14").click()
    ana.day("2018-11-16").click()
    expect(ana.chosen).to_have_text("Nov 14 – 16, 2018 · 3 days")

    def color(element, name):
        return element.evaluate("(element, name) => getComputedStyle(element)[name]", name)

    names = ["Highlight", "HighlightText", "GrayText", "CanvasText"]
    system = ana.page.evaluate("""(names) => Object.fromEntries(names.map((name) => {
        const probe = document.body.appendChild(document.createElement("i"));
        probe.style.cssText = `forced-color-adjust: none; color: ${name}`;
        return [name, getComputedStyle(probe).color]; }))""", names)
    assert color(ana.bands("2018-11").first, "borderBlockStartColor") == system["Highlight"]
    for day, is_end in (("14", True), ("15", False), ("16", True)):
        number = ana.day(f"2018-11-{day}").locator(".number")
        assert color(number, "color") == system["HighlightText" if is_end else "CanvasText"]
        assert (color(number, "backgroundColor") == system["Highlight"]) == is_end
    assert color(ana.day("2018-11-08").locator(".number"), "color") == system["GrayText"]
