"""What a page shows while the server does not answer, and when several messages arrive at once."""

import pytest
from harness.definitions import CALENDAR, LISTS, SLOT, TREE
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

#: In five languages: a change that the server has not confirmed.
UNSTORED = {"en": "Not stored yet", "de": "Noch nicht gespeichert", "ja": "まだ保存されていません",
            "zh-Hans": "尚未保存", "ar": "لم يُحفظ بعد"}


def unstored(one):
    return one.page.locator(".unstored")


def reconnect(one, wire):
    wire.is_mute = False
    wire.cut()
    wire.restore()
    one.page.evaluate("dispatchEvent(new Event('online'))")


def resumes(one, wire):
    """The network is back."""
    wire.restore()
    one.page.evaluate("dispatchEvent(new Event('online'))")
    one.has_connection("live")


@pytest.mark.parametrize(("definition", "before", "meanwhile", "after"), [
    (LISTS, "MacOS · Xcode", "Windows · Xcode", "Windows · Xcode"),
    (TREE, "Guangdong · Guangzhou · Haizhu", "Sichuan · …", "Sichuan · Chengdu · Pixian"),
    (SLOT, "Today, Nov 23 10:20 AM", "Sat, Nov 24 …", "Sat, Nov 24 12:00 AM")],
    ids=["columns", "cascade", "slot"])
def test_the_bar_shows_the_selected_row_without_an_answer(
        window, server, wire, definition, before, meanwhile, after):
    """Regression: it showed the former row until there was one."""
    ana = window(server, server.session(definition), name="Ana", port=wire.port)
    expect(ana.chosen).to_have_text(before)
    wire.is_mute = True

    ana.type_at(0, "ArrowDown")

    expect(ana.chosen).to_have_text(meanwhile)
    expect(unstored(ana)).to_have_text("Not stored yet")
    reconnect(ana, wire)
    expect(ana.chosen).to_have_text(after)
    expect(unstored(ana)).to_have_text("")


def test_what_is_pressed_on_a_lost_connection_is_shown_as_not_stored(window, server, wire):
    ana = window(server, server.session(CALENDAR), name="Ana", port=wire.port, locale="ar")
    for locale in UNSTORED:
        # Loads the words, as long as there is a connection.
        ana.choose_language(locale)
        expect(ana.page.locator(".frame")).to_have_attribute("lang", locale)
    expect(ana.page.locator(".frame")).to_have_attribute("data-connection", "live")
    expect(unstored(ana)).to_have_text("")
    wire.cut()
    expect(ana.page.locator(".frame")).not_to_have_attribute("data-connection", "live")
    expect(unstored(ana)).to_have_text("")
    bar = ana.page.locator(".bar").bounding_box()

    ana.day("2018-11-20").click()

    expect(unstored(ana)).to_have_text(UNSTORED["ar"])
    assert ana.page.locator(".bar").bounding_box() == bar
    for locale, text in UNSTORED.items():
        ana.choose_language(locale)
        expect(unstored(ana)).to_have_text(text)
        expect(unstored(ana)).to_have_attribute("role", "status")
        box = unstored(ana).bounding_box()
        assert box["width"] > 20 and box["height"] > 10
    wire.restore()
    ana.page.evaluate("dispatchEvent(new Event('online'))")
    expect(unstored(ana)).to_have_text("")


def test_a_confirmation_without_an_answer_is_shown_as_not_stored(window, server, wire):
    ana = window(server, server.session(LISTS), name="Ana", port=wire.port)
    wire.is_dead = True

    ana.button("Confirm").click()

    expect(unstored(ana)).to_have_text("Not stored yet")
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

    resumes(ana, wire)

    expect(ana.note).to_contain_text("Cem starts on Dec 24")
    assert shown()[-2:] == [["Bo picked Dec 5 – 8"], ["Cem starts on Dec 24"]], "one at a time"
    expect(ana.page.locator(".unseen[aria-live]")).to_contain_text(
        "Bo picked Dec 5 – 8. Cem starts on Dec 24")


def test_a_change_and_a_status_that_arrive_together_are_both_readable(window, server, wire):
    session = server.session(LISTS)
    bo = session.join("Bo")
    ana = window(server, session, name="Ana", port=wire.port)
    cem = session.join("Cem")
    wire.cut()
    ana.lacks_connection("live")
    cem.select(1, 2)
    bo.reach(1).do("confirm", at=1)

    shown = sentences_of(ana)

    resumes(ana, wire)

    expect(ana.note).to_contain_text("Bo confirmed")
    assert shown()[-2:] == [["Cem set Column 2 to Sublime"], ["Bo confirmed"]], "one at a time"
    expect(ana.page.locator(".unseen[aria-live]")).to_contain_text(
        "Cem set Column 2 to Sublime. Bo confirmed")
