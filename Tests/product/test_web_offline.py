"""Taps in calendars of pages that receive nothing, or have no connection."""

import pytest
from harness.definitions import CALENDAR
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages


def test_a_tap_that_comes_after_the_last_day_of_another_member_has_a_note_with_undo(
        window, server, wire):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", port=wire.port)
    bo = window(server, session, name="Bo")
    ana.day("2018-11-14").click()
    expect(bo.day("2018-11-14")).to_have_attribute("aria-selected", "true")
    wire.is_mute = True
    bo.day("2018-11-20").click()
    expect(bo.chosen).to_contain_text("7 days")
    ana.day("2018-11-16").click()
    expect(bo.note).to_contain_text("Ana starts on Nov 16, 2018")

    wire.cut()
    ana.lacks_connection("live")
    wire.is_mute = False
    wire.restore()
    ana.page.evaluate("dispatchEvent(new Event('online'))")

    expect(ana.note).to_contain_text(
        "Bo was faster with Nov 14 – 20, 2018. You have started anew.")
    ana.note.get_by_role("button", name="Undo").click()
    for one in (ana, bo):
        expect(one.chosen).to_contain_text("7 days")


def test_a_range_of_two_taps_is_shown_with_its_maximum_while_disconnected(window, server, wire):
    session = server.session({**CALENDAR, "maxDays": 5})
    ana = window(server, session, name="Ana", port=wire.port)
    wire.cut()
    ana.lacks_connection("live")

    ana.day("2018-11-14").click()
    expect(ana.page.locator(".guide")).to_have_text("Now pick the last day.")
    ana.day("2018-11-28").click()

    expect(ana.page.locator(".guide")).to_be_empty()
    expect(ana.chosen).to_have_text("Nov 14 – 18, 2018 · 5 days")
    wire.restore()
    ana.page.evaluate("dispatchEvent(new Event('online'))")
    expect(ana.note).to_contain_text("Ends on Nov 18, 2018: you can pick at most 5 days")
    expect(ana.chosen).to_have_text("Nov 14 – 18, 2018 · 5 days")


def test_the_undo_of_a_note_needs_a_connection(window, server, wire):
    session = server.session({**CALENDAR, "maxDays": 5})
    ana = window(server, session, name="Ana", port=wire.port)
    ana.day("2018-11-14").click()
    ana.day("2018-11-28").click()
    undo = ana.note.get_by_role("button", name="Undo")
    expect(undo).to_be_enabled()

    wire.cut()
    expect(undo).to_be_disabled()
    undo.click(force=True)
    expect(ana.note).to_contain_text("you can pick at most 5 days")
    assert ana.picker("pendingCount") == 0

    wire.restore()
    ana.page.evaluate("dispatchEvent(new Event('online'))")
    expect(undo).to_be_enabled()
    undo.click()
    expect(ana.page.locator(".guide")).to_have_text("Now pick the last day.")


def test_a_tap_in_a_closed_calendar_is_not_queued(window, server, wire):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", port=wire.port)
    ana.day("2018-11-14").click()
    ana.day("2018-11-16").click()
    ana.button("Confirm").click()
    expect(ana.chosen).to_contain_text("Confirmed.")
    ana.is_idle()
    wire.cut()
    ana.lacks_connection("live")

    # The receipt shows the week of the chosen days only.
    ana.day("2018-11-17").click(force=True)

    expect(ana.note).to_contain_text("This picker is closed. Its owner can reopen it.")
    expect(ana.page.locator(".banner")).not_to_contain_text("waits")
    assert ana.picker("pendingCount") == 0
