"""The WebSocket handshake: subprotocol, Origin, and closes right after it."""

import socket

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from harness.definitions import DATE
from harness.member import Member, dial


def refused(session, status, **rest):
    with pytest.raises(InvalidStatus) as failure:
        dial(session.url, **rest)
    assert failure.value.response.status_code == status, failure.value.response


def test_the_server_selects_our_subprotocol(server):
    session = server.session(DATE)

    with dial(session.url) as web:
        assert web.subprotocol == "pickerd.v1"


def test_the_server_selects_our_subprotocol_among_others(server):
    session = server.session(DATE)

    with dial(session.url, subprotocols=("chat", "pickerd.v1", "pickerd.v2")) as web:
        assert web.subprotocol == "pickerd.v1"


@pytest.mark.parametrize("offered", [(), ("chat",), ("pickerd.v2", "pickerd"), ("pickerd.v11",)])
def test_a_client_that_offers_none_of_our_subprotocols_is_refused_with_400(server, offered):
    session = server.session(DATE)

    refused(session, 400, subprotocols=offered)


def test_a_handshake_without_origin_is_allowed(server):
    session = server.session(DATE)

    with dial(session.url, origin=None) as web:
        assert web.subprotocol == "pickerd.v1"


def test_the_requests_own_host_is_an_allowed_origin(server):
    session = server.session(DATE)

    with dial(session.url, origin=f"http://127.0.0.1:{server.port}") as web:
        assert web.subprotocol == "pickerd.v1"


def test_the_own_origin_is_taken_from_the_host_header(server):
    """"by default the request's own host": a browser sends the same name in both headers."""
    session = server.session(DATE)
    url = session.url.replace("127.0.0.1", "localhost")
    there = socket.create_connection(("127.0.0.1", server.port))

    with dial(url, origin=f"http://localhost:{server.port}", sock=there) as web:
        assert web.subprotocol == "pickerd.v1"


@pytest.mark.parametrize("origin", [
    "http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:PORT.evil.example",
    "http://127.0.0.1:PORT@evil.example", "http://evil.example:PORT", "http://127.0.0.1:1",
    "http://127.0.0.1:PORT, http://127.0.0.1:PORT", "http://localhost:PORT", "127.0.0.1:PORT", "x"])
def test_any_other_origin_is_refused_with_403(server, origin):
    session = server.session(DATE)

    refused(session, 403, origin=origin.replace("PORT", str(server.port)))


def test_two_origin_headers_are_refused_with_403(server):
    session = server.session(DATE)
    own = f"http://127.0.0.1:{server.port}"

    refused(session, 403, headers=[("Origin", own), ("Origin", "http://evil.example")])


def test_listed_origins_and_the_own_one_are_allowed(start):
    server = start(origins=["https://app.example", "http://kiosk.example:8080"])
    session = server.session(DATE)

    for origin in ("https://app.example", "http://kiosk.example:8080",
                   f"http://127.0.0.1:{server.port}", None):
        with dial(session.url, origin=origin) as web:
            assert web.subprotocol == "pickerd.v1"

    for origin in ("http://app.example", "https://app.example.evil", "http://kiosk.example",
                   "https://app.example:444", "null", "http://127.0.0.1:1"):
        refused(session, 403, origin=origin)


def test_a_session_that_does_not_exist_closes_with_4404_after_the_handshake(server):
    """"Everything else that is wrong (no session, …) closes after the handshake"."""
    session = server.session(DATE)
    session.id = session.id[:-1] + ("a" if session.id[-1] != "a" else "b")
    url = server.socket(f"/v1/sessions/{session.id}")

    nobody = Member(url, join=False)
    nobody.send({"type": "join"})

    error = nobody.closed(4404)
    assert error["code"]


def test_a_malformed_session_id_closes_with_4404(server):
    for name in ("x", "a" * 200, "%E2%82%AC", "~"):
        nobody = Member(server.socket(f"/v1/sessions/{name}"), join=False)
        nobody.send({"type": "join"})
        nobody.closed(4404)


@pytest.mark.parametrize("path", ["/", "/v1/sessions", "/v1/sessions/", "/v1/clock", "/v2/x", "/x"])
def test_other_paths_refuse_websockets(server, path):
    with pytest.raises(InvalidStatus) as failure:
        dial(server.socket(path))

    assert 400 <= failure.value.response.status_code < 500


def test_compression_is_not_negotiated(server):
    session = server.session(DATE)

    with connect(session.url, subprotocols=["pickerd.v1"], proxy=None, legacy=True) as web:
        assert web.protocol.extensions == []
