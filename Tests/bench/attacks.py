"""Measures whether an attack by one client delays the taps of other sessions.

Members of other sessions tap at a constant rate on one server, in turn without and under the
attack, several times: the disk and the machine are faster in some seconds than in others, so each
attacked time is compared with the quiet one just before it. All limits are the defaults, except as
in attack/attacks.py. The server has one event loop, which all sessions share, and all cores.
Attackers run only while a processor is idle (SCHED_IDLE), because real ones use other machines.
"""

import multiprocessing
import os
import queue
import sys
import tempfile
from collections import Counter
from statistics import median

from attack import answers
from attack.attacks import ATTACKS, BACKGROUND_NICENESS, PAIRS
from attack.client import Client
from attack.victims import COUNT, measure
from report import rounds_of, shown, table
from servers import RSA, Pickerd, certificate, free_port

NAME = "attacks"
STORES = ("memory", "sqlite")
#: The p99 under attack is at most this multiple of the quiet one, or this many microseconds.
TIMES_MOST, MICROSECONDS_MOST = 2.0, 2000.0
PATIENCE_MICROSECONDS = 5_000_000.0


class AttackedPickerd(Pickerd):
    """A server with default limits except for `limits`.

    With TLS, which is at `tls_port`, the measured members use the listener without it.
    """

    def __init__(self, store, limits, has_tls):
        self.limits = limits
        self.tls_port = free_port() if has_tls else None
        super().__init__(store=store, is_pinned=False)

    def arguments(self):
        given = super().arguments()
        while "--limit" in given:
            place = given.index("--limit")
            del given[place:place + 2]
        if self.tls_port:
            given[given.index("--listen") + 1] = f"127.0.0.1:{self.tls_port}"
            given += ["--api-listen", f"127.0.0.1:{self.port}", "--tls-certificate",
                      certificate(RSA), "--tls-key", certificate(RSA)]
        # Loopback addresses are trusted by default, and would have no limits.
        return given + ["--trusted-proxy", "none"] + [
            part for name, value in self.limits.items() for part in ("--limit", f"{name}={value}")]


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


def attacker(attack, state, stop, found):
    answers.ANSWERS.clear()
    if attack.is_reference:
        os.nice(BACKGROUND_NICENESS)
    else:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    attack.body(state, stop)
    found.put(answers.ANSWERS)


def under(attack, state, work):
    """Runs `work` during the attack; its result, and the number of each answer to the attackers."""
    stop, found = multiprocessing.Event(), multiprocessing.Queue()
    attackers = [multiprocessing.Process(target=attacker, args=(attack, state, stop, found))
                 for _ in range(attack.processes)]
    for one in attackers:
        one.start()
    try:
        result = work()
    finally:
        stop.set()
        for one in attackers:
            one.join(5)
            if one.is_alive():
                one.kill()
                one.join()
    total = Counter()
    for _ in attackers:
        try:
            total += found.get(timeout=1)
        except queue.Empty:
            total["an attacker without an end"] += 1
    return result, total


def measured(attack, store, seconds):
    with tempfile.TemporaryDirectory() as folder:
        where = "memory:" if store == "memory" else f"sqlite:{folder}/store.sqlite"
        server = AttackedPickerd(where, attack.limits, attack.is_tls)
        try:
            client = Client(server.port)
            paths = [client.create() for _ in range(COUNT)]
            state = attack.prepare(server.port) | {"tls_port": server.tls_port}
            pairs = []
            for _ in range(PAIRS):
                quiet = tapped(server, paths, seconds)
                attacked, answered = under(
                    attack, state | {"number": len(pairs)},
                    lambda: tapped(server, paths, seconds))
                pairs.append({"quiet": quiet, "attacked": attacked, "answers": answered})
            return {"pairs": pairs, "memory": server.memory()}
        finally:
            server.kill()


def one_round(number, watched, say, seconds, chosen, stores):
    """Measures quiet and attacked latencies, by attack and store.

    `chosen` has parts of names of attacks, or nothing for all.
    """
    found = {}
    for attack in ATTACKS:
        if chosen and not any(part in attack.name for part in chosen):
            continue
        for store in stores[::-1] if number % 2 else stores:
            one = watched(lambda: measured(attack, store, seconds * 2))
            found.setdefault(f"attack: {attack.name}", {})[store] = one
            shown_pairs = ", ".join(f"{pair['quiet']['p99']:,.0f} → {pair['attacked']['p99']:,.0f}"
                                    for pair in one["pairs"])
            say(f"  {attack.name}, {store}: p99 {shown_pairs} µs")
            answered = "; ".join(answers.shown(pair["answers"]) for pair in one["pairs"])
            say(f"    answers: {answered}")
    return found


def figures(results):
    """Medians over the pairs of all rounds; the ratio is the median of the ratios within pairs."""
    lines = []
    for attack in ATTACKS:
        for store in STORES:
            rounds = rounds_of(results, f"attack: {attack.name}", store).values()
            pairs = [pair for one in rounds for pair in one["pairs"]]
            if not pairs:
                continue
            quiet, attacked, worst = (
                median(pair[when][what] for pair in pairs)
                for when, what in (("quiet", "p99"), ("attacked", "p99"), ("attacked", "worst")))
            ratios = sorted(pair["attacked"]["p99"] / pair["quiet"]["p99"] for pair in pairs)
            times = median(ratios)
            passes = times <= TIMES_MOST or attacked <= MICROSECONDS_MOST
            verdict = "" if attack.is_reference else "pass" if passes else "MISS"
            if not all(attack.has_worked(pair["answers"]) for pair in pairs):
                verdict = "no attack"
            lines.append([f"{attack.name}, {store}", shown(quiet, 0), shown(attacked, 0),
                          shown(times, 2), f"{ratios[0]:.2f} … {ratios[-1]:.2f}", shown(worst, 0),
                          verdict])
    head = ["another session's taps", "quiet p99 µs", "attacked p99 µs", "times", "range", "worst µs",
            f"≤ {TIMES_MOST:g} times or {MICROSECONDS_MOST / 1000:g} ms"]
    return table(head, lines) if lines else ""
