"""gzip compression of responses of 1,024 bytes or more, for clients that accept it."""

import gzip
import socket

import pytest

from harness.definitions import CALENDAR, LONG
from harness.patience import PATIENCE
from rawsocket import Raw

GZIP = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture
def session(server):
    return server.session(LONG)


def test_a_large_response_is_compressed_if_the_client_accepts_gzip(server, session):
    plain = server.get(session.path)
    packed = server.get(session.path, headers=GZIP)

    assert len(plain.body) >= 1024
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    assert len(packed.body) < len(plain.body) / 3
    assert gzip.decompress(packed.body) == plain.body


def test_responses_too_large_for_the_event_loop_are_compressed_too(server):
    plain = server.get("/v1/openapi.json")
    packed = server.get("/v1/openapi.json", headers=GZIP)

    assert len(plain.body) > 16_384
    assert gzip.decompress(packed.body) == plain.body


def test_pipelined_requests_are_answered_in_order(start):
    server = start(options=("--loops", "2"))
    session = server.session(LONG)
    paths = ["/v1/openapi.json", session.path, "/healthz"] * 4
    with Raw(("127.0.0.1", server.port)) as there:
        there.send(b"".join(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n".encode()
            for path in paths))
        for path in paths:
            status, headers, body = there.response()
            assert status == 200
            assert (headers.get("content-encoding") == "gzip") == (path != "/healthz")
            received = body if path == "/healthz" else gzip.decompress(body)
            assert {"/v1/openapi.json": b"openapi", "/healthz": b"alive"}.get(
                path, session.id.encode()) in received


@pytest.mark.parametrize("path", ["/client/pickerd.js", "MONTH"])
def test_a_compressed_response_has_a_weak_etag_that_matches_either_form(server, path):
    where = path.replace("MONTH", server.session(CALENDAR).path + "/months/2018-11.svg")
    plain = server.get(where)
    packed = server.get(where, headers=GZIP)

    tag = plain.headers["etag"]
    assert not tag.startswith("W/")
    assert packed.headers["etag"] == "W/" + tag
    assert gzip.decompress(packed.body) == plain.body
    for known in (tag, "W/" + tag):
        again = server.get(where, headers={**GZIP, "If-None-Match": known})
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", "W/" + tag)
        assert "Accept-Encoding" in again.headers["vary"]
        same = server.get(where, headers={"If-None-Match": known})
        assert (same.status, same.headers["etag"]) == (304, tag)


def test_event_streams_are_never_compressed(server):
    session = server.session(LONG)
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as there:
        there.sendall(f"GET {session.path}/events HTTP/1.1\r\nHost: localhost\r\n"
                      "Accept-Encoding: gzip\r\n\r\n".encode())
        received = b""
        while b"welcome" not in received:
            more = there.recv(65536)
            assert more, received
            received += more
    assert b"content-encoding" not in received.lower()
