"""Runs the load generator, on its own core if the server has one."""

import json
import subprocess
import sys
import tempfile

from servers import BUILT, pinned


#: The generator's exit status if the rate is more than the server carries.
OVERLOADED = 3
#: A rate is carried if p99 of the open loop is at most this, in µs: then no taps pile up.
CARRIED_P99 = 250_000


def arguments(server, scenario, rooms_file, *, warm, closed, opened, storm=False, rate=None):
    given = [str(BUILT / "bench/load"), "--port", str(server.port), "--server",
             str(server.process.pid), "--rooms", rooms_file, "--warm", str(warm), "--closed",
             str(closed), "--open", str(opened), "--rate", str(rate or scenario.rate), "--window",
             str(scenario.window)]
    joins, taps = server.spoken(scenario)
    for join in joins:
        given += ["--join", join]
    for tap in taps:
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
    """One measurement of a server: the generator's figures, start-up time and memory.

    `carried` is the rate of the open loop. If the scenario seeks it, that is the highest of the
    rates, each 0.7 of the one before, that the server carries; otherwise the scenario's rate."""
    rate = scenario.rate
    while True:
        measured = measure_at(rate, server, scenario, seconds)
        is_carried = measured and measured["open"]["p99"] <= CARRIED_P99
        if is_carried or measured and not scenario.seeks_rate:
            break
        if not scenario.seeks_rate or rate < 1:
            sys.exit(f"{scenario.name}: {server.name} does not carry {rate:.0f} taps a second")
        rate *= 0.7
    measured["carried"] = rate
    measured["startup"] = server.startup
    return measured


def measure_at(rate, server, scenario, seconds):
    """The generator's figures; None if the rate is more than the server carries."""
    return generated(server, scenario, warm=seconds / 2, closed=seconds, opened=seconds, rate=rate)


def generated(server, scenario, **phases):
    """The generator's figures of the phases; None if the rate is more than the server carries."""
    paths, per_session = server.rooms(scenario)
    with tempfile.NamedTemporaryFile("w", suffix=".rooms") as file:
        write_rooms(file, scenario, paths)
        run = subprocess.run(arguments(server, scenario, file.name, **phases),
                             preexec_fn=pinned(server.load_core), stdout=subprocess.PIPE, text=True)
    if run.returncode == OVERLOADED:
        return None
    if run.returncode != 0:
        sys.exit(f"{scenario.name}: the generator failed against {server.name}")
    return json.loads(run.stdout) | {"memoryPerSession": per_session}
