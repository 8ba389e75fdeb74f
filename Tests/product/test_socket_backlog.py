"""Below the server's own queues little waits for a slow reader: what is there cannot be replaced by
a snapshot any more."""

import fcntl
import struct
import termios
import time

import pytest

from conftest_socket import start  # noqa: F401

LIMIT = 128 * 1024
WINDOW = 16_384  # what a client with the smallest receive buffer lets the server send ahead


def waiting(web):
    """Bytes in the client's receive buffer."""
    return struct.unpack("i", fcntl.ioctl(web.socket, termios.FIONREAD, bytes(4)))[0]


@pytest.mark.parametrize("script", ["flood 4000 1000", "flood 400 10000", "each 900 4"])
def test_the_loop_takes_little_more_than_a_reader_that_stopped_reads(start, script):
    """`bytesTaken` is what the handler gave to the loop until that was full."""
    server = start()
    with server.websocket("/script", receive_buffer=4096) as web:
        before = server.counters()["bytesTaken"]
        for _ in range(3):
            web.send_text(script)
            time.sleep(0.2)
        taken = server.counters()["bytesTaken"] - before
        assert WINDOW < taken <= LIMIT + waiting(web) + WINDOW


def test_a_reader_that_stopped_and_reads_again_gets_everything_in_order(start):
    server = start()
    with server.websocket("/script", receive_buffer=4096) as web:
        for number in range(3):
            web.send_text("each 900 4")
        time.sleep(0.3)
        for _ in range(3):
            for index in range(900):
                assert web.read_text() == f"{index} " + "y" * (index * 4)


def test_a_message_over_the_limit_waits_alone(start):
    server = start()
    with server.websocket("/script", receive_buffer=4096) as web:
        before = server.counters()["bytesTaken"]
        web.send_text("flood 5 300000")
        time.sleep(0.3)
        assert server.counters()["bytesTaken"] - before == 300_000
        assert [len(web.read_text()) for _ in range(5)] == [300_000] * 5
