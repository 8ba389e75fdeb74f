"""Makes the moving picture of README, Ana's phone and Bo's tablet in one session until they
confirm, and the picture of the home page for previews of its link.

    PICKERD=.build/release/pickerd .venv/bin/python Tests/product/make_pictures.py [FOLDER]

With FOLDER, each frame is written there as well, to look at. With `pngquant` the picture of the
home page becomes a third as large.
"""

import io
import shutil
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from harness.pickerd import Pickerd  # noqa: E402
from PIL import Image  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from webpages import CHROMIUM  # noqa: E402

PICTURES = Path(__file__).resolve().parents[2] / "web/demo/screenshots"
NOW = "2026-12-01T09:00:00Z"
STAY = {"kind": "calendar", "unit": "nights", "currency": "EUR", "locale": "en", "firstWeekday": 2, "weeks": "fit",
        "months": {"from": "2026-12", "through": "2027-03"}, "min": "2026-12-03", "maxNights": 14,
        "timeZone": "Europe/Berlin",
        "taken": {"booking-1": {"from": "2026-12-04", "through": "2026-12-06"},
                  "booking-2": {"from": "2026-12-24", "through": "2026-12-26"}}}
#: How long frames are shown, in milliseconds.
STEP, LOOK, READ = 70, 900, 2400
#: The frames of a finger on its way.
WAY = 6

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Two devices</title>
<style>
  * { box-sizing: border-box; }
  body { margin: 0; inline-size: 860px; block-size: 560px; background: #f7f6f3; color: #55514a; overflow: hidden;
    font: 550 15px/20px system-ui, "Noto Sans", sans-serif; }
  .device { position: absolute; overflow: hidden; background: light-dark(#fff, #1a1b19); border: 7px solid #24231f;
    box-shadow: 0 12px 36px #28221430; display: grid; grid-template-rows: minmax(0, 1fr); padding: 8px 8px 0; }
  #ana { color-scheme: light; inset: 52px auto auto 44px; inline-size: 320px; block-size: 480px; border-radius: 40px; }
  #bo { color-scheme: dark; inset: 52px auto auto 408px; inline-size: 412px; block-size: 480px; border-radius: 28px; }
  .name { position: absolute; inset-block-start: 18px; }
  pickerd-calendar { min-block-size: 0; --pickerd-calendar-height: 100%; }
  .finger { position: absolute; z-index: 9; inline-size: 34px; block-size: 34px; margin: -17px; border-radius: 50%;
    background: #7d7a7166; border: 2px solid #7d7a71aa; }
  .finger.down { background: #7d7a71cc; scale: .82; }
</style>
<p class="name" style="left: 60px">Ana's phone</p><p class="name" style="left: 424px">Bo's tablet, in German</p>
<div class="device" id="ana"></div><div class="device" id="bo"></div>
<div class="finger" style="left: 200px; top: 640px"></div>
"""

JOIN = """async ([id, session, name, locale]) => {
  const { connect } = await import("/client/elements.js");
  const picker = await connect(session, { name, locale, identity: "none" });
  const element = document.createElement("pickerd-calendar");
  element.setAttribute("frame", "none");
  element.setAttribute("locale", locale);
  element.setAttribute("months", "1");
  element.picker = picker;
  document.getElementById(id).append(element);
}"""


class Film:
    """The frames of a page, with a finger that moves over it."""

    def __init__(self, page):
        self.page, self.frames = page, []
        self.x, self.y = 200.0, 640.0

    def shows(self, milliseconds):
        self.frames.append((Image.open(io.BytesIO(self.page.screenshot())).convert("RGB"), milliseconds))

    def _finger(self, x, y, is_down=False):
        self.page.evaluate(
            """([x, y, isDown]) => {
              const finger = document.querySelector(".finger");
              finger.style.left = `${x}px`;
              finger.style.top = `${y}px`;
              finger.classList.toggle("down", isDown);
            }""", [x, y, is_down])

    def moves(self, x, y):
        x0, y0 = self.x, self.y
        for step in range(1, WAY + 1):
            part = step / WAY
            eased = part * part * (3 - 2 * part)
            self._finger(x0 + (x - x0) * eased, y0 + (y - y0) * eased)
            self.shows(STEP)
        self.x, self.y = x, y

    def taps(self, target):
        """Moves the finger to an element and taps it; the frame after it is the caller's."""
        box = target.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.moves(x, y)
        self._finger(x, y, True)
        self.shows(2 * STEP)
        target.dispatch_event("click")
        self._finger(x, y)

    def rests(self):
        self.moves(390.0, 600.0)

    def write(self, path):
        """As an animated PNG: exact colors, and what does not change costs nothing."""
        (first, _), *others = self.frames
        first.save(path, save_all=True, append_images=[image for image, _ in others], loop=0, optimize=True,
                   duration=[milliseconds for _, milliseconds in self.frames])


def prices():
    """More on Fridays and Saturdays."""
    days = [date(2026, 12, 3) + timedelta(days=count) for count in range(60)]
    amounts = {day: 140 if day.weekday() in (4, 5) else 95 for day in days}
    return {day.isoformat(): {"text": {"en": f"€{amount}", "de": f"{amount} €"}, "amount": amount}
            for day, amount in amounts.items()}


def day(page, device, date_):
    return page.locator(f"#{device} .day[data-date='{date_}']").first


def film(page, server):
    session = server.session(STAY, now=NOW, title="A stay", notes={"days": prices()})
    address = f"http://127.0.0.1:{server.port}"
    # A page of the server's origin, without the policy of its HTML.
    page.goto(f"{address}/client/pickerd.js")
    page.set_content(PAGE)
    for name, locale in (("Ana", "en"), ("Bo", "de")):
        page.evaluate(JOIN, [name.lower(), f"{address}{session.path}", name, locale])
        page.locator(f"#{name.lower()} .month:not([data-loading])").first.wait_for()
    made = Film(page)

    def settles(text=None):
        """Waits until both devices have everything, and show a sentence."""
        page.wait_for_function("""() => {
          const [one, other] = [...document.querySelectorAll("pickerd-calendar")].map(({ picker }) => picker);
          return one.pendingCount + other.pendingCount === 0 && one.state.revision === other.state.revision;
        }""")
        if text:
            page.locator("#ana .note[data-shown]", has_text=text).wait_for()
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")

    made.shows(LOOK)
    made.taps(day(page, "ana", "2026-12-16"))
    settles()
    made.shows(LOOK)
    made.taps(day(page, "bo", "2026-12-22"))
    settles()
    made.shows(READ // 2)
    made.rests()
    session.patch(
        "definition", {"taken": {"booking-3": {"from": "2026-12-20", "through": "2026-12-21"}}})
    settles("now ends")
    made.shows(READ)
    made.taps(page.locator("#ana").get_by_role("button", name="Confirm"))
    page.wait_for_function("""() => [...document.querySelectorAll("pickerd-calendar")].every(
      ({ picker }) => picker.state.status === "confirmed")""")
    settles()
    made.rests()
    made.shows(READ)
    return made


def home(browser, server):
    """The picture of the home page."""
    picture = PICTURES / "home.png"
    context = browser.new_context(locale="en-US", viewport={"width": 1200, "height": 630})
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/")
    page.wait_for_selector("[data-tour=live] .month:not([data-loading])")
    page.screenshot(path=picture)
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--ext=.png", picture], check=True)


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        # With the time of the system, as the home page has it; the film's session has its own.
        servers = [Pickerd(Path(folder) / "log"), Pickerd(Path(folder) / "home", clock=None)]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            page = browser.new_page(viewport={"width": 860, "height": 560}, device_scale_factor=1.5,
                                    reduced_motion="reduce")
            page.clock.set_fixed_time(NOW)
            made = film(page, servers[0])
            home(browser, servers[1])
        finally:
            browser.close()
            for server in servers:
                server.stop()
    picture = PICTURES / "two-devices.png"
    made.write(picture)
    for index, (image, _) in enumerate(made.frames):
        if len(sys.argv) > 1:
            image.save(Path(sys.argv[1]) / f"{index:02}.png")
    print(picture, len(made.frames), "frames", picture.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
