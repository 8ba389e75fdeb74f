"""A hotel's calendar on the page: half days, the sentence of a stay, why not, and prices."""

import pytest
from harness.pickerd import wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

HOTEL = {"kind": "calendar", "unit": "nights", "timeZone": "UTC", "currency": "EUR",
         "months": {"from": "2018-12", "through": "2019-01"}, "maxNights": 5,
         "stays": [{"weekdays": [7], "arrival": False, "departure": False},
                   {"from": "2018-12-24", "through": "2019-01-06", "minNights": 3}],
         "taken": {"a": {"from": "2018-12-03", "through": "2018-12-05"},
                   "b": {"from": "2018-12-16", "through": "2018-12-17"}}}
SENTENCES = {"en": "3 nights, Dec 10 – 13 · €380", "de": "3 Nächte, 10.–13. Dez. · 380 €"}


def price(session, amounts):
    session.patch("notes", {"days": {
        day: {"text": f"€ {amount}", "amount": amount} for day, amount in amounts.items()}})


@pytest.fixture
def hotel(server):
    session = server.session(HOTEL)
    price(session, {"2018-12-10": 120, "2018-12-11": 120, "2018-12-12": 140})
    return session


def box(place):
    return place.evaluate("(e) => { const { left, width } = e.getBoundingClientRect(); return [left, width] }")


def middle(place):
    left, width = box(place)
    return left + width / 2


def near(found, wanted):
    return abs(found - wanted) < 1.5


def test_a_guest_chooses_three_nights_and_the_host_changes_a_price(window, server, hotel):
    ana, bo = window(server, hotel, name="Ana"), window(server, hotel, name="Bo", locale="de")
    expect(ana.page.locator(".guide")).to_have_text("Pick the day of arrival.")
    expect(ana.day("2018-12-03")).to_have_attribute("data-only", "departure")
    expect(ana.day("2018-12-03")).to_have_attribute(
        "aria-label", "Monday, December 3, 2018, departure only")
    expect(ana.day("2018-12-06")).to_have_attribute(
        "aria-label", "Thursday, December 6, 2018, arrival only")
    expect(bo.day("2018-12-06")).to_have_attribute(
        "aria-label", "Donnerstag, 6. Dezember 2018, nur Anreise")

    ana.day("2018-12-10").click()
    expect(ana.page.locator(".guide")).to_have_text("Now pick the day of departure.")
    ana.day("2018-12-13").click()

    expect(ana.chosen).to_have_text(SENTENCES["en"])
    expect(bo.chosen).to_have_text(SENTENCES["de"])
    expect(ana.day("2018-12-10")).to_have_attribute(
        "aria-label", "Monday, December 10, 2018, arrival, € 120, cheapest in this month")
    expect(ana.day("2018-12-13")).to_have_attribute(
        "aria-label", "Thursday, December 13, 2018, departure")
    left, width = box(ana.bands("2018-12"))
    assert near(left, middle(ana.day("2018-12-10"))), "the band begins in the middle of the day"
    assert near(left + width, middle(ana.day("2018-12-13"))), "and ends in the middle of another"

    price(hotel, {"2018-12-11": 160})
    expect(ana.note).to_contain_text("Dec 11: € 160: the total is now €420")
    expect(ana.chosen).to_have_text("3 nights, Dec 10 – 13 · €420")
    expect(bo.note).to_contain_text("der Gesamtpreis ist jetzt 420 €")


WEEKS = {"kind": "calendar", "unit": "nights", "timeZone": "UTC", "currency": "EUR",
         "months": {"from": "2018-12", "through": "2019-01"},
         "stays": [{"from": "2018-12-01", "through": "2018-12-31", "weekdays": [1, 2, 3, 4, 5, 6],
                    "arrival": False}],
         "taken": {"a": {"from": "2018-12-08", "through": "2018-12-14"}}}


def test_every_night_that_can_be_had_has_its_price_where_stays_begin_on_saturday(window, server):
    session = server.session(WEEKS)
    price(session, {f"2018-12-{day:02}": 120 if day % 7 in (0, 1) else 90 for day in range(1, 32)})
    ana = window(server, session, name="Ana")
    prices = ana.page.locator(".month[data-month='2018-12'] .remark:visible")

    expect(prices).to_have_count(24)
    expect(ana.day("2018-12-19").locator(".remark")).to_have_text("€ 90")
    expect(ana.day("2018-12-19")).to_have_attribute(
        "aria-label", "Wednesday, December 19, 2018, € 90, departure only")
    expect(ana.day("2018-12-12").locator(".remark")).to_be_hidden()
    # Of that many, none is set off.
    expect(ana.month("2018-12").locator(".title")).to_have_attribute("data-from", "from € 90")
    expect(ana.page.locator("[data-cheapest]")).to_have_count(0)

    ana.day("2018-12-15").click()
    ana.day("2018-12-20").click()
    expect(ana.chosen).to_have_text("5 nights, Dec 15 – 20 · €480")
    expect(ana.day("2018-12-18").locator(".remark")).to_have_text("€ 90")


def test_a_day_says_why_it_cannot_be_had(window, server, hotel):
    ana = window(server, hotel, name="Ana")
    sent = ana.sent()
    assert "no stay can begin on Dec 8, 2018" in ana.day("2018-12-08").get_attribute("aria-label")
    ana.day("2018-12-08").click(force=True)
    expect(ana.note).to_contain_text("no stay can begin on Dec 8, 2018")
    ana.day("2018-12-04").click(force=True)
    expect(ana.note).to_contain_text("not available")
    assert not [message for message in sent if message["type"] == "tap"], "the page knows why"

    ana.day("2018-12-14").click()
    ana.day("2018-12-19").click()
    expect(ana.note).to_contain_text("a night in between is taken")
    expect(ana.chosen).to_contain_text("2 nights, Dec 14 – 16")
    ana.day("2018-12-19").click()
    ana.day("2018-12-26").click()
    expect(ana.note).to_contain_text("a stay has at most 5 nights here")
    expect(ana.chosen).to_contain_text("5 nights, Dec 19 – 24")
    ana.day("2018-12-26").click()
    ana.day("2018-12-28").click()
    expect(ana.note).to_contain_text("A stay has at least 3 nights here")
    assert hotel.get()["snapshot"]["calendar"]["range"]["hits"] == 5


def test_the_preview_of_a_stay_ends_where_the_server_would_end_it(window, server, hotel):
    ana = window(server, hotel, name="Ana")
    ana.day("2018-12-11").click()
    ana.day("2018-12-15").hover()
    preview = ana.page.locator(".month[data-month='2018-12'] .bands.preview .band")
    wait_until(lambda: near(sum(box(preview)), middle(ana.day("2018-12-14"))), what="a preview")
    ana.day("2018-12-15").click(force=True)
    expect(ana.chosen).to_contain_text("3 nights, Dec 11 – 14")


def test_a_confirmed_stay_keeps_its_nights_when_the_host_changes_the_unit(window, server, hotel):
    ana = window(server, hotel, name="Ana")
    ana.day("2018-12-10").click()
    ana.day("2018-12-13").click()
    ana.button("Confirm").click()
    expect(ana.chosen).to_have_text("✓ Confirmed. " + SENTENCES["en"])

    hotel.patch("definition", {"unit": "days", "minNights": None, "maxNights": None, "stays": None})

    expect(ana.note).to_contain_text("The choices have changed")
    expect(ana.chosen).to_have_text("✓ Confirmed. " + SENTENCES["en"])
