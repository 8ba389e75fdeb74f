"""The systemd unit in deploy/: its sandbox is tight, and the server needs nothing it forbids.

`make deploy-check` starts the unit under a real systemd. Here a server under traffic runs with the
unit's system call filter, loaded by libseccomp; and strace records the system calls of another, which
are compared with the other restrictions.
"""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.certificates import Authority
from harness.definitions import CALENDAR, LISTS
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, binary
from harness.proxies import program, substituted
from harness.store import stored
from test_http_commands import Poster
from test_event_streams import Watcher

UNIT = REPOSITORY / "deploy/pickerd.service"
#: The socket units, and the option for each of them.
SOCKETS = {"pickerd.socket": "--listen", "pickerd-api.socket": "--api-listen",
           "pickerd-redirect.socket": "--redirect-http"}
FILTERED = REPOSITORY / "Tests/product/harness/filtered.py"


def settings(name):
    """All values of a setting of the unit."""
    return re.findall(rf"^{name}=(.*)$", UNIT.read_text(), re.M)


def analyze(*arguments):
    return subprocess.run(
        [program("systemd-analyze"), *arguments], capture_output=True, text=True)


def test_the_exposure_level_is_at_most_1_5():
    said = analyze("security", "--offline=true", "--no-pager", "--threshold=15", str(UNIT))

    assert said.returncode == 0, said.stdout + said.stderr
    assert "Overall exposure level" in said.stdout


def test_the_unit_is_valid(tmp_path):
    path = tmp_path / "pickerd.service"
    path.write_text(substituted(UNIT.read_text(), {"/usr/local/bin/pickerd": str(binary())}))

    said = analyze("verify", "--man=no", str(path))

    assert [line for line in said.stderr.splitlines() if "pickerd.service" in line] == []


@pytest.mark.parametrize("unit", SOCKETS)
def test_a_socket_unit_is_valid_and_has_the_name_that_the_server_expects(tmp_path, unit):
    text = (REPOSITORY / "deploy" / unit).read_text()
    (tmp_path / unit).write_text(text)
    (tmp_path / "pickerd.service").write_text(
        substituted(UNIT.read_text(), {"/usr/local/bin/pickerd": str(binary())}))

    said = analyze("verify", "--man=no", str(tmp_path / unit))

    assert [line for line in said.stderr.splitlines() if "pickerd" in line] == []
    name, = re.findall(r"^FileDescriptorName=(.*)$", text, re.M)
    issued = Authority(tmp_path).issue()
    checked = subprocess.run(
        [binary(), "serve", "--check", "--tls-certificate", issued.certificate, "--tls-key",
         issued.key, SOCKETS[unit], "systemd"], capture_output=True, text=True)
    assert f": systemd:{name} " in checked.stdout, checked


def test_the_service_has_no_capability_so_that_systemd_opens_low_ports():
    """With PrivateUsers= a capability would not permit to bind a port below 1024 either."""
    assert settings("CapabilityBoundingSet") == settings("AmbientCapabilities") == [""]
    assert settings("PrivateUsers") == ["yes"]
    handbook = (REPOSITORY / "deploy/README.md").read_text()
    assert "CAP_NET_BIND_SERVICE" not in handbook and "pickerd.socket" in handbook


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    """What strace recorded of a server from its start under traffic to its end; its folder."""
    folder = tmp_path_factory.mktemp("trace")
    wrapper = folder / "pickerd"
    wrapper.write_text(
        f'#!/bin/sh\nexec {program("strace")} -f -qq -o {folder}/trace {binary()} "$@"\n')
    wrapper.chmod(0o755)
    (folder / "state").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PICKERD", str(wrapper))
        server = stored(folder / "log", folder / "state/store.sqlite", options=(
            "--loops", "2", "--web", str(REPOSITORY / "web")))
    use(server)
    tracer = server.process.pid
    with open(f"/proc/{tracer}/task/{tracer}/children") as children:
        os.kill(int(children.read()), signal.SIGTERM)
    assert server.process.wait(PATIENCE) == 0
    return (folder / "trace").read_text(errors="replace"), folder / "state"


def use(server):
    """Traffic of every kind: members, streams, posts, pages, drawings, logs, large bodies."""
    for definition in (LISTS, CALENDAR):
        session = server.session(definition)
        ana = session.join("Ana")
        watcher = Watcher(session)
        cem = Poster(session)
        if definition is LISTS:
            ana.select(0, 1)
            cem.do("select", column=1, row=1, generation=1)
        else:
            ana.tap("2018-11-20")
            cem.do("tap", date="2018-11-22")
            assert server.get(f"{session.path}/months/2018-11.svg").status == 200
        watcher.reach(2)
        watcher.close()
        assert server.get(f"{session.path}/log").status == 200
    large = b'{"definition":{"kind":"date"}}'.ljust(1 << 20)
    assert server.post("/v1/definitions/check", large).status == 200
    assert server.get("/").status == 200
    assert server.metrics().status == 200


def allowed_calls():
    """The system calls that the unit permits, including the sets that it names."""
    calls = set()
    for value in settings("SystemCallFilter"):
        names = set()
        for each in value.removeprefix("~").split():
            names |= members(each)
        calls = calls - names if value.startswith("~") else calls | names
    return calls


def members(name):
    """The system calls of a set such as @system-service."""
    if not name.startswith("@"):
        return {name}
    said = analyze("syscall-filter", "--no-pager", name).stdout
    found = set()
    for line in said.splitlines()[1:]:
        word = line.strip()
        if word and not word.startswith("#"):
            found |= members(word)
    return found


def test_the_server_makes_only_permitted_system_calls(trace):
    made = set(re.findall(r"^\d+ +(\w+)\(", trace[0], re.M))
    # SQLite calls fchown only as root, and ignores the result.
    made -= {"fchown"} if os.geteuid() == 0 else set()

    assert len(made) > 30, "the trace is incomplete"
    assert made - allowed_calls() == set()


def test_the_server_works_under_the_filter(tmp_path):
    (tmp_path / "calls").write_text("\n".join(allowed_calls()))
    wrapper = tmp_path / "pickerd"
    wrapper.write_text(
        f'#!/bin/sh\nexec {sys.executable} {FILTERED} {tmp_path}/calls {binary()} "$@"\n')
    wrapper.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PICKERD", str(wrapper))
        server = stored(tmp_path / "log", tmp_path / "store.sqlite", options=(
            "--loops", "2", "--web", str(REPOSITORY / "web")))
    status = Path(f"/proc/{server.process.pid}/status").read_text()

    assert re.search(r"(?m)^Seccomp:\s*2$", status), "the filter is in force"
    use(server)
    server.stop()
    assert server.process.returncode == 0


def test_the_filter_has_no_dangerous_system_calls():
    dangerous = {"ptrace", "mount", "bpf", "reboot", "init_module", "chown", "setuid"}

    assert not allowed_calls() & dangerous


def test_the_server_uses_only_permitted_address_families(trace):
    families, = settings("RestrictAddressFamilies")

    assert set(re.findall(r"\bsocket(?:pair)?\((\w+)", trace[0])) <= set(families.split())


def test_no_memory_is_writable_and_executable(trace):
    assert settings("MemoryDenyWriteExecute") == ["yes"]
    assert "PROT_WRITE|PROT_EXEC" not in trace[0]


def test_the_server_writes_only_below_its_state_directory(trace):
    assert settings("ProtectSystem") == ["strict"]
    text, state = trace
    opened = set(re.findall(
        r'openat\(\w+, "([^"]+)", [^)]*O_(?:WRONLY|RDWR|CREAT)[^)]*\) = \d', text))

    assert opened and {path for path in opened if not path.startswith(str(state))} <= {"/dev/null"}


def test_the_server_reads_no_files_that_the_sandbox_hides(trace):
    assert settings("ProcSubset") == ["pid"] and settings("ProtectHome") == ["yes"]
    read = set(re.findall(r'openat\(\w+, "(/proc/[^"]+|/home/[^"]+|/root/[^"]+)"', trace[0]))

    assert {path for path in read if not re.match(r"/proc/(self|thread-self|\d+)/", path)} == set()
