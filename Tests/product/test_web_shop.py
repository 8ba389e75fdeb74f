"""Two customers of the guide's shop in two browsers race for the last time."""

import re
from datetime import datetime, time, timedelta

import pytest
from harness.pickerd import wait_until
from harness.shop import ZONE, Shop, instant, started
from playwright.sync_api import expect

pytest_plugins = ["webpages"]

SIZES = {"Ana": {"width": 1100, "height": 800}, "Bo": {"width": 420, "height": 800}}


@pytest.fixture
def shop(tmp_path):
    yield from started(Shop(tmp_path))


@pytest.fixture
def customer(opened, shop):
    """Opens the shop in a browser of its own, and enters a name."""
    def opens(name):
        mine = opened(f"http://127.0.0.1:{shop.port}/", viewport=SIZES[name])
        mine.page.get_by_label("Your name").fill(name)
        mine.button("Choose a time").click()
        mine.is_loaded()
        return mine
    return opens


def session_of(one):
    return one.page.locator("pickerd-wheels").get_attribute("session").rpartition("/")[2]


def evening(days):
    """19:30 some days from now, in the shop's time zone."""
    return datetime.combine(datetime.now(ZONE).date() + timedelta(days=days), time(19, 30))


def settled(shop):
    wait_until(shop.is_consistent, what="bookings equal to the confirmed sessions")


def both_confirm(shop, both):
    """Both customers confirm before the shop decides; the winner and the loser."""
    with shop.paused("shop"):
        for one in both:
            one.button("Confirm").click()
            expect(one.chosen).to_contain_text("Asked for ")
    settled(shop)
    (_, winner), = shop.bookings()
    return sorted(both, key=lambda one: session_of(one) != winner)


def fits(one):
    """Nothing is wider than the window, and no chosen text is cut off."""
    assert one.overflow() <= 0
    for row in one.page.locator('.row[aria-selected="true"]').all():
        assert row.evaluate("(row) => row.scrollWidth <= row.clientWidth"), row.text_content()


def test_of_two_customers_one_gets_the_last_time_and_the_other_reads_why(shop, customer):
    last = evening(3)
    shop.book_all_but(last)
    both = [customer("Ana"), customer("Bo")]
    for one in both:
        expect(one.selected(1)).to_have_text("7 PM")
        assert one.picker("result.instant") == instant(last)
        assert one.picker("state.revision") == 0, "created with the booked times"

    winner, loser = both_confirm(shop, both)

    assert shop.bookings() == {(instant(last), session_of(winner))}
    expect(winner.chosen).to_contain_text("Confirmed.")
    expect(loser.note).to_contain_text("The host says no: Somebody else has just booked this time.")
    expect(loser.page.get_by_text("nothing to choose")).to_have_count(3)
    expect(loser.page.locator(".step:disabled")).to_have_count(6)
    for one in both:
        for size in SIZES.values():
            one.page.set_viewport_size(size)
            fits(one)

    winner.reopens()

    expect(loser.selected(1)).to_have_text("7 PM")
    loser.button("Confirm").click()
    expect(loser.chosen).to_contain_text("Confirmed.")
    settled(shop)
    assert shop.bookings() == {(instant(last), session_of(loser))}


def test_the_reason_stays_until_the_customer_makes_a_change(shop, customer):
    both = [customer("Ana"), customer("Bo")]
    for one in both:
        one.page.clock.install()
    _, loser = both_confirm(shop, both)
    expect(loser.note).to_contain_text("Somebody else has just booked this time.")
    expect(loser.note).to_contain_text(re.compile("your choice is now", re.IGNORECASE))

    loser.page.clock.run_for(20_000)

    expect(loser.note).to_contain_text("Somebody else has just booked this time.")
    loser.type_at(0, "ArrowDown")
    expect(loser.note).to_have_count(0)
