"""Fingers on a phone, and wheels that still turn when something else happens."""

import pytest
from harness.definitions import LISTS
from harness.fingers import swipe, swipe_up
from harness.pickerd import wait_until
from playwright.sync_api import expect

pytest_plugins = ["webpages"]
#: A busy browser draws no frames, and neither does a page in the background.
NO_FRAMES = "() => { window.requestAnimationFrame = () => 1; }"
HIDDEN = """() => {
    Object.defineProperty(document, "hidden", { value: true });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


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


def test_undo_takes_the_turn_of_a_wheel_back(two):
    ana, bo, session = two
    fling(ana)

    ana.page.eval_on_selector(".act.undo", "(button) => button.click()")

    wait_until(lambda: session.revision() == 2, what="a selection, and its end")
    expect(bo.chosen).to_have_text("MacOS · Xcode")


def test_a_page_that_goes_into_the_background_selects_the_row_of_a_turning_wheel(two):
    ana, bo, session = two
    fling(ana)

    ana.page.evaluate(HIDDEN)

    expect(bo.chosen).to_have_text("Ubuntu · Xcode")
    expect(bo.wheel(0).locator(".row[data-ghost]")).to_have_count(0)
    assert session.revision() == 1


def test_a_removed_element_selects_the_row_of_a_turning_wheel(two):
    ana, bo, session = two
    fling(ana)

    ana.page.eval_on_selector("pickerd-wheels", "(one) => one.remove()")

    expect(bo.chosen).to_have_text("Ubuntu · Xcode")


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


def test_a_finger_on_the_wheels_of_a_confirmed_picker_scrolls_the_page(two):
    ana, bo, session = two
    ana.button("Confirm").tap()
    expect(ana.chosen).to_contain_text("Confirmed")

    swipe_up(ana.page, ana.wheel(0).bounding_box())
