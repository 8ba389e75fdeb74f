"""The languages of the page and the elements: each is loaded, fits on a small phone, and is alone.

And the texts of wheel rows: what is cut off, and how wide the columns are.
"""

import json
import re
from pathlib import Path

import pytest
from harness.definitions import DATE, SLOT
from harness.pickerd import wait_until
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

#: A later test may use the page.
REMOVE = "() => document.getElementById('added').remove()"
#: Adds an element to a page.
ADD = """([session, locale]) => import("/client/elements.js").then(() => {
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


#: Locales with plural forms, regions and digits of their own, and one whose language is missing.
NIGHTS = {"pl": "3 noce", "ru": "3 ночи", "he": "3 לילות", "fa": "۳ شب", "fa-u-nu-latn": "3 شب",
          "es-MX": "3 noches", "zh-HK": "3 晚", "sv": "3 nights"}


def test_an_element_counts_nights_in_the_language_and_digits_of_its_locale(window, server):
    session = server.session(STAY, **THREE_NIGHTS)
    ana = window(server, path="#/", name="Ana")
    ana.page.evaluate(ADD, [session.path, "en"])
    for locale, nights in NIGHTS.items():
        ana.page.locator("#added").evaluate(
            "(one, locale) => one.setAttribute('locale', locale)", locale)
        expect(ana.page.locator("#added .chosen")).to_contain_text(nights)
    ana.page.evaluate(REMOVE)


def test_a_page_has_texts_of_its_own(window, server):
    session = server.session(STAY, **THREE_NIGHTS)
    ana = window(server, path="#/", name="Ana")
    ana.page.evaluate("""() => import("/client/elements.js").then(({ words }) => words("cs", {
        confirm: "Rezervovat", stay: { text: "{nights, plural, one {# noc} few {# noci} other {# nocí}}, {span}" } }))""")
    ana.page.evaluate(ADD, [session.path, "cs"])
    expect(ana.page.locator("#added .confirm")).to_have_text("Rezervovat")
    expect(ana.page.locator("#added .chosen")).to_contain_text("3 noci")
    ana.page.evaluate(REMOVE)


#: Midnight, in the languages of pages with twelve hours.
TWELVE_HOURS = {"en": "12:00\u00a0AM", "ar": "12:00\u00a0ص", "hi": "12:00\u00a0am", "ko": "오전\u00a012:00", "zh-Hant": "凌晨12:00"}

NARROW = {"width": 320, "height": 568}
PROVINCES = {"kind": "columns", "columns": [
    ["Guangdong Province in the south of the country", "Sichuan Province"], ["S", "M"], ["One", "Two"]]}

#: The longest text is among the first rows; more rows are received as the wheel turns.
LONG_AND_SHORT = {"kind": "columns", "columns": [
    ["a row with a long text", *(f"row {n}" for n in range(1, 5000))], ["S", "M"]]}

#: How far the first character of a row's text is outside of the row, in pixels.
HIDDEN_START = """(row) => {
    const range = document.createRange();
    range.setStart(row.firstChild, 0);
    range.setEnd(row.firstChild, 1);
    const [text, box] = [range.getBoundingClientRect(), row.getBoundingClientRect()];
    return Math.max(0, box.left - text.left, text.right - box.right); }"""


def test_a_long_latin_text_shows_its_beginning(window, server):
    ana = window(server, server.session(PROVINCES), name="Ana", locale="ar", viewport=NARROW)
    expect(ana.selected(0)).to_contain_text("Guangdong Province")

    assert ana.selected(0).evaluate(HIDDEN_START) <= 1
    middle = ana.selected(1).evaluate("""(row) => {
        const range = document.createRange();
        range.selectNodeContents(row.firstChild);
        const [text, box] = [range.getBoundingClientRect(), row.getBoundingClientRect()];
        return text.left + text.right - box.left - box.right; }""")
    assert abs(middle) <= 2, "short texts are centered"


#: The browser's texts of the days, times, months and weekdays of two snapshots.
BROWSER = """async ([times, dates, locale]) => {
    const { momentIn, monthTitle, timeText, weekdayName } = await import("/client/words/dates.js");
    return {
      days: times.days.map(({ date }) => momentIn(Date.parse(date), "UTC", locale, true, false)),
      times: times.rows.map(({ time }) => timeText(time, locale)),
      months: dates.months.map(({ month }) => monthTitle(month, locale)),
      weekdays: dates.weekdays.map((_, at) => weekdayName(at + 1, locale)),
    }; }"""


def test_the_browser_writes_dates_and_times_as_the_server_does(window, server):
    """Regression: in German and Arabic, days had Apple's forms instead of those of CLDR."""
    times = server.session({"kind": "availability", "dates": {"from": "2018-11-26", "through": "2019-11-26"},
                            "stepMinutes": 30, "hours": [{"from": "00:00", "until": "01:00"}, {"from": "13:00", "until": "14:00"}]})
    dates = server.session({"kind": "availability", "dates": {"from": "2018-11-26", "through": "2019-10-31"}})
    ana = window(server, path="#/", name="Ana")
    for locale in LOCALES:
        writes_as_the_server(ana, (times, dates), locale)


def writes_as_the_server(ana, sessions, locale):
    shown = [one.get(locale)["snapshot"]["availability"] for one in sessions]
    wanted = {"days": [day["text"] for day in shown[0]["days"]], "times": [row["text"] for row in shown[0]["rows"]],
              "months": [month["title"] for month in shown[1]["months"]], "weekdays": shown[1]["weekdays"]}
    assert [len(wanted[one]) for one in ("times", "months", "weekdays")] == [4, 12, 7]
    got = ana.page.evaluate(BROWSER, [*shown, locale])
    if locale in TWELVE_HOURS:
        # The server writes 24 hours in all languages.
        assert (wanted.pop("times")[0], got.pop("times")[0]) == ("00:00", TWELVE_HOURS[locale])
    if locale.startswith("zh-"):
        # The contract fixes the server's days: 11月26日 星期一, and 星期天. In traditional Chinese, they have a space.
        assert (wanted.pop("days")[0], got.pop("days")[0]) == {
            "zh-Hans": ("11月26日 星期一", "11月26日周一"), "zh-Hant": ("11月26日 週一", "11月26日週一")}[locale]
    # Versions of CLDR spell October in Hindi, and March, June and July in Russian differently.
    same = {"अक्तू": "अक्टू", " марта": " мар.", " июня": " июн.", " июля": " июл."}
    wanted, got = (json.loads(re.sub("|".join(same), lambda found: same[found[0]], json.dumps(one, ensure_ascii=False)))
                   for one in (wanted, got))
    assert got == wanted, locale


@pytest.mark.parametrize("definition", [DATE, SLOT], ids=["date", "slot"])
def test_dates_and_slots_fit_on_a_phone(window, server, definition):
    session = server.session({**definition, "initial": "2018-09-23"} if definition is DATE else definition)
    ana = window(server, session, name="Ana", locale="ar", viewport=NARROW)
    for locale in ("en", "de", "zh-Hans", "ja", "ar"):
        # "Heute, 23. Nov." beside "10 Uhr" is too wide for 320 px in the font of this machine.
        width = 360 if definition is SLOT and locale == "de" else 320
        ana.page.set_viewport_size({**NARROW, "width": width})
        ana.choose_language(locale)
        ana.page.wait_for_function(f"""() => {{
            const {{ picker }} = document.querySelector("pickerd-wheels");
            return picker.connection === "live" && picker.state.locale === "{locale}"; }}""")
        for column in range(3):
            row = ana.selected(column)
            expect(row).not_to_be_empty()
            assert row.evaluate("row => row.scrollWidth - row.clientWidth") <= 0, row.inner_text()
        columns = ana.page.locator(".columns")
        assert columns.evaluate("columns => columns.scrollWidth - columns.clientWidth") <= 0


def test_columns_keep_their_widths_while_a_wheel_turns(window, server):
    ana = window(server, server.session(LONG_AND_SHORT), name="Ana", viewport=NARROW)
    for column, text in enumerate(["a row with a long text", "S"]):
        expect(ana.selected(column)).to_have_text(text)
    wait_until(lambda: widths(ana)[0] > widths(ana)[1], what="the width of the longest text")
    before = widths(ana)

    ana.hold(0, rows=3)
    assert widths(ana) == before
    ana.let_go()
    expect(ana.selected(0)).to_have_text("row 3")
    ana.type_at(0, "End")
    expect(ana.selected(0)).to_have_text("row 4999")

    assert widths(ana) == before


def widths(one):
    return [one.wheel(column).bounding_box()["width"] for column in range(2)]
