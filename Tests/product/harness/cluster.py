"""A cluster from deploy/cluster: databases, nodes and HAProxy, which tests kill and stop."""

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import threading
from pathlib import Path

from .patience import PATIENCE
from .pickerd import REPOSITORY, Pickerd, binary, wait_until
from .postgres import BINARIES, send

#: The first key of the nodes' advisory locks.
NODE_LOCK = 0x7069636B
DATABASES = ["pg1", "pg2", "pg3"]
#: A query for the address of the server that answers it.
ADDRESS = "SELECT host(inet_server_addr()) || ':' || inet_server_port()"


class Client:
    """HTTP requests and sessions at one address."""

    create, session, request = Pickerd.create, Pickerd.session, Pickerd.request
    get, post, delete = Pickerd.get, Pickerd.post, Pickerd.delete
    has_manual_clock = False
    host = "127.0.0.1"

    def connection(self, port=None, timeout=PATIENCE):
        return http.client.HTTPConnection(self.host, port or self.port, timeout=timeout)

    def socket(self, path):
        return f"ws://{self.host}:{self.port}{path}"

    def is_ready(self):
        """The answer may be HAProxy's own, which is no problem document; a node that is cut off does
        not answer."""
        connection = self.connection(timeout=20)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


class Node(Client):
    """A node, without HAProxy before it."""

    def __init__(self, name, address, admin):
        self.name, self.sessions = name, []
        self.host, self.port = re.search(r"//(.*):(\d+)$", address).groups()
        self.admin_port = re.search(r":(\d+)$", admin)[1]

    def __repr__(self):
        return self.name


class Cluster(Client):
    """`make cluster`. Requests go through HAProxy."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [REPOSITORY / "deploy/cluster/cluster.py", "--pickerd", binary(), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        #: Unless it starts in time, it ends, and so does its output.
        timer = threading.Timer(PATIENCE, self.process.terminate)
        timer.start()
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line.split())
            if line.startswith("ready"):
                break
        timer.cancel()
        assert self.lines and self.lines[-1][0] == "ready:", f"no cluster: {self.lines}"
        self.words = {words[0]: words[1:] for words in self.lines}
        self.folder = Path(self.words["folder"][0])
        self.port = port(self.words["pickerd"][0]) if "pickerd" in self.words else None
        self.sessions = []

    @property
    def nodes(self):
        return [Node(name, self.words[name][0], self.words[name][2])
                for name in ("node1", "node2", "node3")]

    def __repr__(self):
        return "HAProxy"

    # Processes

    def pid(self, name):
        """The process id of a node, Patroni (`pg1`), etcd or HAProxy."""
        return int((self.folder / f"{name}.pid").read_text())

    def postmaster(self, name):
        """The process id of a database server. Patroni may be starting it again."""
        def words():
            with contextlib.suppress(FileNotFoundError):
                return (self.folder / name / "data/postmaster.pid").read_text().split()

        return int(wait_until(words, what=f"the server of {name}")[0])

    def kill(self, name):
        """kill -9; a node is started again after a second."""
        os.kill(self.pid(name), signal.SIGKILL)

    def signal(self, name, number):
        """Sends a signal to all processes of a node or a database server."""
        for pid in (self.pid(name), *([self.postmaster(name)] if name.startswith("pg") else [])):
            os.kill(pid, number)

    def server(self, name):
        """The ids of all processes of a database server, the postmaster's first."""
        postmaster = self.postmaster(name)
        children = subprocess.run(
            ["pgrep", "-P", str(postmaster)], capture_output=True, text=True).stdout.split()
        return [postmaster, *map(int, children)]

    def kill_server(self, name):
        """kill -9 of all processes of a database server at the same time."""
        # Stopped, it does not start others.
        os.kill(self.postmaster(name), signal.SIGSTOP)
        for pid in reversed(self.server(name)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def kill_postmaster(self, name):
        """kill -9 of the postmaster alone. Its other processes end one after the other: meanwhile,
        some of them see commits that no standby has."""
        os.kill(self.postmaster(name), signal.SIGKILL)

    @contextlib.contextmanager
    def without_machine(self, name):
        """kill -9 of PostgreSQL, Patroni and etcd of one machine, which start again afterwards."""
        with self.without(name, f"etcd-{name}"):
            yield

    @contextlib.contextmanager
    def without(self, *names):
        """kill -9 of programs, which start again afterwards; with Patroni, of its server, too."""
        for each in names:
            (self.folder / f"{each}.down").touch()
            self.kill(each)
        for each in set(names).intersection(DATABASES):
            self.kill_server(each)
        try:
            yield
        finally:
            for each in names:
                (self.folder / f"{each}.down").unlink()

    def end(self, names):
        """SIGTERM of programs, which do not start again before `begin`."""
        for name in names:
            (self.folder / f"{name}.down").touch()
            os.kill(self.pid(name), signal.SIGTERM)
        wait_until(lambda: not any(map(self.runs, names)), what="their end")

    def begin(self, names):
        for name in names:
            (self.folder / f"{name}.down").unlink()

    def runs(self, name):
        """Whether a program runs; a zombie has no command line."""
        return bool(text(Path(f"/proc/{self.pid(name)}/cmdline")))

    @contextlib.contextmanager
    def stopped(self, name):
        """SIGSTOP of Patroni and all processes of its server, which go on afterwards."""
        parents = [self.pid(name), self.postmaster(name)]
        # First, so that they start no further processes.
        send(parents, signal.SIGSTOP)
        pids = [*parents, *self.server(name)]
        try:
            send(pids, signal.SIGSTOP)
            yield
        finally:
            send(pids, signal.SIGCONT)

    def owner(self, session):
        """The node that owns a session; None if none that is alive does."""
        address = self.sql(f"""
            SELECT address FROM pickerd.session JOIN pickerd.node ON node.number = owner
            JOIN pg_locks ON locktype = 'advisory' AND classid = {NODE_LOCK} AND objsubid = 2
              AND objid::bigint = owner AND granted
            WHERE id = '{session.id}'""").strip()
        return next((node for node in self.nodes if self.words[node.name][4] == address), None)

    # Databases

    def primary(self):
        """The name of the database server that accepts writes."""
        return self.database(self.sql(ADDRESS))

    def database(self, address):
        return next(name for name in DATABASES if self.words[name][0] == address.strip())

    def primary_to_lose(self):
        """The primary, once a standby may be promoted instead."""
        wait_until(self.synchronous_standby, what="a synchronous standby")
        return self.primary()

    def has_primary(self):
        """Whether a server accepts writes: another one, or the old one again if no standby has
        answered Patroni in time."""
        return self.is_promoted(None)

    def is_promoted(self, old):
        """Whether another server than `old` is the primary."""
        try:
            return self.database(self.sql_once(ADDRESS)) != old
        except (ConnectionError, subprocess.TimeoutExpired):
            return False

    def wait_for_standbys(self):
        """Until both standbys have all commits, and one may be promoted: the next fault is a single
        one again."""
        wait_until(lambda: self.has_standbys() and self.synchronous_standby(),
                   what="two standbys")

    def has_standbys(self):
        try:
            return self.sql_once(
                "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'",
                user="postgres").strip() == "2"
        except (ConnectionError, subprocess.TimeoutExpired):
            return False

    def synchronous_standby(self):
        """The standby for which commits wait, and which is promoted; None if there is none."""
        return next((name for name in DATABASES if self.is_synchronous(name)), None)

    def is_synchronous(self, name):
        try:
            return self.patroni(name, "GET", "/synchronous")[0] == 200
        except (OSError, http.client.HTTPException):
            return False

    def patroni(self, name, method, path, body=None):
        """Asks Patroni's HTTP server; the status and the body."""
        host, port = re.search(r"//(.*):(\d+)$", self.words[name][2]).groups()
        connection = http.client.HTTPConnection(host, port, timeout=PATIENCE)
        connection.request(method, path, body and json.dumps(body))
        response = connection.getresponse()
        return response.status, response.read()

    def everything(self):
        """The process ids of all programs of the cluster that run."""
        return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline")
                if str(self.folder) in text(path)]

    # SQL

    def sql(self, query, user="pickerd"):
        """What a query returns from the server that accepts writes, as soon as there is one."""
        def rows():
            with contextlib.suppress(ConnectionError, subprocess.TimeoutExpired):
                return [self.sql_once(query, user=user)]

        return wait_until(rows, what="an answer of the databases")[0]

    def sql_once(self, statement, timeout=20, user="pickerd"):
        store = self.words["store"][0].replace("pickerd@", f"{user}@")
        done = subprocess.run(
            # Not Debian's `psql`, a Perl program that starts this one.
            [f"{BINARIES}/psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", store, "-c", statement],
            capture_output=True, text=True, timeout=timeout, env={
                **os.environ, "PGPASSFILE": self.words["passfile"][0], "PGCONNECT_TIMEOUT": "2"})
        if done.returncode:
            raise ConnectionError(done.stderr)
        return done.stdout

    def stop(self):
        """Asserts that nothing is left."""
        if self.process.poll() is None:
            self.process.terminate()
            assert self.process.wait(PATIENCE) == 0
        assert self.everything() == [] and not self.folder.exists()


def port(address):
    return int(re.search(r":(\d+)$", address)[1])


def text(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
