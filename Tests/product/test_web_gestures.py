"""Fingers on a phone, and wheels that still turn when something else happens."""

import pytest
from harness.definitions import CALENDAR, LISTS
from harness.fingers import swipe
from harness.pickerd import wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
#: A busy browser draws no frames, and neither does a page in the background.
NO_FRAMES = "() => { window.requestAnimationFrame = () => 1; }"
HIDDEN = """() => {
    Object.defineProperty(document, "hidden", { value: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""
REMOVED = "() => document.querySelector('pickerd-wheels').remove()"


@pytest.fixture
def two(window, server):
    """Ana with a phone, and Bo."""
    session = server.session(LISTS)
    return (window(server, session, name="Ana", phone=True), window(server, session, name="Bo"),
            session)


def fling(one, end="touchEnd"):
    """Turns the first wheel to its end. It still turns afterwards."""
    one.page.evaluate(NO_FRAMES)
    swipe(one.page, one.wheel(0).bounding_box(), up=180, end=end)


def test_confirm_includes_the_row_to_which_a_wheel_still_turns(two):
    ana, bo, session = two
    fling(ana)
    assert session.revision() == 0

    ana.page.eval_on_selector(".act.confirm", "(button) => button.click()")

    expect(bo.chosen).to_have_text("✓ Confirmed. Ubuntu · Xcode")
    assert session.result() == {"keys": ["Ubuntu", "Xcode"]}
    # A finger on them scrolls the page now.
    expect(ana.wheel(0)).to_have_css("touch-action", "auto")


def test_undo_takes_the_turn_of_a_wheel_back(two):
    ana, bo, session = two
    fling(ana)

    ana.page.eval_on_selector(".act.undo", "(button) => button.click()")

    wait_until(lambda: session.revision() == 2, what="a selection, and its end")
    expect(bo.chosen).to_have_text("MacOS · Xcode")


@pytest.mark.parametrize("goes", [HIDDEN, REMOVED], ids=["into the background", "out of the page"])
def test_an_element_that_goes_selects_the_row_of_a_turning_wheel(two, goes):
    ana, bo, session = two
    fling(ana)

    ana.page.evaluate(goes)

    expect(bo.chosen).to_have_text("Ubuntu · Xcode")
    expect(bo.wheel(0).locator(".row[data-ghost]")).to_have_count(0)
    assert session.revision() == 1


@pytest.mark.motion
def test_a_gesture_of_the_system_does_not_stop_a_wheel_that_turns(two):
    ana, bo, session = two
    ana.page.evaluate(NO_FRAMES)
    ana.type_at(0, "End")

    swipe(ana.page, ana.wheel(0).bounding_box(), up=0, end="touchCancel")

    expect(bo.chosen).to_have_text("Ubuntu · Xcode")
    assert session.revision() == 1


@pytest.mark.motion
def test_a_cancelled_gesture_selects_nothing(two):
    ana, bo, session = two

    swipe(ana.page, ana.wheel(0).bounding_box(), up=180, end="touchCancel")

    expect(ana.selected(0)).to_have_text("MacOS")
    ana.page.wait_for_function(
        "() => !document.querySelector('pickerd-wheels').views[0].motion.isMoving")
    bo.type_at(1, "ArrowDown")
    expect(ana.chosen).to_have_text("MacOS · VSCode")
    assert session.revision() == 1


def test_a_finger_that_is_held_drags_a_range_and_another_one_scrolls(window, server):
    session = server.session(CALENDAR)
    ana = window(server, session, name="Ana", phone=True)
    bo = window(server, session, name="Bo")
    scroller = ana.page.locator(".scroller")
    top = "(one) => one.scrollTop"
    before = scroller.evaluate(top)
    browser = ana.page.context.new_cdp_session(ana.page)

    def touch(kind, *dates):
        boxes = [ana.day(date).bounding_box() for date in dates]
        points = [{"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
                  for box in boxes]
        browser.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    # Held, and then moved: the first day is taken at once, the last one when it is lifted.
    touch("touchStart", "2018-11-27")
    expect(ana.day("2018-11-27")).to_have_attribute("aria-selected", "true")
    for date in ("2018-11-28", "2018-12-05", "2018-12-06"):
        touch("touchMove", date)
    expect(ana.month("2018-12").locator(".bands.preview .band")).to_have_count(2)
    touch("touchEnd")
    expect(bo.chosen).to_have_text("Nov 27 – Dec 6, 2018 · 10 days")
    ana.is_idle()
    assert session.revision() == 2
    assert scroller.evaluate(top) == before, "the list has not moved"

    # Held and lifted: the first day, and no click on it again.
    touch("touchStart", "2018-12-12")
    expect(ana.day("2018-12-12")).to_have_attribute("aria-selected", "true")
    touch("touchEnd")
    ana.day("2018-12-14").tap()
    expect(bo.chosen).to_have_text("Dec 12 – 14, 2018 · 3 days")
    ana.is_idle()
    assert session.revision() == 4

    # Held, and moved to the edge: the list scrolls, here to its end.
    touch("touchStart", "2018-12-06")
    expect(ana.day("2018-12-06")).to_have_attribute("aria-selected", "true")
    box = scroller.bounding_box()
    edge = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] - 9}
    browser.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [edge]})
    expect(ana.day("2019-12-31")).to_be_in_viewport()
    # At rest: a day that is still moving is another one when the finger arrives.
    wait_until(lambda: scroller.evaluate(
        "(one) => one.scrollTop + one.clientHeight >= one.scrollHeight - 1"))
    touch("touchMove", "2019-12-18")
    touch("touchEnd")
    expect(bo.chosen).to_contain_text("Dec 6, 2018 – Dec 18, 2019")
    ana.is_idle()
    assert session.revision() == 6
    scroller.evaluate("(one, top) => one.scrollTo({ top, behavior: 'instant' })", before)
    expect(ana.day("2018-12-12")).to_be_in_viewport()

    # Moved at once: the list scrolls, and nothing is chosen.
    swipe(ana.page, ana.day("2018-12-12").bounding_box())
    ana.page.wait_for_function(
        "(before) => document.querySelector('pickerd-calendar').shadowRoot"
        ".querySelector('.scroller').scrollTop > before", arg=before)
    ana.is_idle()
    assert session.revision() == 6
