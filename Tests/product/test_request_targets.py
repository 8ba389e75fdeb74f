"""Targets of requests: absolute URLs, encodings, and the order of refusals."""

import json

import pytest

from harness.definitions import CALENDAR, DATE, LISTS
from harness.host import Host
from rawsocket import Raw, problem

#: Longer than the limit of a body, 4 MiB.
LONG = 5_000_000


def raw(server, **rest):
    return Raw(("127.0.0.1", server.port), **rest)


def exchange(server, method, target, *headers, **rest):
    with raw(server) as there:
        return there.exchange(method, target, list(headers), **rest)


# Forms of the target


def test_the_authority_of_an_absolute_target_replaces_host(server):
    target = "/healthz"
    for scheme in ("http", "HTTP", "https"):
        assert exchange(server, "GET", f"{scheme}://localhost:8080{target}?a=b")[0] == 200
    assert exchange(server, "GET", "http://localhost")[0] == 200
    assert exchange(server, "GET", f"http://evil.example{target}")[0] == 421
    assert exchange(server, "GET", f"http://localhost{target}", host="evil.example")[0] == 200
    assert exchange(server, "GET", f"http://user@localhost{target}")[0] == 400
    status, _, body = exchange(
        server, "POST", "http://localhost:99/v1/sessions", host="127.0.0.1",
        body=json.dumps({"definition": DATE}).encode())
    assert status == 201
    assert json.loads(body)["socket"].startswith("ws://localhost:99/v1/sessions/")


def test_options_on_the_server_names_all_methods(server):
    status, headers, body = exchange(server, "OPTIONS", "*")
    assert (status, body) == (204, b"")
    assert set(headers["allow"].split(", ")) == {
        "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}


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


def test_an_unknown_parameter_of_a_query_is_refused_where_other_bad_requests_are(server):
    session = server.session(LISTS)
    for method, path, body in [
            ("GET", session.path, None), ("GET", f"{session.path}/log", None),
            ("DELETE", session.path, None), ("POST", "/v1/sessions", {"definition": LISTS}),
            ("GET", "/v1/openapi.json", None), ("POST", f"{session.path}/members", {})]:
        answer = server.request(method, path + "?useS=a&x=1", body)
        assert (answer.status, answer.code, answer.json["parameter"]) == (
            400, "badRequest", "useS"), answer
    assert server.get("/v1/sessions/nobody?x=1").status == 404
    assert server.get("/v1/nothing?x=1").status == 404
    assert server.request("PUT", f"{session.path}?x=1").status == 405
    assert server.get("/v1/sessions?x=1", port=server.admin_port).json["parameter"] == "x"
    for free in ("/healthz?x=1", "/?x=1", "/client/pickerd.js?x=1"):
        assert server.get(free).status == 200, free
    assert session.get()["revision"] == 0


# Bodies over the limit: the refusal that the request would have with a short body comes first


def long_request(server, method, path, *headers, sent=0, port=None):
    """The response to a request with a body over the limit, of which `sent` bytes are sent."""
    with Raw(("127.0.0.1", port or server.port)) as there:
        there.request(method, path, [("Content-Length", str(LONG)), *headers])
        there.send(b"x" * sent)
        return there.response()


@pytest.mark.parametrize("sent", [0, LONG])
@pytest.mark.parametrize("method, path, code", [
    ("POST", "/v1/nothing", "notFound"), ("PUT", "/v1/sessions", "methodNotAllowed"),
    ("PUT", "/v1/sessions/nobody/definition", "noSuchSession"),
    ("POST", "/v1/sessions", "tooLarge"), ("DELETE", "SESSION", "tooLarge")])
def test_an_unknown_resource_is_refused_before_a_long_body(server, method, path, code, sent):
    session = server.session(LISTS)
    answer = long_request(server, method, path.replace("SESSION", session.path), sent=sent)
    assert problem(answer)["code"] == code
    assert session.get()["session"] == session.id, "it was not deleted"


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
