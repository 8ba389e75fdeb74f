"""A resume storm after kill -9, and midnight for 100,000 sessions; pickerd only."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from generator import arguments, write_rooms
from scenarios import Scenario
from servers import LOAD_CORE, REPOSITORY, Pickerd, pickerd_binary, pinned

STORM = Scenario("storm", [(1000, 5, True)], 0)
#: Matches the output of Tests/soak/many.py.
MIDNIGHT = re.compile(
    r"start: (?P<start>[\d.]+) s.*midnight: (?P<midnight>[\d.]+) s, RSS at most (?P<memory>\d+) MiB"
    r".*a tap meanwhile: \d+ taps, median (?P<median>[\d.]+) ms, 99 % (?P<p99>[\d.]+) ms",
    re.DOTALL)


def resume_storm():
    """Seconds until 5,000 members of 1,000 stored sessions have resumed after a restart."""
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w") as file:
        server = Pickerd(store=f"sqlite:{folder}/store.sqlite")
        paths, _ = server.rooms(STORM)
        write_rooms(file, STORM, paths)
        load = subprocess.Popen(
            arguments(server, STORM, file.name, warm=2, closed=0, opened=0, storm=True),
            preexec_fn=pinned(LOAD_CORE), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        load.stdout.readline()
        assert load.stdout.readline() == "ready\n", "the generator failed"
        server.kill()
        server.start()
        load.stdin.write(f"{server.port} {server.process.pid}\n")
        load.stdin.flush()
        output = load.stdout.read()
        server.kill()
        if load.wait() != 0:
            sys.exit("storm: the generator failed")
    storm = json.loads(output)
    return {"startup": server.startup, **storm, "perSecond": storm["count"] / storm["seconds"],
            "cpuPerMember": storm["cpu"] / storm["count"] * 1e6}


def midnight(count=100_000):
    """Moves the clock past midnight for `count` evicted sessions.

    Needs the packages of the product tests, which `make test` installs.
    """
    python = REPOSITORY / ".venv/bin/python"
    output = subprocess.run(
        [python if python.exists() else sys.executable, REPOSITORY / "Tests/soak/many.py",
         str(count)],
        env={**os.environ, "PICKERD": str(pickerd_binary())}, capture_output=True, text=True)
    found = MIDNIGHT.search(output.stdout)
    if not found:
        print(f"midnight was not measured: {output.stdout}{output.stderr}", file=sys.stderr)
        return None
    return {"count": count, **{name: float(value) for name, value in found.groupdict().items()}}
