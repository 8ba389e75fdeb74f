"""The languages of the page and the elements: each is loaded, fits on a small phone, and is alone."""

import re
from pathlib import Path

import pytest
from harness.definitions import SLOT
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

WEB = Path(__file__).resolve().parents[2] / "web"
LOCALES = ["en", *sorted(path.stem for path in (WEB / "client/words/tables").iterdir())]
RIGHT_TO_LEFT = {"ar", "fa", "he"}
SMALL = {"width": 320, "height": 640}

STAY = {"kind": "calendar", "unit": "nights", "months": {"from": "2018-11", "through": "2019-03"}}
THREE_NIGHTS = {"result": {"start": "2018-12-10", "end": "2018-12-13"}}
TIMES = {"kind": "availability", "dates": {"from": "2018-11-26", "through": "2018-11-30"},
         "stepMinutes": 60, "hours": [{"from": "09:00", "until": "13:00"}]}

#: What is wider than its box, but for what scrolls or ends in an ellipsis by design.
TOO_WIDE = """() => {
    const found = document.scrollingElement.scrollWidth > innerWidth ? ["the page"] : [];
    const visit = (root) => root.querySelectorAll("*").forEach((one) => {
        if (one.shadowRoot) visit(one.shadowRoot);
        const { display, overflowX, textOverflow } = getComputedStyle(one);
        const isMeant = display === "inline" || textOverflow === "ellipsis" || /auto|scroll/.test(overflowX)
            || one.clientWidth <= 1 || one.matches(".board, .here, input");
        if (!isMeant && one.scrollWidth > one.clientWidth + 1) found.push(`${one.localName}.${one.className}: ${one.textContent}`);
    });
    visit(document);
    return found; }"""

#: Adds an element to a page.
ADD = """([session, locale]) => import("/client/elements.js").then(() => {
    document.getElementById("added")?.remove();
    const element = document.createElement("pickerd-calendar");
    for (const [name, value] of Object.entries({ id: "added", session, locale })) element.setAttribute(name, value);
    document.body.append(element); })"""


@pytest.mark.parametrize("definition", [STAY, SLOT, TIMES], ids=["stay", "slot", "times"])
def test_every_language_fits_on_a_small_phone(window, server, definition):
    session = server.session(definition, **THREE_NIGHTS if definition is STAY else {})
    ana = window(server, session, name="Ana", locale="en", viewport=SMALL)
    for locale in LOCALES[1:] + LOCALES[:1]:
        ana.choose_language(locale)
        frame = ana.page.locator("pickerd-calendar .frame, pickerd-wheels .frame, pickerd-availability .frame")
        expect(frame).to_have_attribute("lang", locale)
        expect(frame).to_have_attribute("dir", "rtl" if locale in RIGHT_TO_LEFT else "ltr")
        ana.has_connection("live")
        assert ana.page.evaluate(TOO_WIDE) == [], locale
        ana.invite()
        assert ana.page.evaluate(TOO_WIDE) == [], locale
        ana.page.keyboard.press("Escape")


def test_a_page_loads_the_texts_of_its_language_only(window, server):
    requests = []
    ana = window(server, path="#/", locale="zh-TW", waits=False)
    ana.page.on("request", lambda request: requests.append(request.url))
    ana.page.goto(f"http://127.0.0.1:{server.port}/s/{server.session(STAY).id}")
    expect(ana.page.locator("html")).to_have_attribute("lang", "zh-Hant")
    expect(ana.page.locator("pickerd-calendar .confirm")).to_have_text("確認")
    assert {re.search(r"(\w+)/words/tables/(.+)\.js", url).groups() for url in requests if "/tables/" in url} == {
        ("client", "zh-Hant"), ("demo", "zh-Hant")}


@pytest.mark.parametrize("locale, nights", [
    ("pl", "3 noce"), ("ru", "3 ночи"), ("uk", "3 ночі"), ("he", "3 לילות"), ("fa", "۳ شب"), ("fa-u-nu-latn", "3 شب"),
    ("fr", "3 nuits"), ("es-MX", "3 noches"), ("pt-PT", "3 noites"), ("hi", "3 रात"), ("ko", "3박"), ("zh-HK", "3 晚"),
    ("it", "3 notti"), ("nl", "3 nachten"), ("tr", "3 gece"), ("sv", "3 nights")])
def test_an_element_counts_nights_in_the_language_and_digits_of_its_locale(window, server, locale, nights):
    session = server.session(STAY, **THREE_NIGHTS)
    ana = window(server, path="#/", name="Ana")
    ana.page.evaluate(ADD, [session.path, locale])
    expect(ana.page.locator("#added .chosen")).to_contain_text(nights)


def test_a_page_has_texts_of_its_own(window, server):
    session = server.session(STAY, **THREE_NIGHTS)
    ana = window(server, path="#/", name="Ana")
    ana.page.evaluate("""() => import("/client/elements.js").then(({ words }) => words("cs", {
        confirm: "Rezervovat", stay: { text: "{nights, plural, one {# noc} few {# noci} other {# nocí}}, {span}" } }))""")
    ana.page.evaluate(ADD, [session.path, "cs"])
    expect(ana.page.locator("#added .confirm")).to_have_text("Rezervovat")
    expect(ana.page.locator("#added .chosen")).to_contain_text("3 noci")
