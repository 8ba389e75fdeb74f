"""An upgrade under load: the listening socket stays open, the next process takes over the store.

Members send commands all the time. No answer is lost.
"""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import threading

import pytest

from harness import activation
from harness.definitions import CALENDAR
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, Pickerd, binary, wait_until
from harness.ports import free_port
from harness.proxies import program
from harness.shop import accepts
from harness.travellers import Travel

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
def test_an_upgrade_loses_no_answer(upgrade, kind):
    old = upgrade()
    travel = Travel([old], members=12, definition=CALENDAR)
    with travel.under_way():
        upgrade.install()
        replaced(upgrade, kind, old)
        travel.wait_for_answers()

    assert travel.violations() == []
    travel.end()


def replaced(upgrade, kind, old):
    """Ends a process; the next one, which has waited for its end or is started then."""
    if kind == "restart":
        old.terminate()
        assert old.process.wait(PATIENCE) == 0
        return upgrade()

    def waits():
        return old.log.read_text().count("waiting until another pickerd")

    started, before = [], waits()
    starting = threading.Thread(target=lambda: started.append(upgrade()))
    starting.start()
    wait_until(lambda: waits() > before, what="the next")
    old.terminate()
    assert old.process.wait(PATIENCE) == 0
    starting.join(PATIENCE)
    return started[0]


def test_a_waiting_process_ends_on_sigterm(serve, tmp_path):
    store = f"sqlite:{tmp_path}/store.sqlite"
    serve(store)
    waiting = subprocess.Popen(
        [str(binary()), "serve", "--listen", "127.0.0.1:0", "--store", store, "--limit",
         "lockMilliseconds=60000"], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert "waiting until another pickerd" in waiting.stderr.readline()
    waiting.terminate()
    assert waiting.wait(PATIENCE) == 69
    assert "another pickerd serves" in waiting.stderr.read()
    waiting.stderr.close()


def test_the_handbooks_loop_starts_the_next_server_on_the_same_socket(tmp_path):
    handbook = (REPOSITORY / "deploy/README.md").read_text()
    command = re.search(r"```sh-activate\n(.*?)```", handbook, re.S)[1]
    port = free_port()
    (tmp_path / "pickerd").symlink_to(binary())
    command = command.replace(":7681", f":{port}").replace(
        "systemd-socket-activate", "exec " + program("systemd-socket-activate"))

    def asked(method, target, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
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
        wait_until(lambda: accepts(port))
        status, made = asked("POST", "/v1/sessions", '{"definition": {"kind": "date"}}')
        assert status == 201
        first, = servers()

        os.kill(first, signal.SIGTERM)

        wait_until(lambda: reads(made["session"]) and servers() not in ([], [first]))
        os.killpg(loop.pid, signal.SIGINT)  # Ctrl-C
        loop.wait(PATIENCE)
        wait_until(lambda: not accepts(port))
    finally:
        try:
            os.killpg(loop.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        loop.wait()
