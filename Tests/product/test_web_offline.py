"""Pages without a connection or an answer: what they show meanwhile, and what they send late."""

import pytest
from harness.definitions import CALENDAR, LISTS, TREE
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages


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
    ana.reconnects(wire)
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

    ana.reconnects(wire)
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


def test_the_bar_shows_the_selected_row_without_an_answer(window, server, wire):
    """Regression: it showed the former row until there was one."""
    ana = window(server, server.session(TREE), name="Ana", port=wire.port)
    expect(ana.chosen).to_have_text("Guangdong · Guangzhou · Haizhu")
    wire.is_mute = True

    ana.type_at(0, "ArrowDown")

    expect(ana.chosen).to_have_text("Sichuan · …")
    expect(ana.page.locator(".unstored")).to_have_text("Not stored yet")
    ana.reconnects(wire)
    expect(ana.chosen).to_have_text("Sichuan · Chengdu · Pixian")
    expect(ana.page.locator(".unstored")).to_have_text("")


def test_what_is_pressed_on_a_lost_connection_is_shown_as_not_stored(window, server, wire):
    ana = window(server, server.session(CALENDAR), name="Ana", port=wire.port, locale="ar")
    expect(ana.page.locator(".frame")).to_have_attribute("data-connection", "live")
    expect(ana.page.locator(".unstored")).to_have_text("")
    wire.cut()
    expect(ana.page.locator(".frame")).not_to_have_attribute("data-connection", "live")
    expect(ana.page.locator(".unstored")).to_have_text("")
    bar = ana.page.locator(".bar").bounding_box()

    ana.day("2018-11-20").click()

    expect(ana.page.locator(".unstored")).to_have_text("لم يُحفظ بعد")
    expect(ana.page.locator(".unstored")).to_have_attribute("role", "status")
    box = ana.page.locator(".unstored").bounding_box()
    assert box["width"] > 20 and box["height"] > 10
    assert ana.page.locator(".bar").bounding_box() == bar
    ana.reconnects(wire)
    expect(ana.page.locator(".unstored")).to_have_text("")


def test_a_confirmation_without_an_answer_is_shown_as_not_stored(window, server, wire):
    ana = window(server, server.session(LISTS), name="Ana", port=wire.port)
    wire.is_dead = True

    ana.button("Confirm").click()

    expect(ana.page.locator(".unstored")).to_have_text("Not stored yet")
    expect(ana.chosen).to_have_text("MacOS · Xcode")


def sentences_of(one):
    """Records the sentences that a page shows from now on; returns a function that reads them."""
    one.page.locator(".note").evaluate("""(note) => {
        window.shown = [];
        const record = () => {
          const texts = [...note.querySelectorAll(".sentence")].map((one) => one.textContent);
          if (String(texts) !== String(shown.at(-1)) && texts.length > 0) shown.push(texts);
        };
        new MutationObserver(record).observe(note, { childList: true, subtree: true });
      }""")
    return lambda: one.page.evaluate("shown")


def test_changes_of_two_members_that_arrive_together_are_both_readable(window, server, wire):
    """Regression: the second one replaced the first before anybody could read it."""
    session = server.session(CALENDAR)
    bo, cem = session.together("Bo", "Cem")
    ana = window(server, session, name="Ana", port=wire.port)
    wire.cut()
    ana.lacks_connection("live")
    bo.tap("2018-12-05")
    bo.tap("2018-12-08")
    cem.reach(2).tap("2018-12-24")

    shown = sentences_of(ana)

    ana.reconnects(wire)

    expect(ana.note).to_contain_text("Cem starts on Dec 24")
    assert shown()[-2:] == [["Bo picked Dec 5 – 8"], ["Cem starts on Dec 24"]], "one at a time"
    expect(ana.page.locator(".unseen[aria-live]")).to_contain_text(
        "Bo picked Dec 5 – 8. Cem starts on Dec 24")


def choose(one, *days):
    for day in days:
        one.day(f"2018-11-{day}").click()


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

    ana.reconnects(wire)

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

    ana.reconnects(wire)

    expect(ana.note).to_contain_text("Meanwhile Bo picked Nov 22 – 26.")
    expect(ana.chosen).to_have_text("Nov 22 – 26, 2018 · 5 days")
    ana.button("Use Nov 16 instead").click()
    expect(bo.note).to_contain_text("Ana starts on Nov 16, 2018")
    ana.button("Use Nov 12 instead").click()
    expect(bo.chosen).to_have_text("Nov 12 – 16, 2018 · 5 days")
    expect(ana.note).to_have_count(0)
