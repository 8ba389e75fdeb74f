"""Calendars in two browser windows."""

import pytest
from harness.definitions import CALENDAR
from harness.pickerd import wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages


def two(window, server, definition):
    session = server.session(definition)
    return window(server, session, name="Ana"), window(server, session, name="Bo"), session


def painted(one, month):
    """The bands drawn in a month: row, first column, days after the first, head, tail."""
    return one.bands(month).evaluate_all("""(bands) => bands.map(({ style, dataset }) => {
        const [row, start, end] = ["row", "start", "end"].map((name) => Number(style.getPropertyValue(`--_${name}`)));
        return [row, Math.floor(start), Math.ceil(end) - 1 - Math.floor(start), "head" in dataset, "tail" in dataset];
      })""")


def is_at_the_top(one, month):
    """Whether a month is the first one in view, and nothing of it is scrolled away."""
    return one.page.locator(".scroller").evaluate("""(list, month) => {
        const { top } = list.getBoundingClientRect();
        const first = [...list.querySelectorAll(".month")]
          .find((one) => one.getBoundingClientRect().bottom > top + 1);
        return first?.dataset.month === month && first.getBoundingClientRect().top >= top - 1;
      }""", month)


def test_a_range_in_two_taps_is_drawn_in_both_windows(window, server):
    ana, bo, _ = two(window, server, CALENDAR)
    expect(ana.page.locator(".hint")).to_contain_text("Pick the first day.")

    ana.day("2018-11-14").click()
    ana.is_idle()

    expect(ana.page.locator(".hint")).to_contain_text("Now pick the last day.")
    expect(bo.page.locator(".hint")).to_contain_text("Ana starts on Nov 14.")
    expect(bo.page.locator(".hits")).to_have_text("1 tap")
    expect(bo.face("Ana")).to_have_attribute("data-opener", "")
    first = ana.day("2018-11-14").bounding_box()
    disc = ana.day("2018-11-14").locator(".number").bounding_box()
    assert abs(disc["width"] - disc["height"]) < 1, "a single day is a circle"

    ana.day("2018-11-20").click()

    expect(bo.bands("2018-11")).to_have_count(2)
    wanted = [[2, 3, 3, True, False], [3, 0, 2, False, True]]
    for one in (bo, ana):
        wait_until(lambda: painted(one, "2018-11") == wanted, what=f"{wanted}")
    expect(bo.day("2018-11-14")).to_have_attribute("data-head", "")
    expect(bo.day("2018-11-20")).to_have_attribute("data-tail", "")
    band = ana.bands("2018-11").first.bounding_box()
    middle = first["x"] + first["width"] / 2
    assert abs(band["x"] - middle) < 1, "it begins in the middle of the first day"
    assert abs(band["height"] - disc["height"]) < 1, "and is as high as the disc"


def test_a_clamped_range_shows_the_reason_with_undo_until_the_next_change(window, server):
    ana, bo, _ = two(window, server, {**CALENDAR, "maxDays": 5})

    ana.day("2018-11-05").click()
    ana.is_idle()
    ana.day("2018-11-20").hover()
    preview = ana.month("2018-11").locator(".preview .band")
    expect(preview).to_have_count(1)
    assert preview.evaluate(
        "({ style }) => style.getPropertyValue('--_end') - style.getPropertyValue('--_start')") == 4
    ana.day("2018-11-20").click()

    expect(ana.note).to_contain_text("Ends on Nov 9, 2018: you can pick at most 5 days")
    expect(bo.note).to_contain_text("Ana ends on Nov 9, 2018: you can pick at most 5 days")
    expect(bo.chosen).to_have_text("Nov 5 – 9, 2018 · 5 days")
    undo = bo.note.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    ana.button("Clear").click()
    expect(bo.note.locator(".sentence").last).to_have_text("Ana cleared the choice")


@pytest.mark.parametrize("months, first", [
    (("2019-03", "2020-12"), "2019-03"), (("2016-01", "2018-06"), "2018-06")],
    ids=["to come", "past"])
def test_a_calendar_without_today_opens_at_the_nearest_month(window, server, months, first):
    """Regression: one of months to come opened at the last of them."""
    session = server.session({**CALENDAR, "months": {"from": months[0], "through": months[1]}})
    ana = window(server, session, name="Ana")

    expect(ana.day(f"{first}-15")).to_be_in_viewport()
    expect(ana.button("Today")).to_be_hidden()


def notes_of(one):
    """Records the notes of a page from now on: the time in milliseconds and the text, "" for none.

    Returns a function that reads them.
    """
    one.page.locator(".note").evaluate("""(note) => {
        window.notes = [];
        const record = () =>
          notes.push([performance.now(), "shown" in note.dataset ? note.textContent : ""]);
        new MutationObserver(record).observe(note, { attributeFilter: ["data-shown"] });
      }""")
    return lambda: one.page.evaluate("notes")


def test_a_correction_that_its_author_has_outdated_at_once_can_be_read_by_others(
        window, server):
    ana, bo, _ = two(window, server, {**CALENDAR, "maxDays": 5})
    ana.day("2018-11-14").click()
    expect(bo.note).to_contain_text("Ana starts on Nov 14")
    notes = notes_of(bo)

    ana.day("2018-11-28").evaluate(
        "(last, first) => { last.click(); first.click(); }", ana.day("2018-11-02").element_handle())

    expect(bo.page.locator(".guide")).to_have_text("Ana starts on Nov 2. Now pick the last day.")
    # Without the change it would be shown for the minute for which notes stay in tests. On a busy
    # machine the second change may come after two seconds: then its note replaces the first.
    correction = "Ana ends on Nov 18, 2018"
    wait_until(lambda: notes() and correction not in notes()[-1][1], what="the end of a correction")
    (shown, first), *_, (gone, last) = notes()
    assert correction in first
    assert last == "Ana starts on Nov 2, 2018Undo"
    assert gone - shown > 1900


def test_a_refusal_is_replaced_after_the_next_own_change(window, server):
    ana = window(server, server.session({**CALENDAR, "minDays": 3}), name="Ana")
    ana.day("2018-11-05").click()
    ana.day("2018-11-06").click()
    refusal = "You must pick at least 3 days"
    expect(ana.note).to_contain_text(refusal)

    ana.button("Clear").click()

    expect(ana.note).to_contain_text("Nothing chosen")
    expect(ana.note).not_to_contain_text(refusal)


def test_a_tap_on_a_disabled_day_shows_the_reason_and_counts_no_hit(window, server):
    session = server.session({
        **CALENDAR, "min": "2018-11-05", "max": "2018-11-28",
        "blocked": [{"weekdays": [1]}, {"from": "2018-11-14", "through": "2018-11-15"}]})
    ana = window(server, session, name="Ana")

    for date, why in (("2018-11-02", "the earliest day you can pick is Nov 5, 2018"),
                      ("2018-11-30", "the latest day you can pick is Nov 28, 2018"),
                      ("2018-11-18", "not available: Sunday"),
                      ("2018-11-15", "Nov 14, 2018 to Nov 15, 2018 is taken")):
        ana.day(date).click(force=True)
        expect(ana.note).to_contain_text(why)
        expect(ana.day(date)).to_have_attribute("aria-disabled", "true")
        assert why in ana.day(date).get_attribute("aria-label")
    assert session.revision() == 0


@pytest.mark.motion
def test_months_are_requested_when_they_scroll_into_view(window, server):
    months = {"from": "1990-01", "through": "2040-12"}
    ana = window(server, server.session({**CALENDAR, "months": months}), name="Ana")
    assert ana.page.locator(".month").count() < 9

    ana.page.locator(".scroller").evaluate("(list) => list.scrollTo(0, 0)")

    expect(ana.month("1990-01")).not_to_have_attribute("data-loading", "")
    assert ana.page.locator(".month").count() < 9
    ana.page.locator(".scroller").evaluate("(list) => list.scrollTo(0, list.scrollHeight)")
    expect(ana.month("2040-12")).not_to_have_attribute("data-loading", "")
    ana.day("2040-12-24").click()
    expect(ana.chosen).to_have_text("")
    expect(ana.day("2040-12-24")).to_have_attribute("aria-selected", "true")


def test_a_range_is_drawn_in_months_that_are_loaded_later(window, server):
    ana, bo, _ = two(window, server, CALENDAR)
    ana.day("2018-11-20").click()
    # Two months are beside each other.
    ana.button("Next month").click()
    ana.day("2019-01-10").click()
    expect(ana.chosen).to_have_text("Nov 20, 2018 – Jan 10, 2019 · 52 days")

    bo.page.locator(".scroller").evaluate("(list) => list.scrollBy(0, 400)")

    expect(bo.bands("2019-01")).to_have_count(2)
    wait_until(lambda: painted(bo, "2019-01") == painted(ana, "2019-01"), what="the same bands")


def test_midnight_updates_an_open_page(window, server):
    ana = window(server, server.session({**CALENDAR, "min": "today"}), name="Ana")
    expect(ana.day("2018-11-23")).to_have_attribute("aria-current", "date")

    server.clock("2018-11-24T00:00:00+08:00")

    expect(ana.day("2018-11-24")).to_have_attribute("aria-current", "date")
    expect(ana.day("2018-11-23")).to_have_attribute("aria-disabled", "true")
    expect(ana.day("2018-11-23")).not_to_have_attribute("data-unavailable", "taken")


@pytest.mark.parametrize("cause", ["midnight", "host"])
def test_the_next_month_comes_up_when_the_first_one_is_removed(window, server, cause):
    server.clock("2018-11-30T22:00:00+08:00")
    ana, bo, session = two(window, server, {
        **CALENDAR, "months": {"from": "thisMonth", "through": "thisMonth+P6M"}})
    ana.page.locator(".scroller").evaluate("(list) => list.scrollTo(0, 300)")
    bo.button("Next month").click()
    # Less than a pixel of the month before may remain at the top.
    bo.page.locator(".scroller").evaluate("(list) => list.scrollBy(0, -0.5)")

    if cause == "midnight":
        server.clock("2018-12-01T00:00:10+08:00")
    else:
        session.patch("definition", {"months": {"from": "2018-12", "through": "2019-05"}})

    for one in (ana, bo):
        expect(one.month("2018-11")).to_have_count(0)
        wait_until(lambda one=one: is_at_the_top(one, "2018-12"), what="December at the top")


def test_today_shows_the_heads_of_months_beside_each_other(window, server):
    session = server.session(CALENDAR, now="2018-11-29T10:00:00+08:00")
    ana = window(server, session, name="Ana")
    ana.page.evaluate("document.querySelector('pickerd-calendar').list.showMonth('2019-06', false)")
    ana.page.wait_for_function("document.querySelector('pickerd-calendar').list.monthInView.startsWith('2019-0')")
    ana.button("Today").click()
    wait_until(lambda: is_at_the_top(ana, "2018-11"), what="the whole month of today")


def test_a_german_date_with_a_period_at_its_end_gets_no_second_one(window, server):
    session = server.session({**CALENDAR, "locale": "de"})
    ana = window(server, session, name="Ana", locale="de")
    bo = window(server, session, name="Bo", locale="de")

    ana.day("2018-12-16").click()

    expect(bo.page.locator(".guide")).to_have_text("Ana beginnt am 16. Dez. Wählen Sie nun den letzten Tag.")
    expect(ana.spoken).to_contain_text("16. Dez. Wählen Sie nun den letzten Tag.")
