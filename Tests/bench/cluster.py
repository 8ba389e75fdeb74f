#!/usr/bin/env python3
"""make bench-cluster: nodes on PostgreSQL with a synchronous standby, beside pgbench.

Each round measures, one after the other:

- the durable commands per second of one node, and then pgbench with the same statements (see
  insert_sql.py) and as many entries in a transaction as pickerd had;
- those of one and of three nodes, each with a CPU quota as if it had a machine of its own. All
  members of a session are at one node, as behind a load balancer that hashes by session;
- the CPU time of the nodes per delivery, to members at the session's owner and to members at another
  node, which relays them.

All programs share the cores.
"""

import argparse
import contextlib
import http.client
import json
import os
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
DEFINITION = {"kind": "columns", "columns": [["a", "b", "c", "d"]] * 10}
JOIN = '{"type":"join","name":"Ana"}'
TAPS = [f'{{"type":"select","ref":@,"column":#,"row":{row},"generation":1}}'
        for row in (1, 2, 3, 0)]
#: The minimum ratio of three nodes to one, and the maximum of a relayed delivery to a direct one.
NODES_LEAST, RELAY_MOST = 2.2, 2.0
#: The CPU quota of a node in cores. It limits the nodes: with 0.2 of two cores they wait for the
#: flushes of the database.
QUOTA = 0.05
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Load:
    sessions: int
    members: int
    #: Commands in flight per session.
    window: int
    nodes: int = 1

    @property
    def pause(self):
        """The longest pause of the generator in seconds: a longer one would be measured, because a
        store is mostly waited for. Ten times what reading from all connections takes."""
        return max(0.001, 1e-5 * self.sessions * self.members)

    @property
    def name(self):
        return (f"{self.sessions:,} sessions of {self.members}, "
                f"{self.nodes} node{'' if self.nodes == 1 else 's'}")

    def ports(self, number, ports):
        """The ports for the members of a session, in turn."""
        return [ports[number % self.nodes]]

    def on(self, nodes):
        return Load(self.sessions, self.members, self.window, nodes)


class Relayed(Load):
    """The first member is at the owner of the session, all others are at another node."""

    def ports(self, number, ports):
        return [ports[0]] + [ports[1]] * (self.members - 1)


LOADS = [Load(100, 3, 8), Load(2_000, 1, 1)]
DIRECT, RELAYED = Load(10, 10, 1), Relayed(10, 10, 1)


def settings():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
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
        self.admin_ports = [int(port) for port in re.findall(r" admin \S+:(\d+)", text)]
        if not len(self.ports) == len(self.admin_ports) == 3:
            sys.exit(f"not three nodes:\n{text}")
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

    def read(self, paths, until=None):
        """Reads sessions at the first node; with an event, again and again until that is set."""
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[0], timeout=60)
        while True:
            for path in paths:
                connection.request("GET", path)
                connection.getresponse().read()
            if until is None or until.wait(0.2):
                return

    def metrics(self, *names):
        """The sums of some metrics over the nodes."""
        total = [0] * len(names)
        for port in self.admin_ports:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
            for index, name in enumerate(names):
                total[index] += float(re.search(rf"^{name} (\S+)", text, re.M)[1])
        return total

    def batches(self):
        """The number of batches of the nodes, and of their records."""
        return self.metrics(*(f"pickerd_store_batch_records_{what}"
                                     for what in ("count", "sum")))

    def rest(self):
        """Waits until all members have left and their sessions are evicted: the next measurement
        would measure that, too."""
        while self.metrics("pickerd_sessions_resident") != [0]:
            time.sleep(0.1)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def processor_seconds(self):
        """Of all nodes."""
        total = 0
        for process in self.nodes:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICKS


def generate(cluster, load, paths, seconds, figure):
    """Runs the generator. Returns its figures, and by how much `figure()` has grown in their
    time."""
    with tempfile.NamedTemporaryFile("w", suffix=".rooms") as file:
        for number, path in enumerate(paths[:load.sessions]):
            ports = " ".join(map(str, load.ports(number, cluster.ports)))
            file.write(f"{path} {load.members} 1 {ports}\n")
        file.flush()
        run = subprocess.Popen(
            [BUILT / "bench/load", "--port", "1", "--rooms", file.name, "--join", JOIN,
             *sum((["--tap", tap] for tap in TAPS), []), "--shared", "--warm", str(seconds / 2),
             "--closed", str(seconds), "--window", str(load.window), "--pause", str(load.pause)],
            stdout=subprocess.PIPE, text=True)
        # The generator ends a line at the begin of the measured time, and one at its end.
        lines, figures = [], []
        for line in run.stdout:
            lines.append(line)
            figures.append(figure())
    if run.wait() != 0:
        sys.exit(f"{load.name}: the generator failed")
    cluster.rest()
    grown = [after - before for before, after in zip(*figures[:2])]
    return json.loads("".join(lines))["bulk"], grown


def limited(cluster, load, paths, quota, seconds):
    """Commands per second, and in which share of the time a node had used up its quota."""
    phase, (periods, throttled) = generate(cluster, load, paths, seconds,
                                           lambda: quota.periods(cluster.nodes[:load.nodes]))
    return phase["taps"] / phase["seconds"], throttled / max(periods, 1)


def beside_pgbench(cluster, load, paths, inserts, seconds):
    """Commands per second, and entries per second of pgbench."""
    phase, (batches, records) = generate(cluster, load, paths, seconds, cluster.batches)
    size = max(1, round(records / max(batches, 1)))
    commands = phase["taps"] / phase["seconds"]
    bare = inserts.rate(load.sessions, size, load.nodes, seconds)
    print(f"  {load.name}: {commands:,.0f}/s in batches of {size}, pgbench {bare:,.0f}/s",
          file=sys.stderr, flush=True)
    return {"commands": commands, "size": size, "bare": bare, "ratio": commands / bare}


def delivery_cost(cluster, load, paths, seconds):
    """Microseconds of CPU time of all nodes per delivery."""
    is_joined = threading.Event()

    def figure():
        is_joined.set()
        return [cluster.processor_seconds()]

    # The first node becomes the owner of the sessions, and stays it until members have joined.
    cluster.read(paths[:load.sessions])
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(cluster.read, paths[:load.sessions], is_joined)
        phase, (cost,) = generate(cluster, load, paths, seconds, figure)
        reading.result()
    return 1e6 * cost / phase["deliveries"]


def report(rounds):
    print(table(["durable commands/s of one node", "pickerd", "entries a batch", "pgbench",
                 "÷ pgbench"], [
        [load.name, *(f"{median(each['one'][load][name] for each in rounds):,.0f}"
                      for name in ("commands", "size", "bare")),
         f"{median(each['one'][load]['ratio'] for each in rounds):.2f}"] for load in LOADS]))
    print()
    goals = []
    if "limited" in rounds[0]:
        print(table([f"durable commands/s, {QUOTA} of a core for each node", "1 node", "3 nodes"], [
            [f"{load.sessions:,} sessions of {load.members}",
             *(f"{median(each['limited'][load.on(nodes)][0] for each in rounds):,.0f} "
               f"({median(each['limited'][load.on(nodes)][1] for each in rounds):.0%})"
               for nodes in (1, 3))] for load in LOADS]))
        print("\nIn brackets: the share of the time in which a node had used up its quota. If it "
              "is small, something else limits.\n")
        for load in LOADS:
            value = median(each["limited"][load.on(3)][0] / each["limited"][load.on(1)][0]
                           for each in rounds)
            goals.append((f"{load.sessions:,} sessions, 3 nodes ÷ 1", f"at least {NODES_LEAST}",
                          value, value >= NODES_LEAST))
    print(table(["CPU µs of the nodes per delivery", "direct", "relayed"], [
        ["10 sessions of 10",
         *(f"{median(each[name] for each in rounds):.1f}" for name in ("direct", "relayed"))]]))
    print()
    value = median(each["relayed"] / each["direct"] for each in rounds)
    goals.append(("relayed ÷ direct", f"at most {RELAY_MOST}", value, value <= RELAY_MOST))
    print(table(["goal", "", "measured"], [
        [name, bound, f"{value:.2f}{'' if is_reached else ' (missed)'}"]
        for name, bound, value, is_reached in goals]))


def main():
    given = settings()
    count = max(load.sessions for load in LOADS)
    with contextlib.ExitStack() as stack:
        cluster = Cluster()
        stack.callback(cluster.stop)
        inserts = Inserts(cluster.store, cluster.passfile, count)
        paths = cluster.create(count)
        cluster.rest()
        quota = CPUQuota.of(cluster.nodes, QUOTA)
        if quota:
            stack.callback(quota.remove)
        rounds = []
        for number in range(given.rounds):
            print(f"round {number + 1} of {given.rounds}", file=sys.stderr, flush=True)
            found = {"one": {load: beside_pgbench(cluster, load, paths, inserts, given.seconds)
                             for load in LOADS}}
            if quota:
                with quota:
                    found["limited"] = {
                        load.on(nodes): limited(cluster, load.on(nodes), paths, quota,
                                                given.seconds)
                        for load in LOADS for nodes in ((1, 3), (3, 1))[number % 2]}
            for name, load in (("direct", DIRECT), ("relayed", RELAYED))[::1 - number % 2 * 2]:
                found[name] = delivery_cost(cluster, load, paths, given.seconds)
            print(f"  {found}", file=sys.stderr, flush=True)
            rounds.append(found)
        report(rounds)


if __name__ == "__main__":
    main()
