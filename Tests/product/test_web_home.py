"""The home page: two live windows on one session, three doors, and what a developer needs."""

import re
from pathlib import Path

import pytest
from harness.host import Host
from harness.pickerd import Pickerd, wait_until
from playwright.sync_api import expect
from webpages import PHONE

pytest_plugins = ["webpages"]

REPOSITORY = Path(__file__).resolve().parents[2]
#: The words of the page that are in view, without those of the calendars.
WORDS = """() => {
    const words = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
      const range = document.createRange();
      range.selectNodeContents(node);
      const { top, bottom, height, width } = range.getBoundingClientRect();
      const isInView = height > 1 && width > 1 && bottom > 0 && top < innerHeight;
      if (isInView && node.parentElement.checkVisibility({ visibilityProperty: true })) words.push(...node.data.match(/\\p{L}+\\S*/gu) ?? []);
    }
    return words;
  }"""
CLS = """() => new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => setTimeout(() => resolve(sum)));
  })"""


def sessions(server):
    return server.get("/v1/sessions?limit=500", port=server.admin_port).json["sessions"]


def ends(one):
    """The first and the last day of the stay."""
    return [one.locator(f".day[data-{end}]").get_attribute("data-date") for end in ("head", "tail")]


@pytest.mark.parametrize("auth", ["open", "token"])
def test_what_a_visitor_taps_in_one_window_is_in_the_other_and_nothing_is_left(window, start, auth):
    server = start(auth=auth, clock=None)
    ana = window(server, name="", path="#/")
    phone, laptop = ana.tour
    assert ends(phone) == ends(laptop)
    first, last = ends(phone)
    for day in (last, first):
        laptop.locator(f".day[data-date='{day}']").click()
    expect(phone.locator(f".day[data-date='{last}']")).to_have_attribute("data-tail", "")

    free = phone.locator(".month:not([data-loading]) .day:not([aria-disabled=true]):not([aria-selected=true])").first
    date = free.get_attribute("data-date")
    free.click()

    expect(laptop.locator(f".day[data-date='{date}']")).to_have_attribute("aria-selected", "true")
    assert not [name for name in ana.page.evaluate("[...Object.keys(localStorage), ...Object.keys(sessionStorage)]")
                if name.startswith(("pickerd ws", "pickerd token", "pickerd recent"))]
    assert len(sessions(server)) == 1
    ana.page.locator("[data-door=any]").click()
    expect(ana.cards).to_have_count(11)
    ana.card("date-0").click()
    ana.has_connection("live")
    opened = ana.page.url.split("/s/")[1].split("?")[0]
    wait_until(lambda: [one["session"] for one in sessions(server)] == [opened], what="only the picker")


def test_the_host_sells_the_last_night_and_both_windows_have_a_shorter_stay(window, plain):
    ana = window(plain, path="#/", phone=True)
    phone, laptop = ana.tour
    before = ends(phone)
    switch = ana.page.get_by_role("switch")

    switch.tap()

    expect(switch).to_have_attribute("aria-checked", "true")
    for one in (phone, laptop):
        expect(one.locator(".result")).to_contain_text("4 nights")
        assert ends(one)[0] == before[0] and ends(one)[1] < before[1]
    switch.press("Space")
    expect(switch).to_have_attribute("aria-checked", "false")


def test_the_language_changes_with_the_windows_in_it(window, plain):
    ana = window(plain, path="#/")
    phone, _ = ana.tour
    before = ends(phone)

    ana.choose_language("de")

    expect(ana.page.locator("h1")).to_have_text("Ein Picker, und alle wählen mit.")
    expect(phone.locator(".result")).to_contain_text("5 Nächte")
    expect(phone.locator(".frame")).to_have_attribute("lang", "de")
    assert ends(phone) == before


@pytest.mark.parametrize("locale", ["de", "ar"])
def test_both_windows_are_in_view_with_the_headline_on_a_phone(window, plain, locale):
    ana = window(plain, path="#/", phone=True, locale=locale)
    expect(ana.page.locator("h1")).to_be_in_viewport(ratio=1)
    for one in ana.tour:
        expect(one).to_be_in_viewport(ratio=1)
        for end in ("head", "tail"):
            expect(one.locator(f".day[data-{end}]")).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("options", [{"viewport": {"width": 1280, "height": 800}}, PHONE], ids=["laptop", "phone"])
def test_the_first_screen_has_at_most_60_words_and_nothing_moves(window, plain, options):
    ana = window(plain, path="#/", **options)
    phone, _ = ana.tour
    words = ana.page.evaluate(WORDS)
    assert 20 < len(words) <= 60, words
    assert ana.page.evaluate(CLS) <= 0.001
    # Regression: Ana's window said that Bo had joined, over its second month.
    ana.page.wait_for_function("""() => [...document.querySelectorAll(".device pickerd-calendar")]
        .every((one) => one.speaker)""", polling=20)
    expect(phone.locator(".note[data-shown]")).to_have_count(0)


def test_the_doors_open_a_search_a_stay_and_the_examples(window, plain):
    ana = window(plain, path="#/")
    doors = ana.page.locator(".door")
    expect(doors).to_have_count(3)
    ana.page.set_viewport_size({"width": 3840, "height": 2160})
    assert ana.overflow() <= 0
    for door in doors.all():
        picture, title = door.locator("svg").bounding_box(), door.locator("strong").bounding_box()
        assert abs(picture["x"] - title["x"]) <= 1
    doors.nth(0).click()
    expect(ana.page.get_by_role("dialog")).to_be_visible()
    ana.type("Escape")
    doors.nth(2).click()
    expect(ana.cards).to_have_count(11)
    ana.page.go_back()
    doors.nth(1).click()
    ana.has_connection("live")
    expect(ana.page.locator(".day .remark:visible").first).to_contain_text("€")
    # Nobody has done anything yet: the prices are part of the creation.
    expect(ana.page.locator("pickerd-calendar .act.undo")).to_have_attribute("aria-disabled", "true")


def test_the_figures_are_those_of_the_documents():
    page = (REPOSITORY / "web/demo/landing.js").read_text()
    tap, size = re.search(r'"tap", "([\d.]+) ms"', page)[1], re.search(r'"size", "(\d+) KB"', page)[1]
    assert f"| 1 × 100 | {tap}, " in (REPOSITORY / "Tests/bench/RESULTS.md").read_text()
    row = next(line for line in (REPOSITORY / "web/client/README.md").read_text().splitlines()
               if "define-calendar.js" in line and "KB" in line)
    assert f"| {size} KB |" in row
    assert (REPOSITORY / "Tests/product/test_store_kill.py").exists()


def test_a_server_with_keys_says_that_visitors_cannot_create_pickers(window, tmp_path):
    host = Host(tmp_path)
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None)
    ana = window(server, path="#/")
    stage = ana.page.locator("[data-tour]")
    expect(stage).to_have_attribute("data-tour", "closed")
    expect(stage.get_by_role("status")).to_have_text("This server opens pickers for its own application only.")
    expect(stage.locator("pickerd-calendar")).to_have_count(0)
    assert ana.page.evaluate(CLS) <= 0.001
    server.stop()


@pytest.mark.parametrize("locale", ["en", "ar"])
def test_the_home_page_fits_320_px_and_texts_of_twice_the_size(window, plain, locale):
    small = window(plain, path="#/", phone=True, locale=locale, viewport={"width": 320, "height": 640})
    assert small.tour and small.overflow() <= 0
    phone, _ = small.tour
    screen, last = phone.locator(".screen").bounding_box(), phone.locator(".day[data-tail] .number").bounding_box()
    assert last["y"] + last["height"] <= screen["y"] + screen["height"]
    large = window(plain, path="#/", phone=True, locale=locale)
    large.doubles_texts()
    assert large.tour and large.overflow() <= 0


def test_the_commands_of_the_home_page_start_a_server_and_create_a_session(window, plain):
    ana = window(plain, path="#/")
    code = ana.page.locator(".embed pre").nth(1).text_content()
    assert code.startswith("make run\n") and "http://127.0.0.1:7681/v1/sessions" in code
    body = re.search(r"-d '(.*)'", code, re.S)[1].encode()
    assert plain.post("/v1/sessions", body).status == 201
    expect(ana.page.locator(".embed a")).to_have_attribute("href", "docs/operate/install.html")
    assert "## Install" in (REPOSITORY / "deploy/README.md").read_text()
