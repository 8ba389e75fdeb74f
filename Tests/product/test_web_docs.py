"""The documentation in a browser: live examples, search, keyboard, phone, and another host."""

import re

import pytest
from playwright.sync_api import expect
from test_web_axe import has_no_violations
from webpages import DESKTOP, PHONE, static_host

pytest_plugins = ["webpages"]

KINDS = ("date", "slot", "cascade", "columns", "calendar", "availability")
PAGES = ("index", "start/first-exchange", "definitions/slot", "http/sessions", "operate/the-store", "embed/react")


@pytest.fixture
def served(start, bundle):
    return start(clock=None, options=("--web", bundle), limits={"createsPerSecond": 100_000})


@pytest.fixture
def page(opened):
    return opened("about:blank", viewport=DESKTOP, reduced_motion="reduce").page


def address(server, name):
    return f"http://127.0.0.1:{server.port}/docs/{name}.html"


def shows(page, turn, box=0):
    """Waits until an example shows its picker, or why it has none; its answer."""
    live = page.locator(".live").nth(box)
    expect(live).to_have_attribute("data-turn", str(turn))
    return live.locator(".answer")


def test_the_documentation_has_an_address(served):
    assert served.get("/docs").headers["location"] == "docs/"
    answer = served.get("/docs/")
    assert (answer.status, answer.type) == (200, "text/html")
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    for name in ("llms.txt", "index.md", "docs.css", "search/worker.js", "files/web/guide/client.py.txt"):
        assert served.get(f"/docs/{name}").status == 200, name


@pytest.mark.parametrize("kind", KINDS)
def test_a_definition_and_each_of_its_fields_are_live(served, page, kind):
    page.goto(address(served, f"definitions/{kind}"))
    answer = shows(page, 1)
    expect(page.locator(".stage").first.locator(":is(.row, .month, .cell)").first).to_be_attached()
    expect(answer).to_contain_text(re.compile(r"null|\{"))

    buttons = page.locator(".try-field:visible")
    assert buttons.count() > 0
    for turn, button in enumerate(buttons.all(), 2):
        field = button.get_attribute("data-field")
        button.click()
        answer = shows(page, turn)
        assert answer.get_attribute("data-problem") is None, f"{field}: {answer.inner_text()}"
        expect(page.locator(".json mark").first).to_contain_text(f'"{field}"')


def test_a_changed_definition_is_another_picker_and_a_wrong_one_is_explained(served, page):
    page.goto(address(served, "definitions/columns"))
    shows(page, 1)
    code = page.get_by_role("textbox", name="Definition")
    code.fill('{"kind": "columns", "columns": [["Tea", "Coffee"]]}')
    expect(page.locator(".stage .row", has_text="Coffee")).to_be_attached()
    expect(page.locator(".answer")).to_contain_text('{"keys":["Tea"]}')

    code.fill('{"kind": "slot", "stepMinutes": 7}')
    expect(page.locator(".answer")).to_contain_text("stepMinutes is 7, which does not divide 60")
    code.fill('{"kind": ')
    expect(page.locator(".answer")).to_contain_text("JSON")

    code.fill('{"kind": "columns", "columns": [["Tea", "Coffee"]]}')
    expect(page.locator(".answer")).to_contain_text('{"keys":["Tea"]}')
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open in a second window").click()
    other = opened.value
    other.locator(".row:not([hidden])", has_text="Coffee").click()
    expect(page.locator(".answer")).to_contain_text('{"keys":["Coffee"]}')
    other.close()


def test_the_search_finds_fields_by_keyboard(served, page):
    page.goto(address(served, "index"))
    page.keyboard.press("/")
    field = page.get_by_role("searchbox", name="Search the docs")
    expect(field).to_be_focused()
    page.keyboard.type("bufferMin")
    found = page.locator(".found a")
    expect(found.filter(has_text="slot").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".found")).to_be_hidden()

    for words, title in (("rejected tokens", "Rejected tokens"), ("POST /v1/sessions", "POST /v1/sessions"),
                         ("c++ (\"~^", None), ("xyzzy", None), ("postgresql", "PostgreSQL")):
        field.fill(words)
        if title:
            expect(found.first).to_contain_text(title)
        else:
            expect(page.locator(".found [role=status]")).to_have_text(re.compile("Nothing found|place"))
    page.keyboard.press("ArrowDown")
    expect(found.first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/operate/*.html*")


def test_a_link_of_the_contents_and_the_skip_link_work_by_keyboard(served, page):
    page.goto(address(served, "index"))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the text")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.get_by_role("navigation", name="Documentation").get_by_text("Operate").click()
    page.get_by_role("link", name="Sizing", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sizing")
    expect(page.locator(".nav [aria-current]")).to_have_text("Sizing")


def test_pages_have_no_violations_of_accessibility_in_light_and_dark(served, page):
    for name in PAGES:
        page.goto(address(served, name))
        if name.startswith("definitions/"):
            shows(page, 1)
        has_no_violations(page, name)


def test_a_phone_shows_every_page_without_overflow(served, opened, bundle):
    phone = opened(address(served, "definitions/calendar"), **PHONE, reduced_motion="reduce").page
    shows(phone, 1)
    still = opened("about:blank", **PHONE, java_script_enabled=False).page
    for path in sorted((bundle / "docs").rglob("*.html")):
        still.goto(f"http://127.0.0.1:{served.port}/{path.relative_to(bundle).as_posix()}")
        width = still.evaluate("document.documentElement.scrollWidth")
        assert width <= 390, f"{path.name}: {width}"
        assert still.locator("h1").count() == 1

    contents = phone.get_by_role("button", name="Contents")
    expect(contents).to_have_attribute("aria-expanded", "false")
    contents.click()
    expect(phone.locator(".nav")).to_be_visible()
    phone.get_by_role("link", name="Plain HTML").click()
    expect(phone.get_by_role("heading", level=1)).to_have_text("Plain HTML")
    expect(phone.locator(".nav")).to_be_hidden()


def test_any_static_host_serves_it_below_a_path(bundle, page, tmp_path):
    (tmp_path / "manual").symlink_to(bundle / "docs")
    with static_host(tmp_path) as host:
        page.goto(f"{host}/manual/definitions/slot.html")
        # Without pickerd an example says how it becomes live.
        expect(page.locator(".answer").first).to_contain_text("make run")
        page.get_by_role("searchbox", name="Search the docs").fill("cascade")
        expect(page.locator(".found a").first).to_have_attribute("href", re.compile("cascade"))
        page.locator(".found a").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("cascade")
