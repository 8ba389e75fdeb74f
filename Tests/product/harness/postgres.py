"""PostgreSQL servers for tests, in temporary folders."""

import contextlib
import os
import signal
import socket
import subprocess
import threading
from pathlib import Path

from .patience import PATIENCE
from .pickerd import REPOSITORY

BINARIES = os.environ.get("PICKERD_TEST_POSTGRES", "/usr/lib/postgresql/15/bin")


class Postgres:
    """A server that ends with this process, also if it is killed; see Tests/postgres/server.sh.

    `variables` are further ones of its environment, as NAME=VALUE.
    """

    def __init__(self, administrator="pickerd", variables=()):
        self.administrator = administrator
        self.process = subprocess.Popen(
            [REPOSITORY / "Tests/postgres/server.sh"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "PICKERD_TEST_POSTGRES_USER": administrator,
                 "PICKERD_TEST_POSTGRES_VARIABLES": " ".join(variables)})
        self.folder = self.process.stdout.readline().strip()
        assert self.folder, "PostgreSQL did not start"
        self.count = 0

    def database(self):
        """The store of a new database."""
        self.count += 1
        name = f"store{self.count}"
        self.run("createdb", name)
        return f"postgres://pickerd@/{name}?host={self.folder}"

    def run(self, program, *arguments):
        """Runs one of PostgreSQL's programs as the administrator; returns what it prints."""
        return subprocess.run(
            [f"{BINARIES}/{program}", "-h", self.folder, "-U", self.administrator, *arguments],
            check=True, capture_output=True, text=True, timeout=PATIENCE).stdout

    def sql(self, store, text):
        """Runs statements in the database of a store."""
        name = store.split("/")[3].split("?")[0]
        return self.run("psql", "-d", name, "-v", "ON_ERROR_STOP=1", "-At", "-c", text)

    def crash(self):
        """Ends the server without a shutdown."""
        self.order("crash")

    def start(self):
        self.order("start")

    @contextlib.contextmanager
    def stopped(self):
        """Stops all processes of the server, so that connections hang, and continues them."""
        postmaster = int(Path(f"{self.folder}/data/postmaster.pid").read_text().split()[0])
        # First, so that it makes no further ones; a worker may end meanwhile.
        os.kill(postmaster, signal.SIGSTOP)
        children = subprocess.run(
            ["pgrep", "-P", str(postmaster)], capture_output=True, text=True).stdout.split()
        everything = [postmaster, *map(int, children)]
        send(everything, signal.SIGSTOP)
        try:
            yield
        finally:
            send(everything, signal.SIGCONT)

    def order(self, command):
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "done\n"

    def stop(self):
        self.process.stdin.close()
        self.process.wait(PATIENCE)


def send(processes, number):
    """Sends a signal to the processes that still exist."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


class Cut:
    """A proxy before a server that can drop the answers of the connections that are open, or let
    these hang.

    The server executes what it has received: the outcome is unknown to the client.
    """

    def __init__(self, store, folder):
        self.target = f"{store.split('host=')[1]}/.s.PGSQL.5432"
        self.store = store.split("host=")[0] + f"host={folder}"
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{folder}/.s.PGSQL.5432")
        self.listener.listen(64)
        self.lock = threading.Lock()
        self.pairs = []
        self.deaf = set()
        #: The pairs whose server is gone, although their clients' connections are open.
        self.hung = set()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self.target)
            except OSError:
                client.close()
                continue
            pair = (client, server)
            with self.lock:
                self.pairs.append(pair)
            threading.Thread(target=self.copy, args=(client, server, pair), daemon=True).start()
            threading.Thread(target=self.copy, args=(server, client, pair), daemon=True).start()

    def copy(self, source, target, pair):
        try:
            while data := source.recv(65_536):
                if source is pair[1] and pair in self.deaf:
                    # The server has answered, so it has executed what it received.
                    break
                target.sendall(data)
        except OSError:
            pass
        if pair in self.hung:
            return
        for end in pair:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def drop_next_answers(self):
        """The next answer on each open connection is dropped, and the connection closed."""
        with self.lock:
            self.deaf.update(self.pairs)

    def hang(self):
        """The open connections are closed for the server, and never answered for the clients."""
        with self.lock:
            self.hung.update(self.pairs)
            for _, server in self.pairs:
                with contextlib.suppress(OSError):
                    server.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
