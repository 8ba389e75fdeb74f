"""Commands of a page that come late: after others have changed what they were meant for."""

import pytest
from harness.definitions import CALENDAR, LISTS
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages


def choose(one, *days):
    for day in days:
        one.day(f"2018-11-{day}").click()


def reconnect(one, wire):
    """The network is back, after the page has noticed that it was away."""
    wire.cut()
    one.lacks_connection("live")
    wire.is_dead = False
    wire.restore()
    one.page.evaluate("dispatchEvent(new Event('online'))")
    one.has_connection("live")


def test_a_late_confirmation_is_not_done_and_offers_to_confirm_what_is_there_now(
        window, server, wire):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", port=wire.port)
    bo = window(server, session, name="Bo")
    choose(ana, 14, 16)
    expect(bo.chosen).to_have_text("Nov 14 – 16, 2018 · 3 days")
    ana.is_idle()
    wire.is_dead = True
    ana.button("Confirm").click()
    choose(bo, 20, 22)
    expect(bo.chosen).to_have_text("Nov 20 – 22, 2018 · 3 days")
    bo.is_idle()

    reconnect(ana, wire)

    expect(ana.note).to_contain_text("Meanwhile Bo picked Nov 20 – 22.")
    spoken = ana.page.locator(".unseen[aria-live]")
    expect(spoken).to_contain_text("Meanwhile Bo picked Nov 20 – 22.")
    choose(bo, 27, 28)
    expect(ana.note).to_contain_text("Meanwhile Bo picked Nov 27 – 28.")
    expect(ana.button("Confirm Nov 20 – 22")).to_have_count(0)
    assert ana.picker("state.status") == "open"
    ana.button("Confirm Nov 27 – 28").click()
    expect(bo.chosen).to_have_text("✓ Confirmed. Nov 27 – 28, 2018 · 2 days")
    expect(ana.note).to_have_count(0)


def test_late_taps_are_not_done_and_can_be_made_again_one_by_one(window, server, wire):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", port=wire.port)
    bo = window(server, session, name="Bo")
    choose(ana, 14)
    expect(bo.day("2018-11-14")).to_have_attribute("aria-selected", "true")
    ana.is_idle()
    wire.cut()
    ana.lacks_connection("live")
    choose(ana, 16, 12)
    choose(bo, 20, 22, 26)
    expect(bo.chosen).to_contain_text("5 days")
    bo.is_idle()

    reconnect(ana, wire)

    expect(ana.note).to_contain_text("Meanwhile Bo picked Nov 22 – 26.")
    expect(ana.chosen).to_have_text("Nov 22 – 26, 2018 · 5 days")
    ana.button("Use Nov 16 instead").click()
    expect(bo.note).to_contain_text("Ana starts on Nov 16, 2018")
    ana.button("Use Nov 12 instead").click()
    expect(bo.chosen).to_have_text("Nov 12 – 16, 2018 · 5 days")
    expect(ana.note).to_have_count(0)


def test_a_late_undo_removes_nothing_of_others(window, server, wire):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana", port=wire.port)
    bo = window(server, session, name="Bo")
    ana.type_at(0, "ArrowDown")
    expect(bo.selected(0)).to_have_text("Windows")
    ana.is_idle()
    wire.is_dead = True
    ana.button("Undo").click()
    bo.type_at(1, "ArrowDown")
    expect(bo.chosen).to_have_text("Windows · VSCode")

    reconnect(ana, wire)

    expect(ana.note).to_contain_text("Meanwhile Bo picked Windows · VSCode.")
    expect(ana.chosen).to_have_text("Windows · VSCode")
    ana.note.get_by_role("button", name="Undo").click()
    expect(bo.chosen).to_have_text("Windows · Xcode")
    expect(ana.note).to_have_count(0)
