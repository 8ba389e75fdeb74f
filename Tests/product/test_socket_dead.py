"""Peers that are gone while a response to them is under way."""

import socket
import time

from conftest_socket import start  # noqa: F401
from test_socket_limits import SLOW, until


def stream(server, **rest):
    raw = server.raw(**rest)
    raw.request("GET", "/stream?pieces=-1")
    assert raw.read_line() == b"HTTP/1.1 200 OK"
    return raw


def test_the_end_of_a_streams_peer_is_noticed_at_once(start):
    server = start()
    for leave in (lambda raw: raw.socket.close(), lambda raw: raw.reset()):
        closed = server.counters()["streamsClosed"]
        raw = stream(server)
        began = time.monotonic()
        leave(raw)
        until(lambda: server.counters()["streamsClosed"] == closed + 1)
        assert time.monotonic() - began < 0.2


def test_bytes_that_are_not_acknowledged_end_a_stream(start):
    """TCP_USER_TIMEOUT: to the kernel a peer whose window stays closed is one that has vanished.
    No other limit ends this stream within a minute."""
    server = start(pingMilliseconds=400, pongMilliseconds=900)
    with server.raw(**SLOW) as raw:
        raw.request("GET", "/stream?pieces=800")
        until(lambda: server.counters()["streamsClosed"] == 1, seconds=8)


def test_a_peer_that_closes_only_its_own_side_gets_its_answer(start):
    server = start()
    with server.raw() as raw:
        raw.request("GET", "/later?milliseconds=600")
        raw.socket.shutdown(socket.SHUT_WR)
        assert raw.response()[2] == b"at last"


def test_a_request_without_answer_is_dropped_when_its_peer_has_closed(start):
    server = start()
    with server.raw() as raw:
        raw.request("GET", "/never")
    until(lambda: server.counters()["connections"] == 1, seconds=4)


def test_many_silent_streams_cost_no_time(start):
    server = start()
    streams = [stream(server) for _ in range(300)]
    before = server.cpu_seconds()
    time.sleep(1)
    assert server.cpu_seconds() - before < 0.1
    for raw in streams:
        raw.socket.close()
    until(lambda: server.counters()["streamsClosed"] == 300)
