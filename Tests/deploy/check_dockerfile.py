"""The Dockerfile's steps in chroots: no container engine is needed.

The build stage runs up to its packages; `swift package resolve` and `make install` run on this
machine instead, with the same Makefile. The last stage runs completely and is started as a
container would be: its user, a read-only root, no capabilities, a network of its own.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import time

from chroot import ENVIRONMENT, REPOSITORY, WORK, Chroot, run


def stages():
    """The instructions of each stage as (name, arguments)."""
    text = (REPOSITORY / "deploy/Dockerfile").read_text()
    text = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", "")
    found = []
    for line in filter(None, (line.strip() for line in text.splitlines())):
        name, rest = line.split(None, 1)
        if name == "FROM":
            found.append([])
        found[-1].append((name, rest))
    return found


def healthcheck(rest):
    return json.loads(rest[rest.index("CMD") + 3:])


class Image:
    """The result of the last stage's instructions in a chroot."""

    def __init__(self, chroot, installed):
        self.chroot, self.installed = chroot, installed
        self.environment = {"PATH": ENVIRONMENT["PATH"]}
        self.folder, self.user, self.volumes = "/", "0:0", []

    def execute(self, name, rest):
        match name:
            case "FROM" | "EXPOSE":
                pass
            case "RUN":
                self.chroot.run("sh", "-c", rest)
            case "COPY":
                source, target = rest.removeprefix("--from=build ").split()
                run("cp", "-a", "-T", self.installed / source.removeprefix("/installed/"),
                    self.chroot.path(target))
            case "USER":
                self.user = rest
            case "WORKDIR":
                self.folder = rest
            case "VOLUME":
                self.volumes.append(rest)
            case "ENV":
                self.environment |= dict(each.split("=", 1) for each in shlex.split(rest))
            case "STOPSIGNAL":
                assert rest == "SIGTERM"
            case "HEALTHCHECK":
                self.health = healthcheck(rest)
            case "ENTRYPOINT":
                self.entry = json.loads(rest)
            case "CMD":
                self.command = json.loads(rest)
            case _:
                raise AssertionError(f"the check does not know the instruction {name}")

    def start(self):
        """Starts the container: read-only root, writable volumes, own network, no capabilities."""
        root = self.chroot.root
        mounts = [f"mount --bind {root} {root}", f"mount -t proc proc {root}/proc"]
        mounts += [f"mount --bind {root}{volume} {root}{volume}" for volume in self.volumes]
        mounts += [f"mount -o remount,bind,ro {root}", "ip link set lo up"]
        user, group = self.user.split(":")
        self.inside = ["chroot", str(root), "setpriv", f"--reuid={user}", f"--regid={group}",
                       "--clear-groups", "--no-new-privs", "--bounding-set=-all"]
        start = shlex.join([*self.inside, *self.entry, *self.command])
        self.process = subprocess.Popen(
            ["unshare", "--mount", "--net", "sh", "-ec",
             f"{' && '.join(mounts)} && cd {root}{self.folder} && exec {start}"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def execute_inside(self, *command):
        """The status of a command in the running container."""
        return subprocess.run(
            ["nsenter", f"--target={self.process.pid}", "--mount", "--net", *self.inside, *command],
            env=self.environment, capture_output=True).returncode


def check_build_stage(instructions):
    """The build stage installs everything that the Makefile requires to build."""
    packages = re.search(r"(?m)^BUILD_PACKAGES := (.*)$|^BUILD_PACKAGES = (.*)$", run(
        "make", "-C", REPOSITORY, "-pn", "help"))
    needed = [name for name in (packages[1] or packages[2]).split() if name.startswith("lib")]
    assert len(needed) > 4
    with Chroot("docker-build") as chroot:
        chroot.run("sh", "-c", next(rest for name, rest in instructions if name == "RUN"))
        chroot.run("dpkg-query", "-W", *needed, "pkg-config", "make", "tzdata")
    steps = [rest for name, rest in instructions if name == "RUN"][1:]
    assert steps == ["swift package resolve", "make install DESTDIR=/installed PREFIX=/usr"], steps


def check(binary):
    """Yields a sentence for each part that works."""
    build, last = stages()
    check_build_stage(build)
    yield "the Dockerfile's build stage installs all packages that a build requires"

    installed = WORK / "installed"
    shutil.rmtree(installed, ignore_errors=True)
    run("make", "-s", "-C", REPOSITORY, "install-files", f"BINARY={binary}",
        f"DESTDIR={installed}", "PREFIX=/usr")
    with Chroot("docker") as chroot:
        image = Image(chroot, installed)
        for name, rest in last:
            image.execute(name, rest)
        yield "the Dockerfile's last stage can be built"

        image.start()
        until = time.monotonic() + 20
        while image.execute_inside(*image.health) != 0:
            assert time.monotonic() < until and image.process.poll() is None, (
                image.process.communicate(timeout=5))
            time.sleep(0.2)
        assert image.user != "0:0" and image.volumes == ["/var/lib/pickerd"]
        assert os.stat(f"/proc/{image.process.pid}").st_uid == int(image.user.split(":")[0])
        for folder, is_writable in ({"/": 0, "/tmp": 0, "/var/lib/pickerd": 1}).items():
            status = image.execute_inside("touch", f"{folder}/probe")
            assert (status == 0) == bool(is_writable), f"{folder}: {status}"
        yield "the container is healthy as a user with a read-only root and no capabilities"

        image.process.terminate()
        _, log = image.process.communicate(timeout=15)
        assert image.process.returncode == 0, log
        assert chroot.exists("/var/lib/pickerd/pickerd.sqlite")
        dead = subprocess.run(
            [*image.inside, *image.health], env=image.environment | {
                "PICKERD_ADMIN_LISTEN": "127.0.0.1:9"}, capture_output=True).returncode
        assert dead != 0, "the health check notices a server that does not answer"
        yield "SIGTERM stops the container, and the health check fails without a server"
    shutil.rmtree(installed)
