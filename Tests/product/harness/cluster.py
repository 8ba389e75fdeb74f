"""A cluster from deploy/cluster: databases, nodes and HAProxy, which tests kill and stop."""

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

from .pickerd import REPOSITORY, Pickerd, binary

START_SECONDS = 120


class Cluster:
    """`make cluster`. Requests go through HAProxy."""

    create, session = Pickerd.create, Pickerd.session
    connection, request = Pickerd.connection, Pickerd.request
    get, post, delete = Pickerd.get, Pickerd.post, Pickerd.delete
    has_manual_clock = False

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [REPOSITORY / "deploy/cluster/cluster.py", "--pickerd", binary(), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        #: Unless it starts in time, it ends, and so does its output.
        timer = threading.Timer(START_SECONDS, self.process.terminate)
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

    def socket(self, path):
        return f"ws://127.0.0.1:{self.port}{path}"

    # Processes

    def pid(self, name):
        """The process id of a node, Patroni (`pg1`), etcd or HAProxy."""
        return int((self.folder / f"{name}.pid").read_text())

    def postmaster(self, name):
        return int((self.folder / name / "data/postmaster.pid").read_text().split()[0])

    def kill(self, name):
        """kill -9; a node is started again after a second."""
        os.kill(self.pid(name), signal.SIGKILL)

    def primary(self):
        """The name of the database server that accepts writes."""
        accepted = self.sql("SELECT inet_server_port()").strip()
        return next(name for name in ("pg1", "pg2", "pg3")
                    if self.words[name][0].endswith(f":{accepted}"))

    def everything(self):
        """The process ids of all programs of the cluster that run."""
        return [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/cmdline")
                if str(self.folder) in text(path)]

    # SQL

    def sql(self, statement, timeout=20):
        """What a statement returns from the server that accepts writes."""
        done = subprocess.run(
            ["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", self.words["store"][0],
             "-c", statement], capture_output=True, text=True, timeout=timeout, env={
                **os.environ, "PGPASSFILE": self.words["passfile"][0], "PGCONNECT_TIMEOUT": "2"})
        if done.returncode:
            raise ConnectionError(done.stderr)
        return done.stdout

    def stop(self):
        """Asserts that nothing is left."""
        if self.process.poll() is None:
            self.process.terminate()
            assert self.process.wait(30) == 0
        assert self.everything() == [] and not self.folder.exists()


def port(address):
    return int(re.search(r":(\d+)$", address)[1])


def text(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""
