"""Debian systems in folders, made by debootstrap."""

import os
import shutil
import subprocess
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
