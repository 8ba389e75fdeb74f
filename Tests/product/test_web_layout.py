"""What does not move on the page, and what fits: banners, small screens and enlarged texts."""

import pytest
from harness.definitions import CALENDAR
from playwright.sync_api import expect

pytest_plugins = ["webpages"]

SMALL = {"viewport": {"width": 320, "height": 568}}

def places(one, *selectors):
    """The places of elements in the page."""
    return [one.page.locator(selector).first.bounding_box() for selector in selectors]


@pytest.mark.parametrize("locale", ["en", "de"])
def test_the_first_answer_and_a_lost_connection_do_not_move_the_picker_at_320_px(
        window, server, wire, locale):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", port=wire.port, phone=True, locale=locale, **SMALL)
    expect(ana.page.locator(".picker-title")).not_to_be_empty()
    before = places(ana, ".scroller")

    ana.day("2018-11-05").tap()
    expect(ana.page.locator(".latency")).to_contain_text("ms")
    assert places(ana, ".scroller") == before
    wire.cut()
    expect(ana.chip).to_have_attribute("data-connection", "waiting")
    expect(ana.chip).to_be_in_viewport(ratio=1)
    assert places(ana, ".scroller") == before
