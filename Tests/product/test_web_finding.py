"""Finding days in a calendar: months, typed dates, dragging, prices; and who has picked what."""

import re

import pytest
from harness.definitions import CALENDAR, SLOT
from harness.pickerd import wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages


def top_month(one):
    """The month whose title is at the top of the list, and the first day below it."""
    return one.page.locator(".scroller").evaluate("""(list) => {
        const { left, right, top } = list.getBoundingClientRect();
        const root = list.getRootNode();
        // While the list scrolls, there may be none.
        const month = root.elementFromPoint(left + 30, top + 20)?.closest(".month")?.dataset.month;
        const days = [...list.querySelectorAll("[data-date]")]
          .filter((day) => day.getBoundingClientRect().top > top + 60);
        days.sort((a, b) => a.dataset.date < b.dataset.date ? -1 : 1);
        return [month, days[0]?.dataset.date];
      }""")


def test_a_calendar_begins_at_the_current_week_and_goes_to_any_month(window, server):
    session = server.session({**CALENDAR, "months": {"from": "2010-01", "through": "2029-12"}})
    ana = window(server, session, name="Ana", phone=True)
    wait_until(lambda: top_month(ana) == ["2018-11", "2018-11-18"], what="this week")
    expect(ana.page.locator('.day[data-date="2018-12-01"]')).to_have_count(1)
    assert ana.month("2018-11").locator(".day").count() == 30
    head = ana.month("2018-11").locator(".head").bounding_box()
    above = ana.day("2018-11-17").locator(".number").bounding_box()
    assert above["y"] + above["height"] <= head["y"] + head["height"] + 0.5, "it is not in view"

    ana.page.locator(".scroller").evaluate("(list) => list.scrollBy(0, 120)")
    assert top_month(ana)[0] == "2018-11", "the title stays while its month is in view"

    # Four clicks during one smooth scroll.
    ana.button("Next month").evaluate("(button) => { for (let n = 0; n < 4; n += 1) button.click(); }")
    wait_until(lambda: top_month(ana) == ["2019-03", "2019-03-01"], what="March")
    ana.button("Previous month").evaluate("(button) => { button.click(); button.click(); }")
    wait_until(lambda: top_month(ana)[0] == "2019-01", what="January")

    ana.month("2019-01").locator(".title").click()
    dialog = ana.page.get_by_role("dialog", name="Month and dates")
    expect(dialog.get_by_label("Year", exact=True)).to_be_focused()
    dialog.get_by_label("Year", exact=True).select_option("2027")
    dialog.get_by_role("button", name="Feb", exact=True).click()
    expect(dialog).to_be_hidden()
    expect(ana.day("2027-02-01")).to_be_focused()
    wait_until(lambda: top_month(ana)[0] == "2027-02", what="February")

    ana.type("t")
    expect(ana.day("2018-11-23")).to_be_focused()


def test_dates_are_typed(window, server):
    session = server.session({**CALENDAR, "maxDays": 5, "blocked": [{"from": "2018-12-24"}]})
    ana = window(server, session, name="Ana")
    ana.day("2018-11-23").focus()

    ana.type("1")
    dialog = ana.page.get_by_role("dialog", name="Month and dates")
    first, last = dialog.get_by_label("First day"), dialog.get_by_label("Last day")
    expect(first).to_be_focused()
    first.fill("2018-12-12")
    last.fill("2018-12-10")
    ana.type("Enter")
    expect(ana.chosen).to_have_text("Dec 10 – 12, 2018 · 3 days")
    expect(ana.day("2018-12-10")).to_be_focused()

    assert [line["command"] for line in session.log()] == [
        {"type": "set", "at": 0, "result": {"start": "2018-12-10", "end": "2018-12-12"}}]

    ana.type("2")
    expect(first).to_have_value("2018-12-10")
    last.fill("2018-12-20")
    ana.type("Enter")
    expect(ana.note).to_contain_text("at most 5 days")
    expect(ana.chosen).to_have_text("Dec 10 – 12, 2018 · 3 days")

    ana.type("2")
    last.fill("2018-12-24")
    ana.type("Enter")
    expect(ana.note).to_contain_text("Dec 24, 2018 is taken")
    expect(ana.chosen).to_have_text("Dec 10 – 12, 2018 · 3 days")

    ana.type("3")
    ana.type("Escape")
    expect(dialog).to_be_hidden()


def test_an_end_of_the_range_has_no_name_if_it_is_unknown_who_has_picked_it(window, server):
    session = server.session(CALENDAR)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")
    first, last = "2018-11-21", "2018-11-26"
    ana.day(last).click()
    expect(bo.day(last)).to_have_attribute("data-by", "Ana")
    # The first tap is still known after a reload.
    bo.page.reload()
    expect(bo.day(last)).to_have_attribute("data-by", "Ana")
    bo.day(first).click()
    for one, names in ((ana, ("Bo", "You")), (bo, ("You", "Ana"))):
        expect(one.day(first)).to_have_attribute("data-by", names[0])
        expect(one.day(last)).to_have_attribute("data-by", names[1])

    # A snapshot says that Bo was the last one, but not on which end.
    ana.page.reload()
    expect(ana.day(first)).to_have_attribute("data-head", "")
    ana.is_loaded()
    expect(ana.face("Bo")).to_be_visible()
    expect(ana.page.locator("[data-by]")).to_have_count(0)
    # The next range is that of known members again.
    ana.day("2018-11-28").click()
    expect(ana.day("2018-11-28")).to_have_attribute("data-by", "You")
    bo.day("2018-11-29").click()
    expect(ana.day("2018-11-28")).to_have_attribute("data-by", "You")
    expect(ana.day("2018-11-29")).to_have_attribute("data-by", "Bo")
    for _ in range(2):
        ana.button("Undo").click()
    expect(ana.day(first)).to_have_attribute("data-head", "")
    expect(ana.page.locator("[data-by]")).to_have_count(0)
    expect(bo.day(last)).to_have_attribute("data-by", "Ana")


def test_a_range_is_dragged_and_others_see_where_it_goes(window, server):
    session = server.session(CALENDAR)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")
    expect(bo.face("Ana")).to_be_visible()

    ana.day("2018-11-26").hover()
    ana.page.mouse.down()
    ana.day("2018-11-28").hover()
    expect(bo.month("2018-11").locator(".preview .band")).to_have_count(1)
    ana.day("2018-11-29").hover()
    ana.page.mouse.up()

    expect(ana.chosen).to_have_text("Nov 26 – 29, 2018 · 4 days")
    expect(bo.chosen).to_have_text("Nov 26 – 29, 2018 · 4 days")
    expect(bo.day("2018-11-26")).to_have_attribute("data-by", "Ana")
    expect(bo.page.locator(".preview .band")).to_have_count(0)

    # Back to where it began: one day, to which the next tap gives an end.
    ana.day("2018-11-20").hover()
    ana.page.mouse.down()
    ana.day("2018-11-22").hover()
    expect(bo.month("2018-11").locator(".preview .band")).to_have_count(1)
    ana.day("2018-11-20").hover()
    ana.page.mouse.up()
    expect(ana.chosen).to_have_text("Nov 20, 2018 · 1 day")
    ana.is_idle()

    # Bo finishes what Ana has begun.
    ana.day("2018-11-30").click()
    expect(bo.day("2018-11-30")).to_have_attribute("data-by", "Ana")
    bo.day("2018-11-27").click()
    for one, names in ((ana, ("Bo", "You")), (bo, ("You", "Ana"))):
        expect(one.day("2018-11-27")).to_have_attribute("data-by", names[0])
        expect(one.day("2018-11-30")).to_have_attribute("data-by", names[1])

    # Also when the host cuts it.
    sold = {"blocked": [{"from": "2018-11-30"}]}
    session.patch("definition", sold)
    for one, names in ((ana, ("Bo", "You")), (bo, ("You", "Ana"))):
        expect(one.day("2018-11-29")).to_have_attribute("data-by", names[1])
        expect(one.day("2018-11-27")).to_have_attribute("data-by", names[0])

    ana.day("2018-12-01").click()
    expect(ana.day("2018-12-01")).to_have_attribute("data-by", "You")
    ana.type("Escape")
    expect(bo.chosen).to_be_hidden()

    # With keys, the focus is the pointer.
    ana.day("2018-11-20").focus()
    for key in ("Enter", "ArrowRight", "ArrowRight"):
        ana.type(key)
    # Beside the one under Bo's own pointer.
    expect(bo.month("2018-11").locator('.preview .band[style*="--_band"]')).to_have_count(1)
    ana.type("Escape")
    expect(bo.page.locator(".preview .band")).to_have_count(0)


def test_a_range_out_of_view_is_shown_on_request(window, server):
    session = server.session(CALENDAR)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo", locale="de")
    mark = bo.page.locator(".mark")
    expect(mark).to_be_hidden()

    for date in ("2019-08-05", "2019-08-08"):
        ana.page.evaluate("(date) => document.querySelector('pickerd-calendar').picker.tap({ date })", date)

    expect(mark).to_have_text("Ana hat 5.–8. Aug. gewählt · Zeigen")
    expect(mark).to_have_attribute("data-side", "below")
    mark.click()
    expect(bo.day("2019-08-05")).to_be_focused()
    expect(bo.day("2019-08-08")).to_be_in_viewport()
    expect(mark).to_be_hidden()
    bo.button("Heute").click()
    expect(mark).to_be_visible()

    ana.page.locator(".scroller").evaluate("(list) => list.scrollTo(0, list.scrollHeight)")
    expect(ana.page.locator(".mark")).to_have_text("Aug 5 – 8 · Show")
    expect(ana.page.locator(".mark")).to_have_attribute("data-side", "above")


def test_the_lowest_prices_are_marked_and_beside_the_month(window, server):
    session = server.session({**CALENDAR, "currency": "EUR", "blocked": [{"from": "2018-12-07"}]})
    ana = window(server, session, name="Ana")
    title = ana.month("2018-12").locator(".title")

    def price(**amounts):
        session.patch("notes", {"days": {
            f"2018-12-0{day[1]}": {"text": f"€ {amount}", "amount": amount}
            for day, amount in amounts.items()}})

    price(d5=90, d6=90)
    expect(ana.day("2018-12-06").locator(".remark")).to_have_text("€ 90")
    expect(ana.page.locator("[data-cheapest]")).to_have_count(0)
    expect(title).not_to_have_attribute("data-from", re.compile("."))
    price(d5=120, d6=80, d7=60, d8=80, d9=95)
    expect(title).to_have_attribute("data-from", "from € 80")
    for day in ("06", "08"):
        expect(ana.day(f"2018-12-{day}")).to_have_attribute("data-cheapest", "")
        assert "cheapest in this month" in ana.day(f"2018-12-{day}").get_attribute("aria-label")
    expect(ana.page.locator("[data-cheapest]")).to_have_count(2)
    expect(ana.day("2018-12-07").locator(".remark")).to_be_hidden()
    assert "60" not in ana.day("2018-12-07").get_attribute("aria-label")

    ana.day("2018-12-05").click()
    ana.day("2018-12-06").click()
    expect(ana.chosen).to_have_text("Dec 5 – 6, 2018 · 2 days · €200")
    price(d6=99)
    expect(ana.page.locator(".unseen[aria-live]")).to_contain_text("the total is now €219")
    expect(ana.chosen).to_have_text("Dec 5 – 6, 2018 · 2 days · €219")


def test_undo_is_there_when_there_is_something_and_cancel_asks(window, server):
    session = server.session(CALENDAR)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")

    def usable(one, undo, redo):
        for name, is_usable in (("Undo", undo), ("Redo", redo)):
            button = one.page.locator(f".bar .{name.lower()}")
            wait_until(lambda: (button.get_attribute("aria-disabled") is None) == is_usable, what=f"{name}: {is_usable}")

    usable(ana, False, False)
    ana.day("2018-11-26").click()
    usable(ana, True, False)
    usable(bo, True, False)
    ana.page.keyboard.press("Control+z")
    usable(ana, False, True)
    usable(bo, False, True)
    expect(bo.page.locator('.day[aria-selected="true"]')).to_have_count(0)
    ana.page.keyboard.press("Control+Shift+z")
    usable(ana, True, False)
    ana.day("2018-11-28").click()
    expect(bo.chosen).to_have_text("Nov 26 – 28, 2018 · 3 days")

    ana.button("Cancel").click()
    expect(ana.button("No")).to_be_focused()
    ana.type("Escape")
    expect(ana.button("Cancel")).to_be_focused()
    expect(bo.chosen).to_have_text("Nov 26 – 28, 2018 · 3 days")
    ana.button("Cancel").click()
    ana.button("Yes, cancel").click()
    for one in (ana, bo):
        expect(one.chosen).to_have_text("Cancelled. Nov 26 – 28, 2018 · 3 days")
        struck, status = one.chosen.locator(".value"), one.chosen.locator("span").first
        expect(struck).to_have_css("text-decoration-line", "line-through")
        expect(struck).to_have_text("Nov 26 – 28, 2018 · 3 days")
        expect(status).to_have_css("text-decoration-line", "none")
    band = bo.bands("2018-11").first.evaluate("(band) => getComputedStyle(band).backgroundColor")
    ana.reopens()
    expect(bo.bands("2018-11").first).not_to_have_css("background-color", band)


def test_times_have_their_zone_and_the_order_of_the_language(window, server):
    slot = server.session({**SLOT, "timeZone": "Europe/Berlin"})
    ana = window(server, slot, name="Ana", timezone_id="America/New_York")
    bo = window(server, slot, name="Bo", locale="de", timezone_id="Europe/Paris")
    expect(ana.page.locator(".zone")).to_have_text("Times are in Central European Time (GMT+1). Today there is Fri, Nov 23.")
    expect(ana.selected(1)).to_have_text("3 AM")
    expect(ana.chosen).to_have_text("Today, Nov 23 3:20 AM GMT+1 · Thu 9:20 PM for you")
    expect(bo.page.locator(".zone")).to_be_hidden()
    expect(bo.selected(1)).to_have_text("03 Uhr")
    expect(bo.chosen).not_to_contain_text("GMT")

    date = server.session({"kind": "date", "timeZone": "Asia/Shanghai"})
    server.clock("2018-11-23T01:00:00+08:00")
    one = window(server, date, name="Cem", timezone_id="Europe/Berlin")
    labels = {"en": ["Month", "Day", "Year"], "de": ["Tag", "Monat", "Jahr"], "ja": ["年", "月", "日"]}
    for locale, order in labels.items():
        one.choose_language(locale)
        expect(one.page.locator(".label:not([hidden])")).to_have_text(order)
    one.wheel(0).focus()
    one.type("ArrowRight")
    expect(one.wheel(1)).to_be_focused()
    expect(one.page.locator(".zone")).to_contain_text("11月23日")


@pytest.mark.motion
def test_a_row_is_bold_as_far_as_it_is_in_the_lens(window, server):
    ana = window(server, server.session({"kind": "date", "timeZone": "Asia/Shanghai"}), name="Ana")
    ana.hold(0, rows=-3)
    near = ana.wheel(0).locator(".row[data-lens]")
    expect(near).to_have_count(1)
    expect(near).to_have_css("font-weight", "400")
    lens = ana.wheel(0).locator(".lens")
    expect(lens).to_have_css("overflow", "hidden")
    bold = lens.get_by_text(near.inner_text(), exact=True)
    expect(bold).to_have_css("font-weight", "650")
    # Where the row itself is, which is below the lens.
    ana.page.wait_for_function("""() => {
        const { shadowRoot } = document.querySelector("pickerd-wheels");
        const wheel = shadowRoot.querySelector(".wheel");
        const row = wheel.querySelector(".row[data-lens]");
        const copy = [...wheel.querySelectorAll(".copy:not([hidden])")].find((one) => one.textContent === row.textContent);
        const [above, below] = [copy, row].map((one) => one.getBoundingClientRect());
        return Math.abs(above.top + above.bottom - below.top - below.bottom) < 2;
      }""")
    ana.let_go()
