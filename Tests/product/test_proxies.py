"""The proxy configurations in deploy/: nginx, HAProxy and Caddy with TLS before a real server."""

import ssl

import pytest
from websockets.exceptions import InvalidStatus

from harness.definitions import LISTS
from harness.member import Hung
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, wait_until
from harness.proxies import ProxiedPickerd, redirect
from test_http_commands import Poster
from test_event_streams import Watcher

PROXIES = ["nginx", "haproxy", "caddy"]


@pytest.fixture(scope="module", params=PROXIES)
def server(request, tmp_path_factory):
    """A server on an SQLite store behind a proxy; it trusts only the proxy's own address."""
    folder = tmp_path_factory.mktemp(request.param)
    server = ProxiedPickerd(
        folder / "pickerd.log", request.param, folder, clock=None,
        limits={"createsPerSecond": 3}, options=(
            "--store", f"sqlite:{folder}/store.sqlite", "--trusted-proxy", "127.0.0.1",
            "--web", str(REPOSITORY / "web")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", lambda: server.proxy.member_context)
        yield server
    server.stop()


@pytest.fixture
def session(server):
    session = server.session(LISTS, now=None)
    yield session
    session.forget()
    session.delete()


def test_members_event_streams_and_posts_pass(server, session):
    ana = session.join("Ana")
    watcher = Watcher(session)
    cem = Poster(session)

    ana.select(0, 1)
    cem.do("select", column=1, row=2, generation=1)

    watcher.reach(2)
    ana.reach(2)
    assert watcher.screen.differs_from(session.get()) is None
    watcher.close()
    session.agree()


def test_host_and_scheme_are_forwarded(server):
    created = server.create(LISTS)

    assert created.status == 201
    assert created.json["socket"] == server.socket(f"/v1/sessions/{created.json['session']}")


def test_pages_of_the_own_origin_connect_and_others_do_not(server, session):
    own = f"https://localhost:{server.proxy.port}"
    session.connect(origin=own).join()

    with pytest.raises(InvalidStatus) as refused:
        session.connect(origin="https://evil.example")
    assert refused.value.response.status_code == 403


def test_other_names_are_refused(server):
    """By pickerd (421), or by Caddy, which has no site of this name and sends an empty page."""
    assert server.get("/healthz").body == b"alive\n"
    connection = server.connection()
    connection.request("GET", "/healthz", headers={"Host": "rebound.example"})
    response = connection.getresponse()

    assert response.status == 421 or response.read() == b""
    connection.close()


def create_from(server, address, **headers):
    """The status of a creation by a client with an address of its own."""
    connection = server.connection(source=address)
    connection.request("POST", "/v1/sessions", '{"definition":{"kind":"date"}}', headers)
    status = connection.getresponse().status
    connection.close()
    return status


def create_until_limited(server, burst, create):
    """`create(number)` creates sessions until it is refused: a busy machine may be slower."""
    statuses = []
    while 429 not in statuses:
        statuses.append(create(len(statuses)))
        assert statuses[-1] in (201, 429) and len(statuses) < 300, statuses
    assert len(statuses) > burst
    assert create_from(server, "127.0.0.3") == 201


def test_rates_are_limited_per_client_and_a_client_cannot_forge_its_address(server):
    create_until_limited(server, 30, lambda number: create_from(
        server, "127.0.0.2", **{"X-Forwarded-For": f"198.51.100.{number % 250}"}))


def test_the_clock_and_the_metrics_are_not_public(server):
    for path in ("/v1/clock", "/metrics"):
        connection = server.connection()
        connection.request("POST" if path == "/v1/clock" else "GET", path, "{}")
        assert connection.getresponse().status == 404, path
        connection.close()


def test_http_is_redirected_and_https_is_pinned(server):
    assert redirect(server.proxy) in [(status, "https://localhost/x") for status in (301, 308)]
    headers = server.get("/").headers
    assert headers["strict-transport-security"] == "max-age=31536000"
    assert "default-src" in headers["content-security-policy"], "pickerd's headers are forwarded"


def test_a_body_of_bodyBytes_passes(server):
    definition = b'{"definition":{"kind":"date"}}'

    answer = server.post("/v1/definitions/check", definition.ljust(4 << 20))

    assert answer.status == 200, answer


def test_the_proxys_log_has_no_tickets(server, session):
    secret = "ticket-that-is-a-secret"
    connection = server.connection()
    connection.request("GET", f"{session.path}/events?ticket={secret}")
    assert connection.getresponse().status in (401, 403)
    connection.close()
    if server.proxy.kind != "caddy":
        wait_until(lambda: f"{session.path}/events" in server.proxy.access_log(), what="a log line")

    assert secret not in server.proxy.access_log()


@pytest.mark.parametrize("kill", [True, False], ids=["kill -9", "SIGTERM"])
def test_clients_resume_after_a_restart_behind_the_proxy(server, session, kill):
    ana = session.join("Ana")
    watcher = Watcher(session)
    ana.select(0, 2)
    watcher.reach(1)

    if kill:
        server.kill()
        with pytest.raises(Hung):
            ana.expect("delta")
    else:
        server.terminate()
        assert ana.expect("draining")["reconnectAfterMs"] >= 0
        ana.closed(1001)
        assert server.process.wait(PATIENCE) == 0
    while watcher.event():
        pass
    server.start()

    back = session.back(ana)
    assert back.welcome["resumed"] and back.screen.revision == 1
    again = Watcher(session, last=watcher.last_id, screen=watcher.screen)
    back.select(1, 1)
    assert again.welcome["resumed"] and again.welcome["revision"] == 1
    again.reach(2)
    again.close()
    watcher.close()
    session.agree()


def test_clients_survive_a_reload_of_the_proxy(server, session):
    """nginx and HAProxy retain their connections; Caddy closes them, and clients resume.

    Caddy closes some without its close frame, and passes on the server's to others.
    """
    ana = session.join("Ana")
    watcher = Watcher(session)

    server.proxy.reload()

    if server.proxy.kind == "caddy":
        ana.closed((1001, None))
        # Ana may be offline before the stream ends.
        while received := watcher.event():
            watcher.fold(*received)
        watcher.close()
        ana = session.back(ana)
        watcher = Watcher(session, last=watcher.last_id, screen=watcher.screen)
    bo = session.join("Bo")
    bo.select(0, 1)
    ana.reach(1)
    ana.select(1, 1)
    watcher.reach(2)
    watcher.close()
    session.agree()


def test_requests_wait_while_the_server_restarts(server, session):
    """HAProxy and Caddy wait for the server; nginx answers 502, and clients try again."""
    if server.proxy.kind == "nginx":
        server.kill()
        connection = server.connection()
        connection.request("GET", session.path)
        assert connection.getresponse().status == 502
        connection.close()
        server.start()
    else:
        # They wait for 10 s, which a busy machine may need to start the server.
        assert any(waits(server, session) for _ in range(5))

    assert session.get()["revision"] == 0


def waits(server, session):
    """Whether a request of the time without a server is answered by the next one."""
    server.kill()
    connection = server.connection()
    connection.request("GET", session.path)
    server.start()
    status = connection.getresponse().status
    connection.close()
    return status == 200
