"""The texts of wheel rows on narrow screens: what is cut off, and how wide the columns are."""

import pytest
from harness.definitions import DATE, SLOT
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages

NARROW = {"width": 320, "height": 568}
PROVINCES = {"kind": "columns", "columns": [
    ["Guangdong Province in the south of the country", "Sichuan Province"], ["S", "M"], ["One", "Two"]]}

#: How far the first character of a row's text is outside of the row, in pixels.
HIDDEN_START = """(row) => {
    const range = document.createRange();
    range.setStart(row.firstChild, 0);
    range.setEnd(row.firstChild, 1);
    const [text, box] = [range.getBoundingClientRect(), row.getBoundingClientRect()];
    return Math.max(0, box.left - text.left, text.right - box.right); }"""


@pytest.mark.parametrize("locale", ["ar", "en"])
def test_a_long_latin_text_shows_its_beginning(window, server, locale):
    ana = window(server, server.session(PROVINCES), name="Ana", locale=locale, viewport=NARROW)
    expect(ana.selected(0)).to_contain_text("Guangdong Province")

    assert ana.selected(0).evaluate(HIDDEN_START) <= 1
    middle = ana.selected(1).evaluate("""(row) => {
        const range = document.createRange();
        range.selectNodeContents(row.firstChild);
        const [text, box] = [range.getBoundingClientRect(), row.getBoundingClientRect()];
        return text.left + text.right - box.left - box.right; }""")
    assert abs(middle) <= 2, "short texts are centered"
