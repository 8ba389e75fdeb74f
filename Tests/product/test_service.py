"""The service manager's protocol, with real datagram sockets: readiness, reload, watchdog, end."""

import json
import os
import signal
import socket
import threading
import time

import pytest
from websockets.exceptions import ConnectionClosed

from harness.definitions import CALENDAR, LISTS
from harness.patience import PATIENCE
from harness.pickerd import Pickerd
from harness.rawmember import RawMember
from harness.store import stored_at


class Manager:
    """The service manager's end: a datagram socket."""

    def __init__(self, path):
        self.path = str(path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind("\0" + self.path[1:] if self.path[0] == "@" else self.path)
        self.socket.settimeout(PATIENCE)

    def receive(self):
        """The fields of the next report."""
        return dict(line.split("=", 1) for line in self.socket.recv(4096).decode().split("\n"))

    def expect(self, name):
        """The next report with a field."""
        while name not in (report := self.receive()):
            pass
        return report

    def close(self):
        self.socket.close()


@pytest.fixture(params=["path", "abstract"])
def manager(request, tmp_path):
    name = f"@pickerd-test-{os.getpid()}" if request.param == "abstract" else tmp_path / "notify"
    manager = Manager(name)
    yield manager
    manager.close()


@pytest.fixture
def start(tmp_path, manager):
    servers = []

    def start(watchdog=None, options=()):
        environment = {"NOTIFY_SOCKET": manager.path}
        if watchdog:
            environment["WATCHDOG_USEC"] = str(int(watchdog * 1_000_000))
        servers.append(Pickerd(
            tmp_path / "log", clock=None, environment=environment, options=options))
        return servers[-1]

    yield start
    for server in servers:
        server.process.send_signal(signal.SIGCONT)
        server.stop()


def test_readiness_and_the_end_are_reported(start, manager):
    server = start(options=("--loops", "2"))

    ready = manager.expect("READY")
    assert ready == {"READY": "1", "STATUS": f"Serving http://127.0.0.1:{server.port}"}
    assert server.get("/readyz").status == 200

    server.terminate()
    assert manager.expect("STOPPING")["STOPPING"] == "1"
    assert server.process.wait(PATIENCE) == 0


def test_a_reload_is_reported_with_its_time(start, manager):
    server = start()
    manager.expect("READY")

    before = time.monotonic_ns() // 1000
    server.process.send_signal(signal.SIGHUP)

    report = manager.expect("RELOADING")
    assert before <= int(report["MONOTONIC_USEC"]) <= time.monotonic_ns() // 1000
    assert manager.expect("READY")["READY"] == "1"


def test_the_watchdog_gets_pings_while_the_process_runs(start, manager):
    start(watchdog=0.4, options=("--loops", "3"))
    for _ in range(4):
        manager.expect("WATCHDOG")


def test_an_unusable_socket_is_ignored(tmp_path):
    for path in (str(tmp_path / "missing"), "relative", "@", "/" + "x" * 200, ""):
        server = Pickerd(tmp_path / "log", clock=None, environment={"NOTIFY_SOCKET": path})
        server.stop()
        assert server.process.returncode == 0


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_every_command_that_was_stored_is_answered_before_the_end(tmp_path, request, engine):
    """A client sends commands without a pause; the store has none that it did not see applied."""
    drained = 0
    for attempt in range(20):
        store = (f"sqlite:{tmp_path}/store{attempt}.sqlite" if engine == "sqlite"
                 else request.getfixturevalue("postgres").database())
        server = stored_at(tmp_path / "log", store, limits={"messagesPerSecond": 1_000_000})
        session = server.session(CALENDAR)
        ana = session.join("Ana")
        threading.Thread(target=flood, args=(ana,), daemon=True).start()
        seen, end = 0, None
        try:
            while True:
                message = json.loads(ana.web.recv(timeout=PATIENCE))
                seen = max(seen, message.get("revision", 0))
                if seen > 50 and end is None:
                    server.terminate()
                    end = time.monotonic()
        except ConnectionClosed as closed:
            code = closed.rcvd and closed.rcvd.code
        if code in (4508, None):  # This client was too slow to be answered, or to be closed.
            server.kill()
            continue
        assert code == 1001
        assert server.process.wait(PATIENCE) == 0

        server.start()
        assert server.get(session.path).json["revision"] == seen
        server.stop()
        drained += 1
        if drained == 3:
            return
    pytest.fail("the client was too slow in 18 of 20 attempts")


def flood(member):
    for n in range(1, 100_000):
        try:
            member.web.send(json.dumps({"type": "tap", "ref": n, "date": f"2018-11-{20 + n % 2}"}))
        except (ConnectionClosed, OSError):
            return


def test_the_end_takes_at_most_the_configured_time(tmp_path):
    """With two servers: the one with the default ends later, unless a busy machine delays both."""
    for _ in range(20):
        default = Pickerd(tmp_path / "default")
        quick = Pickerd(tmp_path / "quick", limits={"drainMilliseconds": 300})
        silent = [RawMember(server, server.session(LISTS)) for server in (default, quick)]

        default.terminate()
        quick.terminate()

        assert quick.process.wait(PATIENCE) == 0
        is_earlier = default.is_alive
        default.kill()
        for member in silent:
            member.close()
        if is_earlier:
            return
    raise AssertionError("both servers end at the same time")


def test_sigterm_asks_each_client_to_reconnect_at_another_time(tmp_path):
    server = Pickerd(tmp_path / "log")
    session = server.session(LISTS)
    members = [session.join(f"Member {n}") for n in range(12)]

    server.terminate()

    delays = {member.expect("draining")["reconnectAfterMs"] for member in members}
    assert len(delays) > 6 and min(delays) >= 500 and max(delays) < 2500
    assert server.process.wait(PATIENCE) == 0
