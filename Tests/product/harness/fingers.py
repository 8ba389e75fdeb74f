"""Fingers on the screen of a phone."""


def swipe(page, box, up=120, end="touchEnd"):
    """Moves a finger up by pixels from the middle of a box, and then lifts it, or `touchCancel`."""
    browser = page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def touch(kind, *points):
        browser.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    page.evaluate("window.isSwiped = true")
    touch("touchStart", {"x": x, "y": y})
    for moved in range(20, up + 20, 20):
        touch("touchMove", {"x": x, "y": y - moved})
    touch(end)
    page.evaluate("window.isSwiped = false")


def swipe_up(page, box):
    """Scrolls the page with a finger that begins in the middle of a box.

    Afterwards, the page no longer moves: a tap on a moving one only stops it.
    """
    before = page.evaluate("scrollY")
    page.evaluate("""() => {
        window.isStill = false;
        addEventListener("scrollend", () => { window.isStill = true; }, { once: true });
    }""")
    swipe(page, box)
    page.wait_for_function("(before) => window.isStill && scrollY > before", arg=before)
