"""What one turn of the loop sends goes out at its end, together: in order, whole, and to each."""

import ctypes
import os
import socket
import struct
import time
from pathlib import Path

import pytest

from conftest_socket import start  # noqa: F401
from rawsocket import CLOSE, PING, PONG, TEXT, frame

SLOW = dict(receive_buffer=4096)
IO_URING_SETUP, IO_URING_ENTER = 425, 426


def forbidding(number):
    """What a child does before its program, so that a system call answers EPERM to it, as seccomp
    does in containers."""
    # Load the call's number; if it is not this one, allow it; else answer EPERM.
    steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
    code = b"".join(struct.pack("HBBI", *step) for step in steps)

    def forbid():
        buffer = ctypes.create_string_buffer(code, len(code))
        program = struct.pack("HxxxxxxP", len(steps), ctypes.addressof(buffer))
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, program, 0, 0) != 0:
            os._exit(99)

    return forbid


#: With io_uring if this machine has it; without; and where the kernel refuses it, early and late.
WAYS = {"ring": {}, "no ring": {"ring": 0}, "no setup": {"before": forbidding(IO_URING_SETUP)},
        "no enter": {"before": forbidding(IO_URING_ENTER)}}


@pytest.fixture(params=list(WAYS))
def server(request, start):
    return start(**WAYS[request.param])


def rings(server):
    folder = Path(f"/proc/{server.process.pid}/fd")
    return sum("io_uring" in os.readlink(entry) for entry in folder.iterdir())


def is_allowed_here():
    """Whether a process may have an io_uring on this machine."""
    descriptor = ctypes.CDLL(None).syscall(IO_URING_SETUP, 1, ctypes.create_string_buffer(120))
    if descriptor >= 0:
        os.close(descriptor)
    return descriptor >= 0


def test_there_is_a_ring_where_the_kernel_allows_it_and_not_where_it_is_switched_off(start):
    assert rings(start()) == int(is_allowed_here())
    assert rings(start(ring=0)) == 0
    refused = start(before=forbidding(IO_URING_SETUP))
    assert rings(refused) == 0
    assert "no io_uring" in refused.log.read_text()


def test_a_ring_that_fails_is_given_up_and_nothing_is_lost(start):
    server = start(before=forbidding(IO_URING_ENTER))
    assert rings(server) == int(is_allowed_here())
    webs = [server.websocket("/script") for _ in range(3)]
    webs[0].send_text("all hear this")
    for web in webs:
        assert web.read_text() == "hear this"
    assert rings(server) == 0
    for web in webs:
        web.socket.close()


def test_what_a_turn_sends_to_one_connection_arrives_in_order(server):
    """Also frames that are too long to wait, between those that do."""
    with server.websocket("/script") as web:
        web.send_text("each 40 997")
        for index in range(40):
            assert web.read_text() == f"{index} " + "y" * (index * 997)


def test_more_connections_than_fit_a_batch_hear_everything_in_order(server):
    webs = [server.websocket("/script") for _ in range(1300)]
    webs[0].send_text("each 7 5")
    for web in webs:
        for index in range(7):
            assert web.read_text() == f"{index} " + "y" * (index * 5)
    for web in webs:
        web.socket.close()


def test_one_that_does_not_read_gets_everything_later_and_the_others_at_once(server):
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


def test_those_that_are_gone_do_not_keep_it_from_the_others(server):
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
    end = time.monotonic() + 5
    while server.counters()["webSockets"] > 0 and time.monotonic() < end:
        time.sleep(0.02)
    counters = server.counters()
    assert counters["webSockets"] == 0 and counters["opened"] == counters["closed"] == 40


def test_what_was_sent_arrives_before_the_close_that_the_same_packet_brings_about(server):
    with server.websocket() as web:
        web.send(frame(TEXT, b"before") + frame(0xB, b"no opcode"))
        assert web.read_frame() == (TEXT, b"before")
        assert web.read_close()[0] == 1002
    with server.websocket() as web:
        web.send(frame(TEXT, b"before") + frame(CLOSE, b"\x03\xe8"))
        assert web.read_frame() == (TEXT, b"before")
        assert web.read_close()[0] == 1000


def test_a_thousand_small_pieces_of_a_turn_reach_one_that_does_not_read(server):
    """What the kernel does not take of them waits as one."""
    with server.websocket("/script", **SLOW) as web:
        web.send_text("flood 1 6000000")
        for _ in range(3):
            web.send_text("each 1200 0")
        time.sleep(0.3)
        assert web.read_text() == "x" * 6_000_000
        for _ in range(3):
            for index in range(1200):
                assert web.read_text() == f"{index} "


def test_a_ping_between_messages_is_answered_and_breaks_none(server):
    with server.websocket() as web:
        web.send(frame(TEXT, b"one") + frame(PING, b"?") + frame(TEXT, b"two"))
        heard = [web.read_frame() for _ in range(3)]
        assert (PONG, b"?") in heard
        assert [payload for opcode, payload in heard if opcode == TEXT] == [b"one", b"two"]
