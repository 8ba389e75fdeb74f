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


@pytest.mark.parametrize("arguments, said", [
    (["--pickerd", "/nowhere/pickerd"], re.escape(
        "make cluster: /nowhere/pickerd is not a program. Build it with make build, or give "
        "--pickerd FILE\n")),
    # Whichever of the three nodes exits first is reported.
    (["--store", "memory:", "--pickerd", "PICKERD", "--", "--limit", "nonsense=1"],
     r"(?s).*node\d has exited:.*nonsense.*")], ids=["no program", "an argument of the nodes"])
def test_an_invalid_argument_is_reported(arguments, said):
    arguments = [str(binary()) if each == "PICKERD" else each for each in arguments]
    done = subprocess.run(
        [REPOSITORY / "deploy/cluster/cluster.py", *arguments], capture_output=True, text=True,
        timeout=PATIENCE)

    assert done.returncode == 1 and re.fullmatch(said, done.stderr), done.stderr
