"""100,000 idle members on one core: their cost, a restart, and midnight; pickerd only.

As many servers share the core, and as many generators the other one, as the limit of open files
requires.
"""

import json
import math
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median, quantiles

from attack import victims
from generator import arguments, write_rooms
from scenarios import LISTS, Scenario
from servers import LOAD_CORE, Pickerd, pinned

DATE = {"kind": "date", "timeZone": "Etc/Bench", "min": "today", "max": "2040-12-31"}
COUNT, EACH_SESSION = 100_000, 10
#: Descriptors of a process that are not connections.
SPARE = 1500
#: Members are pinged every 20 s.
IDLE_SECONDS = 40
#: The members of other sessions that tap, and for how long after midnight.
TAPPED, TAPPING_SECONDS = 5, 3
#: Until midnight, by when all must have resumed.
AHEAD_SECONDS = 240


def members_each():
    """The members of each server, as far as the limit of open files permits."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    servers = math.ceil(COUNT / (most - SPARE))
    return [COUNT // servers // EACH_SESSION * EACH_SESSION] * servers


class Part:
    """A server, and the generator that is its members."""

    def __init__(self, members, folder, midnight_at):
        self.scenario = Scenario("crowd", [(members // EACH_SESSION, EACH_SESSION, False)], 0, DATE)
        self.midnight_at = midnight_at
        self.server = Pickerd(store=f"sqlite:{folder}/{id(self)}.sqlite", options=[
            "--limit", f"connections={members + 100}",
            "--limit", f"connectionsPerAddress={members}"])
        self.paths, _ = self.server.rooms(self.scenario)
        self.others = self.server.create(LISTS, TAPPED)
        self.load = None

    def line(self):
        line = self.load.stdout.readline()
        if not line:
            sys.exit("crowd: the generator failed")
        return line

    def say(self, line):
        self.load.stdin.write(line + "\n")
        self.load.stdin.flush()

    def join(self):
        """The generator's figures after the members have been idle."""
        with tempfile.NamedTemporaryFile("w") as file:
            write_rooms(file, self.scenario, self.paths)
            given = arguments(
                self.server, self.scenario, file.name, warm=0, closed=0, opened=0, storm=True)
            self.load = subprocess.Popen(
                [*given, "--idle", str(IDLE_SECONDS), "--awaited"], preexec_fn=pinned(LOAD_CORE),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            figures = json.loads(self.line())
        assert self.line() == "ready\n"
        return figures

    def resume(self):
        """What the generator reports of its members' return after a restart."""
        self.server.start()
        self.say(f"{self.server.port} {self.server.process.pid}")
        storm = json.loads(self.line())
        assert self.line() == "ready\n"
        return storm

    def midnight(self):
        """Seconds from midnight until all members have their new list of days."""
        time.sleep(max(0, self.midnight_at - time.time()))
        self.say("go")
        return json.loads(self.line())["seconds"]

    def end(self):
        if self.load:
            self.load.kill()
            self.load.wait()
        self.server.kill()


def zone(folder, midnight_at):
    """Makes a zone, Etc/Bench, in which it is midnight at a time, and its database."""
    east = -int(midnight_at) % 86400
    source = Path(folder) / "bench.zone"
    source.write_text(f"Zone Etc/Bench {east // 3600}:{east // 60 % 60:02}:{east % 60:02} - BNC\n")
    subprocess.run(["zic", "-d", folder, source], check=True)


def tapping(part, act):
    """What `act` returns, and milliseconds of taps in other sessions from midnight on."""
    found = multiprocessing.Queue()
    process = multiprocessing.Process(target=victims.measure, args=(
        part.server.port, part.others, TAPPING_SECONDS, found))
    left = part.midnight_at - time.time()
    if left < 0:
        sys.exit(f"crowd: it was midnight {-left:.0f} s too early")
    time.sleep(left)
    process.start()
    done = act()
    latencies = found.get()
    process.join()
    if isinstance(latencies, str):
        sys.exit(f"crowd: {latencies}")
    return done, [latency / 1000 for latency in latencies]


def figures(parts):
    with ThreadPoolExecutor(len(parts)) as threads:
        joined = list(threads.map(Part.join, parts))
        for part in parts:
            part.server.kill()
        begun = time.monotonic()
        storms = list(threads.map(Part.resume, parts))
        resumed = time.monotonic() - begun
        nights, taps = tapping(parts[0], lambda: list(threads.map(Part.midnight, parts)))
    count = sum(one["connections"] for one in joined)
    return {
        "members": count, "servers": len(parts),
        "bytes of memory of a member": sum(one["memoryPerMember"] for one in joined) / len(parts),
        "share of a core with pings": sum(one["idle"]["serverLoad"] for one in joined),
        "s until all have resumed": resumed,
        "of them with what they missed": sum(one["resumed"] for one in storms),
        "CPU µs of a resume": sum(one["cpu"] for one in storms) / count * 1e6,
        "s until midnight is everywhere": max(nights),
        "ms of a tap meanwhile, p50": median(taps),
        "ms of a tap meanwhile, p99": quantiles(taps, n=100)[98],
        "ms of a tap meanwhile, longest": max(taps),
    }


def crowd():
    parts = []
    with tempfile.TemporaryDirectory() as folder:
        midnight_at = int(time.time()) + AHEAD_SECONDS
        zone(folder, midnight_at)
        os.environ["TZDIR"] = folder  # of the servers
        try:
            for members in members_each():
                parts.append(Part(members, folder, midnight_at))
            return figures(parts)
        finally:
            del os.environ["TZDIR"]
            for part in parts:
                part.end()
