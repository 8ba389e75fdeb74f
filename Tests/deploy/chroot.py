"""Debian systems in folders, made by debootstrap."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
WORK = REPOSITORY / ".build/deploy-check"
ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}


def run(*arguments, **rest):
    """Runs a command to its end; raises with its output if it fails."""
    done = subprocess.run([str(each) for each in arguments], capture_output=True, text=True, **rest)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def base():
    """A minimal Debian 12; made once, and deleted by `make clean`."""
    finished = WORK / "base"
    if not finished.exists():
        print("debootstrap (a few minutes)", flush=True)
        begun = WORK / "base.part"
        shutil.rmtree(begun, ignore_errors=True)
        WORK.mkdir(parents=True, exist_ok=True)
        run("debootstrap", "--variant=minbase", "bookworm", begun)
        # No service starts in a chroot.
        policy = begun / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)
        begun.rename(finished)
    return finished


class Chroot:
    """A copy of the minimal Debian, deleted at the end of the `with` block."""

    def __init__(self, name):
        self.root = WORK / name

    def __enter__(self):
        shutil.rmtree(self.root, ignore_errors=True)
        run("cp", "-a", "--reflink=auto", base(), self.root)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        shutil.copytree("/etc/apt/apt.conf.d", self.root / "etc/apt/apt.conf.d", dirs_exist_ok=True,
                        ignore=lambda folder, names: [n for n in names if "proxy" not in n])
        self.run("apt-get", "-qq", "update")
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def run(self, *arguments, environment=(), **rest):
        return run("chroot", self.root, *arguments,
                   env={**ENVIRONMENT, **dict(environment)}, **rest)

    def path(self, name):
        return self.root / name.lstrip("/")

    def exists(self, name):
        return os.path.lexists(self.path(name))


class System:
    """A chroot in which systemd runs, with processes, network and cgroups of its own."""

    def __init__(self, chroot):
        self.chroot = chroot

    def __enter__(self):
        # Here services start.
        self.chroot.path("/usr/sbin/policy-rc.d").unlink()
        mounts = Path("/proc/mounts").read_text()
        cgroups = re.search(r"(?m)^\S+ (\S+) cgroup2 ", mounts)[1]
        self.log = (WORK / "boot.log").open("wb")
        self.process = subprocess.Popen(
            [REPOSITORY / "Tests/deploy/boot.sh", self.chroot.root, cgroups],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.cgroup = Path(self.process.stdout.readline().strip())
        self.wait(lambda: self.first() and self.state() in ("running", "degraded"), "systemd")
        assert self.state() == "running", self.run("systemctl", "--failed", "--no-pager")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.log.close()
        for folder, _, _ in os.walk(self.cgroup, topdown=False):
            self.wait(lambda: removed(folder), f"the end of {folder}")

    def first(self):
        """The process id of systemd; None until it runs."""
        pid = self.process.pid
        try:
            child = Path(f"/proc/{pid}/task/{pid}/children").read_text().strip()
            return child if Path(f"/proc/{child}/comm").read_text() == "systemd\n" else None
        except OSError:
            return None

    def state(self):
        return self.attempt("systemctl", "is-system-running").stdout.strip()

    def attempt(self, *arguments, **environment):
        """Runs a command in the system to its end, with any status."""
        return subprocess.run(
            ["nsenter", f"--target={self.first()}", "--pid", "--mount", "--net", "--cgroup", "--uts",
             "--ipc", "env", "-i", "HOME=/root", "LC_ALL=C", f"PATH={ENVIRONMENT['PATH']}",
             *(f"{name}={value}" for name, value in environment.items()), *arguments],
            capture_output=True, text=True, timeout=300)

    def run(self, *arguments, **environment):
        """Runs a command in the system; raises with its output if it fails."""
        done = self.attempt(*arguments, **environment)
        if done.returncode != 0:
            journal = self.attempt("journalctl", "--no-pager", "--lines=30").stdout
            raise AssertionError(
                f"{arguments}: status {done.returncode}\n{done.stdout}{done.stderr}\n{journal}")
        return done.stdout

    def wait(self, condition, what, seconds=120):
        until = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < until, f"waited {seconds} s for {what}"
            time.sleep(0.2)


def removed(folder):
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        pass
    except OSError:
        return False
    return True
