"""Several listeners: TCP addresses, Unix sockets, sockets that systemd passes; the admin listener."""

import http.client
import json
import os
import socket
import stat
import subprocess

import pytest

from harness import activation
from harness.certificates import Authority
from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.pickerd import Pickerd, binary, run, wait_until
from rawsocket import Raw, open_websocket

DATE = b'{"definition":{"kind":"date"}}'


def asked(path, method, target, body=b"", headers=(), host="localhost"):
    """Status, headers and body of a request through a Unix socket."""
    with Raw(str(path)) as raw:
        return raw.exchange(method, target, headers, body, host)


def refusal(*options):
    """What a server that cannot start prints."""
    found = run("serve", "--store", "memory:", *options)
    assert found.returncode == 69, found
    return found.stderr


@pytest.fixture
def web(start, tmp_path):
    """A server with a TCP address and a Unix socket, whose path is `server.path`."""
    def begin(*options, **rest):
        server = start(clock=None, options=["--listen", f"unix:{tmp_path}/web", *options], **rest)
        server.path = tmp_path / "web"
        return server

    return begin


def test_all_listeners_serve_the_same_sessions(start, tmp_path):
    server = start(clock=None, options=[
        "--listen", "[::1]:0", "--listen", f"unix:{tmp_path}/a", "--listen", f"unix:{tmp_path}/b"])
    session = server.session(LISTS, now=None)
    wait_until(lambda: server.log.read_text().count("pickerd serves") == 4, what="all addresses")
    port = int(server.log.read_text().split("http://[::1]:")[1].split()[0])

    for address in (("::1", port), str(tmp_path / "a"), str(tmp_path / "b")):
        with Raw(address) as raw:
            assert raw.exchange("GET", session.path)[0] == 200
        with open_websocket(address, session.path, Sec_WebSocket_Protocol="pickerd.v1") as member:
            member.send_text('{"type":"join","name":"Ana"}')
            assert json.loads(member.read_text())["type"] == "welcome"


def test_the_file_of_a_unix_socket_is_private_to_the_group_and_removed_at_the_end(web):
    server = web()
    status = server.path.stat()

    assert stat.S_ISSOCK(status.st_mode) and stat.S_IMODE(status.st_mode) == 0o660
    assert (status.st_uid, status.st_gid) == (os.geteuid(), os.getegid())
    server.stop()
    assert not server.path.exists()


def test_a_stale_socket_is_replaced(web):
    server = web()
    server.kill()
    assert server.path.exists()
    server.start()

    assert asked(server.path, "GET", "/healthz")[0] == 200


def test_a_socket_in_use_is_not_taken_over(web):
    server = web()

    said = refusal("--listen", "127.0.0.1:0", "--listen", f"unix:{server.path}")

    assert f"cannot listen at unix:{server.path}: another process listens there" in said
    assert asked(server.path, "GET", "/healthz")[0] == 200


def test_a_proxy_in_front_of_a_unix_socket_decides_about_names(start, tmp_path):
    start(listen=f"unix:{tmp_path}/web", clock=None)
    status, _, body = asked(
        tmp_path / "web", "POST", "/v1/sessions", DATE, [("X-Forwarded-Proto", "https")],
        host="pick.example.org")

    assert status == 201
    assert json.loads(body)["socket"].startswith("wss://pick.example.org/")


# The clients of proxies --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["websocket", "events"])
@pytest.mark.parametrize("place", ["tcp", "unix"])
def test_connections_per_address_count_the_clients_of_a_proxy(web, kind, place):
    server = web("--loops", "2", limits={"connectionsPerAddress": 2, "joinMilliseconds": 90_000})
    address = str(server.path) if place == "unix" else ("127.0.0.1", server.port)
    sessions = [server.session(LISTS, now=None).path for _ in range(4)]

    def connected(client, session):
        """A connection, and the status of its request."""
        raw = Raw(address)
        if kind == "websocket":
            status = raw.upgrade(
                session, Sec_WebSocket_Protocol="pickerd.v1", X_Forwarded_For=client)[0]
        else:
            raw.request("GET", session + "/events", [("X-Forwarded-For", client)])
            status = int(raw.read_line().split()[1])
        return raw, status

    held = [connected(f"198.51.100.{n}", session) for n in (1, 2) for session in sessions[:2]]
    assert {status for _, status in held} == {101 if kind == "websocket" else 200}
    for session in sessions:
        raw, status = connected("198.51.100.1", session)
        assert status == 429
        raw.socket.close()
    held[0][0].socket.close()

    def has_room():
        raw, status = connected("198.51.100.1", sessions[3])
        held.append((raw, status))
        return status != 429

    wait_until(has_room, what="room for another connection of the client")
    for raw, _ in held:
        raw.socket.close()


# The admin listener ------------------------------------------------------------------------------


@pytest.fixture
def operated(start, tmp_path):
    server = start(admin=f"unix:{tmp_path}/admin", clock=None)
    server.admin = f"unix:{tmp_path}/admin"
    return server


def test_status_and_session_speak_to_a_unix_socket(operated):
    session = operated.session(LISTS, now=None)
    listed = run("session", "list", "--admin", operated.admin)
    assert listed.returncode == 0 and session.id in listed.stdout, listed
    by_variable = run("session", "show", session.id, env={
        **os.environ, "PICKERD_ADMIN_LISTEN": operated.admin})
    assert f"session: {session.id}" in by_variable.stdout, by_variable
    status = run("status", "--interval", "0.1", "--admin", operated.admin)
    assert status.returncode == 0 and operated.admin in status.stdout, status
    ended = run("session", "end", session.id, "--admin", operated.admin)
    assert ended.returncode == 0, ended
    assert operated.get(session.path).status == 404


def test_the_admin_listener_can_have_tls(start, tmp_path):
    authority = Authority(tmp_path)
    issued = authority.issue()
    server = start(clock=None, admin="tls:127.0.0.1:0", options=[
        "--tls-certificate", issued.certificate, "--tls-key", issued.key])
    address = ("127.0.0.1", server.admin_port)
    with Raw(address, tls=authority.client()) as raw:
        assert raw.exchange("GET", "/metrics")[0] == 200
    with Raw(address) as raw:
        raw.send(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"HTTP" not in raw.read_to_end()
    listed = run("session", "list", "--admin", f"https://localhost:{server.admin_port}")
    assert listed.returncode == 69 and "SSL certificate problem" in listed.stderr, listed


# Socket activation -------------------------------------------------------------------------------


@pytest.fixture
def activated(tmp_path, monkeypatch):
    """Starts servers with sockets that the test holds."""
    servers = []

    def begin(sockets, **rest):
        program, popen = sockets.passed_to(binary(), tmp_path)
        with monkeypatch.context() as patch:
            patch.setenv("PICKERD", program)
            servers.append(Pickerd(tmp_path / "log", clock=None, popen=popen, **rest))
        return servers[-1]

    yield begin
    for server in servers:
        server.stop()


def test_systemd_passes_sockets_by_name(activated, tmp_path):
    sockets = activation.Sockets(
        admin=activation.unix(tmp_path / "admin"), web=activation.tcp(),
        public=activation.unix(tmp_path / "public"))
    server = activated(
        sockets, listen="systemd", admin="systemd", options=["--listen", "systemd:web"])

    assert asked(tmp_path / "public", "GET", "/healthz")[0] == 200
    assert asked(tmp_path / "public", "GET", "/metrics")[0] == 404
    assert asked(tmp_path / "admin", "GET", "/metrics")[0] == 200
    wait_until(lambda: server.port, what="the address of the TCP socket")
    assert server.port == sockets.sockets["web"].getsockname()[1]
    assert server.get("/healthz").status == 200
    sockets.close()


def test_systemds_sockets_stay_open_and_hold_connections_for_the_next_server(activated, tmp_path):
    sockets = activation.Sockets(public=activation.tcp(), admin=activation.unix(tmp_path / "admin"))
    first = activated(sockets, listen="systemd", admin="systemd")
    port = first.port
    first.stop()
    assert (tmp_path / "admin").exists(), "the file is systemd's"

    waiting = Raw(("127.0.0.1", port))
    waiting.request("GET", "/healthz")
    second = activated(sockets, listen="systemd", admin="systemd")

    assert second.port == port
    assert waiting.response()[0] == 200
    waiting.socket.close()
    sockets.close()


def test_a_socket_without_a_listener_and_a_listener_without_a_socket_are_errors(tmp_path):
    def said(sockets, *options):
        program, popen = sockets.passed_to(binary(), tmp_path)
        found = subprocess.run(
            [program, "serve", "--store", "memory:", *options], capture_output=True, text=True,
            timeout=PATIENCE, **popen)
        assert found.returncode == 69, found
        sockets.close()
        return found.stderr

    assert "passes a socket named other, which no listener uses" in said(
        activation.Sockets(other=activation.tcp()), "--listen", "127.0.0.1:0")
    assert "passes no socket named public (FileDescriptorName=), but other" in said(
        activation.Sockets(other=activation.tcp()), "--listen", "systemd")
    datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    datagram.bind(("127.0.0.1", 0))
    assert "not a listening stream socket" in said(
        activation.Sockets(public=datagram), "--listen", "systemd")
    assert "passes no socket named public (FileDescriptorName=); start" in refusal(
        "--listen", "systemd")
