"""Peers that disappear while they are sent a response."""

import socket

from conftest_socket import start  # noqa: F401
from harness.pickerd import wait_until
from test_socket_limits import SLOW


def stream(server, **rest):
    raw = server.raw(**rest)
    raw.request("GET", "/stream?pieces=-1")
    assert raw.read_line() == b"HTTP/1.1 200 OK"
    return raw


def test_a_stream_whose_peer_disconnects_is_closed_without_a_ping(start):
    server = start(pingMilliseconds=3_600_000)
    for leave in (lambda raw: raw.socket.close(), lambda raw: raw.reset()):
        closed = server.counters()["streamsClosed"]
        leave(stream(server))
        wait_until(lambda: server.counters()["streamsClosed"] == closed + 1)


def test_unacknowledged_bytes_end_a_stream(start):
    """TCP_USER_TIMEOUT applies to a peer whose window stays closed, too; no other limit ends this."""
    server = start(pingMilliseconds=400, pongMilliseconds=900, answerMilliseconds=3_600_000)
    with server.raw(**SLOW) as raw:
        raw.request("GET", "/stream?pieces=800")
        wait_until(lambda: server.counters()["streamsClosed"] == 1)


def test_a_peer_that_shuts_down_its_writing_side_gets_its_response(start):
    server = start()
    with server.raw() as raw:
        raw.request("GET", "/later?milliseconds=600")
        raw.socket.shutdown(socket.SHUT_WR)
        assert raw.response()[2] == b"at last"


def test_an_unanswered_request_is_dropped_when_its_peer_closes(start):
    server = start(answerMilliseconds=3_600_000)
    with server.raw() as raw:
        raw.request("GET", "/never")
    wait_until(lambda: server.counters()["connections"] == 1)


def test_idle_streams_use_no_cpu_time(start):
    server = start()
    streams = [stream(server) for _ in range(300)]
    assert server.cpu_of_a_second() < 0.3
    for raw in streams:
        raw.socket.close()
    wait_until(lambda: server.counters()["streamsClosed"] == 300)
