"""axe-core reports no violations on pages, pickers, panels and messages, in light and dark."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from harness.definitions import CALENDAR, DATE, LISTS, SLOT, TREE
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

axe = Axe()
BUSY = {**CALENDAR, "maxDays": 5, "min": "2018-11-10",
        "blocked": [{"from": "2018-11-27", "through": "2018-11-28"}]}


@pytest.fixture
def still(window):
    """Opens windows in which colors change at once."""
    def opens(*place, **options):
        return window(*place, reduced_motion="reduce", **options)
    return opens


def passes(one, state):
    """Asserts that axe-core, which also searches shadow trees, finds no violations in any theme."""
    expect(one.page.locator("h1").first).not_to_be_empty()  # A picker's title comes later.
    options = {"resultTypes": ["violations"]}
    one.page.emulate_media(color_scheme="light")
    light = axe.run(one.page, options=options).response
    # Of the rules, only contrast depends on the theme; axe is in the page by now.
    one.page.emulate_media(color_scheme="dark")
    dark = one.page.evaluate(
        "(options) => axe.run(options)", {**options, "runOnly": ["color-contrast"]})
    for theme, results, count in (("light", light, 15), ("dark", dark, 0)):
        problems = [f"{rule['id']}: {rule['help']}: {node['html'][:160]} {node['failureSummary']}"
                    for rule in results["violations"] for node in rule["nodes"]]
        assert not problems, f"{state}, {theme}:\n" + "\n".join(problems)
        assert len(results["passes"]) > count, "axe has run its rules"


def test_the_home_page_has_no_violations(still, plain):
    ana = still(plain, name="Ana", path="#/")
    phone, laptop = ana.tour
    passes(ana, "home")
    ana.choose_language("ar")
    for one in (phone, laptop):
        expect(one.locator(".frame")).to_have_attribute("dir", "rtl")
    passes(ana, "home, right to left")


def test_the_examples_have_no_violations(still, server):
    ana = still(server, name="Ana", path="#/")
    expect(ana.cards).to_have_count(11)
    passes(ana, "examples")
    ana.choose_language("ar")
    passes(ana, "examples, right to left")


@pytest.mark.parametrize("definition", [SLOT, TREE, LISTS], ids=["slot", "cascade", "columns"])
def test_wheels_have_no_violations(still, server, definition):
    passes(still(server, server.session(definition), name="Ana"), "wheels")


def test_wheels_with_touches_notes_and_a_confirmation_have_no_violations(still, server):
    session = server.session(DATE)
    ana, bo = still(server, session, name="Ana"), still(server, session, name="Bo")
    bo.hold(0, rows=-2)
    expect(ana.wheel(0).locator(".row[data-ghost]")).to_have_count(1)
    passes(ana, "another member's touch")
    bo.let_go()
    ana.type_at(1, "2")
    ana.type_at(2, "End")
    ana.is_idle()
    ana.type_at(1, "1")
    expect(ana.chosen).to_contain_text("January")
    passes(ana, "a note")
    ana.button("Confirm").click()
    expect(ana.chosen).to_contain_text("Confirmed")
    passes(ana, "confirmed")


def test_a_corrected_wheel_and_a_receipt_have_no_violations(still, server):
    ana = still(server, server.session({**DATE, "min": "2000-01-01", "initial": "2017-01-31"}), name="Ana")
    ana.type_at(1, "ArrowDown")
    expect(ana.tip).to_have_text("February has 28 days")
    passes(ana, "a corrected wheel")

    bo = still(server, server.session(CALENDAR), name="Bo", phone=True)
    for date in ("2018-11-27", "2018-12-04"):
        bo.day(date).click()
    bo.button("Confirm").click()
    expect(bo.page.locator(".week:visible")).to_have_count(3)
    passes(bo, "a receipt")
    bo.button("Reopen").click()
    passes(bo, "the question before reopening")


def test_a_calendar_with_previews_and_notes_has_no_violations(still, server):
    session = server.session(BUSY)
    ana, bo = still(server, session, name="Ana"), still(server, session, name="Bo")
    ana.day("2018-11-14").click()
    expect(bo.face("Ana")).to_have_attribute("data-opener", "")
    bo.day("2018-11-23").hover()
    passes(bo, "an open range with its preview")
    bo.day("2018-11-23").click()
    expect(ana.note).to_contain_text("at most 5 days")
    passes(ana, "a range, corrected")
    ana.day("2018-11-27").click(force=True)
    expect(ana.note).to_contain_text("is taken")
    passes(ana, "a day that is taken")


def test_what_is_loaded_after_the_first_paint_has_no_violations(still, server):
    session = server.session(BUSY)
    ana, bo = still(server, session, name="Ana", timezone_id="America/New_York"), still(server, session, name="Bo")
    for date in ("2018-12-12", "2018-12-14"):
        bo.day(date).click()
    expect(ana.day("2018-12-14")).to_have_attribute("data-by", "Bo")
    ana.page.locator(".scroller").evaluate("(list) => list.scrollTo(0, 0)")
    expect(ana.page.locator(".mark")).to_contain_text("Bo picked Dec 12 – 14 · Show")
    expect(ana.page.locator(".month[data-loading]")).to_have_count(0)
    passes(ana, "a range out of view")
    ana.page.locator(".mark").click()
    expect(ana.page.locator(".month[data-loading]")).to_have_count(0)
    passes(ana, "the names at the ends of a range")
    ana.type("1")
    expect(ana.page.get_by_role("dialog")).to_be_visible()
    passes(ana, "the dialog of months and dates")
    ana.type("Escape")
    ana.button("Cancel").click()
    passes(ana, "the question before cancelling")
    ana.button("Yes, cancel").click()
    expect(ana.chosen).to_contain_text("Cancelled.")
    passes(ana, "cancelled")


@pytest.mark.developers
def test_the_wire_and_definition_panels_have_no_violations(still, server):
    ana = still(server, server.session(LISTS), name="Ana")
    ana.message_panel.locator("summary").click()
    ana.type_at(0, "ArrowDown")
    ana.page.locator("#definition-source").fill('{"kind": "slot", "stepMinutes": 7}')
    expect(ana.page.locator(".marks mark")).to_have_text("7")
    passes(ana, "messages, and a mistake in the definition")
    ana.page.context.set_offline(True)
    expect(ana.page.locator(".banner")).to_be_visible()
    passes(ana, "offline")


def test_error_pages_have_no_violations(still, server, guarded):
    ana = still(server, path="#/s/nothing-here", name="Ana")
    expect(ana.page.get_by_role("heading", name="There is no picker at this link.")).to_be_visible()
    passes(ana, "a link to nothing")
    bo = still(guarded, guarded.session(LISTS), name="Bo", waits=False)
    expect(bo.page.get_by_role("heading", name="This link does not give you access.")).to_be_visible()
    passes(bo, "a link without its token")


def test_the_pages_of_those_who_come_by_a_link_have_no_violations(still, server):
    session = server.session(CALENDAR, title="Weekend at the lake")
    session.join("Ana")
    bo = still(server, session, name="")
    expect(bo.inviter).to_have_text("You are invited to")
    passes(bo, "a guest who has no name yet")
    bo.day("2018-11-24").click()
    expect(bo.name_question).to_be_visible()
    passes(bo, "the question for the name")
    ana = still(server, path="", name="", phone=True, locale="ar")
    ana.card("month-0").tap()
    ana.invite()
    expect(ana.link).to_be_visible()
    passes(ana, "the link")
    ana.type("Escape")
    ana.page.locator(".who-button").tap()
    expect(ana.decider).to_be_visible()
    passes(ana, "who is here")
    ana.type("Escape")
    with ana.menu():
        passes(ana, "the menu")
    ana.back.click()
    expect(ana.page.locator(".recent")).to_be_visible()
    for one in ana.tour:
        expect(one.locator(".month[data-loading]")).to_have_count(0)
    passes(ana, "home with the last pickers")
    passes(still(server, path="nonsense", name="Bo"), "an address of nothing")


def test_notes_of_every_tone(still, server):
    tones = [None, "low", "high", "good", "bad"]
    calendar, wheels = server.session(CALENDAR), server.session(LISTS)
    days = {f"2018-11-{day}": {"text": "€ 120", "tone": tones[day % 5]} for day in range(10, 30)}
    rows = {key: {"text": "sold out", "tone": tone}
            for key, tone in zip(LISTS["columns"][0], tones[1:])}
    headers = {"Content-Type": "application/merge-patch+json"}
    for session, patch in ((calendar, {"days": days}), (wheels, {"columns": {"0": rows}})):
        answer = server.request("PATCH", session.path + "/notes", patch, headers=headers)
        assert answer.status == 200, answer
    ana = still(server, calendar, name="Ana")
    ana.day("2018-11-14").click()
    ana.day("2018-11-21").click()
    expect(ana.day("2018-11-14").locator(".remark")).to_be_visible()
    passes(ana, "prices under days, selected ones too")
    bo = still(server, wheels, name="Bo")
    expect(bo.selected(0).locator(".remark")).to_be_visible()
    passes(bo, "notes beside rows")


def test_a_stay_of_nights(still, server):
    session = server.session({
        **CALENDAR, "unit": "nights", "stays": [{"weekdays": [7], "arrival": False}],
        "taken": {"a": {"from": "2018-11-10", "through": "2018-11-12"},
                  "b": {"from": "2018-11-18", "through": "2018-11-19"}}})
    for options in ({}, {"locale": "ar"}):
        ana = still(server, session, name="Ana", **options)
        ana.day("2018-11-13").click()
        passes(ana, "a day of arrival, and half days")
        ana.day("2018-11-18").click()
        expect(ana.day("2018-11-18")).to_have_attribute("data-tail", "")
        passes(ana, "a stay between two others")


@pytest.mark.developers
@pytest.mark.parametrize("definition", [BUSY, SLOT, TREE], ids=["calendar", "slot", "cascade"])
def test_the_host_panel_has_no_violations_on_a_phone(still, server, definition):
    ana = still(server, server.session(definition), name="Ana", phone=True, locale="ar")
    expect(ana.page.locator(".host-action:visible")).not_to_have_count(0)
    if definition is BUSY:
        ana.page.locator('.host-tools input[value="price"]').check(force=True)
    passes(ana, "the host's panel")


def test_the_phone_layout_has_no_violations(still, server):
    passes(still(server, server.session(CALENDAR), name="Ana", phone=True), "a phone")


def test_an_availability_and_its_dialog_have_no_violations(still, server):
    times = {"kind": "availability", "timeZone": "Europe/Berlin", "length": 2, "stepMinutes": 30,
             "dates": {"from": "2018-11-23", "through": "2018-11-29"}}
    days = {"kind": "availability", "dates": {"from": "2018-11-20", "through": "2018-12-10"}}
    for definition, options in ((times, {}), (days, {"phone": True, "locale": "ar"})):
        session = server.session(definition)
        ana, bo = session.together("Ana", "Bo")
        ana.mark("yes", [7, 12], [15, 18])
        bo.mark("maybe", [8, 10])
        bo.mark("no", [10, 11])
        cem = still(server, session, name="Cem", **options)
        for cell, grade in ((8, "yes"), (9, "maybe"), (16, "no")):
            cem.page.locator(f".grade[data-grade={grade}]").click()
            cem.cell(cell).click()
        cem.cell(10).hover()
        expect(cem.page.locator(".window")).to_have_count(5)
        passes(cem, "an availability with marks")
    ana.confirm()
    expect(cem.page.locator(".cell[data-window=chosen]")).to_have_count(1)
    passes(cem, "a confirmed day")
    dora = still(server, name="Dora")
    dora.card("hour-0").click()
    expect(dora.page.get_by_role("dialog")).to_be_visible()
    passes(dora, "the dialog for a time")
    dora.page.get_by_role("button", name="Create the link").click()
    expect(dora.code).to_be_visible()
    passes(dora, "the link")
