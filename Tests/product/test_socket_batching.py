"""Frames posted in one event-loop iteration are sent at its end, in order, to all recipients."""

import socket
import struct

import pytest

from conftest_socket import PATIENT, start  # noqa: F401
from harness.pickerd import wait_until
from rawsocket import CLOSE, PING, PONG, TEXT, frame

SLOW = dict(receive_buffer=4096)


@pytest.fixture
def server(start):  # noqa: F811
    # Slow readers and many connections do not answer pings for a while.
    return start(**PATIENT)


def test_frames_of_one_iteration_arrive_in_order(server):
    """Frames too long to be batched keep their position among batched ones."""
    with server.websocket("/script") as web:
        web.send_text("each 40 997")
        for index in range(40):
            assert web.read_text() == f"{index} " + "y" * (index * 997)


def data_segments_received(web):
    """`tcpi_data_segs_in` of Linux' `struct tcp_info`."""
    return struct.unpack_from("I", web.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 192),
                              152)[0]


def test_frames_of_one_iteration_are_written_with_one_system_call(server):
    with server.websocket("/script") as author, server.websocket("/script") as other:
        author.send_text("all warm")
        assert (author.read_text(), other.read_text()) == ("warm", "warm")
        segments = []
        for _ in range(5):
            before = data_segments_received(other)
            author.send_text("each 9 10")
            for index in range(9):
                assert other.read_text() == f"{index} " + "y" * (index * 10)
            segments.append(data_segments_received(other) - before)
        # A busy machine may delay an acknowledgement, and a segment is sent twice.
        assert min(segments) == 1, segments


def test_more_connections_than_fit_a_batch_receive_everything_in_order(server):
    webs = [server.websocket("/script") for _ in range(1300)]
    webs[0].send_text("each 7 5")
    for web in webs:
        for index in range(7):
            assert web.read_text() == f"{index} " + "y" * (index * 5)
    for web in webs:
        web.socket.close()


def test_a_slow_reader_receives_everything_later_and_does_not_delay_others(server):
    with server.websocket("/script", **SLOW) as slow:
        others = [server.websocket("/script") for _ in range(20)]
        for _ in range(30):
            others[0].send_text("each 5 20000")
            for other in others:
                for index in range(5):
                    assert other.read_text() == f"{index} " + "y" * (index * 20000)
        for _ in range(30):
            for index in range(5):
                assert slow.read_text() == f"{index} " + "y" * (index * 20000)
        slow.send_text("and now")
        assert slow.read_text() == "and now"
        for other in others:
            other.socket.close()


def test_closed_connections_do_not_affect_the_other_recipients(server):
    webs = [server.websocket("/script") for _ in range(40)]
    for web in webs[1::2]:
        web.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    webs[0].send_text("each 3 100")
    for web in webs[1::2]:
        web.socket.close()
    webs[0].send_text("all the rest")
    for web in webs[::2]:
        for index in range(3):
            assert web.read_text() == f"{index} " + "y" * (index * 100)
        assert web.read_text() == "the rest"
        web.socket.close()
    wait_until(lambda: server.counters()["webSockets"] == 0)
    counters = server.counters()
    assert counters["opened"] == counters["closed"] == 40


def test_messages_are_answered_before_a_close_caused_by_the_same_segment(server):
    with server.websocket() as web:
        web.send(frame(TEXT, b"before") + frame(0xB, b"no opcode"))
        assert web.read_frame() == (TEXT, b"before")
        assert web.read_close()[0] == 1002
    with server.websocket() as web:
        web.send(frame(TEXT, b"before") + frame(CLOSE, b"\x03\xe8"))
        assert web.read_frame() == (TEXT, b"before")
        assert web.read_close()[0] == 1000


def test_many_small_frames_of_one_iteration_reach_a_slow_reader(server):
    """The loop buffers the frames that the kernel does not accept as one block."""
    with server.websocket("/script", **SLOW) as web:
        web.send_text("flood 1 6000000")
        for _ in range(3):
            web.send_text("each 1200 0")
        server.counters()  # It is answered after the messages have been handled.
        assert web.read_text() == "x" * 6_000_000
        for _ in range(3):
            for index in range(1200):
                assert web.read_text() == f"{index} "


def test_a_ping_between_messages_is_answered_and_leaves_them_intact(server):
    with server.websocket() as web:
        web.send(frame(TEXT, b"one") + frame(PING, b"?") + frame(TEXT, b"two"))
        received = [web.read_frame() for _ in range(3)]
        assert (PONG, b"?") in received
        assert [payload for opcode, payload in received if opcode == TEXT] == [b"one", b"two"]
