"""The Debian package installs, runs, upgrades, is removed and is purged in a chroot."""

import json
import os
import re
import shlex
import shutil
import subprocess
import time
import urllib.request

from chroot import ENVIRONMENT, REPOSITORY, WORK, Chroot, run

WANTS = "/etc/systemd/system/multi-user.target.wants/pickerd.service"
STORE = "/var/lib/pickerd/pickerd.sqlite"
#: Files that package management leaves behind.
LEFT = re.compile(r"/(proc|sys|dev|tmp|run)/|/var/(log|cache|lib/(apt|dpkg|systemd|private))(/|$)|"
                  r"/etc/(passwd|group|shadow|gshadow|subuid|subgid)-$")


def packages(binary):
    """The package, and a later version of it with a new line in its settings."""
    WORK.mkdir(parents=True, exist_ok=True)
    first = run("make", "-s", "-C", REPOSITORY, "deb-files", f"BINARY={binary}",
                "COMPRESSION=none").split()[-1]
    shutil.copy(first, WORK / "first.deb")
    unpacked = WORK / "later"
    shutil.rmtree(unpacked, ignore_errors=True)
    run("dpkg-deb", "-R", first, unpacked)
    control = unpacked / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: (.*)$", r"Version: \1+later", control.read_text()))
    run("dpkg-deb", "--root-owner-group", "-Znone", "--build", unpacked, WORK / "later.deb")
    shutil.rmtree(unpacked)


def files(chroot):
    """All files of the system but those that package management leaves, and its accounts."""
    found = set()
    for folder, folders, names in os.walk(chroot.root):
        for name in folders + names:
            path = os.path.join(folder, name).removeprefix(str(chroot.root))
            if not LEFT.match(path):
                found.add(path)
    for name in ("passwd", "group"):
        found |= {line.split(":")[0] for line in chroot.path(f"/etc/{name}").open()}
    return found


class Service:
    """The installed service, started as the unit would start it: its user and its settings."""

    def __init__(self, chroot):
        settings = dict(
            line.strip().split("=", 1) for line in chroot.path("/etc/default/pickerd").open()
            if line.strip() and not line.startswith("#"))
        chroot.run("install", "-d", "-m", "0700", "-o", "pickerd", "-g", "pickerd",
                   "/var/lib/pickerd")
        # Swift's runtime reads the arguments from /proc.
        start = (f"umask 077 && mount -t proc proc {chroot.root}/proc && exec chroot {chroot.root} "
                 "setpriv --reuid=pickerd --regid=pickerd --clear-groups --no-new-privs "
                 "--bounding-set=-all /usr/bin/pickerd serve --listen 127.0.0.1:0")
        self.process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", start],
            env={**ENVIRONMENT, **settings, "STATE_DIRECTORY": "/var/lib/pickerd"},
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.url = self.process.stdout.readline().split()[-1]

    def get(self, path, body=None):
        with urllib.request.urlopen(self.url + path, body, timeout=10) as answer:
            return answer.read()

    def stop(self):
        self.process.terminate()
        assert self.process.wait(15) == 0


def refusal(chroot, *arguments):
    """What pickerd prints when it ends with an error."""
    start = (f"mount -t proc proc {chroot.root}/proc && exec chroot {chroot.root} "
             f"/usr/bin/pickerd {shlex.join(arguments)}")
    done = subprocess.run(["unshare", "--mount", "sh", "-c", start], env=ENVIRONMENT,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode != 0, done.stdout
    return done.stdout + done.stderr


def check(binary):
    """Yields a sentence for each part that works."""
    packages(binary)
    with Chroot("deb") as chroot:
        for name in ("first", "later"):
            shutil.copy(WORK / f"{name}.deb", chroot.path(f"/tmp/{name}.deb"))
        depends = chroot.run("dpkg-deb", "-f", "/tmp/first.deb", "Depends").strip()
        chroot.run("apt-get", "-qq", "satisfy", "-y", "--no-install-recommends", depends)
        before = files(chroot)

        chroot.run("dpkg", "-i", "/tmp/first.deb")
        assert chroot.run("dpkg", "--audit") == "" and chroot.exists(WANTS)
        assert "/usr/sbin/nologin" in chroot.run("getent", "passwd", "pickerd")
        assert chroot.path("/usr/bin/pickerd").stat().st_uid == 0
        assert "passed" not in chroot.run("dpkg", "--verify", "pickerd")
        yield "the package installs with its user, enabled and as described by its checksums"

        with chroot.path("/etc/default/pickerd").open("a") as settings:
            settings.write("PICKERD_LIMIT=members=7\n")
        service = Service(chroot)
        created = json.loads(service.get("/v1/sessions", b'{"definition":{"kind":"date"}}'))
        assert b"<html" in service.get("/"), "the web pages are found"
        assert os.stat(chroot.path(STORE)).st_mode & 0o077 == 0
        yield "the service runs as its user, with its web pages and a private store"

        for arguments, library in ((("serve", "--store", "postgres://db/pickerd"), "libpq5"),
                                   (("status",), "libcurl4")):
            refused = refusal(chroot, *arguments)
            assert f"install {library}" in refused, refused
        chroot.run("apt-get", "-qq", "install", "-y", "--no-install-recommends", "libpq5", "libcurl4")
        for arguments in (("serve", "--store", "postgres://127.0.0.1:9/pickerd"),
                          ("status",)):
            assert "onnect" in refusal(chroot, *arguments)
        chroot.run("apt-get", "-qq", "purge", "-y", "--autoremove", "libpq5", "libcurl4")
        yield "a PostgreSQL store and pickerd status name the package that they need"

        # Unpacked under the running service, like on a real system.
        chroot.run("dpkg", "-i", "/tmp/later.deb")
        service.stop()
        assert "members=7" in chroot.path("/etc/default/pickerd").read_text()
        service = Service(chroot)
        assert created["session"].encode() in service.get(f"/v1/sessions/{created['session']}")
        service.stop()
        assert chroot.exists(WANTS)
        yield "an upgrade retains settings, sessions and enablement"

        chroot.run("dpkg", "-r", "pickerd")
        assert not chroot.exists("/usr/bin/pickerd") and not chroot.exists("/usr/share/pickerd")
        assert chroot.exists("/etc/default/pickerd") and chroot.exists(STORE)
        chroot.run("dpkg", "-i", "/tmp/first.deb")
        assert chroot.exists(WANTS)
        assert "members=7" in chroot.path("/etc/default/pickerd").read_text()
        yield "removal retains settings and sessions, and the package can be installed again"

        chroot.run("dpkg", "-P", "pickerd")
        time.sleep(0.1)
        assert files(chroot) ^ before == set(), sorted(files(chroot) ^ before)
        yield "a purge leaves no file, link or account"
