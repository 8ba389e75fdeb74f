"""The echo server on SocketLoop (Tests/SocketEcho), which tests the transport alone."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from harness.patience import PATIENCE
from rawsocket import Gone, Raw, open_websocket

REPOSITORY = Path(__file__).resolve().parents[2]


def binary():
    """The echo server's binary: $SOCKET_ECHO, or the build's, release before debug."""
    places = [Path(os.environ["SOCKET_ECHO"])] if "SOCKET_ECHO" in os.environ else [
        REPOSITORY / ".build" / kind / "SocketEcho" for kind in ("release", "debug")]
    for place in places:
        if place.exists():
            return place
    raise FileNotFoundError(f"no SocketEcho at {places}: build it, or set SOCKET_ECHO to its path")


class SocketEcho:
    """One server process with limits of SocketLoopConfiguration.

    `wrapper` is a command that runs it; `before` is called in the child before exec. With
    `authority` it serves TLS with a certificate of that authority. `listener` is a listening socket
    that it accepts from.
    """

    def __init__(self, log, wrapper=(), before=None, authority=None, listener=None, **limits):
        self.log = Path(log)
        self.tls = authority and authority.client()
        arguments = [f"{name}={value}" for name, value in limits.items()]
        arguments += [f"tls={authority.issue().both}"] if authority else []
        arguments += [f"descriptor={listener.fileno()}"] if listener else []
        host = limits.get("host", "127.0.0.1")
        with self.log.open("wb") as file:
            self.process = subprocess.Popen(
                [*wrapper, str(binary()), *arguments], stdout=subprocess.PIPE, stderr=file,
                preexec_fn=before, pass_fds=[listener.fileno()] if listener else [])
        line = self.process.stdout.readline().decode()
        assert line.startswith("listening "), self.log.read_text()
        self.address = listener.getsockname() if listener else (host, int(line.split()[1]))

    def raw(self, **rest):
        return Raw(self.address, **{"tls": self.tls} | rest)

    def websocket(self, path="/", **rest):
        return open_websocket(self.address, path, **{"tls": self.tls} | rest)

    def counters(self):
        """Asks again if this process was so slow that the server has closed the connection."""
        for attempt in range(10):
            try:
                with self.raw() as raw:
                    _, _, body = raw.exchange("GET", "/counters")
                break
            except (OSError, Gone):
                if attempt == 9 or self.process.poll() is not None:
                    raise
        return {name: int(count) for name, count in
                (line.split() for line in body.decode().splitlines())}

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def cpu_of_a_second(self, raw=None):
        """The CPU time until the server has answered a request that takes it a second."""
        before = self.cpu_seconds()
        with raw or self.raw() as connection:
            connection.exchange("GET", "/later?milliseconds=1000")
        return self.cpu_seconds() - before

    def resident_bytes(self):
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self, timeout=PATIENCE):
        """Drains the server; its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout)
        finally:
            self.process.kill()
            self.process.stdout.close()


def shared(log, **limits):
    """A server that must drain cleanly at the end, and report the end of every connection once."""
    server = SocketEcho(log, **limits)
    yield server
    try:
        assert server.process.poll() is None, server.log.read_text()
        counters = server.counters()
        assert counters["opened"] == counters["closed"] + counters["webSockets"]
    finally:
        status = server.stop()
    assert status == 0, server.log.read_text()


PATIENT = dict(
    assemblyMilliseconds=3_600_000, headerMilliseconds=3_600_000, bodyMilliseconds=3_600_000,
    idleSeconds=3600, closeMilliseconds=3_600_000, pongMilliseconds=3_600_000)
#: The time for a header is longer than a busy machine delays a client between its handshakes.
HASTY = dict(
    assemblyMilliseconds=600, headerMilliseconds=30_000, bodyMilliseconds=700, idleSeconds=3,
    closeMilliseconds=1500)


@pytest.fixture(scope="session")
def echo(tmp_path_factory):
    """A shared server whose timeouts are longer than `PATIENCE`: what it closes, it closes for
    another reason."""
    yield from shared(tmp_path_factory.mktemp("echo") / "log", **PATIENT)


@pytest.fixture(scope="session")
def hasty(tmp_path_factory):
    """A shared server with short timeouts, for tests of these."""
    yield from shared(tmp_path_factory.mktemp("hasty") / "log", **HASTY)


def starting(folder, authority=None):
    """Starts servers that are stopped at the end."""
    servers = []

    def begin(wrapper=(), before=None, listener=None, **limits):
        log = folder / f"log{len(servers)}"
        servers.append(SocketEcho(log, wrapper, before, authority, listener, **limits))
        return servers[-1]

    yield begin
    for server in servers:
        server.stop()


@pytest.fixture
def start(tmp_path):
    """Starts servers for one test."""
    yield from starting(tmp_path)


VALGRIND = ("valgrind", "-q", "--error-exitcode=99", "--leak-check=full",
            "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite")


@pytest.fixture
def under_valgrind(tmp_path, monkeypatch):
    """Starts servers whose exit status is not 0 after a leak or an invalid read."""
    stripped = tmp_path / "SocketEcho"  # Debian 12's valgrind cannot read Swift's DWARF 5
    subprocess.run(["strip", "--strip-debug", "-o", stripped, binary()], check=True)
    monkeypatch.setenv("SOCKET_ECHO", str(stripped))
    servers = []

    def begin(**limits):
        servers.append(SocketEcho(tmp_path / "log", VALGRIND, connectionsMax=200, **limits))
        return servers[-1]

    yield begin
    for server in servers:
        server.stop()
