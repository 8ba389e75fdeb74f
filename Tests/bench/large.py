"""One session of 10,000 members on two loops, with and without slow members; pickerd only."""

import json
import subprocess
import tempfile

from generator import arguments, write_rooms
from scenarios import Scenario
from servers import Pickerd

MEMBERS = 10_000
LARGE = Scenario("large", [(1, MEMBERS, True)], 100)
#: Taps a second, each measured for some seconds.
RATES, SECONDS = (100, 50, 25, 10), 4
#: One member of so many is timed; the others are read twice a second, which costs little. The slow
#: ones have a small receive buffer, so that they do not get what is sent meanwhile.
TIMED, SLOW = 100, 10
#: 10,000 joins take a minute: each member gets the names of all.
OPTIONS = ["--limit", f"bufferBytes={1 << 30}", "--limit", "pingMilliseconds=3600000",
           "--limit", f"connectionsPerAddress={MEMBERS}"]


def measured(slow):
    """The figures of the generator for each rate."""
    server = Pickerd(loops=2, is_pinned=False, options=OPTIONS)
    try:
        paths, _ = server.rooms(LARGE)
        with tempfile.NamedTemporaryFile("w") as file:
            write_rooms(file, LARGE, paths)
            given = arguments(
                server, LARGE, file.name, warm=0, closed=0, opened=SECONDS, rate=RATES[0])
            for rate in RATES[1:]:
                given += ["--rate", str(rate)]
            run = subprocess.run([*given, "--timed", str(TIMED), "--slow", str(slow)],
                                 stdout=subprocess.PIPE, check=True)
        found = json.loads(run.stdout)
        return [found[f"open{number}" if number > 1 else "open"]
                for number in range(1, len(RATES) + 1)]
    finally:
        server.kill()


def large():
    found = {}
    for name, slow in (("all read", 0), ("a tenth is slow", SLOW)):
        for rate, one in zip(RATES, measured(slow)):
            found |= {f"{rate} taps/s, {name}: p50 ms": one["p50"] / 1000,
                      f"{rate} taps/s, {name}: p99 ms": one["p99"] / 1000,
                      f"{rate} taps/s, {name}: server's cores": one["serverLoad"]}
    return found
