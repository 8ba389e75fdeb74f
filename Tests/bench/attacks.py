"""Measures whether an attack by one client delays the taps of other sessions.

Members of other sessions tap at a constant rate, first without and then under the attack, on the
same server. All limits are the defaults, except as in attack/attacks.py. The server has one event
loop, which all sessions share, and all cores. Attackers have the lowest priority, so that members
wait for the server and not for a processor.
"""

import multiprocessing
import os
import sys
import tempfile
from statistics import median

from attack.attacks import ATTACKS, Client
from attack.victims import COUNT, measure
from report import rounds_of, shown, table
from servers import Pickerd

NAME = "attacks"
STORES = ("memory", "sqlite")
#: The p99 under attack is at most this multiple of the quiet one, or this many microseconds.
TIMES_MOST, MICROSECONDS_MOST = 2.0, 2000.0
PATIENCE_MICROSECONDS = 5_000_000.0


class AttackedPickerd(Pickerd):
    """A server with default limits except for `limits`."""

    def __init__(self, store, limits):
        self.limits = limits
        super().__init__(store=store, is_pinned=False)

    def arguments(self):
        given = super().arguments()
        while "--limit" in given:
            place = given.index("--limit")
            del given[place:place + 2]
        return given + [part for name, value in self.limits.items()
                        for part in ("--limit", f"{name}={value}")]


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def tapped(server, paths, seconds):
    """The tap latencies of the measured members in microseconds."""
    found = multiprocessing.Queue()
    process = multiprocessing.Process(target=measure, args=(server.port, paths, seconds, found))
    process.start()
    latencies = found.get(timeout=seconds + 60)
    process.join()
    if isinstance(latencies, str):
        print(f"  the measured members failed: {latencies}", file=sys.stderr)
        return {"p50": PATIENCE_MICROSECONDS, "p99": PATIENCE_MICROSECONDS,
                "worst": PATIENCE_MICROSECONDS, "taps": 0}
    return {"p50": percentile(latencies, 0.5), "p99": percentile(latencies, 0.99),
            "worst": max(latencies), "taps": len(latencies)}


def attacker(body, state, stop):
    os.nice(19)
    body(state, stop)


def under(attack, state, work):
    """Runs `work` during the attack."""
    stop = multiprocessing.Event()
    attackers = [multiprocessing.Process(target=attacker, args=(attack.body, state, stop))
                 for _ in range(attack.processes)]
    for one in attackers:
        one.start()
    try:
        return work()
    finally:
        stop.set()
        for one in attackers:
            one.join(5)
            if one.is_alive():
                one.kill()
                one.join()


def measured(attack, store, seconds):
    with tempfile.TemporaryDirectory() as folder:
        where = "memory:" if store == "memory" else f"sqlite:{folder}/store.sqlite"
        server = AttackedPickerd(where, attack.limits)
        try:
            client = Client(server.port)
            paths = [client.create() for _ in range(COUNT)]
            state = attack.prepare(server.port)
            quiet = tapped(server, paths, seconds)
            attacked = under(attack, state, lambda: tapped(server, paths, seconds))
            return {"quiet": quiet, "attacked": attacked, "memory": server.memory()}
        finally:
            server.kill()


def one_round(number, watched, say, seconds):
    """Measures quiet and attacked latencies, by attack and store."""
    found = {}
    for attack in ATTACKS:
        for store in STORES[::-1] if number % 2 else STORES:
            one = watched(lambda: measured(attack, store, seconds * 3))
            found.setdefault(f"attack: {attack.name}", {})[store] = one
            say(f"  {attack.name}, {store}: quiet {one['quiet']['p99']:,.0f} µs, "
                f"attacked {one['attacked']['p99']:,.0f} µs, worst {one['attacked']['worst']:,.0f}")
    return found


def figures(results):
    """Medians over the rounds; the ratio is the median of the ratios within rounds."""
    lines = []
    for attack in ATTACKS:
        for store in STORES:
            rounds = list(rounds_of(results, f"attack: {attack.name}", store).values())
            if not rounds:
                continue
            quiet, attacked, worst = (
                median(one[when][what] for one in rounds)
                for when, what in (("quiet", "p99"), ("attacked", "p99"), ("attacked", "worst")))
            times = median(one["attacked"]["p99"] / one["quiet"]["p99"] for one in rounds)
            passes = times <= TIMES_MOST or attacked <= MICROSECONDS_MOST
            lines.append([f"{attack.name}, {store}", shown(quiet, 0), shown(attacked, 0),
                          shown(times, 2), shown(worst, 0), "pass" if passes else "MISS"])
    head = ["another session's taps", "quiet p99 µs", "attacked p99 µs", "times", "worst µs",
            f"≤ {TIMES_MOST:g} times or {MICROSECONDS_MOST / 1000:g} ms"]
    return table(head, lines) if lines else ""
