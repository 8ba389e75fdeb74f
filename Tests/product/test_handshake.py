"""The WebSocket handshake: subprotocol, Origin, and closes right after it."""

import pytest
from websockets.exceptions import InvalidStatus

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


@pytest.mark.parametrize("origin", [
    "http://evil.example", "null", "http://127.0.0.1", "http://127.0.0.1:PORT.evil.example",
    "http://127.0.0.1:PORT@evil.example", "http://evil.example:PORT", "http://127.0.0.1:1",
    "http://127.0.0.1:PORT, http://127.0.0.1:PORT", "http://localhost:PORT", "127.0.0.1:PORT", "x"])
def test_any_other_origin_is_refused_with_403(server, origin):
    session = server.session(DATE)

    refused(session, 403, origin=origin.replace("PORT", str(server.port)))


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


@pytest.mark.parametrize("path", ["/", "/v1/sessions", "/v1/sessions/", "/v1/clock", "/v2/x", "/x"])
def test_other_paths_refuse_websockets(server, path):
    with pytest.raises(InvalidStatus) as failure:
        dial(server.socket(path))

    assert 400 <= failure.value.response.status_code < 500
