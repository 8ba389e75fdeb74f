"""The host's notes on the page: under days and beside rows, and what a screen reader gets of them."""

import json
import subprocess

import pytest
from harness.definitions import CALENDAR, LISTS
from harness.patience import PATIENCE
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = [pytest.mark.used_pages, pytest.mark.developers]


def remark(place):
    return place.locator(".remark")


def test_a_price_comes_under_a_day_in_every_window_and_goes(window, server):
    session = server.session(CALENDAR)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo", locale="de")

    session.patch("notes", {"days": {
        "2018-11-24": {"text": {"en": "sold out", "de": "ausgebucht"}, "tone": "bad"},
        "2018-11-28": {"text": "€ 120", "tone": "low"}}})

    expect(remark(ana.day("2018-11-24"))).to_have_text("sold out")
    expect(remark(bo.day("2018-11-24"))).to_have_text("ausgebucht")
    expect(remark(ana.day("2018-11-28"))).to_have_attribute("data-tone", "low")
    expect(ana.day("2018-11-28")).to_have_attribute(
        "aria-label", "Wednesday, November 28, 2018, € 120 (low)")
    expect(ana.note).to_contain_text("2 notes changed")
    session.patch("notes", {"days": {"2018-11-24": None}})
    expect(remark(ana.day("2018-11-24"))).to_be_hidden()
    expect(ana.day("2018-11-24")).to_have_attribute("aria-label", "Saturday, November 24, 2018")


def test_the_days_stay_under_the_finger_and_the_band_under_the_days(window, server):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana")
    ana.day("2018-11-14").click()
    ana.day("2018-11-16").click()
    session.patch("notes", {"days": {"2018-11-15": {"text": "€ 120"}}})
    expect(remark(ana.day("2018-11-15"))).to_be_visible()

    band = ana.bands("2018-11").bounding_box()
    number = ana.day("2018-11-15").locator(".number").bounding_box()
    assert abs(band["y"] + band["height"] / 2 - number["y"] - number["height"] / 2) < 2
    ana.day("2018-11-28").click()
    expect(ana.day("2018-11-28")).to_have_attribute("aria-selected", "true")


def test_a_note_is_beside_a_row_and_stays_when_the_row_is_selected(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")

    session.patch("notes", {"columns": {"0": {"Windows": {"text": "sold out", "tone": "bad"}}}})

    windows = ana.wheel(0).locator('.row[data-key="Windows"]')
    expect(remark(windows)).to_have_text("sold out")
    expect(windows).to_have_attribute("aria-label", "Windows, sold out (bad)")
    expect(ana.note).to_contain_text("Windows: sold out")
    ana.type_at(0, "ArrowDown")
    expect(ana.chosen).to_have_text("Windows · Xcode")
    expect(remark(ana.selected(0))).to_have_text("sold out")


def test_the_host_writes_a_price_and_the_shown_command_another_one(window, guarded):
    guarded.clock("2018-11-23T10:00:00+08:00")
    ana = window(guarded, name="Ana")
    ana.card("month-0").click()
    days = ana.page.locator(".host-days")
    days.locator('input[value="price"]').check(force=True)
    days.get_by_role("textbox", name="Price").fill("it's € 90")
    days.get_by_label("Tone").select_option("good")

    days.locator('[data-date="2018-11-28"]').click()

    expect(remark(ana.day("2018-11-28"))).to_have_text("it's € 90")
    expect(days.locator('[data-date="2018-11-28"]')).to_have_attribute("aria-pressed", "true")
    days.get_by_label("Tone").select_option("none")
    days.get_by_role("textbox", name="Price").fill("€ 80")
    days.locator('[data-date="2018-11-28"]').click()
    expect(remark(ana.day("2018-11-28"))).to_have_text("€ 80")
    expect(remark(ana.day("2018-11-28"))).not_to_have_attribute("data-tone", "good")
    days.locator('[data-date="2018-11-27"]').hover()
    command = days.locator(".command code")
    expect(command).to_contain_text("2018-11-27")
    done = subprocess.run(
        ["sh", "-c", command.text_content()], capture_output=True, text=True, timeout=PATIENCE, check=True)
    assert json.loads(done.stdout)["changes"], done
    expect(remark(ana.day("2018-11-27"))).to_have_text("€ 80")


def test_the_host_writes_beside_the_selected_row(window, server):
    session = server.session(LISTS)
    ana = window(server, session, name="Ana")
    action = ana.page.locator(".host-note")
    action.locator("select").first.select_option("1")

    action.get_by_role("button", name="Set").click()

    expect(remark(ana.selected(1))).to_have_text("Sold out")


def test_a_confirmed_choice_goes_into_a_calendar(window, server):
    session = server.session(CALENDAR, title="Trip")
    ana = window(server, session, name="Ana")
    ana.day("2018-11-14").click()
    ana.day("2018-11-16").click()
    links = ana.page.locator(".calendar-links")
    expect(links).to_be_hidden()

    ana.button("Confirm").click()

    expect(links).to_be_visible()
    for name in ("Google", "Outlook"):
        assert links.get_by_role("link", name=name).get_attribute("href").startswith("https://")
    with ana.page.expect_download() as download:
        links.get_by_role("link", name="Calendar file (.ics)").click()
    event = download.value.path().read_bytes()
    assert event.startswith(b"BEGIN:VCALENDAR\r\n") and b"DTSTART;VALUE=DATE:20181114" in event
    ana.reopens()
    expect(links).to_be_hidden()
    ana.button("Confirm").click()
    expect(links).to_be_visible()
    session.delete()
    expect(ana.page.get_by_role("heading", name="This picker has ended.")).to_be_visible()
    expect(links).to_be_hidden()


def test_the_calendar_file_is_there_where_tokens_are(window, guarded):
    guarded.clock("2018-11-23T10:00:00+08:00")
    ana = window(guarded, name="Ana")
    ana.card("month-0").click()
    ana.day("2018-11-14").click()
    ana.button("Confirm").click()

    with ana.page.expect_download() as download:
        ana.page.get_by_role("link", name="Calendar file (.ics)").click()

    assert download.value.path().read_bytes().startswith(b"BEGIN:VCALENDAR\r\n")
