#!/usr/bin/env python3
"""make bench-cluster: several nodes on PostgreSQL with a synchronous standby, beside pgbench.

Each round measures, one after the other: the latency from a command to its delivery on the node of
the sender and on another one; and for some numbers of nodes and sessions the commands per second of
nodes with WebSockets, and those of the store: of processes that have only a hub and the store
(StoreBench). After each of the two, it measures pgbench with as many connections as nodes, the same
statements (see insert_sql.py) and as many entries in a transaction as pickerd had. All programs
share the cores, so further nodes add no processor. Therefore one and three nodes are measured a
second time with a CPU quota for each, as if each had a machine of its own.
"""

import argparse
import contextlib
import http.client
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from insert_sql import Inserts
from quota import CPUQuota
from report import table
from servers import BUILT, LIMITS, REPOSITORY, pickerd_binary

#: A column for each member of a session, so that every command changes something.
DEFINITION = {"kind": "columns", "columns": [["a", "b", "c", "d"]] * 3}
JOIN = '{"type":"join","name":"Ana"}'
TAPS = [f'{{"type":"select","ref":@,"column":#,"row":{row},"generation":1}}'
        for row in (1, 2, 3, 0)]
#: The minimum ratio to pgbench, of three nodes to one, and of a hot session on three nodes to one.
STORE_LEAST, NODES_LEAST, HOT_LEAST = 0.7, 1.0, 0.5
#: The CPU quota of a node in cores: three leave enough for the database and the generator.
QUOTA = 0.2


def counted(number, noun):
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@dataclass(frozen=True)
class Load:
    """`is_hashed`: all members of a session are at one node, otherwise at as many as possible."""

    sessions: int
    nodes: int
    is_hashed: bool
    members: int = 3
    #: Commands in flight per session.
    window: int = 1

    @property
    def pause(self):
        """The longest pause of the generator in seconds: a longer one would be measured, because a
        store is mostly waited for. Ten times what reading from all connections takes."""
        return max(0.001, 1e-5 * self.sessions * self.members)

    @property
    def name(self):
        where = "by path" if self.is_hashed else "spread"
        return f"{counted(self.sessions, 'session')}, {counted(self.nodes, 'node')}, {where}"

    def ports(self, number, ports):
        """The ports for the members of a session."""
        used = ports[:self.nodes]
        turn = number % self.nodes
        return [used[turn]] if self.is_hashed else used[turn:] + used[:turn]


LOADS = [
    Load(sessions, nodes, is_hashed, members, window)
    for sessions, members, window in ((1, 3, 32), (100, 3, 8), (10_000, 1, 1))
    for nodes, is_hashed in ((1, True), (2, True), (3, True), (2, False), (3, False))
    # A session with one member cannot be spread.
    if is_hashed or members > 1]


def settings():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
    parser.add_argument("--sessions", type=int, nargs="*", default=[1, 100, 10_000])
    return parser.parse_args()


class Cluster:
    """deploy/cluster/cluster.py with three nodes."""

    def __init__(self):
        limits = {**LIMITS, "connectionsPerAddress": 100_000, "memberMilliseconds": 1000}
        self.process = subprocess.Popen(
            [REPOSITORY / "deploy/cluster/cluster.py", "--pickerd", pickerd_binary(), "--",
             "--log-level", "warning",
             *(part for name, value in limits.items() for part in ("--limit", f"{name}={value}"))],
            stdout=subprocess.PIPE, text=True)
        lines = []
        for line in self.process.stdout:
            lines.append(line)
            if line.startswith("ready"):
                break
        else:
            sys.exit("no cluster")
        text = "".join(lines)
        self.ports = [int(port) for port in re.findall(r"^node\d \S+:(\d+) ", text, re.M)]
        self.admin_ports = [int(port) for port in re.findall(r"admin \S+:(\d+)$", text, re.M)]
        folder = Path(re.search(r"^folder (\S+)", text, re.M)[1])
        self.nodes = [int((folder / f"node{n}.pid").read_text()) for n in (1, 2, 3)]
        self.store = re.search(r"^store (\S+)", text, re.M)[1]
        self.passfile = re.search(r"^passfile (\S+)", text, re.M)[1]

    def create(self, count):
        """Paths of new sessions."""
        def create(part):
            connection = http.client.HTTPConnection("127.0.0.1", self.ports[part % 3], timeout=60)
            paths = []
            for _ in range(part, count, 32):
                connection.request("POST", "/v1/sessions", json.dumps({"definition": DEFINITION}),
                                   {"Content-Type": "application/json"})
                answer = connection.getresponse()
                answer.read()
                paths.append(answer.headers["Location"])
            return paths

        with ThreadPoolExecutor(32) as pool:
            return sum(pool.map(create, range(32)), [])

    def metrics(self, nodes, *names):
        """The sums of some metrics over the first nodes."""
        total = [0] * len(names)
        for port in self.admin_ports[:nodes]:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
            for index, name in enumerate(names):
                total[index] += float(re.search(rf"^{name} (\S+)", text, re.M)[1])
        return total

    def batches(self, nodes):
        """The number of batches of the first nodes, and of their records."""
        return self.metrics(nodes, *(f"pickerd_store_batch_records_{what}"
                                     for what in ("count", "sum")))

    def rest(self):
        """Waits until all members have left and their sessions are evicted: the next measurement
        would measure that, too."""
        while self.metrics(3, "pickerd_sessions_resident") != [0]:
            time.sleep(0.1)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def generate(cluster, load, paths, seconds, *options):
    """Runs the generator, and returns its figures."""
    with tempfile.NamedTemporaryFile("w", suffix=".rooms") as file:
        for number, path in enumerate(paths):
            ports = " ".join(map(str, load.ports(number, cluster.ports)))
            file.write(f"{path} {load.members} 1 {ports}\n")
        file.flush()
        run = subprocess.run(
            [BUILT / "bench/load", "--port", "1", "--rooms", file.name, "--join", JOIN,
             *sum((["--tap", tap] for tap in TAPS), []), "--shared", "--warm", str(seconds / 2),
             "--closed", str(seconds), *options], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{load.name}: the generator failed")
    return json.loads(run.stdout)


def latencies(cluster, paths, seconds):
    """Milliseconds from a command to its delivery, one command at a time."""
    phase = generate(cluster, Load(1, 3, False), paths[:1], seconds)["closed"]
    cluster.rest()
    return {name: phase[name] / 1000 for name in ("p50", "p99", "far50", "far99")}


@contextlib.contextmanager
def sampled(cluster, nodes):
    """Reads the batches of the nodes twice a second: (time, number, records)."""
    samples, is_over = [], threading.Event()

    def sample():
        while not is_over.wait(0.5):
            samples.append((time.monotonic(), *cluster.batches(nodes)))

    thread = threading.Thread(target=sample)
    thread.start()
    try:
        yield samples
    finally:
        is_over.set()
        thread.join()


def limited_rates(cluster, loads, paths, seconds):
    """Commands per second with a CPU quota for each node."""
    found = {}
    for load in loads:
        phase = generate(cluster, load, paths[:load.sessions], seconds, "--window",
                         str(load.window), "--pause", str(load.pause))["bulk"]
        cluster.rest()
        found[load] = phase["taps"] / phase["seconds"]
        print(f"  {load.name}, {QUOTA} of a core each: {found[load]:,.0f}/s", file=sys.stderr,
              flush=True)
    return found


def rates(cluster, load, paths, inserts, seconds):
    """Commands per second, and entries per second of pgbench."""
    with sampled(cluster, load.nodes) as samples:
        phase = generate(cluster, load, paths[:load.sessions], seconds, "--window",
                         str(load.window), "--pause", str(load.pause))["bulk"]
    # Of the time with commands, without that of the joins.
    (_, *before), (_, *after) = next(
        each for each in samples if each[0] > time.monotonic() - seconds - 0.5), samples[-1]
    cluster.rest()
    batches, records = (now - then for now, then in zip(after, before))
    size = max(1, round(records / max(batches, 1)))
    commands = phase["taps"] / phase["seconds"]
    bare = inserts.rate(load.sessions, size, load.nodes, seconds)
    print(f"  {load.name}: {commands:,.0f}/s in batches of {size}, pgbench {bare:,.0f}/s",
          file=sys.stderr, flush=True)
    return {"commands": commands, "size": size, "bare": bare, "ratio": commands / bare}


def store_rates(load, inserts, seconds):
    """Commands per second of hubs and stores without sockets, and entries per second of pgbench."""
    database = inserts.fresh("store")
    count = min(load.nodes, load.sessions)
    processes = [subprocess.Popen(
        [BUILT / "release/StoreBench", f"database={database}", f"seconds={seconds}",
         f"sessions={load.sessions // count}", f"window={load.members * load.window}"],
        stdout=subprocess.PIPE, text=True, env=inserts.environment) for _ in range(count)]
    outputs = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        sys.exit(f"{load.name}: StoreBench failed")
    measured = [json.loads(output) for output in outputs]
    commands = sum(each["perSecond"] for each in measured)
    size = max(1, round(sum(each["records"] for each in measured)
                        / max(1, sum(each["batches"] for each in measured))))
    bare = inserts.rate(load.sessions, size, count, seconds)
    print(f"  {load.name}, the store: {commands:,.0f}/s in batches of {size}, "
          f"pgbench {bare:,.0f}/s", file=sys.stderr, flush=True)
    return {"commands": commands, "size": size, "bare": bare, "ratio": commands / bare}


def middle(rounds, load, name):
    return median(each[load][name] for each in rounds)


def rate_table(title, rounds, loads):
    return table([title, "pickerd", "entries a batch", "pgbench", "÷ pgbench"], [
        [load.name, *(f"{middle(rounds, load, name):,.0f}"
                      for name in ("commands", "size", "bare")),
         f"{middle(rounds, load, 'ratio'):.2f}"] for load in loads])


def report(delays, rounds, stores, limited, loads):
    near, far = (["p50", "p99"], ["far50", "far99"])
    print(table(["ms from command to delivery", "p50", "p99"], [
        [where, *(f"{median(each[name] for each in delays):.2f}" for name in names)]
        for where, names in (("on the node of the sender", near), ("on another node", far))]))
    print()
    print(rate_table("commands/s over WebSockets", rounds, loads))
    print()
    if limited:
        print(table([f"commands/s over WebSockets, {QUOTA} of a core for each node", "pickerd"], [
            [load.name, f"{median(each[load] for each in limited):,.0f}"]
            for load in loads if load in limited[0]]))
        print()
    hashed = list(stores[0])
    print(rate_table("commands/s of hubs and stores", stores, hashed))
    print()
    goals = [("the store beside pgbench, at least in all rows", STORE_LEAST,
              min(middle(stores, load, "ratio") for load in hashed))]
    one = {load.sessions: load for load in loads if load.nodes == 1}
    for load in loads:
        if load.nodes == 3:
            least = HOT_LEAST if load.sessions == 1 and not load.is_hashed else NODES_LEAST
            name = f"{load.name}, as a multiple of 1 node"
            goals.append((name, least, median(
                each[load]["commands"] / each[one[load.sessions]]["commands"] for each in rounds)))
            if limited:
                goals.append((f"{name}, {QUOTA} of a core each", least, median(
                    each[load] / each[one[load.sessions]] for each in limited)))
    print(table(["goal", "at least", "measured"], [
        [name, f"{least:.2f}", f"{value:.2f}{'' if value >= least else ' (missed)'}"]
        for name, least, value in goals]))


def main():
    given = settings()
    loads = [load for load in LOADS if load.sessions in given.sessions]
    with contextlib.ExitStack() as stack:
        cluster = Cluster()
        stack.callback(cluster.stop)
        inserts = Inserts(cluster.store, cluster.passfile, max(given.sessions))
        paths = cluster.create(max(given.sessions))
        cluster.rest()
        delays, rounds, stores, limited = [], [], [], []
        quota = CPUQuota.of(cluster.nodes, QUOTA)
        if quota:
            stack.callback(quota.remove)
        for number in range(given.rounds):
            print(f"round {number + 1} of {given.rounds}", file=sys.stderr, flush=True)
            delays.append(latencies(cluster, paths, given.seconds))
            order = loads[::-1] if number % 2 else loads
            rounds.append(
                {load: rates(cluster, load, paths, inserts, given.seconds) for load in order})
            stores.append({load: store_rates(load, inserts, given.seconds)
                           for load in order if load.is_hashed})
            if quota:
                with quota:
                    limited.append(limited_rates(
                        cluster, [load for load in order if load.nodes != 2], paths,
                        given.seconds))
        report(delays, rounds, stores, limited, loads)


if __name__ == "__main__":
    main()
