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

#: Only a hung program takes as long to start: one that exits is reported at once.
START_SECONDS = 600
#: As in pickerd.service: seconds before a process is started again, and the status of an invalid
#: configuration, after which it is not.
RESTART_SECONDS, INVALID = 1, 64
STOP_SECONDS = 10
PATH = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
#: Becomes the program "$@" if its parent is still the process $0: if that had died before
#: --pdeathsig was in effect, no signal would come.
WHILE_PARENT_LIVES = '[ "$PPID" = "$0" ] && exec "$@"'


class Failure(Exception):
    """A sentence for the user."""


class Processes:
    """All processes, in the order of their start.

    `namespaces` are the paths of network namespaces, by the names of programs.
    """

    def __init__(self, namespaces=None):
        self.folder = Path(tempfile.mkdtemp(prefix="pickerd-cluster-"))
        self.folder.chmod(0o711)
        self.namespaces = namespaces or {}
        self.processes = {}
        self.kept = {}
        # PostgreSQL refuses to run as root.
        self.user = "postgres" if os.getuid() == 0 else None

    def start(self, name, arguments, *, user=None, environment=None, keep=False):
        """Starts a process that gets SIGTERM when this one dies. `keep`: see `keep_running`."""
        guarded = ["setpriv", "--pdeathsig", "TERM"]
        if user:
            guarded += [f"--reuid={user}", f"--regid={user}", "--init-groups"]
        if name in self.namespaces:
            guarded = ["nsenter", f"--net={self.namespaces[name]}", "--", *guarded]
        with (self.folder / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(
                [*guarded, "--", "sh", "-c", WHILE_PARENT_LIVES, str(os.getpid()),
                 *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, start_new_session=True, cwd=self.folder,
                env={**PATH, "HOME": str(self.folder), "LC_ALL": "C.UTF-8", **(environment or {})})
        self.processes[name] = process
        # setpriv and sh become the program itself, with the same id. A reader never finds an empty
        # file.
        written = self.folder / f"{name}.pid.new"
        written.write_text(f"{process.pid}\n")
        written.rename(self.folder / f"{name}.pid")
        if keep:
            self.kept[name] = (arguments, user, environment)

    def keep_running(self, name):
        """Starts a process again that has exited, as systemd would, unless NAME.down exists."""
        status = self.processes[name].poll()
        if status == INVALID:
            raise Failure(f"{name} has exited:\n{self.tail(name)}")
        if status is not None and not (self.folder / f"{name}.down").exists():
            arguments, user, environment = self.kept[name]
            self.start(name, arguments, user=user, environment=environment, keep=True)

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

    def stop(self, graceful):
        """Ends `graceful` programs with SIGTERM and the others, whose files are not needed any
        more, at once. Afterwards nothing is left."""
        first = [self.processes[name] for name in graceful if name in self.processes]
        for process in first:
            process.terminate()
        until = time.monotonic() + STOP_SECONDS
        for process in first:
            try:
                process.wait(max(until - time.monotonic(), 0.1))
            except subprocess.TimeoutExpired:
                pass
        for process in self.processes.values():
            # With its children, such as the pg_basebackup of a Patroni.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        for pid_file in self.folder.glob("pg*/data/postmaster.pid"):
            end_postmaster(pid_file)
        shutil.rmtree(self.folder, ignore_errors=True)

    def mine(self, name, text=None, mode=0o600):
        """A private file with `text`, or a folder, of the user who runs PostgreSQL."""
        path = self.folder / name
        if text is None:
            path.mkdir(mode=0o700)
        else:
            path.touch(mode)
            path.write_text(text)
        if self.user:
            owner = pwd.getpwnam(self.user)
            os.chown(path, owner.pw_uid, owner.pw_gid)
        return path


def end_postmaster(pid_file):
    """Ends a PostgreSQL server whose Patroni does not run any more, and waits for its end."""
    try:
        pid = int(pid_file.read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)
        until = time.monotonic() + STOP_SECONDS
        # A zombie has no command line.
        while Path(f"/proc/{pid}/cmdline").read_bytes():
            if time.monotonic() > until:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
    except (OSError, ValueError, IndexError):
        pass


def accepts(port, address="127.0.0.1"):
    with socket.socket() as probe:
        probe.settimeout(5)
        return probe.connect_ex((address, port)) == 0
