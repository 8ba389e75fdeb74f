"""The pages use one scale of font sizes, weights, radii and spaces: read from computed styles."""

import pytest
from harness.definitions import CALENDAR, DATE, LISTS, SLOT, TREE
from playwright.sync_api import expect

pytest_plugins = ["webpages"]

MERGE = {"Content-Type": "application/merge-patch+json"}
TIMES = {"kind": "availability", "timeZone": "Asia/Shanghai", "length": 2, "stepMinutes": 60,
         "dates": {"from": "2018-11-26", "through": "2018-11-30"}, "hours": [{"from": "09:00", "until": "18:00"}]}
DATES = {"kind": "availability", "length": 2, "dates": {"from": "2018-11-24", "through": "2018-12-20"}}
WEIGHTS = {"400", "550", "650"}
#: In pixels; up to 1 it is a hairline.
SPACES = {4, 8, 12, 16, 24, 32, 48}

#: What is used where, in the shadow trees, too: of elements that are visible.
USED = """() => {
    const used = { sizes: {}, weights: {}, radii: {}, spaces: {} };
    const note = (kind, value, element) => {
      (used[kind][value] ??= `${element.localName}.${element.getAttribute("class")} in ${element.parentElement?.getAttribute("class")}`);
    };
    const visit = (root) => {
      for (const element of root.querySelectorAll("*")) {
        if (element.shadowRoot) visit(element.shadowRoot);
        const isBox = element.checkVisibility({ visibilityProperty: true }) && !element.closest("svg, option, .art, .unseen, .sizer");
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


def keeps_the_scales(one, screen):
    used = one.page.evaluate(USED)
    odd = {kind: found for kind, found, most in (
        ("sizes", used["sizes"], 6), ("radii", used["radii"], 3)) if len(found) > most}
    weights = {weight: where for weight, where in used["weights"].items() if weight not in WEIGHTS}
    spaces = {space: where for space, where in used["spaces"].items() if float(space) > 1 and float(space) not in SPACES}
    assert not (odd or weights or spaces), (screen, odd, weights, spaces)


@pytest.mark.parametrize("phone", [False, True])
def test_the_home_page_keeps_the_scales(window, plain, phone):
    ana = window(plain, name="Ana", phone=phone)
    assert ana.tour
    keeps_the_scales(ana, "home")


def test_the_examples_and_their_dialog_keep_the_scales(window, server):
    ana = window(server, name="Ana")
    expect(ana.cards).to_have_count(11)
    keeps_the_scales(ana, "examples")
    ana.card("weekend-0").click()
    expect(ana.page.locator("dialog.find")).to_be_visible()
    keeps_the_scales(ana, "the dialog for a time that suits everybody")


@pytest.mark.parametrize("definition", [DATE, SLOT, TREE, LISTS], ids=["date", "slot", "cascade", "columns"])
def test_wheels_keep_the_scales(window, server, definition):
    keeps_the_scales(window(server, server.session(definition), name="Ana"), "wheels")


def test_a_calendar_its_dialogs_and_its_result_keep_the_scales(window, server):
    session = server.session({**CALENDAR, "unit": "nights", "currency": "EUR", "min": "2018-11-23"})
    days = {f"2018-12-{day:02}": {"text": "€ 90", "amount": 90} for day in range(1, 32)}
    days["2018-12-12"] = {"text": "€ 80", "amount": 80}
    assert server.request("PATCH", session.path + "/notes", {"days": days}, headers=MERGE).status == 200
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo", phone=True)
    ana.day("2018-12-10").click()
    bo.day("2018-12-14").tap()
    expect(ana.day("2018-12-14")).to_have_attribute("data-by", "Bo")
    keeps_the_scales(ana, "a stay with prices")
    keeps_the_scales(bo, "a stay on a phone")
    ana.month("2018-12").locator(".title").click()
    expect(ana.page.locator("dialog.jump")).to_be_visible()
    keeps_the_scales(ana, "the dialog for months")
    ana.type("Escape")
    with ana.menu():
        keeps_the_scales(ana, "the menu")
    ana.invite()
    keeps_the_scales(ana, "sharing")
    ana.type("Escape")
    ana.button("Confirm").click()
    for one in (ana, bo):
        expect(one.page.locator(".calendar-links")).to_be_visible()
        keeps_the_scales(one, "a confirmed stay")
    session.delete()
    expect(ana.page.get_by_role("heading", name="This picker has ended.")).to_be_visible()
    keeps_the_scales(ana, "a picker that has ended")


@pytest.mark.parametrize("definition", [TIMES, DATES], ids=["times", "dates"])
def test_an_availability_keeps_the_scales(window, server, definition):
    session = server.session(definition)
    member, = session.together("Cem")
    member.mark("yes", [0, 4])
    for options in ({}, {"phone": True}):
        ana = window(server, session, name="Ana", **options)
        ana.cell(1).click()
        expect(ana.page.locator(".window").first).to_be_visible()
        keeps_the_scales(ana, "an availability")


@pytest.mark.developers
def test_the_panels_for_developers_keep_the_scales(window, server):
    ana = window(server, server.session(CALENDAR), name="Ana")
    expect(ana.host_panel).to_be_visible()
    keeps_the_scales(ana, "developers")
