"""An upgrade under load: the listening socket stays open, the next process takes over the store.

Members and hosts send commands all the time. No answer is lost, and nobody is away for more than 2 s:
at one of several upgrades, because a busy machine may delay some.
"""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time

import pytest
from websockets.exceptions import ConnectionClosed, WebSocketException

from harness import activation
from harness.definitions import CALENDAR
from harness.member import dial
from harness.pickerd import REPOSITORY, Pickerd, binary, wait_until
from harness.ports import free_port
from harness.proxies import program
from harness.shop import accepts
from harness.store import log_lines

AWAY_MAX = 2.0
MEMBERS, SESSIONS = 24, 6


class Client(threading.Thread):
    """A member that taps all the time, reconnects when it is asked to, and repeats what was not
    answered. `answers` are the answers by ref, `away` the times from a close to the next welcome."""

    def __init__(self, session, is_over):
        super().__init__(daemon=True)
        self.session, self.is_over = session, is_over
        self.answers, self.away, self.commands, self.repeated = {}, [], {}, set()
        self.me = self.failure = self.left = None
        self.revision, self.epoch = 0, None

    def run(self):
        try:
            while True:
                if self.live():
                    return
        except Exception as failure:  # noqa: BLE001 - raised again by the test's thread
            self.failure = failure

    def live(self):
        """Uses one connection. True when everything was answered at the end."""
        try:
            web = dial(self.session.url)
        except (OSError, EOFError, WebSocketException) as failure:
            # The old process had accepted the connection.
            assert self.left and not isinstance(failure, ConnectionRefusedError), failure
            time.sleep(0.05)
            return False
        resume = self.me and {"resume": {
            "member": self.me["id"], "secret": self.me["secret"], "epoch": self.epoch,
            "revision": self.revision}}
        web.send(json.dumps({"type": "join", "name": "Ana", **(resume or {})}), text=True)
        delay = 0.0
        try:
            self.welcomed(json.loads(web.recv(timeout=60)))
            for ref in sorted(set(self.commands) - set(self.answers)):
                self.repeated.add(ref)
                web.send(json.dumps(self.commands[ref]), text=True)
            while not (self.is_over.is_set() and len(self.answers) == len(self.commands)):
                if len(self.commands) - len(self.answers) < 3 and not self.is_over.is_set():
                    self.tap(web)
                try:
                    message = json.loads(web.recv(timeout=0.02))
                except TimeoutError:
                    continue
                if message["type"] == "draining":
                    delay = message["reconnectAfterMs"] / 1000
                self.take(message)
            web.close()
            return True
        except ConnectionClosed as closed:
            assert self.left or (closed.rcvd and closed.rcvd.code == 1001), closed
            self.left = self.left or time.monotonic()
        time.sleep(delay)
        return False

    def welcomed(self, welcome):
        assert welcome["type"] == "welcome", welcome
        if self.me:
            self.away.append(time.monotonic() - self.left)
            self.left = None
            assert welcome["resumed"], "the session has not changed its epoch"
        else:
            self.me = welcome["member"]
        self.epoch, self.revision = welcome["epoch"], welcome["revision"]

    def tap(self, web):
        ref = len(self.commands) + 1
        self.commands[ref] = {"type": "tap", "ref": ref, "date": f"2018-11-{ref % 28 + 1:02}"}
        web.send(json.dumps(self.commands[ref]), text=True)
        time.sleep(0.005)

    def take(self, message):
        self.revision = message.get("revision", self.revision)
        if "ref" in message and message["type"] in ("delta", "reply", "refused"):
            ref = message["ref"]
            if message["type"] == "delta" and message.get("by") != self.me["id"]:
                return
            assert ref not in self.answers or ref in self.repeated, f"{ref} was answered twice"
            self.answers[ref] = message


class Host(threading.Thread):
    """Reads a session over HTTP all the time, on a new connection each time."""

    def __init__(self, session, is_over):
        super().__init__(daemon=True)
        self.session, self.is_over = session, is_over
        self.slowest, self.count, self.failure = 0.0, 0, None

    def run(self):
        while not self.is_over.is_set():
            begun = time.monotonic()
            try:
                status = self.session.server.get(self.session.path).status
                assert status in (200, 503), status
            except (OSError, EOFError, http.client.HTTPException) as failure:
                # Only a connection that was accepted before SIGTERM can end without an answer.
                if isinstance(failure, ConnectionRefusedError):
                    self.failure = failure
            self.slowest = max(self.slowest, time.monotonic() - begun)
            self.count += 1
            time.sleep(0.01)


@pytest.fixture
def upgrade(tmp_path, monkeypatch):
    """Starts processes of one installed program with one listening socket and one store."""
    sockets = activation.Sockets(public=activation.tcp())
    installed = tmp_path / "pickerd"
    servers = []

    def install():
        """Replaces the program as a package manager does: the running process keeps its file."""
        shutil.copy(binary(), tmp_path / "new")
        os.rename(tmp_path / "new", installed)

    def begin():
        program, popen = sockets.passed_to(installed, tmp_path)
        with monkeypatch.context() as patch:
            patch.setenv("PICKERD", program)
            servers.append(Pickerd(
                tmp_path / "log", listen="systemd", admin=None, clock=None, popen=popen,
                limits={"messagesPerSecond": 100_000, "lockMilliseconds": 60_000,
                        "drainMilliseconds": 20_000},
                options=["--store", f"sqlite:{tmp_path}/store.sqlite", "--loops", "2"]))
        return servers[-1]

    begin.install = install
    install()
    yield begin
    for server in servers:
        server.stop()
    sockets.close()


@pytest.mark.parametrize("kind", ["two processes", "restart"])
def test_an_upgrade_loses_no_answer_and_nobody_is_away_for_long(upgrade, kind):
    server, longest = upgrade(), []
    while len(longest) < 5 and min(longest, default=AWAY_MAX) >= AWAY_MAX:
        server, away, host = upgraded(upgrade, kind, server)
        assert len(away) == MEMBERS and host.count > 5
        longest.append(max(*away, host.slowest))
        print(f"{kind}: away {min(away):.2f} to {max(away):.2f} s, "
              f"slowest request {host.slowest:.2f} s")
    assert min(longest) < AWAY_MAX, longest


def upgraded(upgrade, kind, old):
    """The next process, the times for which members were away, and a host."""
    sessions = [old.session(CALENDAR, now=None) for _ in range(SESSIONS)]
    is_over = threading.Event()
    clients = [Client(sessions[n % SESSIONS], is_over) for n in range(MEMBERS)]
    host = Host(sessions[0], is_over)
    for thread in [*clients, host]:
        thread.start()
    wait_until(lambda: all(len(client.answers) > 5 for client in clients), timeout=60,
               what="the load")

    upgrade.install()
    new = replaced(upgrade, kind, old)
    for session in sessions:
        session.server = new
    counts = [len(client.answers) for client in clients]
    wait_until(lambda: all(len(client.answers) > before + 5 for client, before in
                           zip(clients, counts)), timeout=60, what="answers of the next process")
    is_over.set()
    for thread in [*clients, host]:
        thread.join(60)
        assert not thread.is_alive() and not thread.failure, thread.failure

    for client in clients:
        assert sorted(client.answers) == sorted(client.commands), "every command has one answer"
        lines = log_lines(client.session)
        for message in client.answers.values():
            if message["type"] == "delta":
                line = lines[message["revision"]]
                assert (line["by"], line["ref"]) == (client.me["id"], message["ref"])
    return new, [seconds for client in clients for seconds in client.away], host


def replaced(upgrade, kind, old):
    """Ends a process; the next one, which has waited for its end or is started then."""
    if kind == "restart":
        old.terminate()
        assert old.process.wait(60) == 0
        return upgrade()

    def waits():
        return old.log.read_text().count("waiting until another pickerd")

    started, before = [], waits()
    starting = threading.Thread(target=lambda: started.append(upgrade()))
    starting.start()
    wait_until(lambda: waits() > before, timeout=60, what="the next")
    old.terminate()
    assert old.process.wait(60) == 0
    starting.join(90)
    return started[0]


def test_a_waiting_process_ends_on_sigterm(tmp_path):
    store = f"sqlite:{tmp_path}/store.sqlite"
    server = Pickerd(tmp_path / "log", clock=None, options=["--store", store])
    waiting = subprocess.Popen(
        [str(binary()), "serve", "--listen", "127.0.0.1:0", "--store", store, "--limit",
         "lockMilliseconds=60000"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert "waiting until another pickerd" in waiting.stderr.readline()
    waiting.terminate()
    assert waiting.wait(60) == 69
    assert "another pickerd serves" in waiting.stderr.read()
    waiting.stderr.close()
    server.stop()


def test_the_handbooks_loop_starts_the_next_server_on_the_same_socket(tmp_path):
    handbook = (REPOSITORY / "deploy/README.md").read_text()
    command = re.search(r"```sh-activate\n(.*?)```", handbook, re.S)[1]
    port = free_port()
    (tmp_path / "pickerd").symlink_to(binary())
    command = command.replace(":7681", f":{port}").replace(
        "systemd-socket-activate", "exec " + program("systemd-socket-activate"))

    def asked(method, target, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request(method, target, body)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or "null")

    def reads(session):
        try:
            return asked("GET", f"/v1/sessions/{session}")[0] == 200
        except (ConnectionResetError, http.client.RemoteDisconnected):
            return False  # The old server had accepted the connection. It is never refused.

    def servers():
        found = subprocess.run(["pgrep", "--parent", str(loop.pid)], capture_output=True, text=True)
        return [int(line) for line in found.stdout.split()]

    loop = subprocess.Popen(
        ["bash", "-c", command], cwd=tmp_path, start_new_session=True,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    try:
        wait_until(lambda: accepts(port), timeout=90)
        status, made = asked("POST", "/v1/sessions", '{"definition": {"kind": "date"}}')
        assert status == 201
        first, = servers()

        os.kill(first, signal.SIGTERM)

        wait_until(lambda: reads(made["session"]) and servers() not in ([], [first]), timeout=90)
        os.killpg(loop.pid, signal.SIGINT)  # Ctrl-C
        loop.wait(90)
        wait_until(lambda: not accepts(port), timeout=90)
    finally:
        try:
            os.killpg(loop.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        loop.wait()
