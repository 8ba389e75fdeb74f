"""Peers that disappear while they are sent a response."""

import socket
import time

from conftest_socket import start  # noqa: F401
from test_socket_limits import SLOW, until


def stream(server, **rest):
    raw = server.raw(**rest)
    raw.request("GET", "/stream?pieces=-1")
    assert raw.read_line() == b"HTTP/1.1 200 OK"
    return raw


def test_a_stream_whose_peer_disconnects_is_closed_immediately(start):
    server = start()
    for leave in (lambda raw: raw.socket.close(), lambda raw: raw.reset()):
        seconds = []
        for _ in range(9):
            closed = server.counters()["streamsClosed"]
            raw = stream(server)
            began = time.monotonic()
            leave(raw)
            until(lambda: server.counters()["streamsClosed"] == closed + 1)
            seconds.append(time.monotonic() - began)
        # The median: a busy machine may delay some of them. Otherwise the next ping, after 20 s,
        # finds that the peer has gone.
        assert sorted(seconds)[4] < 5, seconds


def test_unacknowledged_bytes_end_a_stream(start):
    """TCP_USER_TIMEOUT applies to a peer whose window stays closed, too.

    No other limit ends this stream within a minute.
    """
    server = start(pingMilliseconds=400, pongMilliseconds=900)
    with server.raw(**SLOW) as raw:
        raw.request("GET", "/stream?pieces=800")
        until(lambda: server.counters()["streamsClosed"] == 1, seconds=40)


def test_a_peer_that_shuts_down_its_writing_side_gets_its_response(start):
    server = start()
    with server.raw() as raw:
        raw.request("GET", "/later?milliseconds=600")
        raw.socket.shutdown(socket.SHUT_WR)
        assert raw.response()[2] == b"at last"


def test_an_unanswered_request_is_dropped_when_its_peer_closes(start):
    server = start()
    with server.raw() as raw:
        raw.request("GET", "/never")
    # Otherwise it times out after a minute.
    until(lambda: server.counters()["connections"] == 1, seconds=40)


def test_idle_streams_use_no_cpu_time(start):
    server = start()
    streams = [stream(server) for _ in range(300)]
    before = server.cpu_seconds()
    time.sleep(1)
    assert server.cpu_seconds() - before < 0.3
    for raw in streams:
        raw.socket.close()
    until(lambda: server.counters()["streamsClosed"] == 300)
