"""Wheels in two browser windows."""

import time

import pytest
from harness.definitions import DATE, LISTS, SLOT, TREE
from harness.pickerd import wait_until
from playwright.sync_api import expect
from test_web_calendar import two

pytest_plugins = ["webpages"]
pytestmark = pytest.mark.used_pages


def test_a_clamp_is_shown_with_values_reason_and_author(window, server):
    ana, bo, _ = two(window, server, DATE)
    # Announced up to two seconds later, and would replace what is announced until then.
    expect(ana.spoken).to_contain_text("Bo has joined")
    ana.type_at(0, "2", "0", "1", "7")
    expect(bo.selected(0)).to_have_text("2017")
    ana.type_at(1, "3")
    expect(ana.selected(1)).to_have_text("March")
    expect(bo.selected(1)).to_have_text("March")
    ana.type_at(2, "End")
    expect(bo.chosen).to_have_text("Friday, March 31, 2017")

    ana.type_at(1, "ArrowUp")

    expect(bo.chosen).to_have_text("Tuesday, February 28, 2017")
    for one in (ana, bo):
        expect(one.tip).to_have_text("February has 28 days")
        expect(one.wheel(2).locator(".row.struck")).to_have_text("31")
        expect(one.note.get_by_text("February has 28 days")).to_have_count(0)
    expect(ana.spoken).to_contain_text("February has 28 days")
    expect(bo.spoken).to_contain_text("February has 28 days")


def test_a_correction_and_the_row_that_was_wanted_go_with_the_next_own_change(window, server):
    session = server.session({**DATE, "min": "2000-01-01", "initial": "2017-01-31"})
    ana = window(server, session, name="Ana")
    ana.type_at(1, "ArrowDown")
    expect(ana.tip).to_have_text("February has 28 days")
    struck = ana.wheel(2).locator(".row.struck")
    expect(struck).to_be_visible()
    lens = ana.wheel(2).locator(".lens").bounding_box()
    wanted, tip = struck.bounding_box(), ana.tip.bounding_box()
    assert abs(wanted["y"] - lens["y"] - lens["height"]) < 2, "it is directly below the lens"
    assert 0 < tip["y"] - wanted["y"] - wanted["height"] < 12, "and the reason below it"
    assert tip["x"] < lens["x"] + lens["width"] and lens["x"] < tip["x"] + tip["width"]

    ana.type_at(1, "ArrowDown")
    ana.type_at(2, "ArrowUp")

    expect(ana.chosen).not_to_contain_text("February")
    expect(ana.tip).to_be_hidden()
    expect(struck).to_be_hidden()


def test_a_tip_goes_by_itself_and_leaves_the_rows_in_their_places(window, server):
    session = server.session({**DATE, "min": "2000-01-01", "initial": "2017-01-31"})
    ana = window(server, session, name="Ana")
    ana.page.clock.install()
    ana.type_at(1, "ArrowDown")
    ana.page.clock.run_for(300)
    expect(ana.tip).to_be_visible()

    ana.page.clock.run_for(5000)

    expect(ana.tip).to_be_hidden()
    expect(ana.wheel(2).locator(".row.struck")).to_be_hidden()
    expect(ana.selected(2)).to_have_text("28")


FAST = """([first, second]) => {
    const press = (wheel, key) => wheel.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, composed: true, cancelable: true }));
    first.focus();
    press(first, "ArrowDown");
    second.focus();
    press(second, "ArrowDown");
  }"""


def test_linked_columns_that_are_typed_fast_wait_for_the_own_change(window, server):
    """Regression: the second key selected a row of the former column, and was refused."""
    ana, bo, session = two(window, server, TREE)

    ana.page.evaluate(FAST, [ana.wheel(0).element_handle(), ana.wheel(1).element_handle()])

    expect(bo.chosen).to_have_text("Sichuan · Leshan")
    expect(ana.chosen).to_have_text("Sichuan · Leshan")
    expect(ana.note).to_have_count(0)
    assert session.result() == {"keys": ["Sichuan", "Leshan"]}


def test_undo_and_redo_are_shown_as_a_return_to_the_former_value(window, server):
    ana, bo, _ = two(window, server, DATE)
    ana.type_at(0, "2", "0", "0", "0")
    expect(bo.note).to_contain_text("Ana set Year to 2000")

    bo.note.get_by_role("button", name="Undo").click()

    expect(ana.selected(0)).to_have_text("2018")
    expect(ana.note).to_contain_text("Bo went back to Year 2018")

    bo.button("Redo").click()

    expect(ana.note).to_contain_text("Bo went back to Year 2000")

    expect(bo.button("Redo")).to_have_attribute("aria-disabled", "true")
    bo.button("Redo").click(force=True)

    expect(bo.note).to_contain_text("There is nothing to redo.")


def test_the_arrow_buttons_select_the_next_row_and_are_large_enough(window, server):
    ana, bo, _ = two(window, server, LISTS)
    down = ana.page.get_by_role("button", name="Column 1: next")

    down.click()

    expect(bo.selected(0)).to_have_text("Windows")
    box = down.bounding_box()
    assert box["width"] >= 44 and box["height"] >= 44
    ana.page.get_by_role("button", name="Column 1: previous").click()
    expect(bo.selected(0)).to_have_text("MacOS")


@pytest.mark.motion
def test_a_notch_of_the_mouse_wheel_moves_one_row(window, server):
    ana, bo, _ = two(window, server, LISTS)
    ana.page.mouse.move(*ana.middle(0))

    ana.page.mouse.wheel(0, 100)
    ana.page.mouse.wheel(0, 100)

    expect(bo.selected(0)).to_have_text("Linux")


@pytest.mark.motion
def test_a_drag_selects_the_row_on_release(window, server):
    ana, bo, session = two(window, server, LISTS)

    ana.hold(0, rows=2)
    expect(ana.selected(0)).to_have_text("Linux")
    assert session.revision() == 0
    ana.let_go()

    expect(bo.selected(0)).to_have_text("Linux")
    assert session.revision() == 1


@pytest.mark.motion
def test_a_flick_scrolls_on_and_snaps_to_a_row(window, server):
    ana, bo, _ = two(window, server, DATE)
    x, y = ana.middle(0)
    before = int(ana.selected(0).text_content())
    devtools = ana.page.context.new_cdp_session(ana.page)
    start = time.time() - 0.2

    def mouse(kind, pixels, seconds):
        # With its own time, so that a busy machine does not make the flick a drag.
        devtools.send("Input.dispatchMouseEvent", {
            "type": kind, "x": x, "y": y - 60 + pixels, "button": "left", "buttons": 1,
            "clickCount": 1, "timestamp": start + seconds})

    mouse("mousePressed", 0, 0)
    for step in range(1, 7):
        mouse("mouseMoved", step * 22, step * 0.012)
    mouse("mouseReleased", 132, 0.075)

    wait_until(lambda: int(bo.selected(0).text_content()) < before - 4,
               what="the wheel to move further than the pointer")

    def snapped():
        """Whether both wheels show the same row, in the middle of Ana's."""
        middle, row = ana.wheel(0).bounding_box(), ana.selected(0).bounding_box()
        off = (row["y"] + row["height"] / 2) - (middle["y"] + middle["height"] / 2)
        same = ana.selected(0).text_content() == bo.selected(0).text_content()
        return same and ana.picker("pendingCount") == 0 and abs(off) < 1.5

    wait_until(snapped, what="a row in the middle of the wheel")


@pytest.mark.motion
def test_an_elapsed_slot_moves_to_the_next_one(window, server):
    ana, bo, _ = two(window, server, SLOT)
    expect(ana.selected(0)).to_have_text("Today, Nov 23")
    expect(ana.chosen).to_have_text("Today, Nov 23 10:20 AM")
    bo.type_at(1, "1", "1")
    expect(ana.chosen).to_have_text("Today, Nov 23 11:00 AM")

    server.clock("2018-11-23T11:30:00+08:00")

    expect(ana.chosen).to_have_text("Today, Nov 23 11:50 AM")
    expect(ana.note).to_contain_text(
        "It is too late to pick that time: your choice is now Today, Nov 23 11:50 AM")
    expect(bo.spoken).to_contain_text("It is too late to pick that time")


def test_a_row_is_selected_once_it_is_received(window, server, wire):
    """The server is asked for it, and answers late."""
    rows = [{"key": f"k{n}", "text": f"row {n}"} for n in range(2000)]
    session = server.session({"kind": "columns", "columns": [rows]})
    ana, bo = window(server, session, name="Ana", port=wire.port), window(server, session, name="Bo")
    sent = ana.sent()

    def has_sent(type):
        return any(message["type"] == type for message in sent)

    wire.is_mute = True
    began = ana.page.evaluate("performance.now()")
    ana.type_at(0, "End")
    wait_until(lambda: ana.page.evaluate("1") and has_sent("rows"))
    ana.page.wait_for_function(
        "() => !document.querySelector('pickerd-wheels').views[0].motion.isMoving")
    ana.draws()
    # Without an answer it is selected after four seconds, which a busy machine may take till here.
    assert not has_sent("select") or ana.page.evaluate("performance.now()") - began > 4000

    wire.renew()

    expect(bo.selected(0)).to_have_text("row 1999")
    assert bo.wheel(0).locator(".row").count() < 20


@pytest.mark.motion
def test_a_dragged_wheel_does_not_jump_and_a_removed_row_is_not_selected_by_its_index(
        window, server):
    ana, bo, session = two(window, server, TREE)
    ana.hold(1, rows=1)
    expect(ana.selected(1)).to_have_text("Chaozhou")
    bo.type_at(0, "ArrowDown")
    expect(ana.selected(0)).to_have_text("Sichuan")
    ana.draws()
    expect(ana.selected(1)).to_have_text("Chaozhou")

    ana.let_go()

    expect(ana.note).to_contain_text("That is no longer there.")
    expect(ana.chosen).to_have_text("Sichuan · Chengdu · Pixian")
    assert session.result() == {"keys": ["Sichuan", "Chengdu", "Pixian"]}


@pytest.mark.motion
def test_a_dragged_row_that_moved_is_selected_by_its_key(window, server):
    session = server.session({**SLOT, "onParentChange": "keep"})
    ana, bo = window(server, session, name="Ana"), window(server, session, name="Bo")
    bo.type_at(0, "ArrowDown")
    expect(ana.selected(0)).to_have_text("Sat, Nov 24")
    ana.hold(1, rows=3)
    expect(ana.selected(1)).to_have_text("1 PM")

    bo.type_at(0, "ArrowUp")
    expect(ana.selected(0)).to_have_text("Today, Nov 23")
    ana.let_go()

    expect(bo.selected(1)).to_have_text("1 PM")
    expect(ana.selected(1)).to_have_text("1 PM")
