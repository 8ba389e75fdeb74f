"""Targets of requests: absolute URLs, encodings, and the order of refusals."""

import json
import socket

import pytest

from harness.definitions import CALENDAR, DATE, LISTS
from harness.host import Host
from harness.loops import one_on_each_loop
from rawsocket import Raw, problem

#: Longer than the limit of a body, 4 MiB.
LONG = 5_000_000


def raw(server, **rest):
    return Raw(("127.0.0.1", server.port), **rest)


def exchange(server, method, target, *headers, **rest):
    with raw(server) as there:
        return there.exchange(method, target, list(headers), **rest)


# Forms of the target


@pytest.mark.parametrize("scheme", ["http", "HTTP", "https"])
def test_an_absolute_target_is_answered(server, scheme):
    session = server.session(LISTS)
    status, _, body = exchange(server, "GET", f"{scheme}://localhost{session.path}?definition=full")
    assert (status, json.loads(body)["session"]) == (200, session.id)
    assert "columns" in json.loads(body)["snapshot"]["definition"]
    assert exchange(server, "GET", f"{scheme}://localhost:8080/healthz")[0] == 200
    assert exchange(server, "GET", f"{scheme}://localhost")[0] == 200


def test_the_authority_of_an_absolute_target_replaces_host(server):
    target = "/healthz"
    assert exchange(server, "GET", f"http://evil.example{target}")[0] == 421
    assert exchange(server, "GET", f"http://localhost{target}", host="evil.example")[0] == 200
    assert exchange(server, "GET", f"http://user@localhost{target}")[0] == 400
    status, _, body = exchange(
        server, "POST", "http://localhost:99/v1/sessions", host="127.0.0.1",
        body=json.dumps({"definition": DATE}).encode())
    assert status == 201
    assert json.loads(body)["socket"].startswith("ws://localhost:99/v1/sessions/")


def test_a_websocket_and_a_stream_open_with_an_absolute_target_on_every_loop(start):
    server = start(options=("--loops", "3"))
    for session in one_on_each_loop(server, 3, CALENDAR):
        with raw(server) as there:
            assert there.exchange("GET", "/healthz")[0] == 200
            status, headers, _ = there.upgrade(
                f"http://localhost{session.path}", Sec_WebSocket_Protocol="pickerd.v1")
            assert (status, headers["sec-websocket-protocol"]) == (101, "pickerd.v1")
            there.send_text('{"type":"join"}')
            assert json.loads(there.read_text())["type"] == "welcome"
        with raw(server) as there:
            there.request("GET", f"http://localhost{session.path}/events")
            assert there.read_line() == b"HTTP/1.1 200 OK"


def test_options_on_the_server_names_all_methods(server):
    status, headers, body = exchange(server, "OPTIONS", "*")
    assert (status, body) == (204, b"")
    assert set(headers["allow"].split(", ")) == {
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


@pytest.mark.parametrize("target", ["*", "x", "ftp://localhost/healthz", "http://", "http:///healthz",
                                    "/%", "/%4", "/healthz?%zz", "/%ff", "localhost:80"])
def test_other_targets_are_refused(server, target):
    assert problem(exchange(server, "GET", target))["code"] == "badRequest"


def test_a_request_of_http_1_0_is_answered_and_ends_the_connection(server):
    session = server.session(DATE)
    for host in (b"Host: localhost\r\n", b"Host: localhost\r\nConnection: keep-alive\r\n"):
        with raw(server) as there:
            there.send(b"GET %s HTTP/1.0\r\n%s\r\n" % (session.path.encode(), host))
            status, headers, body = there.response()
            assert (status, json.loads(body)["session"]) == (200, session.id)
            assert "transfer-encoding" not in headers


@pytest.mark.parametrize("path", [
    "/", "/healthz", "/readyz", "/v1/openapi.json", "/v1/asyncapi.json", "/client/pickerd.js", "SESSION",
    "SESSION/log", "SESSION/definition", "SESSION/notes", "SESSION/months/2018-11.svg",
    "SESSION/event.ics", "SESSION/events", "/v1/sessions", "/v1/feed", "/nothing", "/v1/sessions/x"])
def test_head_has_the_status_and_headers_of_get_without_a_body(server, path):
    path = path.replace("SESSION", server.session(CALENDAR).path)
    with raw(server) as there:
        head, headers, _ = there.exchange("HEAD", path)
        with raw(server) as other:
            other.request("GET", path)
            assert other.read_line().split(b" ")[1] == str(head).encode()
            got = dict(line.decode().lower().split(": ", 1) for line in iter(other.read_line, b""))
        assert headers["content-type"] == got["content-type"]
        if "content-length" in got:
            assert headers["content-length"] == got["content-length"]
            assert there.exchange("GET", "/healthz")[2] == b"alive\n", "HEAD has no body"


# Segments of the path


@pytest.mark.parametrize("spelt", ["%2e%2e", "..%2f", "a+b", "%2F", "a;b", "a&b", "a=b", "%00"])
def test_an_id_in_a_path_is_decoded_once_and_not_resolved(server, spelt):
    for path in (f"/v1/sessions/{spelt}", f"/v1/sessions/{spelt}/log", f"/v1/sessions/x{spelt}"):
        assert problem(exchange(server, "GET", path))["code"] == "noSuchSession"
        assert problem(exchange(server, "DELETE", path.removesuffix("/log")))["status"] == 404


def test_an_encoded_slash_does_not_separate_segments(server):
    session = server.session(LISTS)
    assert exchange(server, "GET", f"/v1/sessions%2F{session.id}")[0] == 404
    assert exchange(server, "GET", f"{session.path}%2Flog")[0] == 404
    assert exchange(server, "GET", f"/v1/sessions/x%2F..%2F{session.id}")[0] == 404
    assert exchange(server, "DELETE", f"/v1/sessions/x/%2e%2e/{session.id}")[0] == 404
    assert exchange(server, "GET", session.path)[0] == 200


def test_a_semicolon_does_not_end_a_parameter(server):
    session = server.session(LISTS)
    full = json.loads(exchange(server, "GET", session.path + "?x=1;definition=full")[2])
    assert "columns" not in full["snapshot"]["definition"]
    assert problem(exchange(server, "GET", f"{session.path}/log?after=1;b"))["code"] == "badRequest"


@pytest.mark.parametrize("path", [
    "/client/%2e%2e/%2e%2e/Package.swift", "/client/..%2f..%2fPackage.swift",
    "/client/%252e%252e/%252e%252e/Package.swift", "/client/..%5c..%5cPackage.swift",
    "/client/pickerd.js%00.html", "/client%2Fpickerd.js", "/client/../../Package.swift",
    "http://localhost/client/../../Package.swift", "/client/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "//etc/passwd", "/client//etc/passwd", "/client/.%2e/.%2e/Package.swift"])
def test_files_outside_the_web_folder_cannot_be_named(server, path):
    status, _, body = exchange(server, "GET", path)
    assert status in (400, 404) and b"swift-tools" not in body and b"root:" not in body


def test_the_redirect_to_https_leaves_the_target_as_it_is(start, tmp_path):
    from harness.certificates import Authority
    files = Authority(tmp_path).issue()
    server = start(options=("--tls-certificate", files.certificate, "--tls-key", files.key,
                            "--redirect-http", "127.0.0.1:0"), clock=None)
    with Raw(("127.0.0.1", server.redirect_port)) as there:
        target = "/a%2Fb/../c;d+e?x=%26;y&z=+"
        status, headers, _ = there.exchange("GET", target)
        assert (status, headers["location"].split("/", 3)[3]) == (308, target[1:])


# Bodies over the limit: the refusal that the request would have with a short body comes first


def long_request(server, method, path, *headers, sent=0, port=None):
    """The response to a request with a body over the limit, of which `sent` bytes are sent."""
    with Raw(("127.0.0.1", port or server.port), timeout=30) as there:
        there.request(method, path, [("Content-Length", str(LONG)), *headers])
        there.send(b"x" * sent)
        return there.response()


@pytest.mark.parametrize("sent", [0, 100_000, LONG])
@pytest.mark.parametrize("method, path, code", [
    ("POST", "/v1/nothing", "notFound"), ("PUT", "/v1/sessions", "methodNotAllowed"),
    ("PUT", "/v1/sessions/nobody/definition", "noSuchSession"),
    ("POST", "/v1/sessions/nobody/commands", "noSuchSession"),
    ("POST", "/v1/sessions/nobody/settle", "noSuchSession"),
    ("DELETE", "/v1/sessions/nobody", "noSuchSession"),
    ("POST", "/v1/sessions", "tooLarge"), ("POST", "/v1/definitions/check", "tooLarge"),
    ("PUT", "/v1/sessions/by/x", "tooLarge"), ("PUT", "SESSION/definition", "tooLarge"),
    ("DELETE", "SESSION", "tooLarge"), ("POST", "SESSION/members", "tooLarge"),
    ("GET", "SESSION", "tooLarge")])
def test_an_unknown_resource_is_refused_before_a_long_body(server, method, path, code, sent):
    session = server.session(LISTS)
    answer = long_request(server, method, path.replace("SESSION", session.path), sent=sent)
    assert problem(answer)["code"] == code
    assert session.get()["session"] == session.id, "it was not deleted"


@pytest.mark.parametrize("method, path, status", [
    ("POST", "/v1/nothing", 404), ("PUT", "/v1/sessions", 405)])
def test_no_memory_is_used_for_the_body_of_an_unknown_resource(server, method, path, status):
    with Raw(("127.0.0.1", server.port), timeout=10) as there:
        there.request(method, path, [("Content-Length", "1000000")])
        assert there.response()[0] == status


def test_a_missing_right_is_refused_before_a_long_body(start):
    server = start(auth="token")
    session = server.session(LISTS)
    path = f"{session.path}/definition"

    def code(*headers):
        return problem(long_request(server, "PUT", path, *headers))["code"]

    assert code() == "noToken"
    assert code(("Authorization", "Bearer wrong")) == "badToken"
    assert code(("Authorization", f"Bearer {session.tokens['editor']}")) == "notAllowed"
    assert code(("Authorization", f"Bearer {session.tokens['owner']}")) == "tooLarge"
    assert code(("Origin", "https://evil.example")) == "notAllowed"
    assert code(("Authorization", "Bearer wrong"), ("Expect", "100-continue")) == "badToken"


def test_a_missing_key_is_refused_before_a_long_body(start, tmp_path):
    host = Host(tmp_path)
    feed = host.add("feed", "feed")
    server = start(auth=f"keys:{host.file}", clock=None)

    def code(token, path="/v1/sessions"):
        headers = [("Authorization", f"Bearer {token}")] if token else []
        return problem(long_request(server, "POST", path, *headers))["code"]

    assert [code(token) for token in (None, "pk_x.y", feed, host.api)] == [
        "noToken", "badToken", "notAllowed", "tooLarge"]
    assert code(host.token("nobody"), "/v1/sessions/nobody/commands") == "noSuchSession"


def test_a_client_that_sends_a_long_body_before_it_reads_gets_its_refusal(server):
    """There is no RST, which could overtake the response."""
    for path in ("/v1/nothing", "/v1/sessions"):
        with raw(server, timeout=60) as there:
            there.request("POST", path, [("Content-Length", str(LONG))])
            for _ in range(LONG // 50_000):
                there.send(b"x" * 50_000)
            assert problem(there.response())["status"] in (404, 413)
            assert there.read_to_end() == b""


def test_a_client_that_ends_within_a_long_body_leaves_nothing_behind(server):
    for sent in (0, 1, 1_000_000):
        with raw(server) as there:
            there.request("POST", "/v1/sessions", [("Content-Length", str(LONG))])
            there.send(b"x" * sent)
            there.socket.shutdown(socket.SHUT_WR)
            there.read_to_end()
    assert server.get("/healthz").status == 200
