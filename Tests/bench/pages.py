"""How soon a shared link shows days that can be picked, on a slow line (400 ms, 50 KB/s), and how
soon a tap on a day is painted.

    .venv/bin/python Tests/bench/pages.py web .build/web

Each folder is served with `--web`. A cold page has an empty cache, a warm one is opened again in
the same browser. The latency and the rate are Chromium's emulation, at 390 px. Taps are made with a
finger at 390 px, on a calendar with prices, also with a CPU that is slowed down to a quarter. Their
time is that from the release of the finger until the day is painted as selected; beside it stands
the duration of the interaction by Chromium's Event Timing, from touch to paint.
"""

import argparse
import datetime
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
#: Records the taps on days: milliseconds until the day is painted as selected, and Event Timing.
TAPS = """
  window.taps = { painted: [], interactions: new Map() };
  new PerformanceObserver((list) => {
    for (const { interactionId: id, duration } of list.getEntries()) {
      if (id) taps.interactions.set(id, Math.max(duration, taps.interactions.get(id) ?? 0));
    }
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
  addEventListener("pointerup", (event) => {
    const day = event.composedPath().find((one) => one.dataset?.date);
    new MutationObserver((_, observer) => {
      if (day.getAttribute("aria-selected") !== "true") return;
      observer.disconnect();
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => taps.painted.push(performance.now() - event.timeStamp);
        port2.postMessage(null);
      });
    }).observe(day, { attributes: true, attributeFilter: ["aria-selected"] });
  }, true);
"""
TAP_COUNT = 60


def served(binary, folder):
    """A server of a folder, and its URL."""
    server = subprocess.Popen(
        [binary, "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--web", folder],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in server.stdout:
        if "http://127.0.0.1:" in line:
            address = line.split("http://127.0.0.1:")[1].split()[0].strip("/,")
            return server, "http://127.0.0.1:" + address
    raise SystemExit("pickerd has not started")


def opened(context, link):
    """The figures of one load of a link."""
    page = context.new_page()
    page.add_init_script(OBSERVER)
    network = context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", LINE)
    byte_counts = []
    network.on("Network.loadingFinished",
               lambda event: byte_counts.append(event["encodedDataLength"]))
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


def tapped(context, link, slowdown):
    """The milliseconds of taps on days: until painted, and of the interactions."""
    page = context.new_page()
    page.goto(link)
    page.wait_for_selector(".month:not([data-loading]) .day[data-date]")
    page.wait_for_load_state("networkidle")
    page.locator("pickerd-calendar .turn").last.tap()
    page.wait_for_timeout(2000)
    page.evaluate(TAPS)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    days = page.locator(".month:not([data-loading]) .day[data-date]:not([aria-disabled])")
    boxes = [box for box in (days.nth(at).bounding_box() for at in range(days.count()))
             if page.evaluate("([x, y]) => !!document.querySelector('pickerd-calendar').shadowRoot"
                              ".elementFromPoint(x, y)?.closest('.day')", middle(box))]
    # In their order, so that a range begins on no day of the one before it.
    for count in range(TAP_COUNT):
        page.touchscreen.tap(*middle(boxes[count % (len(boxes) // 2 * 2)]))
        page.wait_for_function("(count) => taps.painted.length === count", arg=count + 1)
        page.wait_for_timeout(300)
    figures = page.evaluate("[taps.painted, [...taps.interactions.values()]]")
    page.close()
    return figures


def middle(box):
    return [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]


def percentiles(values):
    """The p50, p75 and p98 of at least one value."""
    ascending = sorted(values)
    at = lambda share: ascending[min(len(ascending) - 1, int(len(ascending) * share))]
    return " / ".join(f"{at(share):.0f}" for share in (0.5, 0.75, 0.98))


def link_of(url, prices=False):
    """The link of a new session."""
    session = sent(url + "/v1/sessions", "POST", {"definition": CALENDAR})["session"]
    if prices:
        first = datetime.date.today()
        days = {str(first + datetime.timedelta(at)): {"text": f"€ {90 + at % 7 * 10}"}
                for at in range(200)}
        sent(f"{url}/v1/sessions/{session}/notes", "PATCH", {"days": days})
    return f"{url}/s/{session}"


def sent(url, method, body):
    request = urllib.request.Request(url, json.dumps(body).encode(),
                                     {"content-type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def measure_loads(browser, url, folder, rounds):
    loads = {"cold": [], "warm": []}
    for _ in range(rounds):
        link = link_of(url)
        context = browser.new_context(**PHONE)
        for loaded in loads.values():
            loaded.append(opened(context, link))
        context.close()
    for name, all_loads in loads.items():
        times, requests, sizes, shifts = zip(*all_loads)
        print(f"| {folder} | {name} | {statistics.median(times):.2f}"
              f" ({', '.join(f'{each:.2f}' for each in times)})"
              f" | {statistics.median(requests)} | {statistics.median(sizes):.0f}"
              f" | {statistics.median(shifts):.3f} |", flush=True)


def measure_taps(browser, url, folder):
    for slowdown in (1, 4):
        context = browser.new_context(**PHONE)
        painted, interactions = tapped(context, link_of(url, prices=True), slowdown)
        context.close()
        print(f"{folder}, CPU / {slowdown}: {len(painted)} taps painted after"
              f" {percentiles(painted)} ms, interactions {percentiles(interactions)} ms"
              " (p50 / p75 / p98)", flush=True)


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
            measure_loads(browser, url, folder, options.rounds)
            measure_taps(browser, url, folder)
            browser.close()
        server.terminate()


if __name__ == "__main__":
    main()
