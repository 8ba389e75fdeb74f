#!/usr/bin/env python3
"""many.py [COUNT]: start-up with COUNT (100,000) evicted sessions, and midnight for all of them.

Copies one evicted session COUNT times with SQL, starts a server on the file, and sets the clock a
day ahead while a member of another session taps. Prints times and memory. PICKERD is the server's
binary.
"""

import http.client
import json
import pathlib
import re
import sqlite3
import sys
import tempfile
import threading
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "product"))

from harness.definitions import LISTS  # noqa: E402
from harness.pickerd import wait_until  # noqa: E402
from harness.store import stored  # noqa: E402

COUNT = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000


def metric(server, name):
    text = server.metrics().body.decode()
    return int(re.search(rf"^{name} (\d+)", text, re.M)[1])


def status(server, name):
    text = pathlib.Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(rf"{name}:\s+(\d+)", text)[1]) // 1024


def multiply(path):
    with closing(sqlite3.connect(path)) as store, store:
        store.execute("""
            WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i <= ?)
            INSERT INTO session SELECT i, id || i, epoch || i, origin, ttlSeconds, entryCount,
              hasMembers, nextTick, activeAt FROM n, session WHERE number = 1""", (COUNT,))
        store.execute("""
            INSERT INTO entry (session, place, body) SELECT s.number, e.place, e.body FROM session s, entry e
            WHERE e.session = 1 AND s.number > 1""")
        store.execute("""
            INSERT INTO snapshot SELECT s.number, p.place, p.revision, p.isIdle, p.body
            FROM session s, snapshot p WHERE p.session = 1 AND s.number > 1""")


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    path = folder / "store.sqlite"
    server = stored(folder / "log", path, limits={"sessions": 1_000_000})
    session = server.session({"kind": "date", "timeZone": "Asia/Shanghai", "min": "today"}, now=None)
    ana = session.join("Ana")
    for row in (3, 5, 7):
        ana.select(1, row)
    ana.leave()
    wait_until(lambda: metric(server, "pickerd_sessions_resident") == 0)
    server.stop()
    multiply(path)
    print(f"file: {path.stat().st_size >> 20} MiB, {COUNT + 1} sessions")

    begun = time.monotonic()
    server.start()
    print(f"start: {time.monotonic() - begun:.2f} s, RSS {status(server, 'VmRSS')} MiB")
    other = server.session(LISTS, now=None)
    ana = other.join("Ana")
    print("a tap before midnight:", describe(taps(ana, 200)))

    batches = metric(server, "pickerd_store_batches_total")
    is_over = threading.Event()
    times = []
    tapper = threading.Thread(target=lambda: times.extend(taps(ana, None, is_over)))
    tapper.start()
    begun = time.monotonic()
    midnight(server)
    print(f"midnight: {time.monotonic() - begun:.1f} s, RSS at most {status(server, 'VmHWM')} MiB, "
          f"{metric(server, 'pickerd_store_batches_total') - batches} transactions")
    is_over.set()
    tapper.join()
    print("a tap meanwhile:", describe(times))
    server.stop()


def midnight(server):
    """Sets the clock, which returns when all sessions have ticked."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    tomorrow = tomorrow.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=1800)
    connection.request(
        "POST", "/v1/clock", json.dumps({"now": tomorrow}),
        {"Content-Type": "application/json"})
    assert connection.getresponse().status == 200


def taps(member, count, is_over=None):
    times = []
    while (count is None or len(times) < count) and not (is_over and is_over.is_set()):
        row = (member.screen.columns[0]["row"] + 1) % 4
        begun = time.monotonic()
        ref = member.ask_select(0, row)
        member.answer(ref, timeout=600)
        times.append(time.monotonic() - begun)
        time.sleep(0.002)
    return times


def describe(times):
    times = sorted(times)
    return (f"{len(times)} taps, median {times[len(times) // 2] * 1000:.1f} ms, "
            f"99 % {times[len(times) * 99 // 100] * 1000:.1f} ms, worst {times[-1] * 1000:.1f} ms")


if __name__ == "__main__":
    main()
