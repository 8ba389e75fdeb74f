"""Starts and stops the measured servers and creates their rooms."""

import contextlib
import http.client
import json
import os
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "deploy/cluster"))
from ports import free_ports  # noqa: E402

BUILT = REPOSITORY / ".build"
SERVER_CORE, LOAD_CORE = 0, 1
#: A rate limit above every rate in the benchmarks.
LIMITS = {"messagesPerSecond": 1_000_000, "members": 10_000, "connections": 100_000,
          "sessions": 1_000_000, "createsPerSecond": 1_000_000,
          "joinsPerSecond": 1_000_000,
          # With TLS it takes long to open many connections.
          "joinMilliseconds": 600_000}


def pickerd_binary():
    return Path(os.environ.get("PICKERD", BUILT / "release/pickerd"))


def free_port():
    return free_ports(1)[0]


ECDSA, RSA = ("ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"), ("rsa:2048",)


def certificate(algorithm=ECDSA):
    """A file with a self-signed certificate, and its key."""
    file = BUILT / f"bench/certificate{'-rsa' if algorithm == RSA else ''}.pem"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        key = file.with_suffix(".key")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", *algorithm, "-nodes", "-days", "365", "-subj",
             "/CN=localhost", "-keyout", key, "-out", file], check=True, capture_output=True)
        file.write_text(file.read_text() + key.read_text())
    return file


def pinned(core):
    """A `preexec_fn` that pins a child to a core; `None` for any core."""
    return None if core is None else lambda: os.sched_setaffinity(0, {core})


class Server:
    """A process on its own core; `startup` is the time in ms until it accepts connections."""

    name = ""
    core, load_core = SERVER_CORE, LOAD_CORE

    def __init__(self, *, delta_bytes, is_tls=False, is_deployed=False):
        self.delta_bytes = delta_bytes
        self.is_tls = is_tls
        self.start()

    def arguments(self):
        raise NotImplementedError

    def start(self):
        self.port = free_port()
        begun = time.monotonic()
        self.process = subprocess.Popen(
            [str(part) for part in self.arguments()], preexec_fn=pinned(self.core),
            stdout=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except ConnectionRefusedError:
                if self.process.poll() is not None:
                    sys.exit(f"{self.name} has ended: it serves nothing")
                time.sleep(0.0005)
        self.startup = (time.monotonic() - begun) * 1000

    def kill(self):
        self.process.kill()
        self.process.wait()

    def memory(self):
        """Resident memory in bytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
        return 0

    def rooms(self, scenario):
        """Creates the rooms of `scenario`; their paths and the memory per room in bytes."""
        count = sum(count for count, _, _ in scenario.rooms)
        return [f"/v1/sessions/{number}" for number in range(count)], 0

    def spoken(self, scenario):
        """The joins and the taps of `scenario`, as the server expects them."""
        return scenario.joins, scenario.taps


class Bare(Server):
    name = "bare"

    def arguments(self):
        certificates = [certificate()] if self.is_tls else []
        return [BUILT / "bench/bare", self.port, self.delta_bytes, *certificates]


class NIO(Server):
    name = "nio"

    def arguments(self):
        certificates = [certificate()] if self.is_tls else []
        return [BUILT / "bench/nio/release/RoomServer", self.port, self.delta_bytes, *certificates]


class Pickerd(Server):
    name = "pickerd"

    def __init__(self, *, delta_bytes=0, store="memory:", options=(), loops=1, is_pinned=True,
                 is_tls=False, is_deployed=False):
        self.folder = tempfile.TemporaryDirectory() if is_deployed else None
        if is_deployed:
            store = f"sqlite:{self.folder.name}/store.sqlite"
            options = ["--trusted-proxy", "127.0.0.1"]
        self.store = store
        self.options = options
        self.loops = loops  # one by default, like the other servers
        if not is_pinned:
            self.core = self.load_core = None
        super().__init__(delta_bytes=delta_bytes, is_tls=is_tls)

    def arguments(self):
        limits = [part for name, value in LIMITS.items() for part in ("--limit", f"{name}={value}")]
        tls = ["--tls-certificate", certificate(), "--tls-key", certificate()] if self.is_tls else []
        return [pickerd_binary(), "serve", "--listen", f"127.0.0.1:{self.port}", "--store",
                self.store, "--log-level", "error", "--loops", self.loops, *limits, *tls, *self.options]

    def kill(self):
        super().kill()
        if self.folder:
            self.folder.cleanup()

    def rooms(self, scenario):
        before = self.memory()
        count = sum(count for count, _, _ in scenario.rooms)
        paths = self.create(scenario.definition, count)
        return paths, (self.memory() - before) / count

    def create(self, definition, count, **rest):
        """Creates sessions of one definition; their paths."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        if self.is_tls:
            connection = http.client.HTTPSConnection(
                "127.0.0.1", self.port, context=ssl._create_unverified_context())
        body = json.dumps({"definition": definition, **rest})
        paths = []
        for _ in range(count):
            connection.request("POST", "/v1/sessions", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 201:
                sys.exit(f"no session: {text.decode()}")
            paths.append(answer.headers["Location"])
        connection.close()
        return paths


@contextlib.contextmanager
def database():
    """The store of a new database."""
    server = subprocess.Popen(
        [REPOSITORY / "Tests/postgres/server.sh"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, start_new_session=True, env={**os.environ, "PICKERD_TEST_POSTGRES_IN": "/tmp"})
    folder = server.stdout.readline().strip()
    try:
        yield f"postgres://pickerd@/postgres?host={folder}"
    finally:
        server.stdin.close()
        server.wait(60)


SERVERS = [Pickerd, Bare, NIO]
