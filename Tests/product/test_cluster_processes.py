"""The processes of `make cluster`: nodes are started again, and no process outlives the script."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cluster import Cluster
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, binary, wait_until

#: Starts a program and dies before the program has run an instruction: on the same processor, and
#: with a priority that the program does not inherit.
STARTS_AND_DIES = """
import os, signal
from processes import Processes
processes = Processes()
os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(1))
processes.start("sleeper", ["sleep", "1000"])
print(processes.processes["sleeper"].pid, processes.folder, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_programs_are_started_again_and_the_death_of_the_script_ends_everything():
    cluster = Cluster("--store", "memory:")
    before = {name: cluster.pid(name) for name in ("node2", "haproxy")}

    for name in before:
        cluster.kill(name)

    wait_until(lambda: all(cluster.pid(name) != pid for name, pid in before.items()),
               what="another node2 and another HAProxy")
    wait_until(cluster.is_ready, what="a node that is ready")
    pids = {name: cluster.pid(name) for name in ("node1", "node2", "node3", "haproxy")}
    cluster.process.kill()
    cluster.process.wait()
    with contextlib.suppress(AssertionError):
        wait_until(lambda: not any(map(runs, pids.values())), what="their end")
    assert {name: Path(f"/proc/{pid}/stat").read_text()
            for name, pid in pids.items() if runs(pid)} == {}
    shutil.rmtree(cluster.folder)


@pytest.mark.skipif(os.getuid() != 0, reason="needs root, for a priority")
def test_a_program_whose_start_outlives_the_script_ends_too():
    pid, folder = subprocess.run(
        [sys.executable, "-c", STARTS_AND_DIES], cwd=REPOSITORY / "deploy/cluster",
        capture_output=True, text=True).stdout.split()

    wait_until(lambda: not runs(int(pid)), what="the end of the program")
    shutil.rmtree(folder)


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_port_on_which_another_haproxy_listens_is_refused():
    with socket.socket() as other:
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]

        done = subprocess.run(
            [REPOSITORY / "deploy/cluster/cluster.py", "--store", "memory:", "--pickerd",
             binary(), "--port", str(port)], capture_output=True, text=True, timeout=PATIENCE)

    assert done.returncode == 1
    assert done.stderr == (
        f"make cluster: another program listens on port {port}. End it, or give another port: "
        f"make cluster PORT={port + 1}\n")


def test_a_server_that_is_not_there_is_reported_at_once():
    done = subprocess.run(
        [REPOSITORY / "deploy/cluster/cluster.py", "--pickerd", "/nowhere/pickerd"],
        capture_output=True, text=True, timeout=PATIENCE)

    assert done.returncode == 1
    assert done.stderr == (
        "make cluster: /nowhere/pickerd is not a program. Build it with make build, or give "
        "--pickerd FILE\n")


def test_an_invalid_argument_of_the_nodes_is_reported():
    done = subprocess.run(
        [REPOSITORY / "deploy/cluster/cluster.py", "--store", "memory:", "--pickerd",
         binary(), "--", "--limit", "nonsense=1"],
        capture_output=True, text=True, timeout=PATIENCE)

    assert done.returncode == 1
    # Whichever of the three exits first is reported.
    assert re.search(r"node\d has exited:.*nonsense", done.stderr, re.S)
