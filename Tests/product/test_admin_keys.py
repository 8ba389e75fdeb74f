"""`--admin-keys FILE`: a credential of the admin listener's own, whatever `--auth` is."""

import http.client
import os
import socket
import subprocess

import pytest

from harness.definitions import CALENDAR
from harness.host import Host, pickerd
from harness.patience import PATIENCE
from harness.pickerd import binary


class Operators:
    """A file of admin keys, one key for each scope."""

    def __init__(self, folder):
        self.file = folder / "admin.yaml"
        self.keys = {scope: self.add(scope) for scope in ("metrics", "sessions", "feed")}

    def add(self, scope, name=None):
        added = pickerd("key", "add", self.file, name or scope, "--scope", scope)
        assert added.returncode == 0, added.stderr
        return added.stdout.strip()


@pytest.fixture(scope="module")
def operators(tmp_path_factory):
    return Operators(tmp_path_factory.mktemp("operators"))


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    host = Host(tmp_path_factory.mktemp("host"))
    host.feed = host.add("feed", "feed")
    return host


@pytest.fixture(params=["open", "token", "keys"])
def guarded(request, start, operators, host):
    """A server with admin keys, a session, and the credential that reads it in public."""
    auth = f"keys:{host.file}" if request.param == "keys" else request.param
    server = start(auth=auth, clock=None, options=("--admin-keys", str(operators.file)),
                   limits={"createsPerSecond": 1_000_000})
    api = host.api if request.param == "keys" else None
    created = server.post("/v1/sessions", {"definition": CALENDAR}, token=api)
    assert created.status == 201, created
    server.id = created.json["session"]
    server.credential = api or created.json.get("tokens", {}).get("viewer")
    return server


def routes(session):
    """(path, scope) of what the admin listener serves to keys only."""
    return [("/metrics", "metrics"), ("/v1/sessions", "sessions"),
            (f"/v1/admin/sessions/{session}", "sessions"), ("/v1/feed", "feed"),
            ("/v1/feed/cursors/me", "feed")]


def asked(server, path, key=None):
    answer = server.get(path, token=key, port=server.admin_port)
    return answer.status, answer.code if answer.status >= 400 else None


def test_every_route_but_health_needs_a_key_with_its_scope(guarded, operators, host):
    for path in ("/healthz", "/readyz"):
        assert asked(guarded, path)[0] == 200

    for path, scope in routes(guarded.id):
        assert asked(guarded, path) == (401, "noToken"), path
        for wrong in ("pk_metrics.wrong", "wrong", host.api, host.feed, host.token(guarded.id)):
            assert asked(guarded, path, wrong) == (401, "badToken"), (path, wrong)
        for other, key in operators.keys.items():
            found = asked(guarded, path, key)
            if other != scope:
                assert found == (403, "notAllowed"), (path, other)
            elif path.endswith("/me"):
                assert found == (404, "noSuchCursor"), found
            else:
                assert found[0] == 200, (path, found)


def test_an_admin_key_opens_nothing_on_the_public_listener(guarded, operators):
    assert guarded.get(f"/v1/sessions/{guarded.id}", token=guarded.credential).status == 200
    for path in ("/metrics", f"/v1/admin/sessions/{guarded.id}"):
        assert guarded.get(path, token=operators.keys["metrics"]).status == 404
    for path in ("/v1/sessions", "/v1/feed"):
        refused = guarded.get(path, token=operators.keys["sessions"])
        assert refused.status in (401, 403), (path, refused)


@pytest.mark.parametrize("guarded", ["keys"], indirect=True)
def test_the_operators_commands_present_a_key(guarded, operators, tmp_path):
    def run(*arguments, key=None, variable=None):
        environment = {**os.environ, **({"PICKERD_KEY": variable} if variable else {})}
        more = ()
        if key:
            (tmp_path / "key").write_text(key + "\n")
            more = ("--key-file", str(tmp_path / "key"))
        return subprocess.run(
            [str(binary()), *arguments, "--admin", f"127.0.0.1:{guarded.admin_port}", *more],
            capture_output=True, text=True, timeout=PATIENCE, env=environment)

    status = ("status", "--interval", "0.1")
    metrics, sessions = operators.keys["metrics"], operators.keys["sessions"]
    refused = run(*status)
    assert refused.returncode == 69 and "401" in refused.stderr and refused.stdout == ""
    assert run(*status, key=metrics).stdout.startswith("url: http://127.0.0.1:")
    assert run(*status, variable=metrics).returncode == 0
    assert run("session", "list").returncode == 69
    assert guarded.id in run("session", "list", key=sessions).stdout
    assert guarded.id in run("session", "show", guarded.id, variable=sessions).stdout
    ended = run("session", "end", guarded.id, key=sessions)
    assert ended.returncode == 0, ended.stderr
    missing = run(*status, "--key-file", str(tmp_path / "missing"))
    assert missing.returncode == 69 and missing.stdout == ""
    assert missing.stderr == f"pickerd status: --key-file {tmp_path}/missing cannot be read\n"
    empty = run(*status, key=" ")
    assert empty.returncode == 69 and "key is empty" in empty.stderr, empty.stderr


def test_a_unix_socket_needs_a_key_too(start, operators, tmp_path):
    path = tmp_path / "admin"
    start(clock=None, admin=f"unix:{path}", options=("--admin-keys", str(operators.file)))

    def status(**environment):
        return subprocess.run(
            [str(binary()), "status", "--interval", "0.1", "--admin", f"unix:{path}"],
            capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **environment})

    assert status().returncode == 69
    assert status(PICKERD_KEY=operators.keys["metrics"]).returncode == 0
    health = subprocess.run(
        [str(binary()), "health"], capture_output=True, text=True, timeout=PATIENCE,
        env={**os.environ, "PICKERD_ADMIN_LISTEN": f"unix:{path}"})
    assert (health.returncode, health.stdout) == (0, "alive\n"), "health needs no key"


def own_address():
    """An address of this machine beyond loopback, which clients of other machines would use."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))
        except OSError:
            pytest.skip("this machine has no address beyond loopback")
        return probe.getsockname()[0]


@pytest.mark.parametrize("has_keys", [False, True])
def test_another_machine_needs_a_key_for_what_the_same_machine_reads_without(
        start, operators, has_keys):
    address = own_address()
    options = ("--admin-keys", str(operators.file)) if has_keys else ()
    server = start(clock=None, admin=f"{address}:0", options=options)
    server.connection = lambda port: http.client.HTTPConnection(address, port, timeout=PATIENCE)

    for path, scope in (("/v1/sessions", "sessions"), ("/v1/feed", "feed")):
        key = operators.keys[scope] if has_keys else None
        found = server.get(path, token=key, port=server.admin_port, headers={"Host": "localhost"})
        assert found.status == (200 if has_keys else 403), found
