"""The processes of a cluster on one machine, and the folder of their files."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

START_SECONDS = 120
#: As in pickerd.service: seconds before a process is started again, and the status of an invalid
#: configuration, after which it is not.
RESTART_SECONDS, INVALID = 1, 64
PATH = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}


class Failure(Exception):
    """A sentence for the user."""


class Processes:
    """All processes, in the order of their start."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pickerd-cluster-"))
        self.folder.chmod(0o711)
        self.processes = {}
        self.kept = {}
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.getuid() == 0 else None

    def start(self, name, arguments, *, user=None, environment=None, keep=False):
        """Starts a process that gets SIGTERM when this one dies. `keep`: see `keep_running`."""
        guarded = ["setpriv", "--pdeathsig", "TERM"]
        if user:
            guarded += [f"--reuid={user}", f"--regid={user}", "--init-groups"]
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [*guarded, "--", *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, cwd=self.folder,
                env={**PATH, "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **(environment or {})})
        self.processes[name] = process
        # setpriv has become the program itself, with the same id.
        (self.folder / f"{name}.pid").write_text(f"{process.pid}\n")
        if keep:
            self.kept[name] = (arguments, environment)

    def keep_running(self, name):
        """Starts a process again that has exited, as systemd would."""
        status = self.processes[name].poll()
        if status == INVALID:
            raise Failure(f"{name} has exited:\n{self.tail(name)}")
        if status is not None:
            arguments, environment = self.kept[name]
            self.start(name, arguments, environment=environment, keep=True)

    def watch(self):
        """Until a signal."""
        while True:
            time.sleep(RESTART_SECONDS)
            for name in self.kept:
                self.keep_running(name)

    def wait_until(self, holds, what):
        until = time.monotonic() + START_SECONDS
        while not holds():
            for name, process in list(self.processes.items()):
                if name in self.kept:
                    self.keep_running(name)
                elif process.poll() is not None:
                    raise Failure(f"{name} has exited:\n{self.tail(name)}")
            if time.monotonic() > until:
                raise Failure(f"no {what} within {START_SECONDS} s; see {self.folder}/*.log")
            time.sleep(0.2)

    def tail(self, name):
        lines = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()
        return "\n".join(lines[-20:])

    def stop(self):
        """Ends the newest processes first; afterwards nothing is left."""
        for process in reversed(self.processes.values()):
            process.terminate()
        until = time.monotonic() + 10
        for process in reversed(self.processes.values()):
            try:
                process.wait(max(until - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        # Patroni stops its PostgreSQL; this one is for a Patroni that was killed.
        for pid_file in self.folder.glob("pg*/data/postmaster.pid"):
            try:
                os.kill(int(pid_file.read_text().split()[0]), signal.SIGQUIT)
            except (OSError, ValueError, IndexError):
                pass
        shutil.rmtree(self.folder, ignore_errors=True)

    def mine(self, name, text=None):
        """A private file with `text`, or a folder, of the user who runs PostgreSQL."""
        path = self.folder / name
        if text is None:
            path.mkdir(mode=0o700)
        else:
            path.touch(mode=0o600)
            path.write_text(text)
        if self.user:
            owner = pwd.getpwnam(self.user)
            os.chown(path, owner.pw_uid, owner.pw_gid)
        return path


def free_ports(count):
    """Ports of 127.0.0.1 that are free now."""
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


def accepts(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
