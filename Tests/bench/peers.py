#!/usr/bin/env python3
"""make bench-peers: pickerd beside what one would pick instead, as peers_page.py describes it.

Each round measures every job on every server, one after the other, in a different order. A server
that is not installed, or that fails in a job, is reported and left out.
"""

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import peers_page
from generator import generated
from run import delta_length, say, watched
from scenarios import Scenario
from servers import (BUILT, NIO, REPOSITORY, SERVER_CORE, Bare, Pickerd, Server, certificate,
                     pickerd_binary)

FOLDER = REPOSITORY / "Tests/bench/peers"
PYTHON = BUILT / "bench/peers/bin/python"
#: Debian's packages for Node.js, for one that is not Debian's, too.
NODE_PATH = f"NODE_PATH=/usr/share/nodejs:/usr/lib/{os.uname().machine}-linux-gnu/nodejs"

ECHO = Scenario("echo", [(1, 1, True)], 1000)
IDLE = [Scenario("idle", [(500, 10, False)], 0),
        Scenario("idletls", [(200, 10, False)], 0, is_tls=True)]
DURABLE = Scenario("durable", [(100, 1, True)], 0)
JOBS = [ECHO, Scenario("100", [(1, 100, True)], 0), Scenario("1000", [(1, 1000, True)], 0),
        *IDLE, DURABLE]


class Peer(Server):
    command = ()

    def arguments(self):
        certificates = [certificate()] if self.is_tls else []
        return [*self.command, self.port, self.delta_bytes, *certificates]


class UWebSockets(Peer):
    name, command = "uwebsockets", (BUILT / "bench/with_uwebsockets",)


class Socketify(Peer):
    name, command = "socketify", (PYTHON, FOLDER / "with_socketify.py")


class WS(Peer):
    name, command = "ws", ("env", NODE_PATH, "node", FOLDER / "with_ws.js")


class Centrifuge(Peer):
    name, command = "centrifuge", (BUILT / "bench/with_centrifuge",)

    def spoken(self, scenario):
        """Its own protocol: a member connects, and a tap is a remote procedure call (method 9)."""
        return (['{"id":1,"params":{}}'],
                [f'{{"id":@,"method":9,"params":{{"data":{tap}}}}}' for tap in scenario.taps])


class Websockets(Peer):
    name, command = "websockets", (PYTHON, FOLDER / "with_websockets.py")


class Picows(Peer):
    name, command = "picows", (PYTHON, FOLDER / "with_picows.py")


def of_python(*names):
    """The command that prints the versions of Python and of packages, and fails without them."""
    versions = ", ".join(f"'{name}', version('{name}')" for name in names)
    return (f'{PYTHON} -c "import platform; from importlib.metadata import version; '
            f"print({versions}, 'Python', platform.python_version())\"")


#: The servers, each with a shell command that prints its version, or fails if it is not installed.
SERVERS = {
    Pickerd: f"{pickerd_binary()} --version",
    Bare: f"test -x {BUILT}/bench/bare && echo libwebsockets $(pkg-config --modversion "
          "libwebsockets | tr -d -)",
    NIO: f"test -x {BUILT}/bench/nio/release/RoomServer && sed -n "
         f"'s/.*\\(swift-nio\", exact: \"[0-9.]*\\).*/\\1/p' {REPOSITORY}/Tests/bench/nio/"
         "Package.swift | tr -d '\",:' | sed 's/exact//'",
    UWebSockets: f"test -x {UWebSockets.command[0]} && " + of_python("socketify"),
    Socketify: of_python("socketify"),
    WS: f"{NODE_PATH} node {FOLDER}/version_of_ws.js",
    Centrifuge: f"test -x {Centrifuge.command[0]} && dpkg-query -W -f 'centrifuge ${{Version}} ' "
                "golang-github-centrifugal-centrifuge-dev && go version | cut -d ' ' -f 3",
    Websockets: of_python("websockets", "uvloop"),
    Picows: of_python("picows", "uvloop"),
}


def settings():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--servers", default="", help="some of them; default all")
    parser.add_argument("--json", type=Path, default=BUILT / "bench/peers.json")
    parser.add_argument("--only-report", action="store_true", help="of what is in --json")
    parser.add_argument("--publish", action="store_true",
                        help="write the page into Tests/bench, and its table into README.md")
    return parser.parse_args()


def installed(wanted):
    """The versions of the servers that are installed, and the reasons why others are not."""
    versions, missing = {}, {}
    for kind, command in SERVERS.items():
        run = subprocess.run(command, shell=True, capture_output=True, text=True)
        if run.returncode != 0:
            lines = run.stderr.strip().splitlines() or ["not built"]
            reason = next((line for line in lines if "Error" in line), lines[-1])
            missing[kind.name] = reason.replace(f"{REPOSITORY}/", "")
        elif not wanted or kind.name in wanted:
            versions[kind.name] = " ".join(run.stdout.split())
    return versions, missing


def entry_bytes(store):
    """The mean length of a stored command."""
    with closing(sqlite3.connect(store)) as database:
        return round(database.execute("SELECT avg(length(body)) FROM entry").fetchone()[0])


def job(kind, scenario, length, seconds):
    """A measurement: the generator's figures."""
    seconds = 0 if scenario in IDLE else seconds
    with tempfile.TemporaryDirectory(dir=BUILT / "bench") as folder:
        store = Path(folder, "store.sqlite")
        given = {"store": f"sqlite:{store}"} if scenario is DURABLE else {}
        server = kind(delta_bytes=length, is_tls=scenario.is_tls, **given)
        try:
            measured = generated(server, scenario, warm=seconds / 2, closed=seconds, opened=0)
        finally:
            server.kill()
        if scenario is DURABLE:
            measured["entryBytes"] = entry_bytes(store)
    # The session is a part of what its members need.
    measured["memoryPerMember"] += measured["memoryPerSession"] / scenario.rooms[0][1]
    return measured


def commits(size, seconds):
    """Transactions of one INSERT of `size` bytes, each with the flush of pickerd's."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {SERVER_CORE})
    try:
        with tempfile.TemporaryDirectory(dir=BUILT / "bench") as folder, closing(
                sqlite3.connect(f"{folder}/store.sqlite", isolation_level=None)) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = FULL")
            database.execute("CREATE TABLE entry (body BLOB NOT NULL)")
            body, count, begun = b" " * size, 0, time.monotonic()
            while time.monotonic() - begun < seconds:
                database.execute("INSERT INTO entry (body) VALUES (?)", [body])
                count += 1
            return {"closed": {"perSecond": count / (time.monotonic() - begun)}}
    finally:
        os.sched_setaffinity(0, cores)


def one_round(number, kinds, length, seconds):
    """The measurements by job and server; the order of the servers rotates."""
    found = {scenario.name: {} for scenario in JOBS}
    order = kinds[number % len(kinds):] + kinds[:number % len(kinds)]
    for scenario in JOBS:
        for kind in order:
            if scenario is DURABLE and kind is not Pickerd:
                continue
            try:
                measured = watched(lambda: job(kind, scenario, length, seconds))
            except SystemExit as failure:
                say(f"  {scenario.name} {kind.name}: {failure}")
                continue
            found[scenario.name][kind.name] = measured
            figure = (f"{measured['memoryPerMember']:,.0f} bytes" if scenario in IDLE
                      else f"{measured['closed']['perSecond']:,.0f}/s")
            say(f"  {scenario.name} {kind.name}: {figure}, others {measured['others']:.0%}")
    durable = found[DURABLE.name]
    if Pickerd.name in durable:
        size = durable[Pickerd.name]["entryBytes"]
        durable["sqlite"] = watched(lambda: commits(size, seconds))
    return found


def machine():
    """The processor's name and the number of cores."""
    model = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text()
                  .splitlines() if line.startswith("model name")), "an unknown processor")
    return f"{os.cpu_count()} cores, {model}"


def measured_rounds(given):
    versions, missing = installed(given.servers.split())
    for name, reason in missing.items():
        say(f"not installed: {name}: {reason}")
    kinds = [kind for kind in SERVERS if kind.name in versions]
    commit = subprocess.run(["git", "-C", REPOSITORY, "describe", "--always", "--dirty"],
                            capture_output=True, text=True).stdout.strip()
    results = {"versions": versions, "missing": missing, "commit": commit, "machine": machine(),
               "seconds": given.seconds, "begun": time.strftime("%F %H:%M", time.gmtime()),
               "deltaBytes": delta_length([], ECHO), "rounds": []}
    for number in range(given.rounds):
        say(f"round {number + 1} of {given.rounds}")
        results["rounds"].append(
            one_round(number, kinds, results["deltaBytes"], given.seconds))
        results["ended"] = time.strftime("%H:%M", time.gmtime())
        given.json.write_text(json.dumps(results))
    return results


def main():
    given = settings()
    results = json.loads(given.json.read_text()) if given.only_report else measured_rounds(given)
    folder = REPOSITORY / "Tests/bench" if given.publish else BUILT / "bench"
    text = peers_page.page(results)
    (folder / "PEERS.md").write_text(text)
    (folder / "PEERS.svg").write_text(peers_page.plot(results))
    if given.publish:
        peers_page.into_readme(results, REPOSITORY / "README.md")
    print(text)
    print(f"The page: {os.path.relpath(folder / 'PEERS.md')}", file=sys.stderr)


if __name__ == "__main__":
    main()
