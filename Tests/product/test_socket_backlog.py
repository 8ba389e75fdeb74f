"""The loop buffers little for a slow reader: a snapshot can only replace what is still queued
above the loop."""

import fcntl
import struct
import termios

import pytest

from conftest_socket import start  # noqa: F401

LIMIT = 128 * 1024
WINDOW = 16_384  # bytes that fit into the smallest receive buffer


def waiting(web):
    """Bytes in the client's receive buffer."""
    return struct.unpack("i", fcntl.ioctl(web.socket, termios.FIONREAD, bytes(4)))[0]


@pytest.mark.parametrize("script", ["flood 4000 1000", "flood 400 10000", "each 900 4"])
def test_the_loop_accepts_only_a_bounded_amount_for_a_stalled_reader(start, script):
    """`bytesTaken` counts the bytes that the loop accepted before it reported back-pressure."""
    server = start()
    with server.websocket("/script", receive_buffer=4096) as web:
        before = server.counters()["bytesTaken"]
        for _ in range(3):
            web.send_text(script)
            taken = server.counters()["bytesTaken"] - before
            assert WINDOW < taken <= LIMIT + waiting(web) + WINDOW


def test_a_message_over_the_limit_is_buffered_alone(start):
    server = start()
    with server.websocket("/script", receive_buffer=4096) as web:
        before = server.counters()["bytesTaken"]
        web.send_text("flood 5 300000")
        assert server.counters()["bytesTaken"] - before == 300_000
        assert [len(web.read_text()) for _ in range(5)] == [300_000] * 5
