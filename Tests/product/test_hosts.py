"""`--host` and `--admin-listen`: accepted `Host` headers, and the admin listener."""

import http.client
import json

from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.pickerd import wait_until
from rawsocket import Raw

PROTOCOL = {"Sec_WebSocket_Protocol": "pickerd.v1"}
EVIL = {"Host": "evil.example", "Origin": "http://evil.example"}


def status(server, path, host, *, method="GET", body=None, port=None):
    """Status and problem code of a request with this `Host`."""
    connection = http.client.HTTPConnection("127.0.0.1", port or server.port, timeout=PATIENCE)
    try:
        connection.request(method, path, body=body, headers={"Host": host})
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text)["code"] if answer.status >= 400 else None
    finally:
        connection.close()


def test_requests_and_handshakes_with_a_foreign_host_are_rejected(server):
    session = server.session(LISTS)
    for method, path, body in [
            ("POST", "/v1/sessions", {"definition": LISTS}), ("GET", "/", None),
            ("GET", "/healthz", None), ("GET", session.path, None),
            ("GET", f"{session.path}/events", None), ("DELETE", session.path, None)]:
        answer = server.request(method, path, body, headers=EVIL)
        assert (answer.status, answer.code) == (421, "misdirected"), path
    assert server.get(session.path).status == 200
    with Raw(("127.0.0.1", server.port)) as there:
        answer, _, body = there.upgrade(session.path, **EVIL, **PROTOCOL)

    assert (answer, json.loads(body)["code"]) == (421, "misdirected")


# The admin listener


def test_the_admin_listener_serves_only_metrics_and_health(server):
    session = server.session(LISTS)

    for path in ("/metrics", "/healthz", "/readyz"):
        assert status(server, path, "localhost", port=server.admin_port) == (200, None)
    for method, path in [("GET", "/"), ("GET", session.path), ("POST", "/v1/sessions/by/x"),
                         ("PUT", "/v1/sessions/by/x"), ("GET", "/v1/openapi.json"), ("POST", "/v1/clock"),
                         ("DELETE", session.path), ("GET", f"{session.path}/events")]:
        assert status(server, path, "localhost", method=method, body=b"{}",
                      port=server.admin_port) == (404, "notFound"), path
    for path in ("/metrics", "/v1/sessions"):
        assert status(server, path, "localhost", method="POST", body=b"{}",
                      port=server.admin_port) == (405, "methodNotAllowed"), path
    assert server.get(session.path).status == 200
    assert server.get("/metrics").status == 404, "the public listener"
    assert status(server, "/metrics", "evil.example", port=server.admin_port) == (
        421, "misdirected")


def test_only_the_listeners_of_operators_and_backends_accept_numeric_addresses(start):
    """Regression: with --host, a Prometheus that used the server's address got 421."""
    server = start(options=("--host", "pick.example.org", "--api-listen", "127.0.0.1:0"))

    for host in ("192.0.2.1:7682", "[2001:db8::1]"):
        for port in (server.admin_port, server.api_port):
            assert status(server, "/healthz", host, port=port) == (200, None), (host, port)
        assert status(server, "/healthz", host) == (421, "misdirected")
    assert status(server, "/healthz", "evil.example", port=server.api_port)[0] == 421


def test_the_admin_listener_refuses_websockets(server):
    session = server.session(LISTS)
    with Raw(("127.0.0.1", server.admin_port)) as there:
        answer, _, body = there.upgrade(session.path, **PROTOCOL)

    assert (answer, json.loads(body)["code"]) == (404, "notFound")


def test_admin_connections_have_a_limit_of_their_own(start):
    server = start(limits={"connections": 8})
    public = [Raw(("127.0.0.1", server.port)) for _ in range(8)]
    admin = []
    try:
        for there in public:
            assert there.exchange("GET", "/healthz")[0] == 200
        for _ in range(64):
            admin.append(Raw(("127.0.0.1", server.admin_port)))
            assert admin[-1].exchange("GET", "/metrics")[0] == 200
        for port in (server.port, server.admin_port):
            with Raw(("127.0.0.1", port)) as there:
                assert there.response()[0] == 503, "one more is refused"
        admin.pop().__exit__()
        public.pop().__exit__()
        for port in (server.port, server.admin_port):
            wait_until(lambda: has_room(server, port))
    finally:
        for there in public + admin:
            there.__exit__()


def has_room(server, port):
    try:
        return status(server, "/healthz", "localhost", port=port)[0] == 200
    except (OSError, http.client.HTTPException):
        return False
