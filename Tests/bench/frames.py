"""Measures the frame rate and frame times of a wheel of 10,000 rows during a flick.

    PICKERD=.build/release/pickerd .venv/bin/python Tests/bench/frames.py

The figures depend on the machine, so no test asserts them.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "product"))

from harness.definitions import LONG  # noqa: E402
from harness.pickerd import Pickerd  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from webpages import CHROMIUM  # noqa: E402

THROWS = 6
#: Records the start of each frame and the time that the page's own scripts took in it.
WATCH = """() => {
  window.frames_ = []; window.work_ = [];
  const ask = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (draw) => ask((at) => {
    const begun = performance.now(); draw(at); window.work_.push(performance.now() - begun); });
  const watch = (at) => { window.frames_.push(at); ask(watch); };
  ask(watch);
}"""


def throw(page, box, upwards):
    x, middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    way = -1 if upwards else 1
    page.mouse.move(x, middle - way * 70)
    page.mouse.down()
    for step in range(1, 8):
        page.mouse.move(x, middle - way * 70 + way * step * 20)
        page.wait_for_timeout(8)
    page.mouse.up()
    page.wait_for_timeout(1600)


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Pickerd(Path(folder) / "log")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            session = server.create(LONG).json["session"]
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(f"http://127.0.0.1:{server.port}/#/s/{session}")
            page.wait_for_selector(".row:not([hidden])")
            page.wait_for_timeout(800)
            page.evaluate(WATCH)
            box = page.locator(".wheel").bounding_box()
            for number in range(THROWS):
                throw(page, box, upwards=number % 3 != 2)
            frames, work = page.evaluate("[window.frames_, window.work_]")
            gaps = sorted(after - before for before, after in zip(frames, frames[1:]))
            work.sort()
            rows = page.locator(".row").count()
            at = page.locator('.row[aria-selected="true"]').text_content()
        finally:
            browser.close()
            server.stop()
    mean = sum(gaps) / len(gaps)
    print(f"{THROWS} throws over 10,000 rows, now at {at}; {rows} rows in the DOM")
    print(f"{len(gaps)} frames, {1000 / mean:.1f} a second; between two: median {gaps[len(gaps) // 2]:.1f} ms, "
          f"95 % within {gaps[int(len(gaps) * .95)]:.1f} ms, longest {gaps[-1]:.1f} ms")
    print(f"the wheel's own script in a frame: median {work[len(work) // 2]:.2f} ms, "
          f"95 % within {work[int(len(work) * .95)]:.2f} ms, longest {work[-1]:.1f} ms")


if __name__ == "__main__":
    main()
