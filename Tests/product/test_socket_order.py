"""Frames for few connections do not wait for those that are sent to many."""

import socket
import struct

from conftest_socket import PATIENT, start  # noqa: F401
from harness.pickerd import wait_until

SO_TIMESTAMPNS = 35


def timed(web):
    """The connection, of whose messages the kernel records the time: Linux begins to do so a
    little later."""
    web.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)

    def is_timed():
        web.send_text("?")
        return arrival(web) is not None

    wait_until(is_timed)
    return web


def arrival(web):
    """When the kernel received the next message, in nanoseconds."""
    _, ancillary, *_ = web.socket.recvmsg(100, socket.CMSG_SPACE(16))
    for _, _, seconds_and_nanoseconds in ancillary:
        seconds, nanoseconds = struct.unpack("ll", seconds_and_nanoseconds)
        return seconds * 1_000_000_000 + nanoseconds
    return None


def test_a_message_to_few_does_not_wait_for_one_to_many(start):  # noqa: F811
    server = start(**PATIENT, pingMilliseconds=110_000)
    first, second = timed(server.websocket("/first")), timed(server.websocket("/second"))
    crowd = [timed(server.websocket("/script")) for _ in range(300)]

    crowd[0].send_text("crowd")

    times = [arrival(web) for web in crowd]
    assert arrival(first) < min(times)
    # It was sent an iteration later, when the others had not been sent to all.
    assert min(times) < arrival(second) < sorted(times)[200]
    for web in (*crowd, first, second):
        web.socket.close()


def test_everything_is_written_again_and_again_however_much_is_posted(start):  # noqa: F811
    """The 100 connections get a message in each iteration, which sends to 64 of them."""
    server = start(**PATIENT, pingMilliseconds=110_000)
    crowd = [server.websocket("/script") for _ in range(100)]

    crowd[0].send_text("crowds 160")

    received = [crowd[0].read_text() for _ in range(161)]
    assert set(received[:160]) == {"crowd"}
    assert int(received[160].removeprefix("written ")) >= 10
    for web in crowd[1:]:
        assert [web.read_text() for _ in range(160)] == received[:160]
    for web in crowd:
        web.socket.close()
