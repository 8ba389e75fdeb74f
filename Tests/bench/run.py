#!/usr/bin/env python3
"""make bench: compares pickerd with a bare libwebsockets server and a SwiftNIO server.

Each round measures every scenario on every server, one after the other, in a different order.
Server and generator have a core each, except for the comparison of one and two loops. Ratios are
taken within a round; tables have medians. A missed goal does not fail the run.
"""

import argparse
import json
import os
import resource
import sys
import time
from pathlib import Path

import attacks
import loops
import report
from crowd import crowd
from departures import departures
from durable import durable
from generator import measure
from holds import holds
from inventory import inventory
from large import large
from sale import last_place, sale
from scenarios import GROUPS, SCENARIOS, WITH_TLS
from servers import BUILT, SERVERS, Pickerd
from sizing import sizing
from storm import resume_storm

#: Measured once: each takes a minute and is not compared with another server.
ALONE = {"storm": resume_storm, "departures": departures,
         "inventory": inventory, "lastplace": last_place, "sale": sale, "holds": holds,
         "sizing": sizing, "durable": durable, "crowd": crowd, "large": large}
NAMES = [scenario.name for scenario in SCENARIOS] + [loops.NAME, attacks.NAME, *ALONE, *GROUPS]


def settings():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenarios", default="", help=f"some of {' '.join(NAMES)}; default all")
    parser.add_argument("--servers", default="", help="some of pickerd bare nio; default all")
    parser.add_argument("--attacks", nargs="*", default=[], help="parts of names of attacks")
    parser.add_argument("--stores", nargs="*", default=list(attacks.STORES),
                        help="the stores to attack")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--json", type=Path, default=BUILT / "bench/results.json")
    parser.add_argument("--more", action="store_true", help="add rounds to those in --json")
    parser.add_argument("--only-report", action="store_true", help="show what is in --json")
    return parser.parse_args()


def say(text):
    print(text, file=sys.stderr, flush=True)


def processor_seconds():
    """CPU seconds of all processes since boot, and of this process and its finished children."""
    ticks = [int(field) for field in Path("/proc/stat").read_text().split("\n")[0].split()[1:8]]
    idle = ticks[3] + ticks[4]
    own = sum(sum(resource.getrusage(who)[:2])
              for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return (sum(ticks) - idle) / os.sysconf("SC_CLK_TCK"), own


def watched(measure_it):
    """Runs `measure_it`; its result and the share of the machine that other processes used."""
    begun, (all_before, own_before) = time.monotonic(), processor_seconds()
    measured = measure_it()
    all_after, own_after = processor_seconds()
    others = (all_after - all_before) - (own_after - own_before)
    measured["others"] = max(0, others) / (time.monotonic() - begun) / os.cpu_count()
    return measured


def delta_length(results, scenario):
    """The length of pickerd's deltas from the first round, which the other servers use, too."""
    for measured in results:
        if "pickerd" in measured.get(scenario.name, {}):
            whole = round(measured[scenario.name]["pickerd"]["closed"]["bytesPerDelivery"])
            return whole - (2 if whole < 128 else 4)
    server = Pickerd(is_tls=scenario.is_tls, is_deployed=scenario.is_deployed)
    try:
        whole = round(measure(server, scenario, seconds=0.1)["closed"]["bytesPerDelivery"])
        return whole - (2 if whole < 128 else 4)
    finally:
        server.kill()


def one_round(results, wanted, servers, given):
    """Runs a round; the order of the servers rotates."""
    seconds = given.seconds
    number = len(results)
    results.append({"load": os.getloadavg()[0]})
    order = servers[number % len(servers):] + servers[:number % len(servers)]
    for scenario in SCENARIOS:
        if scenario.name not in wanted:
            continue
        length = delta_length(results, scenario)
        for kind in order:
            if kind is not Pickerd and not scenario.has_peers:
                continue
            def measure_it():
                server = kind(delta_bytes=length, is_tls=scenario.is_tls,
                              is_deployed=scenario.is_deployed)
                try:
                    return measure(server, scenario, seconds=seconds)
                finally:
                    server.kill()

            measured = watched(measure_it)
            results[number].setdefault(scenario.name, {})[kind.name] = measured
            say(f"  {scenario.name} {kind.name}: {measured['closed']['perSecond']:,.0f}/s, "
                f"{measured['closed']['cpuPerDelivery']:.2f} µs, others {measured['others']:.0%}")
    if loops.NAME in wanted:
        results[number] |= loops.one_round(number, watched, say, seconds)
    if attacks.NAME in wanted:
        results[number] |= attacks.one_round(
            number, watched, say, seconds, given.attacks, given.stores)
    for name, run in ALONE.items():
        if name in wanted and number == 0:
            found = run()
            if found:
                results[number][name] = {"pickerd": found}
            say(f"  {name}: {found}")


def main():
    given = settings()
    wanted = given.scenarios.split() or NAMES
    strangers = set(wanted) - set(NAMES)
    if strangers:
        sys.exit(f"no scenario {' '.join(strangers)}; there are {' '.join(NAMES)}")
    wanted = [name for given_name in wanted for name in GROUPS.get(given_name, [given_name])]
    servers = [kind for kind in SERVERS if kind.name in (given.servers.split() or kind.name)]
    results = []
    if (given.more or given.only_report) and given.json.exists():
        results = json.loads(given.json.read_text())
    for number in range(0 if given.only_report else given.rounds):
        say(f"round {number + 1} of {given.rounds}")
        one_round(results, wanted, servers, given)
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(results))
    loads = ", ".join(f"{one['load']:.1f}" for one in results)
    print(f"\n{len(results)} rounds; {os.cpu_count()} processors; load before each: {loads}")
    print(f"left out, because others had more than {report.OTHERS_MAX:.0%} of the machine: "
          f"{report.left_out(results)} measurements\n")
    for part in (report.figures(results, SCENARIOS, [kind.name for kind in SERVERS]),
                 report.goals(results, SCENARIOS),
                 report.deployed(results, SCENARIOS), report.tls(results, WITH_TLS, SERVERS),
                 loops.figures(results), attacks.figures(results),
                 report.memory(results),
                 report.joining(results, [kind.name for kind in SERVERS]),
                 report.alone(results)):
        if part:
            print(part + "\n")
    print(f"All measurements: {os.path.relpath(given.json)}")


if __name__ == "__main__":
    main()
