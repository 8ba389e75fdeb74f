"""Taps of other sessions while 10,000 members leave at the same time; pickerd only."""

import contextlib
import multiprocessing
import resource
import tempfile
import time
from statistics import median, quantiles

from attack import victims
from attack.lines import Line
from servers import Pickerd, database

MEMBERS = 10_000
DEFINITION = {"kind": "columns", "columns": [["a", "b", "c", "d"]] * 2}
#: After this time without a connection a member leaves; two minutes by default.
ABSENCE_MS = 4000
SECONDS = 5.0


def leaving(store):
    """Milliseconds of the taps from one second before the leaves on."""
    options = ("--limit", f"memberMilliseconds={ABSENCE_MS}",
               "--limit", "connectionsPerAddress=100000")
    server = Pickerd(store=store, options=options, loops=2, is_pinned=False)
    try:
        paths = server.create(DEFINITION, MEMBERS + victims.COUNT)
        with contextlib.ExitStack() as connections:
            for path in paths[victims.COUNT:]:
                line = Line(server.port, path)
                connections.callback(line.socket.close)
                line.join()
            left = time.monotonic()
        time.sleep(max(0, left + ABSENCE_MS / 1000 - 1 - time.monotonic()))
        found = multiprocessing.Queue()
        tapping = multiprocessing.Process(
            target=victims.measure, args=(server.port, paths[:victims.COUNT], SECONDS, found))
        tapping.start()
        latencies = found.get()
        tapping.join()
        if isinstance(latencies, str):
            raise SystemExit(f"departures: {latencies}")
        return {"p50": median(latencies) / 1000, "p99": quantiles(latencies, n=100)[98] / 1000,
                "max": max(latencies) / 1000}
    finally:
        server.kill()


def departures():
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    found = {}
    with tempfile.TemporaryDirectory() as folder, database() as postgres:
        stores = {"memory": "memory:", "SQLite": f"sqlite:{folder}/store.sqlite",
                  "PostgreSQL": postgres}
        for name, store in stores.items():
            for key, value in leaving(store).items():
                found[f"{name}: ms of a tap, {key}"] = value
    return found
