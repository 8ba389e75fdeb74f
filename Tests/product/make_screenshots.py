"""Makes the picture of the home page for previews of its link.

    PICKERD=.build/release/pickerd .venv/bin/python Tests/product/make_screenshots.py

With `pngquant` it becomes a third as large. The picture of README: make_moving_picture.py.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from harness.pickerd import Pickerd  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402
from webpages import CHROMIUM  # noqa: E402

PICTURE = Path(__file__).resolve().parents[2] / "web/demo/screenshots/home.png"


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        # With the time of the system, as the home page has it.
        server = Pickerd(Path(folder) / "log", clock=None)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            page = browser.new_context(locale="en-US", viewport={"width": 1200, "height": 630}).new_page()
            page.goto(f"http://127.0.0.1:{server.port}/")
            page.wait_for_selector("[data-tour=live] .month:not([data-loading])")
            page.screenshot(path=PICTURE)
        finally:
            browser.close()
            server.stop()
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--ext=.png", PICTURE], check=True)


if __name__ == "__main__":
    main()
