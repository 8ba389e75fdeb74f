"""How soon a shared link shows days that can be picked, on a slow line (400 ms, 50 KB/s).

    .venv/bin/python Tests/bench/pages.py web .build/web

Each folder is served with `--web`. A cold page has an empty cache, a warm one is opened again in
the same browser. The latency and the rate are Chromium's emulation, at 390 px.
"""

import argparse
import json
import statistics
import subprocess
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
CALENDAR = {"kind": "calendar", "months": {"from": "thisMonth", "through": "thisMonth+P17M"},
            "min": "today", "maxDays": 14}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True,
         "device_scale_factor": 2}
LINE = {"offline": False, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}
#: Records when the first day can be picked, and by how much the layout has shifted.
OBSERVER = """
  window.figures = { pickable: null, shift: 0 };
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) figures.shift += one.value;
  }).observe({ type: "layout-shift", buffered: true });
  const timer = setInterval(() => {
    const root = document.querySelector("pickerd-calendar")?.shadowRoot;
    const day = ".month:not([data-loading]) .day[data-date]:not([aria-disabled])";
    if (!root?.querySelector(day)) return;
    clearInterval(timer);
    requestAnimationFrame(() => { figures.pickable = performance.now(); });
  }, 10);
"""


def served(binary, folder):
    """A server of a folder, and its URL."""
    server = subprocess.Popen(
        [binary, "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--web", folder],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in server.stdout:
        if "http://127.0.0.1:" in line:
            return server, "http://127.0.0.1:" + line.split("http://127.0.0.1:")[1].split()[0].strip("/,")
    raise SystemExit("pickerd has not started")


def opened(context, link):
    """The figures of one load of a link."""
    page = context.new_page()
    page.add_init_script(OBSERVER)
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", LINE)
    byte_counts = []
    network.on("Network.loadingFinished", lambda event: byte_counts.append(event["encodedDataLength"]))
    page.goto(link, wait_until="commit")
    page.wait_for_function("() => window.figures?.pickable", timeout=60_000)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1000)
    figures = page.evaluate("figures")
    if page.evaluate("navigator.serviceWorker?.controller === null"
                     " && navigator.serviceWorker.getRegistration().then((one) => !!one)"):
        page.evaluate("navigator.serviceWorker.ready.then(() => undefined)")
        page.wait_for_timeout(500)
    page.close()
    return figures["pickable"] / 1000, len(byte_counts), sum(byte_counts) / 1000, figures["shift"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--binary", default=str(REPOSITORY / ".build/release/pickerd"))
    parser.add_argument("--chromium", default="/usr/bin/chromium-headless-shell")
    options = parser.parse_args()
    print("| folder | page | first days, median (all) s | requests | KB | layout shift |")
    print("|---|---|---|---|---|---|")
    for folder in options.folders:
        server, url = served(options.binary, folder)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=options.chromium, args=["--no-sandbox", "--disable-gpu"])
            loads = {"cold": [], "warm": []}
            for _ in range(options.rounds):
                request = urllib.request.Request(
                    url + "/v1/sessions", json.dumps({"definition": CALENDAR}).encode(),
                    {"content-type": "application/json"})
                with urllib.request.urlopen(request) as answer:
                    link = f"{url}/s/{json.load(answer)['session']}"
                context = browser.new_context(**PHONE)
                for loaded in loads.values():
                    loaded.append(opened(context, link))
                context.close()
            browser.close()
        server.terminate()
        for name, all_loads in loads.items():
            times, requests, sizes, shifts = zip(*all_loads)
            print(f"| {folder} | {name} | {statistics.median(times):.2f}"
                  f" ({', '.join(f'{each:.2f}' for each in times)})"
                  f" | {statistics.median(requests)} | {statistics.median(sizes):.0f}"
                  f" | {statistics.median(shifts):.3f} |", flush=True)


if __name__ == "__main__":
    main()
