"""The search in a column with more rows than the page has received: a combobox over the wheels."""

import pytest
from harness.pickerd import wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

CITIES = [f"Ort {number:04}" for number in range(5000)]
CITIES[4200] = "Zürich-Örlikon"
CITIES[4711] = "Neu-Zürich"
CITIES[20] = "Basel (Zürich)"
PLACES = {"kind": "columns", "columns": [
    [{"text": text, "key": str(number), **({"terms": ["ZRH"]} if number == 4200 else {})}
     for number, text in enumerate(CITIES)], ["Morning", "Evening"]]}


def field(one):
    return one.page.get_by_role("combobox", name="Find: Column 1")


def options(one):
    return one.page.locator(".found")


def keys(session):
    return session.get()["snapshot"]["result"]["keys"]


def is_ready(one):
    """Waits until the search is loaded."""
    expect(one.page.get_by_role("button", name="Find: Column 1")).to_be_visible()


def test_typing_on_a_long_wheel_finds_rows_that_were_not_received(window, server):
    session = server.session(PLACES)
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")
    is_ready(ana)

    ana.type_at(0, "z")
    expect(field(ana)).to_be_focused()
    for key in "uri":
        ana.type(key)

    expect(field(ana)).to_have_value("zuri")
    expect(options(ana)).to_have_text(["Zürich-Örlikon", "Basel (Zürich)", "Neu-Zürich"])
    expect(options(ana).locator("mark")).to_have_text(["Züri"] * 3)
    expect(field(ana)).to_have_attribute("aria-expanded", "true")
    expect(options(ana).first).to_have_attribute("aria-selected", "true")
    expect(ana.page.locator(".finder-status")).to_have_text("Matches: 3")
    ana.type("ArrowDown")
    ana.type("ArrowDown")
    expect(field(ana)).to_have_attribute("aria-activedescendant", "found-2")
    ana.type("Enter")

    expect(field(ana)).to_be_hidden()
    for one in (ana, bo):
        expect(one.selected(0)).to_have_text("Neu-Zürich")
    expect(ana.wheel(0)).to_be_focused()
    assert keys(session)[0] == "4711"
    # The rows around it are received now, and the wheel goes on from there.
    ana.type("ArrowUp")
    expect(bo.selected(0)).to_have_text("Ort 4710")


def test_escape_and_tab_close_the_search_and_choose_nothing(window, server):
    session = server.session(PLACES)
    ana = window(server, session)
    is_ready(ana)
    ana.type_at(0, "q")
    expect(ana.page.locator(".finder-status")).to_have_text("No match")
    ana.type("Escape")
    expect(field(ana)).to_be_hidden()
    expect(ana.wheel(0)).to_be_focused()
    ana.type_at(0, "1")
    expect(ana.page.locator(".finder-status")).to_contain_text("The first 20 matches")
    ana.type("Tab")
    expect(field(ana)).to_be_hidden()
    expect(ana.wheel(1)).to_be_focused()
    assert keys(session) == ["0", "Morning"]


def test_keys_that_come_before_the_search_is_loaded_are_not_lost(window, server):
    session = server.session(PLACES)
    ana = window(server, session)
    # A page of an earlier test has it.
    ana.page.reload()
    is_ready(ana)
    ana.type_at(0, "z", "r", "h")
    expect(field(ana)).to_have_value("zrh")
    expect(options(ana)).to_have_text(["Zürich-Örlikon"])
    expect(options(ana).locator("mark")).to_have_count(0)


def test_a_finger_opens_the_search_and_taps_a_row(window, server):
    session = server.session(PLACES)
    ana = window(server, session, phone=True)
    is_ready(ana)
    button = ana.page.get_by_role("button", name="Find: Column 1")
    assert button.bounding_box()["height"] >= 44
    button.tap()
    expect(ana.page.locator(".finder-status")).to_have_text("Type a part of it.")
    field(ana).fill("Neu-")
    expect(options(ana)).to_have_text(["Neu-Zürich"])
    assert options(ana).first.bounding_box()["height"] >= 44
    options(ana).first.tap()
    expect(ana.selected(0)).to_have_text("Neu-Zürich")
    wait_until(lambda: keys(session)[0] == "4711", what="the selection")


def test_the_search_is_of_the_rows_that_the_column_has_now(window, server):
    session = server.session(PLACES)
    ana = window(server, session)
    is_ready(ana)
    ana.type_at(0, "n")
    ana.type("e")
    expect(options(ana)).to_have_text(["Neu-Zürich"])
    changed = [row for row in PLACES["columns"][0] if row["key"] != "4711"]
    session.patch("definition", {"columns": [changed, ["Morning"]]})
    expect(ana.page.locator(".finder-status")).to_have_text("No match")


def test_short_columns_and_viewers_have_no_search(window, server, guarded):
    session = guarded.session(PLACES)
    ana = window(guarded, session, token=session.tokens["viewer"])
    expect(ana.selected(0)).to_have_text("Ort 0000")
    expect(ana.page.locator(".find:visible")).to_have_count(0)
    session = server.session(PLACES)
    bo = window(server, session)
    is_ready(bo)
    expect(bo.page.locator(".find:visible")).to_have_count(1)
    bo.type_at(1, "e")
    expect(bo.selected(1)).to_have_text("Evening")


def test_the_search_fits_on_a_phone_in_another_language(window, server):
    viewport = {"width": 390, "height": 844}
    ana = window(server, server.session(PLACES), locale="ar", viewport=viewport)
    button = ana.page.locator(".find:visible")
    button.click()
    label = button.get_attribute("aria-label")
    expect(ana.page.get_by_role("combobox", name=label)).to_be_focused()
    assert label.startswith("بحث"), label
    for text in ("zurich", "1", "qq"):
        ana.page.locator(".finder-text").fill(text)
        expect(ana.page.locator(".finder-status")).not_to_contain_text("Match")
    panel, list_ = (ana.page.locator(one).bounding_box() for one in (".finder", ".columns"))
    assert panel["x"] >= 0 and panel["x"] + panel["width"] <= 390 and list_["width"] <= 390
