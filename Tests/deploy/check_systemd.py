"""The Debian package under a real systemd in a chroot: the unit's sandbox, its sockets, and the
commands of the handbook, as printed."""

import re
import shutil

from chroot import REPOSITORY, WORK, Chroot, System
from check_deb import files, packages

PACKAGES = ["systemd-sysv", "dbus", "curl", "iproute2", "openssl"]
HANDBOOK = (REPOSITORY / "deploy/README.md").read_text()
LINEAGE = "/etc/letsencrypt/live/pick.example.org"
URL = "https://pick.example.org"
HTTPS = ["curl", "--silent", "--fail", "--cacert", f"{LINEAGE}/fullchain.pem", "--connect-to",
         "::127.0.0.1:"]
CERTIFICATE = (
    "mkdir -p {0}; openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 9 "
    "-subj /CN=x -addext subjectAltName=DNS:pick.example.org "
    "-keyout {0}/privkey.pem -out {0}/fullchain.pem").format(LINEAGE)


def commands(heading):
    """The shell commands of a section of the handbook, without those of its subsections."""
    section = HANDBOOK.split(f"\n## {heading}\n")[1]
    found = re.findall(r"```sh\n(.*?)```", re.split(r"\n##+ ", section)[0], re.S)
    assert found, f"the section {heading} has no commands"
    return found


class Service:
    """The service in the running system."""

    def __init__(self, system):
        self.system = system

    def property(self, name):
        return self.system.run("systemctl", "show", "-P", name, "pickerd").strip()

    def is_served(self):
        return self.system.attempt(*HTTPS, f"{URL}/healthz").returncode == 0

    def journal(self):
        return self.system.run("journalctl", "--unit=pickerd", "--no-pager", "--output=cat")

    def created(self, origin):
        """The status of a request for a session by a page of an origin."""
        return self.system.attempt(
            *HTTPS, "--no-fail", "--output", "/dev/null", "--write-out", "%{http_code}",
            "--header", f"Origin: {origin}", "--json", '{"definition":{"kind":"date"}}',
            f"{URL}/v1/sessions").stdout


def check(binary):
    """Yields a sentence for each part that works."""
    packages(binary)
    with Chroot("systemd") as chroot:
        for name in ("first", "later"):
            shutil.copy(WORK / f"{name}.deb", chroot.path(f"/root/{name}.deb"))
        depends = chroot.run("dpkg-deb", "-f", "/root/first.deb", "Depends").strip()
        chroot.run("apt-get", "-qq", "satisfy", "-y", "--no-install-recommends",
                   ", ".join([depends, *PACKAGES, "libcurl4"]))
        with System(chroot) as system:
            yield from check_service(system, chroot)


def check_service(system, chroot):
    service = Service(system)
    system.run("sh", "-c", CERTIFICATE)
    before = files(chroot)
    system.run("dpkg", "-i", "/root/first.deb")
    assert service.property("ActiveState") == "active"
    status = process_status(system, service.property("MainPID"))
    assert status["NoNewPrivs"] == "1" and status["Seccomp"] == "2" and status["Uid"] != "0"
    assert int(status["CapBnd"], 16) == 0
    system.run("systemd-analyze", "security", "--no-pager", "--threshold=15", "pickerd")
    assert "storeHealthy: true" in system.run("pickerd", "status", "--interval", "0.1")
    yield "the package starts its service in the sandbox, without a capability"

    for heading in ("First configuration", "Listeners", "The store", "TLS"):
        for command in commands(heading):
            system.run("sh", "-euc", command)
    assert "as after a restore" in service.journal()
    assert service.is_served()
    moved = system.run(
        "curl", "--silent", "--output", "/dev/null", "--write-out", "%{redirect_url}",
        "--header", "Host: pick.example.org", "http://127.0.0.1/a")
    assert moved == f"{URL}/a"
    assert [service.created(origin) for origin in (
        URL, "https://shop.example.org", "https://evil.example")] == ["201", "201", "403"]
    assert system.attempt("pickerd", "status").returncode == 69, "without a key"
    yield "the handbook's commands restore a backup and make a server with TLS for its own pages"

    system.run("sh", "-c", "echo 'limit: {joinsPerSecond: 99}' >> /etc/pickerd.yaml")
    system.run("systemctl", "reload", "pickerd")
    system.wait(lambda: "SIGHUP: joinsPerSecond is now 99" in service.journal(), "the reload")
    renewed = "/etc/letsencrypt/renewal-hooks/deploy/pickerd"
    system.run("sh", "-c", f"{CERTIFICATE}")
    system.run(renewed, RENEWED_LINEAGE=LINEAGE)
    system.wait(service.is_served, "the new certificate")
    yield "reloads apply a changed file and a renewed certificate"

    system.run("systemctl", "stop", "pickerd")
    assert service.is_served(), "a connection starts the service"
    killed = service.property("MainPID")
    system.run("kill", "-KILL", killed)
    system.wait(lambda: service.property("MainPID") not in ("0", killed) and service.is_served(),
                "the restart")
    system.run("systemctl", "restart", "pickerd")
    assert service.is_served()
    yield "a connection starts a stopped service, and systemd a crashed one"

    for package in ("later", "first"):
        system.run("dpkg", "-i", f"/root/{package}.deb")
        assert service.is_served()
    system.run("dpkg", "-r", "pickerd")
    assert ":443 " not in system.run("ss", "-ltn"), "no socket is left"
    system.run("dpkg", "-i", "/root/first.deb")
    assert service.is_served()
    yield "upgrades, a removal and a new installation retain the sockets"

    system.run("dpkg", "-P", "pickerd")
    assert ":443 " not in system.run("ss", "-ltn")
    own = {"/backup", "/etc/pickerd", "/etc/pickerd.yaml", "/etc/systemd/system/pickerd.socket.d",
           "/root/pickerd.key"}
    left = {path for path in files(chroot) - before if "pickerd" in path}
    assert {path for path in left if not path.startswith((*own, "/etc/letsencrypt"))} == set(), left
    yield "a purge leaves only the files that the operator has written"


def process_status(system, process):
    """The first value of each field of a process's status."""
    lines = system.run("cat", f"/proc/{process}/status").splitlines()
    return {line.split(":")[0]: (line.split()[1:] or [""])[0] for line in lines}
