"""Customers of the guide's ticket shop in browsers: the last place, a hold that runs out, the waiting
list, a caller, and payment."""

from datetime import date, timedelta

import pytest
from harness.pickerd import wait_until
from harness.shop import selling
from playwright.sync_api import expect
from test_guide_tickets import settled

pytest_plugins = ["webpages"]

DAY = date.today() + timedelta(days=2)
SIZES = {"Ana": {"width": 1100, "height": 900}, "Bo": {"width": 420, "height": 900},
         "Cem": {"width": 820, "height": 1100}}


@pytest.fixture
def tickets(tmp_path):
    yield from selling(tmp_path)


@pytest.fixture
def customer(tickets, opened):
    def comes(name):
        one = opened(f"http://127.0.0.1:{tickets.port}/", viewport=SIZES[name])
        one.page.locator("[name=name]").fill(name)
        one.page.locator("[name=mail]").fill(f"{name.lower()}@example.org")
        one.button("Choose an evening").click()
        expect(one.page.locator(".stock")).to_be_attached()
        return one
    return comes


@pytest.fixture
def desk(tickets, opened):
    return opened(f"http://127.0.0.1:{tickets.port}{tickets.desk}").page


def says(one):
    return one.page.locator(".stock-text")


def fits(one):
    """Nothing is wider than the window, at any size."""
    for size in SIZES.values():
        one.page.set_viewport_size(size)
        assert one.overflow() <= 0


def books(desk, places):
    desk.locator("[name=name]").fill("Wim")
    desk.locator("[name=evening]").fill(str(DAY))
    desk.locator("[name=places]").fill(str(places))
    desk.get_by_role("button", name="Book").click()


def pays(one):
    one.button("Confirm").click()
    one.button("Pay").click()
    expect(one.chosen).to_contain_text("Confirmed.")
    expect(one.button("Pay")).to_be_hidden()


def test_the_last_place_a_hold_that_runs_out_the_waiting_list_and_a_caller(tickets, customer, desk, opened):
    ana, bo, cem = customer("Ana"), customer("Bo"), customer("Cem")
    books(desk, 3)
    expect(desk.locator("body")).to_contain_text(f"{DAY}: 3 booked, 0 held, 3 free")
    ana.day(str(DAY)).click()
    expect(says(ana)).to_have_text("3 left")
    ana.button("More").click()
    ana.button("Hold").click()
    expect(says(ana)).to_have_text("Held for you")

    # The last place. From now on a hold lasts half a minute.
    tickets.api("PATCH", "/v1/definitions/evenings", b'{"inventory": {"holdSeconds": 30}}')
    bo.day(str(DAY)).click()
    expect(says(bo)).to_have_text("1 left")
    bo.button("Hold").click()
    expect(says(bo)).to_have_text("Held for you")
    cem.day(str(DAY)).click(force=True)
    expect(says(cem)).to_contain_text("is held by somebody else. It may come back.")
    cem.button("Join the waiting list").click()
    expect(says(cem)).to_contain_text("you are next")
    address = cem.page.url
    cem.page.close()

    # It runs out, and goes to the person who has closed the page.
    expect(bo.note).to_contain_text("is held by somebody else now: your day is no longer possible")
    wait_until(lambda: tickets.letters(), what="the letter")
    (to, text), = tickets.letters()
    assert to == "cem@example.org" and text.endswith(f": {address}") and text.startswith(f"1 x {DAY} ")
    cem = opened(address, viewport=SIZES["Cem"])
    expect(says(cem)).to_contain_text("It is your turn: confirm ")
    pays(cem)
    pays(ana)
    fits(ana), fits(cem)

    # The caller gives three places back.
    bo.day(str(DAY)).click(force=True)
    expect(says(bo)).to_contain_text("is sold out")
    bo.button("Join the waiting list").click()
    expect(says(bo)).to_contain_text("you are next")
    books(desk, 1)
    expect(desk.locator("body")).to_have_text("Others wait for these places.")
    desk.goto(f"http://127.0.0.1:{tickets.port}{tickets.desk}")
    desk.get_by_role("button", name="Give back").click()
    expect(says(bo)).to_contain_text("It is your turn: confirm ")
    pays(bo)
    settled(tickets)
    assert sorted(units for _, _, units in tickets.sales()) == [1, 1, 2]
    assert tickets.counts()[str(DAY)]["free"] == 2
