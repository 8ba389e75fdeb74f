"""What a page shows of an inventory: levels, the own hold with its countdown, the waiting list, and
the number of units."""

import re

import pytest
from harness.store import MANY
from playwright.sync_api import expect
from test_web_axe import passes

pytest_plugins = ["webpages"]

NOW = "2026-12-01T12:00:00Z"
EVE = "2026-12-24"
DAYS = {"kind": "calendar", "months": {"from": "2026-12", "through": "2027-01"}, "min": "today",
        "selection": "single", "timeZone": "UTC"}
SLOT = {"kind": "slot", "days": 2, "stepMinutes": 30, "minutes": 60, "leadMinutes": 0,
        "hours": [{"from": "14:00", "until": "17:00"}]}
TABLES = {"kind": "cascade", "nodes": [
    {"key": "hall", "text": "Hall", "children": [
        {"key": "a/b", "text": "Table A"}, {"key": "b", "text": "Table B"}]},
    {"key": "garden", "text": "Garden"}]}
SMALL = {"phone": True, "viewport": {"width": 320, "height": 568}}


@pytest.fixture
def site(start):
    """A server with a clock of its own."""
    return start(limits=MANY)


@pytest.fixture
def guest(window, site):
    """Opens a window of a new session that takes from the inventory."""
    def opens(name="Ana", session=None, **options):
        session = session or site.session({}, uses="evening", now=None)
        one = window(site, session, name=name, **{"timezone_id": "UTC", **options})
        expect(one.page.locator(".stock")).to_be_attached()
        one.session = session
        return one
    return opens


def sell(server, definition=DAYS, **inventory):
    """Stores a shared definition with an inventory."""
    server.clock(NOW)
    answer = server.request("PUT", "/v1/definitions/evening", {
        "definition": definition, "inventory": {"capacity": 1, **inventory}})
    assert answer.status == 201, answer


def booked(server, name, key):
    """A booking from elsewhere: all sessions learn of it, and of the time."""
    answer = server.post("/v1/definitions/evening/bookings", {"booking": name, "keys": [key]})
    assert answer.status == 201, answer


def stock(one):
    return one.page.locator(".stock")


def says(one):
    return one.page.locator(".stock-text")


def clock(one):
    return one.page.get_by_role("timer")


def said(one):
    return one.page.locator(".unseen[aria-live]")


def has_level(one, date, level, text):
    expect(one.day(date)).to_have_attribute("data-level", level)
    expect(one.day(date)).to_have_attribute("aria-label", re.compile(f", {re.escape(text)}$"))


def test_the_last_place_is_held_by_one_and_the_other_learns_of_it(guest, site):
    sell(site, waiting=True)
    ana, bo = guest(), guest("Bo")
    ana.day(EVE).click()
    bo.day(EVE).click()
    expect(bo.chosen).to_have_text("Thursday, December 24, 2026")
    bo.is_idle()

    ana.button("Hold").click()

    expect(says(ana)).to_have_text("Held for you")
    expect(clock(ana)).to_have_text(re.compile("^(5:00|4:5[0-9])$"))
    expect(said(ana)).to_contain_text("Held for you until 12:05\u202fPM.")
    taken = "Dec 24 is held by somebody else now: your day is no longer possible and was cleared"
    expect(bo.note).to_contain_text(taken)
    expect(said(bo)).to_contain_text(taken)
    has_level(bo, EVE, "held", "held, may come back")
    expect(bo.chosen).to_be_hidden()
    expect(says(bo)).to_have_text("Dec 24 is held by somebody else. It may come back.")
    bo.day("2026-12-26").click()
    expect(says(bo)).to_have_text("")
    bo.day(EVE).click(force=True)
    expect(said(bo)).to_contain_text("Dec 24 is held by somebody else. It may come back.")
    expect(bo.button("Join the waiting list")).to_be_visible()

    ana.button("Confirm").click()

    expect(ana.chosen).to_have_text("✓ Confirmed. Thursday, December 24, 2026")
    expect(stock(ana)).to_be_hidden()
    has_level(bo, EVE, "gone", "sold out")
    expect(says(bo)).to_have_text("Dec 24 is sold out.")


def test_a_hold_counts_down_aloud_and_runs_out(guest, site):
    sell(site, holdSeconds=150)
    ana = guest()
    ana.day(EVE).click()
    ana.button("Hold").click()
    expect(clock(ana)).to_have_text(re.compile("^2:[23]"))

    site.clock("2026-12-01T12:00:35Z")
    booked(site, "telephone-1", "2026-12-10")
    expect(clock(ana)).to_have_text(re.compile("^1:"))
    expect(said(ana)).to_contain_text("Your hold ends in two minutes.")
    site.clock("2026-12-01T12:02:05Z")
    booked(site, "telephone-2", "2026-12-11")
    expect(said(ana)).to_contain_text("Your hold ends in thirty seconds. Confirm or extend it.")
    expect(stock(ana)).to_have_attribute("data-ending", "")

    ana.button("Extend").click()
    expect(clock(ana)).to_have_text(re.compile("^2:[23]"))
    expect(said(ana)).to_contain_text("Held for you until 12:04\u202fPM.")

    site.clock("2026-12-01T12:04:40Z")
    ended = "Your hold has ended. Your choice stays, but others can take it now."
    expect(ana.note).to_contain_text(ended)
    expect(said(ana)).to_contain_text(ended)
    expect(clock(ana)).to_be_hidden()
    expect(ana.day(EVE)).to_have_attribute("aria-selected", "true")
    ana.button("Hold").click()
    expect(says(ana)).to_have_text("Held for you")
    ana.button("Give back").click()
    expect(said(ana)).to_contain_text("Given back.")
    expect(ana.button("Hold")).to_be_visible()


def test_the_waiting_list_leads_to_an_offer(guest, site):
    sell(site, waiting=True)
    ana, bo, cem = guest(), guest("Bo"), guest("Cem")
    ana.day(EVE).click()
    ana.button("Confirm").click()
    for one, place in ((bo, "you are next"), (cem, "number 2")):
        has_level(one, EVE, "gone", "sold out")
        one.day(EVE).click(force=True)
        one.button("Join the waiting list").click()
        expect(says(one)).to_have_text(f"On the waiting list for Dec 24: {place}")
    expect(bo.button("Leave the list")).to_be_visible()
    bo.day("2026-12-28").click()

    ana.reopens()
    ana.button("Give back").click()

    expect(says(bo)).to_have_text("It is your turn: confirm Dec 24")
    expect(clock(bo)).to_have_text(re.compile("^(15:00|14:[0-9]{2})$"))
    turn = "It is your turn: Dec 24 is yours if you confirm by 12:15\u202fPM."
    expect(bo.note).to_contain_text(turn)
    expect(said(bo)).to_contain_text(turn)
    expect(bo.day(EVE)).to_have_attribute("aria-selected", "true")
    expect(says(cem)).to_have_text("On the waiting list for Dec 24: you are next")
    cem.button("Leave the list").click()
    expect(said(cem)).to_contain_text("You have left the waiting list.")
    bo.button("Confirm").click()
    expect(bo.chosen).to_have_text("✓ Confirmed. Thursday, December 24, 2026")


def test_units_are_chosen_with_a_stepper(guest, site):
    sell(site, capacity=5, units={"min": 1, "max": 3}, few=3)
    ana, bo = guest(), guest("Bo")
    number = ana.page.get_by_role("group", name="How many")
    expect(ana.button("Fewer")).to_have_attribute("aria-disabled", "true")
    ana.day(EVE).click()
    ana.button("More").click()
    ana.button("More").click()
    expect(number.get_by_role("status")).to_have_text("3")
    expect(ana.button("More")).to_have_attribute("aria-disabled", "true")
    expect(ana.chosen).to_have_text("3\u00a0× Thursday, December 24, 2026")
    ana.button("Hold").click()
    has_level(bo, EVE, "few", "2 left")
    bo.day(EVE).click()
    expect(says(bo)).to_have_text("2 left")
    ana.button("Undo").click()
    expect(ana.note).to_contain_text("The choice has changed: nothing is held any more.")
    expect(number.get_by_role("status")).to_have_text("2")


def test_a_refusal_says_when_it_may_come_back(guest, site):
    sell(site, TABLES, few=1, waiting=True)
    ana, bo = guest(), guest("Bo")
    expect(bo.selected(1)).to_have_attribute("aria-label", "Table A, 1 left")
    ana.button("Hold").click()
    expect(bo.selected(1)).to_have_attribute("aria-label", "Table A, held")
    expect(says(bo)).to_have_text("Hall · Table A is held by somebody else. It may come back.")
    expect(bo.button("Confirm")).to_have_attribute("aria-disabled", "true")
    bo.page.evaluate("document.querySelector('pickerd-wheels').picker.confirm()")
    until = "Hall · Table A is held by somebody else. It may come back at 12:05\u202fPM."
    expect(bo.note).to_contain_text(until)
    expect(says(bo)).to_have_text(until)
    bo.button("Join the waiting list").click()
    expect(says(bo)).to_have_text("On the waiting list for Hall · Table A: you are next")


def test_a_time_that_somebody_holds_is_gone_from_the_wheels(guest, site):
    sell(site, SLOT, waiting=True)
    ana, bo = guest(), guest("Bo")
    ana.button("Hold").click()
    expect(bo.selected(1)).to_have_text("3\u202fPM")
    expect(bo.note).to_contain_text("2:00\u00a0PM is held by somebody else now: your choice is now Today, Dec 1 3:00\u00a0PM")
    bo.button("Join the waiting list").click()
    expect(says(bo)).to_contain_text("On the waiting list for ")


def test_what_another_member_of_the_session_holds_is_said(guest, site):
    sell(site)
    ana = guest()
    bo = guest("Bo", ana.session)
    ana.day(EVE).click()
    ana.button("Hold").click()
    expect(bo.note).to_contain_text("Ana holds this until 12:05\u202fPM")
    expect(says(bo)).to_have_text("Held for you")


def fits(one):
    """All controls are in the window, and large enough, in any language."""
    for locale in ("ar", "de", "en", "ja", "zh-Hans"):
        one.choose_language(locale)
        expect(one.page.locator("pickerd-calendar .frame")).to_have_attribute("lang", locale)
        for button in one.page.locator(".stock button:visible").all():
            box = button.bounding_box()
            assert box["height"] >= 44 and box["x"] >= 0 and box["x"] + box["width"] <= 320, box
        assert one.overflow() <= 0


def test_the_controls_fit_in_320_px_and_have_no_violations(guest, site):
    sell(site, capacity=2, units={"min": 1, "max": 2}, few=2, waiting=True)
    ana, bo, cem = guest(**SMALL), guest("Bo"), guest(**SMALL)
    ana.day(EVE).tap()
    passes(ana, "a day with few units left")
    ana.page.locator(".act.hold").tap()
    expect(ana.page.locator(".clock")).to_be_visible()
    passes(ana, "a hold")
    fits(ana)
    bo.day("2026-12-23").click()
    bo.button("More").click()
    bo.button("Confirm").click()
    expect(cem.day("2026-12-23")).to_have_attribute("data-level", "gone")
    cem.day("2026-12-23").tap(force=True)
    cem.page.locator(".act.join").tap()
    expect(stock(cem)).to_have_attribute("data-hold", "waiting")
    passes(cem, "on the waiting list")
    bo.reopens()
    bo.button("Give back").click()
    expect(stock(cem)).to_have_attribute("data-hold", "offered")
    passes(cem, "an offer")
    fits(cem)


def test_a_card_sells_places_in_two_windows_and_to_all_who_open_the_link(window, start):
    server = start(clock=None, limits=MANY)
    ana = window(server, name="Ana", path="#/")
    ana.card("evening-0").click()
    here, there = (ana.page.locator(".windows .device").nth(index) for index in range(2))
    for one in (here, there):
        expect(one.locator(".chosen")).to_contain_text("Friday, ")
    for _ in range(3):
        here.get_by_role("button", name="More").click()
    expect(here.locator(".units")).to_have_text("4")
    here.get_by_role("button", name="Hold", exact=True).click()
    expect(there.locator(".stock-text")).to_have_text("2 left")
    passes(ana, "a sale")

    bo = window(server, name="Bo", path=ana.page.evaluate("location.hash"), **SMALL)
    expect(says(bo)).to_have_text("2 left")
    expect(bo.page.locator(".windows .device")).to_have_count(1)
    assert bo.page.evaluate("document.documentElement.scrollWidth") == 320

    ana.page.reload()
    expect(here.locator(".stock-text")).to_have_text("Held for you")
    expect(there.locator(".stock-text")).to_have_text("2 left")
    here.get_by_role("button", name="Confirm").click()
    expect(here.locator(".chosen")).to_contain_text("4\u00a0× Friday, ")
    there.get_by_role("button", name="More").click()
    there.get_by_role("button", name="Hold", exact=True).click()
    expect(there.locator(".stock-text")).to_have_text("Held for you")
    expect(bo.page.locator(".stock-text")).to_contain_text("is held by somebody else. It may come back.")
