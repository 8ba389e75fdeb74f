"""What depends on the kind of socket, over a Unix socket."""

import socket

import pytest

from conftest_socket import PATIENT, shared, starting
from harness.pickerd import wait_until


def listening(folder):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(folder / "socket"))
    listener.listen(100)
    return listener


@pytest.fixture(scope="session")
def echo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("echo")
    yield from shared(folder / "log", listener=listening(folder), **PATIENT)


@pytest.fixture
def start(tmp_path):
    servers = starting(tmp_path)
    start, begun = next(servers), []

    def each(**limits):
        folder = tmp_path / str(len(begun))
        folder.mkdir()
        begun.append(listening(folder))
        return start(listener=begun[-1], **limits)

    yield each
    next(servers, None)


def test_the_peer_of_a_unix_socket_has_no_address(echo):
    with echo.raw() as raw:
        assert b"GET /request from unix" in raw.exchange("GET", "/request")[2]


def test_websockets_and_streams_move_to_another_loop(start):
    server = start(loops=2)
    for _ in range(20):
        with server.websocket("/?over") as web:
            web.send_text("hello")
            assert web.read_text() == "hello"
        with server.raw() as raw:
            raw.request("GET", "/stream?pieces=3&over")
            assert raw.response()[2] == b"." * 30_000
    wait_until(lambda: server.counters()["connections"] == 1)


def test_a_slow_reader_leaves_few_bytes_in_the_kernel(start):
    server = start()
    with server.websocket("/script") as slow:
        slow.send_text("flood 64 16384")
        wait_until(lambda: server.counters()["bytesTaken"] > 0)
        taken = server.counters()["bytesTaken"]
        assert taken < 512_000, "the rest waits in the outbox"
        assert sum(len(slow.read_text()) for _ in range(64)) == 64 * 16384
