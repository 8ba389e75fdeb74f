"""axe-core reports no violations on pages, pickers, panels and messages, in light and dark.

They all use one scale of font sizes, weights, radii and spaces: read from computed styles.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from harness.definitions import CALENDAR, DATE, LISTS, SLOT, TREE
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

axe = Axe()
BUSY = {**CALENDAR, "maxDays": 5, "min": "2018-11-10",
        "blocked": [{"from": "2018-11-27", "through": "2018-11-28"}]}

WEIGHTS = {"400", "550", "650"}
#: In pixels; up to 1 it is a hairline.
SPACES = {4, 8, 12, 16, 24, 32, 48}

#: What is used where, in the shadow trees, too: of elements that are visible. A tip is below a row.
USED = """() => {
    const used = { sizes: {}, weights: {}, radii: {}, spaces: {} };
    const note = (kind, value, element) => {
      (used[kind][value] ??= `${element.localName}.${element.getAttribute("class")} in ${element.parentElement?.getAttribute("class")}`);
    };
    const visit = (root) => {
      for (const element of root.querySelectorAll("*")) {
        if (element.shadowRoot) visit(element.shadowRoot);
        const isBox = element.checkVisibility({ visibilityProperty: true }) && !element.closest("svg, option, .art, .unseen, .sizer, .tip");
        const { width, height } = element.getBoundingClientRect();
        if (!isBox || width < 2 || height < 2) continue;
        const style = getComputedStyle(element);
        const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (hasText || element.matches("input, select, textarea")) {
          note("sizes", style.fontSize, element);
          note("weights", style.fontWeight, element);
        }
        for (const corner of ["TopLeft", "BottomRight"]) {
          const radius = style[`border${corner}Radius`];
          if (radius !== "0px") note("radii", radius, element);
        }
        // Not the used values, of which those of `auto` are any.
        const map = element.computedStyleMap();
        for (const name of ["margin", "padding"].flatMap((one) => ["top", "right", "bottom", "left"].map((side) => `${one}-${side}`)).concat("row-gap", "column-gap")) {
          const value = map.get(name);
          if (value?.unit === "px") note("spaces", Math.abs(value.value), element);
        }
      }
    };
    visit(document);
    return used;
  }"""


def passes(one, state):
    """Asserts that a page is accessible in any theme, and uses the scales."""
    expect(one.page.locator("h1").first).not_to_be_empty()  # A picker's title comes later.
    has_no_violations(one.page, state)
    keeps_the_scales(one, state)


def keeps_the_scales(one, screen):
    used = one.page.evaluate(USED)
    odd = {kind: found for kind, found, most in (
        ("sizes", used["sizes"], 6), ("radii", used["radii"], 3)) if len(found) > most}
    weights = {weight: where for weight, where in used["weights"].items() if weight not in WEIGHTS}
    spaces = {space: where for space, where in used["spaces"].items() if float(space) > 1 and float(space) not in SPACES}
    assert not (odd or weights or spaces), (screen, odd, weights, spaces)


#: Runs axe-core; for the contrast, which is most of its time, without days that look like another.
RUN = """(options) => {
    const looks = new Set();
    const unlike = ["aria-label", "data-date", "style", "tabindex"];
    const alike = [...document.querySelectorAll("pickerd-calendar")]
      .flatMap(({ shadowRoot }) => [...shadowRoot?.querySelectorAll(".day") ?? []])
      .filter((day) => {
        const names = day.getAttributeNames().filter((name) => !unlike.includes(name));
        const look = String(names.map((name) => [name, day.getAttribute(name)]));
        return looks.size === looks.add(look).size;
      });
    const { runOnly } = options;
    return axe.run(runOnly && alike.length > 0 ? { exclude: alike } : document, options);
  }"""
CONTRAST = "color-contrast"


def has_no_violations(page, state):
    """Asserts that axe-core, which also searches shadow trees, finds no violations."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(axe.axe_script)
    # Of the rules, only contrast depends on the theme.
    for theme, rules, count in (
            ("light", {"rules": {CONTRAST: {"enabled": False}}}, 15),
            ("light", {"runOnly": [CONTRAST]}, 0), ("dark", {"runOnly": [CONTRAST]}, 0)):
        page.emulate_media(color_scheme=theme)
        results = page.evaluate(RUN, {"resultTypes": ["violations"], **rules})
        problems = [f"{rule['id']}: {rule['help']}: {node['html'][:160]} {node['failureSummary']}"
                    for rule in results["violations"] for node in rule["nodes"]]
        assert not problems, f"{state}, {theme}:\n" + "\n".join(problems)
        assert len(results["passes"]) > count, "axe has run its rules"


def test_the_home_page_has_no_violations(window, plain):
    ana = window(plain, name="Ana", path="#/")
    assert ana.tour
    passes(ana, "home")


def test_the_examples_have_no_violations(window, server):
    ana = window(server, name="Ana", path="#/")
    expect(ana.cards).to_have_count(11)
    passes(ana, "examples")


def test_wheels_with_touches_notes_and_a_confirmation_have_no_violations(window, server):
    session = server.session(DATE)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")
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


def test_a_corrected_wheel_and_a_receipt_have_no_violations(window, server):
    ana = window(server, server.session({**DATE, "min": "2000-01-01", "initial": "2017-01-31"}), name="Ana")
    ana.type_at(1, "ArrowDown")
    expect(ana.tip).to_have_text("February has 28 days")
    passes(ana, "a corrected wheel")

    bo = window(server, server.session(CALENDAR), name="Bo", phone=True)
    for date in ("2018-11-27", "2018-12-04"):
        bo.day(date).click()
    bo.button("Confirm").click()
    expect(bo.page.locator(".week:visible")).to_have_count(3)
    passes(bo, "a receipt")
    bo.button("Reopen").click()
    passes(bo, "the question before reopening")


def test_a_calendar_with_previews_and_notes_has_no_violations(window, server):
    session = server.session(BUSY)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")
    ana.day("2018-11-14").click()
    expect(bo.face("Ana")).to_have_attribute("data-opener", "")
    bo.day("2018-11-23").hover()
    passes(bo, "an open range with its preview")
    bo.day("2018-11-23").click()
    expect(ana.note).to_contain_text("at most 5 days")
    ana.day("2018-11-27").click(force=True)
    expect(ana.note).to_contain_text("is taken")
    passes(ana, "a day that is taken")


def test_what_is_loaded_after_the_first_paint_has_no_violations(window, server):
    session = server.session(BUSY)
    ana, bo = window(server, session, name="Ana", timezone_id="America/New_York"), window(server, session, name="Bo")
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
def test_the_wire_and_definition_panels_have_no_violations(window, server):
    ana = window(server, server.session(LISTS), name="Ana")
    ana.message_panel.locator("summary").click()
    ana.type_at(0, "ArrowDown")
    ana.page.locator("#definition-source").fill('{"kind": "slot", "stepMinutes": 7}')
    expect(ana.page.locator(".marks mark")).to_have_text("7")
    passes(ana, "messages, and a mistake in the definition")
    ana.page.context.set_offline(True)
    expect(ana.page.locator(".banner")).to_contain_text("You are offline.")
    passes(ana, "offline")


def test_error_pages_have_no_violations(window, server, guarded):
    session = server.session(LISTS)
    cem = window(server, session, name="Cem")
    session.delete()
    expect(cem.page.get_by_role("heading", name="This picker has ended.")).to_be_visible()
    passes(cem, "a picker that has ended")
    ana = window(server, path="#/s/nothing-here", name="Ana")
    expect(ana.page.get_by_role("heading", name="There is no picker at this link.")).to_be_visible()
    passes(ana, "a link to nothing")
    bo = window(guarded, guarded.session(LISTS), name="Bo", waits=False)
    expect(bo.page.get_by_role("heading", name="This link does not give you access.")).to_be_visible()
    passes(bo, "a link without its token")


def test_the_pages_of_those_who_come_by_a_link_have_no_violations(window, server):
    session = server.session(CALENDAR, title="Weekend at the lake")
    session.join("Ana")
    bo = window(server, session, name="")
    expect(bo.inviter).to_have_text("You are invited to")
    passes(bo, "a guest who has no name yet")
    bo.day("2018-11-24").click()
    expect(bo.name_question).to_be_visible()
    passes(bo, "the question for the name")
    ana = window(server, path="", name="", phone=True, locale="ar")
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
    passes(window(server, path="nonsense", name="Bo"), "an address of nothing")


def test_notes_of_every_tone(window, server):
    tones = [None, "low", "high", "good", "bad"]
    calendar, wheels = server.session(CALENDAR), server.session(LISTS)
    days = {f"2018-11-{day}": {"text": "€ 120", "tone": tones[day % 5]} for day in range(10, 30)}
    rows = {key: {"text": "sold out", "tone": tone}
            for key, tone in zip(LISTS["columns"][0], tones[1:])}
    calendar.patch("notes", {"days": days})
    wheels.patch("notes", {"columns": {"0": rows}})
    ana = window(server, calendar, name="Ana")
    ana.day("2018-11-14").click()
    ana.day("2018-11-21").click()
    expect(ana.day("2018-11-14").locator(".remark")).to_be_visible()
    passes(ana, "prices under days, selected ones too")
    bo = window(server, wheels, name="Bo")
    expect(bo.selected(0).locator(".remark")).to_be_visible()
    passes(bo, "notes beside rows")


def test_a_stay_of_nights(window, server):
    session = server.session({
        **CALENDAR, "unit": "nights", "currency": "EUR",
        "stays": [{"weekdays": [7], "arrival": False}],
        "taken": {"a": {"from": "2018-11-10", "through": "2018-11-12"},
                  "b": {"from": "2018-11-18", "through": "2018-11-19"}}})
    amounts = {day: 80 if day == 14 else 90 for day in range(13, 31)}
    session.patch("notes", {"days": {
        f"2018-11-{day}": {"text": f"€ {amount}", "amount": amount}
        for day, amount in amounts.items()}})
    ana = window(server, session, name="Ana")
    ana.day("2018-11-13").click()
    passes(ana, "a day of arrival, and half days with prices")
    ana.day("2018-11-18").click()
    expect(ana.day("2018-11-18")).to_have_attribute("data-tail", "")
    passes(ana, "a stay between two others")


@pytest.mark.developers
@pytest.mark.parametrize("definition", [BUSY, SLOT, TREE], ids=["calendar", "slot", "cascade"])
def test_the_host_panel_is_below_the_picker_on_a_phone_and_has_no_violations(
        window, server, definition):
    ana = window(server, server.session(definition), name="Ana", phone=True, locale="ar",
                viewport={"width": 320, "height": 568})
    expect(ana.page.locator(".host-action:visible")).not_to_have_count(0)
    frame = ana.page.locator(".frame")
    assert ana.host_panel.bounding_box()["y"] > frame.bounding_box()["y"]
    assert ana.overflow() <= 0
    if definition is BUSY:
        ana.page.locator('.host-tools input[value="price"]').check(force=True)
    passes(ana, "the host's panel")


def test_an_availability_and_its_dialog_have_no_violations(window, server):
    times = {"kind": "availability", "timeZone": "Europe/Berlin", "length": 2, "stepMinutes": 30,
             "dates": {"from": "2018-11-23", "through": "2018-11-29"}}
    days = {"kind": "availability", "dates": {"from": "2018-11-20", "through": "2018-12-10"}}
    for definition, options in ((times, {}), (days, {"phone": True, "locale": "ar"})):
        session = server.session(definition)
        ana, bo = session.together("Ana", "Bo")
        ana.mark("yes", [7, 12], [15, 18])
        bo.mark("maybe", [8, 10])
        bo.mark("no", [10, 11])
        cem = window(server, session, name="Cem", **options)
        for cell, grade in ((8, "yes"), (9, "maybe"), (16, "no")):
            cem.page.locator(f".grade[data-grade={grade}]").click()
            cem.cell(cell).click()
        cem.cell(10).hover()
        expect(cem.page.locator(".window")).to_have_count(5)
        passes(cem, "an availability with marks")
    ana.confirm()
    expect(cem.page.locator(".cell[data-window=chosen]")).to_have_count(1)
    passes(cem, "a confirmed day")
    dora = window(server, name="Dora")
    dora.card("hour-0").click()
    expect(dora.page.get_by_role("dialog")).to_be_visible()
    passes(dora, "the dialog for a time")
