"""The Dockerfile's steps in chroots: no container engine is needed.

The stage `build` runs up to its packages; `swift package resolve` and `make install` run on this
machine instead, with the same Makefile. The stages `runtime` and the last one run completely, and
are started as a container would be: its user, a read-only root, no capabilities, a network of its
own, and no shell. For arm64 apt resolves the packages that the Dockerfile names.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import time
from string import Template

from check_deb import files
from chroot import ENVIRONMENT, REPOSITORY, WORK, Chroot, run

LABEL = "org.opencontainers.image."
SHELLS = re.compile(r"/bin/(r?ba|da|)sh$")


def stages():
    """The instructions of each stage as (name, arguments); a stage from another has its, too."""
    text = (REPOSITORY / "deploy/Dockerfile").read_text()
    text = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", "")
    found, names = [], {}
    for line in filter(None, (line.strip() for line in text.splitlines())):
        name, rest = line.split(None, 1)
        if name == "FROM":
            base, *alias = rest.split(" AS ")
            found.append(list(names.get(base, ())))
            names |= {each: found[-1] for each in alias}
        else:
            found[-1].append((name, rest))
    return found


def healthcheck(rest):
    return json.loads(rest[rest.index("CMD") + 3:])


class Image:
    """The result of the last stage's instructions in a chroot."""

    def __init__(self, chroot, installed, arguments):
        self.chroot, self.installed, self.arguments = chroot, installed, dict(arguments)
        self.labels = {}
        self.environment = {"PATH": ENVIRONMENT["PATH"]}
        self.folder, self.user, self.volumes = "/", "0:0", []

    def execute(self, name, rest):
        match name:
            case "EXPOSE":
                pass
            case "ARG":
                self.arguments = dict([rest.split("=", 1)]) | self.arguments
            case "LABEL":
                text = Template(rest).substitute(self.arguments)
                self.labels |= dict(each.split("=", 1) for each in shlex.split(text))
            case "RUN":
                self.chroot.run("sh", "-c", rest)
            case "COPY":
                source, target = rest.removeprefix("--from=build ").split()
                self.chroot.path(target).parent.mkdir(parents=True, exist_ok=True)
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

    def execute_inside(self, *command, **environment):
        """The status of a command in the running container."""
        return subprocess.run(
            ["nsenter", f"--target={self.process.pid}", "--mount", "--net", *self.inside, *command],
            env=self.environment | environment, capture_output=True).returncode


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
    assert steps[:2] == [
        "swift package resolve", "make install DESTDIR=/installed PREFIX=/usr"], steps
    return steps[2]


def check_arm64(*instructions):
    """apt finds all packages of the stages for arm64, with what they depend on."""
    wanted = [set(re.search(r"install -y --no-install-recommends (.*?)&&", rest)[1].split())
              for stage in instructions for name, rest in stage if "install -y" in rest]
    assert len(wanted) == 2 and all({"tzdata"} < names for names in wanted), wanted
    other = ["-o", "APT::Architecture=arm64", "-o", "APT::Architectures=arm64",
             "-o", "Dir::State::lists=/tmp/lists", "-o", "Dir::State::status=/tmp/status"]
    with Chroot("docker-arm64") as chroot:
        chroot.path("/tmp/lists/partial").mkdir(parents=True)
        chroot.path("/tmp/status").touch()
        chroot.run("apt-get", "-qq", *other, "update")
        for names in wanted:
            found = chroot.run(
                "apt-get", *other, "--simulate", "--no-install-recommends", "install", *names)
            for name in names:
                assert re.search(rf"(?m)^Inst {re.escape(name)} .*\[(arm64|all)\]\)", found), name


def write_bill(step, installed, root):
    """The build's last step, with the folders of this machine."""
    for old, new in {"/installed": installed, "/image": root}.items():
        assert old in step
        step = re.sub(rf"(?<![\w/]){old}(?![\w-])", str(new), step)
    run("sh", "-c", step, cwd=REPOSITORY)


def check_labels(image):
    """The labels say from what and when the image was built."""
    assert image.labels[f"{LABEL}revision"] == image.arguments["REVISION"]
    assert image.labels[f"{LABEL}created"] == image.arguments["CREATED"]
    assert image.labels[f"{LABEL}source"].startswith("https://")
    assert image.labels[f"{LABEL}licenses"] == "Apache-2.0"
    assert image.labels[f"{LABEL}version"] == (REPOSITORY / "VERSION").read_text().strip()


def check_bill(chroot):
    """The bill of materials in the image has the versions in the image, and its program."""
    bill = json.loads(chroot.path("/usr/share/doc/pickerd/pickerd.cdx.json").read_text())
    program = bill["metadata"]["component"]["hashes"][0]["content"]
    assert chroot.run("sha256sum", "/usr/bin/pickerd").split()[0] == program
    libraries = {each["name"]: each["version"] for each in bill["components"]
                 if each.get("purl", "").startswith("pkg:deb/")}
    assert {"libwebsockets17", "libc6", "libcurl4", "libpq5", "tzdata"} <= set(libraries)
    for name, version in libraries.items():
        installed = chroot.run("dpkg-query", "-W", "-f=${Version}\n", name).splitlines()
        assert version in installed, (name, version, installed)


def check(binary):
    """Yields a sentence for each part that works."""
    runtime, build, last = stages()
    bill = check_build_stage(build)
    yield "the Dockerfile's build stage installs all packages that a build requires"

    check_arm64(runtime, build)
    yield "apt finds all packages of the Dockerfile for arm64"

    installed = WORK / "installed"
    shutil.rmtree(installed, ignore_errors=True)
    run("make", "-s", "-C", REPOSITORY, "install-files", f"BINARY={binary}",
        f"DESTDIR={installed}", "PREFIX=/usr")
    with Chroot("docker") as chroot:
        image = Image(chroot, installed, {
            "REVISION": run("git", "-C", REPOSITORY, "rev-parse", "HEAD").strip(),
            "CREATED": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
        for name, rest in runtime:
            image.execute(name, rest)
        write_bill(bill, installed, chroot.root)
        for name, rest in last[len(runtime):]:
            image.execute(name, rest)
        check_labels(image)
        check_bill(chroot)
        yield "the Dockerfile's last stage can be built, with labels and a bill of its materials"

        for shell in filter(SHELLS.search, files(chroot)):
            chroot.path(shell).unlink()
        assert not chroot.exists("/bin/sh")
        image.start()
        until = time.monotonic() + 20
        while image.execute_inside(*image.health) != 0:
            assert time.monotonic() < until and image.process.poll() is None, (
                image.process.communicate(timeout=5))
            time.sleep(0.2)
        assert image.health[0] == image.entry[0] == "/usr/bin/pickerd"
        assert image.user != "0:0" and image.volumes == ["/var/lib/pickerd"]
        assert os.stat(f"/proc/{image.process.pid}").st_uid == int(image.user.split(":")[0])
        for folder, is_writable in ({"/": 0, "/tmp": 0, "/var/lib/pickerd": 1}).items():
            status = image.execute_inside("touch", f"{folder}/probe")
            assert (status == 0) == bool(is_writable), f"{folder}: {status}"
        yield "the container is healthy without a shell, as a user with a read-only root"

        dead = image.execute_inside(*image.health, PICKERD_ADMIN_LISTEN="127.0.0.1:9")
        assert dead == 1, "the health check notices a server that does not answer"
        image.process.terminate()
        _, log = image.process.communicate(timeout=15)
        assert image.process.returncode == 0, log
        assert chroot.exists("/var/lib/pickerd/pickerd.sqlite")
        yield "SIGTERM stops the container, and the health check fails without a server"
    shutil.rmtree(installed)
