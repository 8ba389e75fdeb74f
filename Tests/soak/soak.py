#!/usr/bin/env python3
"""soak.py SECONDS SEED : a long run of the server with everything that can go wrong.

Two servers with SQLite stores. One is killed again and again under load; after each restart every
acknowledged change must be in its log. The other is never killed, but flooded, sent garbage and
read slowly by strangers while its members work; its memory and descriptors must not grow, and its
answers are checked likewise. Meanwhile the simulator runs worlds from new seeds.

Writes a report to .build/soak/report.txt, and exits with 1 if anything was wrong. PICKERD is the
server's binary, PICKER_SIMULATOR the simulator's; without it, no worlds are simulated.
"""

import logging
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import traceback

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "product"))

from attackers import Attackers  # noqa: E402
from harness import contract  # noqa: E402
from harness.listener import Listener  # noqa: E402
from harness.pickerd import binary  # noqa: E402
from harness.store import Crowd, stored  # noqa: E402
from report import program, written  # noqa: E402
from resources import Resources  # noqa: E402

FOLDER = TESTS.parent / ".build/soak"
WORLDS_PER_RUN = 20


class Part(threading.Thread):
    """One part of the soak, in a thread; an exception is a failure of the whole."""

    def __init__(self, body, *arguments):
        super().__init__(daemon=True)
        self.body, self.arguments, self.failures = body, arguments, []
        self.start()

    def run(self):
        try:
            self.body(*self.arguments)
        except Exception:  # noqa: BLE001 - reported
            self.failures.append(traceback.format_exc(limit=-3).strip())


class Soak:
    def __init__(self, seconds, seed):
        self.seed, self.seconds = seed, seconds
        self.until = time.monotonic() + seconds
        self.program = program(binary())
        self.kills = self.rounds = self.worlds = 0
        self.killed = stored(FOLDER / "killed.log", FOLDER / "killed.sqlite")
        self.steady = stored(
            FOLDER / "steady.log", FOLDER / "steady.sqlite", clock="system",
            limits={"joinMilliseconds": 5000, "createsPerSecond": 10})
        self.killed_crowd, self.steady_crowd = Crowd(self.killed), Crowd(self.steady)

    @property
    def is_over(self):
        return time.monotonic() >= self.until

    def kill_and_check(self):
        """Rounds of load and SIGKILL, with another number of event loops each time."""
        rng = random.Random(self.seed)
        while not self.is_over:
            self.killed_crowd.load(rng.randint(100, 3000), f"{self.seed}-kill-{self.kills}")
            self.kills += 1
            self.killed.environment["PICKERD_LOOPS"] = str(rng.randint(1, 3))
            self.killed.start()
            self.killed_crowd.check()

    def work_and_check(self):
        """Rounds of load without a kill."""
        while not self.is_over:
            self.steady_crowd.load(3000, f"{self.seed}-steady-{self.rounds}", is_killed=False)
            self.steady_crowd.check()
            self.rounds += 1

    def simulate(self):
        """Simulated worlds from seeds that follow from this run's."""
        simulator = os.environ.get("PICKER_SIMULATOR")
        while simulator and not self.is_over:
            seed = self.seed * 1_000_000 + self.worlds
            run = subprocess.run(
                ["nice", "-n", "15", simulator, "--seed", str(seed), "--count",
                 str(WORLDS_PER_RUN)], capture_output=True, text=True)
            assert run.returncode == 0, f"seed {seed}:\n{run.stdout[-2000:]}{run.stderr[-2000:]}"
            self.worlds += WORLDS_PER_RUN

    def run(self):
        resources = Resources(self.steady, interval=min(5, self.seconds / 60))
        attackers = Attackers(self.steady, self.seed)
        parts = [Part(body) for body in (self.kill_and_check, self.work_and_check, self.simulate)]
        for part in parts:
            part.join()
        attackers.stop()
        resources.stop()
        failures = [failure for part in parts for failure in part.failures]
        failures += attackers.failures[:10] + resources.growth() + self.end()
        return written(self, attackers, resources, failures)

    def end(self):
        """Stops both servers in an orderly way and checks the steady one's answers once more."""
        failures = []
        try:
            self.steady.terminate()
            assert self.steady.process.wait(30) == 0, "the steady server did not stop by itself"
            self.steady.start()
            self.steady_crowd.check()
        except AssertionError as failure:
            failures.append(f"after an orderly stop: {failure}")
        for server in (self.steady, self.killed):
            server.terminate()
            if server.process.wait(30) != 0:
                failures.append("a server did not stop by itself")
            log = server.log.read_text(errors="replace")
            failures += [f"the log has a crash: {line}" for line in log.splitlines()
                         if "Fatal error" in line or "Sanitizer" in line]
        return failures


def main(seconds, seed):
    FOLDER.mkdir(parents=True, exist_ok=True)
    for file in FOLDER.iterdir():
        file.unlink()
    # Millions of messages: folded, but not validated against the schemas.
    Listener.is_trusted = True
    # It reports each connection of a killed server.
    logging.getLogger("websockets").setLevel(logging.CRITICAL)
    contract.fits = lambda name, value: value
    soak = Soak(seconds, seed)
    text, failures = soak.run()
    (FOLDER / "report.txt").write_text(text)
    print(text)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
