"""Makes the pictures of README: a stay of two people, the same on a phone, and the wheels of a date.
And that of the home page for previews of its link.

    PICKERD=.build/release/pickerd .venv/bin/python Tests/product/make_screenshots.py

With `pngquant` they become a third as large.
"""

import shutil
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from harness.pickerd import Pickerd  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from webpages import CHROMIUM, PHONE  # noqa: E402

FOLDER = Path(__file__).resolve().parents[2] / "web/demo/screenshots"
STAY = {"kind": "calendar", "unit": "nights", "currency": "EUR", "locale": "en", "firstWeekday": 1,
        "months": {"from": "2026-11", "through": "2027-11"}, "min": "2026-11-10", "maxNights": 21,
        "timeZone": "Europe/Berlin"}
NOW = "2026-11-10T09:00:00Z"
MERGE = {"Content-Type": "application/merge-patch+json"}


def prices():
    days = [date(2026, 11, 10) + timedelta(days=count) for count in range(120)]
    return {day.isoformat(): {"text": "€140", "amount": 140} if day.weekday() in (4, 5)
            else {"text": "€95", "amount": 95, "tone": "low"} for day in days}


def opened(browser, server, session, name, **options):
    context = browser.new_context(
        locale="en-US", timezone_id="Europe/Berlin", **options)
    page = context.new_page()
    page.clock.set_fixed_time(NOW)
    page.add_init_script(f"localStorage.setItem('pickerd name', '{name}')")
    page.goto(f"http://127.0.0.1:{server.port}/s/{session.id}")
    page.wait_for_selector(".month:not([data-loading]), .row:not([hidden])")
    page.wait_for_selector(".share-button")
    return page


def tap(page, day):
    page.locator(f".day[data-date='{day}']").first.click()
    page.wait_for_function("() => document.querySelector('pickerd-calendar').picker.pendingCount === 0")


def stay(browser, server):
    """Ana and Bo have chosen nights; then the last one is sold out, and Ana points at another day."""
    session = server.session(STAY, now=NOW, title="Weekend at the lake")
    server.request("PATCH", session.path + "/notes", {"days": prices()}, headers=MERGE)
    ana = opened(browser, server, session, "Ana", viewport={"width": 1180, "height": 930},
                 device_scale_factor=1.5)
    bo = opened(browser, server, session, "Bo", **PHONE)
    tap(ana, "2026-11-17")
    tap(bo, "2026-11-22")
    sold = {"taken": {"booking": {"from": "2026-11-21", "through": "2026-11-21"}}}
    server.request("PATCH", session.path + "/definition", sold, headers=MERGE)
    for page in (ana, bo):
        page.locator(".note[data-shown]", has_text="now ends").wait_for()
    ana.mouse.move(0, 0)
    ana.wait_for_timeout(1000)
    ana.screenshot(path=FOLDER / "range.png")
    ana.locator(".day[data-date='2026-11-26']").first.hover()
    ana.mouse.down()
    bo.wait_for_timeout(1000)
    bo.screenshot(path=FOLDER / "phone.png")


def wheels(browser, server):
    session = server.session({"kind": "date", "locale": "en", "min": "1950-01-01", "max": "2026-11-10",
                              "initial": "2008-11-22"}, now=NOW,
                             title="When were you born?")
    ana = opened(browser, server, session, "Ana", viewport={"width": 1180, "height": 760},
                 device_scale_factor=1.5)
    bo = opened(browser, server, session, "Bo", viewport={"width": 1180, "height": 760})
    box = bo.locator(".wheel").nth(1).bounding_box()
    bo.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2 - 45)
    bo.mouse.down()
    ana.wait_for_timeout(1000)
    ana.screenshot(path=FOLDER / "wheels.png")


def home(browser, folder):
    """With the time of the system, as the home page has it."""
    server = Pickerd(folder / "home.log", clock=None)
    page = browser.new_context(locale="en-US", viewport={"width": 1200, "height": 630}).new_page()
    page.goto(f"http://127.0.0.1:{server.port}/")
    page.wait_for_selector("[data-tour=live] .month:not([data-loading])")
    page.wait_for_timeout(4000)
    page.screenshot(path=FOLDER / "home.png")
    server.stop()


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Pickerd(Path(folder) / "log")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            stay(browser, server)
            wheels(browser, server)
            home(browser, Path(folder))
        finally:
            browser.close()
            server.stop()
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--ext=.png", *FOLDER.glob("*.png")], check=True)


if __name__ == "__main__":
    main()
