#!/usr/bin/env python3
"""cluster.py [--pickerd FILE] [--port N] [--nodes N] [--store STORE] : `make cluster`.

Starts PostgreSQL 15 with two standbys under Patroni with etcd, three pickerd nodes, and HAProxy in
front of them, on loopback ports and in a temporary folder. Prints the addresses, one a line, then
waits, and starts programs again that have exited. SIGINT, SIGTERM and the death of this process end
everything.

Only for trying and for tests: one machine is no protection against its loss.
"""

import argparse
import http.client
import os
import re
import signal
import socket
import sys
from pathlib import Path

from databases import Databases
from ports import free_ports
from processes import Failure, Processes

DEPLOY = Path(__file__).resolve().parent.parent


class Cluster:
    """The databases, the nodes and HAProxy."""

    def __init__(self, options):
        self.options = options
        self.addresses = dict(each.partition("@")[0].split("=") for each in options.machine)
        names = [f"node{n}" for n in range(1, options.nodes + 1)]
        namespaces = {each.partition("=")[0]: each.partition("@")[2] for each in options.machine}
        namespaces |= {f"etcd-{name}": path for name, path in namespaces.items()}
        self.processes = Processes(namespaces)
        self.folder = self.processes.folder
        ports = iter(free_ports(13 + 3 * options.nodes))
        self.port = options.port or next(ports)
        self.nodes = {
            name: (self.addresses.get(name, "127.0.0.1"), next(ports), next(ports), next(ports))
            for name in names}
        self.databases = None
        if not options.store:
            self.databases = Databases(self.processes, ports, self.addresses)
        self.store = options.store or self.databases.store()

    def run(self):
        if self.databases:
            print("starting PostgreSQL under Patroni with etcd: ten seconds", flush=True)
            self.databases.start()
        if self.nodes:
            self.start_nodes()
            self.start_haproxy()
        self.describe()
        self.processes.watch()

    def start_nodes(self):
        for name, (address, port, admin, internal) in self.nodes.items():
            # Of nodes on one database; those with --store have one each, for comparison.
            relay = ["--node-listen", f"{address}:{internal}"] if self.databases else []
            environment = {"PGPASSFILE": str(self.databases.passfile)} if self.databases else {}
            environment |= dict(each.partition(":")[2].split("=", 1)
                                for each in self.options.environment if each.startswith(f"{name}:"))
            self.processes.start(name, [
                self.options.pickerd.absolute(), "serve", "--listen", f"{address}:{port}",
                "--admin-listen", f"{address}:{admin}", "--store", self.store, *relay,
                *self.options.argument], environment=environment, keep=True)

    def stop(self):
        self.processes.stop([*self.nodes, "haproxy"])

    def start_haproxy(self):
        """HAProxy with the backend of deploy/haproxy.cfg, whose frontend needs a certificate."""
        backend = (DEPLOY / "haproxy.cfg").read_text().partition("backend cluster\n")[2]
        servers = [f"  server {name} {address}:{port}"
                   for name, (address, port, *_) in self.nodes.items()]
        path = self.folder / "haproxy.cfg"
        path.write_text("\n".join([
            "defaults", "  mode http", "  timeout connect 5s", "  timeout http-request 10s",
            "  timeout client 60s", "  timeout server 60s", "  timeout tunnel 60s",
            "frontend public", f"  bind 127.0.0.1:{self.port}",
            "  http-request set-header X-Forwarded-For %[src]", "  default_backend cluster",
            "backend cluster", re.sub(r"\n  server .*", "", backend).rstrip(), *servers, ""]))
        self.processes.start("haproxy", ["haproxy", "-db", "-f", path], keep=True)
        self.processes.wait_until(
            lambda: self.is_ready("127.0.0.1", self.port) and all(
                self.is_ready(address, port) for address, port, *_ in self.nodes.values()),
            "readiness of all nodes")

    @staticmethod
    def is_ready(address, port):
        try:
            connection = http.client.HTTPConnection(address, port, timeout=5)
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False

    def describe(self):
        """NAME ADDRESS…, one a line; tests read them."""
        if self.nodes:
            print(f"pickerd http://127.0.0.1:{self.port} through HAProxy")
        for name, (address, port, admin, internal) in self.nodes.items():
            print(f"{name} http://{address}:{port} admin http://{address}:{admin} "
                  f"nodes {address}:{internal}")
        print(f"store {self.store}")
        if self.databases:
            print(f"passfile {self.databases.passfile}")
            for name, (port, *_) in self.databases.ports.items():
                role, address = self.databases.role(name), self.databases.addresses[name]
                print(f"{name} {address}:{port} patroni {self.databases.url(name, 1)} {role}")
        print(f"folder {self.folder} logs and process ids")
        print("ready: Ctrl-C ends all of it", flush=True)


def interrupted(*_):
    """The first signal ends everything; further ones do not interrupt that."""
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: None)
    raise KeyboardInterrupt


def is_taken(port):
    """Whether a program listens. A second HAProxy would share the port with the first one."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return True
    return False


def main():
    parser = argparse.ArgumentParser(prog="make cluster")
    parser.add_argument("--pickerd", default=DEPLOY.parent / ".build/release/pickerd", type=Path)
    parser.add_argument("--port", default=0, type=int, help="of HAProxy; 0: any free port")
    parser.add_argument("--nodes", default=3, type=int, help="0: only the databases")
    parser.add_argument("--store", help="of every node, instead of PostgreSQL")
    parser.add_argument(
        "--machine", action="append", default=[], metavar="NAME=ADDRESS@NAMESPACE",
        help="for tests: the address and the network namespace (a path) of pg1 or node1, and so on")
    parser.add_argument(
        "--environment", action="append", default=[], metavar="NAME:VARIABLE=VALUE",
        help="for tests: an environment variable of a node")
    parser.add_argument("argument", nargs="*", help="further arguments of pickerd serve")
    options = parser.parse_args()
    if options.nodes and not (options.pickerd.is_file() and os.access(options.pickerd, os.X_OK)):
        sys.exit(f"make cluster: {options.pickerd} is not a program. Build it with make build, or "
                 "give --pickerd FILE")
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, interrupted)
    if options.port and is_taken(options.port):
        sys.exit(f"make cluster: another program listens on port {options.port}. End it, or give "
                 f"another port: make cluster PORT={options.port + 1}")
    cluster = None
    try:
        cluster = Cluster(options)
        cluster.run()
    except KeyboardInterrupt:
        pass
    except Failure as failure:
        sys.exit(f"make cluster: {failure}")
    finally:
        if cluster:
            cluster.stop()


if __name__ == "__main__":
    main()
