"""Runs the load generator, on its own core if the server has one."""

import json
import subprocess
import sys
import tempfile

from servers import BUILT, pinned


def arguments(server, scenario, rooms_file, *, warm, closed, opened, storm=False):
    given = [str(BUILT / "bench/load"), "--port", str(server.port), "--server",
             str(server.process.pid), "--rooms", rooms_file, "--warm", str(warm), "--closed",
             str(closed), "--open", str(opened), "--rate", str(scenario.rate), "--window",
             str(scenario.window)]
    for join in scenario.joins:
        given += ["--join", join]
    for tap in scenario.taps:
        given += ["--tap", tap]
    given += ["--shared"] if scenario.is_shared else []
    given += ["--forwarded"] if scenario.is_deployed else []
    return given + (["--storm"] if storm else []) + (["--tls"] if server.is_tls else [])


def write_rooms(file, scenario, paths):
    left = iter(paths)
    for count, members, taps in scenario.rooms:
        for _ in range(count):
            file.write(f"{next(left)} {members} {int(taps)}\n")
    file.flush()


def measure(server, scenario, *, seconds):
    """One measurement of a server: the generator's figures, start-up time and memory."""
    paths, per_session = server.rooms(scenario)
    with tempfile.NamedTemporaryFile("w", suffix=".rooms") as file:
        write_rooms(file, scenario, paths)
        run = subprocess.run(
            arguments(server, scenario, file.name, warm=seconds / 2, closed=seconds,
                      opened=seconds),
            preexec_fn=pinned(server.load_core), stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{scenario.name}: the generator failed against {server.name}")
    measured = json.loads(run.stdout)
    measured["startup"] = server.startup
    measured["memoryPerSession"] = per_session
    return measured
