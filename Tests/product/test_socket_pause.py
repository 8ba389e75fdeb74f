"""Read flow control of a connection: its bytes stay in the kernel and arrive in order."""

import socket
import ssl

from conftest_socket import start  # noqa: F401
from harness.pickerd import wait_until
from rawsocket import TEXT, frame, has_nothing


MESSAGE = frame(TEXT, b"m" * 1000)


def unread(web, message=MESSAGE):
    """Fills the socket buffers of both sides; the number of bytes that they took."""
    web.socket.setblocking(False)
    count = 0
    try:
        while True:
            count += web.socket.send(message)
    except (BlockingIOError, ssl.SSLWantWriteError):
        return count
    finally:
        web.socket.settimeout(web.timeout)


def paused(server):
    web = server.websocket("/script")
    web.send_text("pause")
    assert web.read_text() == "paused"
    return web


def test_bytes_sent_during_a_pause_arrive_in_order_after_resume(start):
    server = start()
    with paused(server) as web, server.websocket("/script") as other:
        web.send(b"".join(frame(TEXT, f"message {number}".encode()) for number in range(3000)))
        other.send_text("still served")
        assert other.read_text() == "still served"
        assert has_nothing(web)
        other.send_text("resume")
        assert [web.read_text() for _ in range(3000)] == [f"message {n}" for n in range(3000)]


def test_the_bytes_of_a_paused_connection_stay_in_the_kernel(start):
    """The client becomes write-blocked, and the server buffers none of its bytes."""
    server = start()
    with paused(server) as web, server.websocket("/script") as other:
        before = server.resident_bytes()
        sent = unread(web)
        other.send_text("a later message")
        assert other.read_text() == "a later message"
        assert unread(web) < sent
        assert server.resident_bytes() - before < 300_000 < sent
        other.send_text("resume")
        wait_until(lambda: unread(web) > 0)


def test_a_pause_holds_back_later_messages_of_the_same_segment(start):
    server = start()
    with server.websocket("/script") as web, server.websocket("/script") as other:
        for _ in range(20):
            web.send(b"".join(frame(TEXT, text) for text in (b"a", b"pause", b"b", b"pause", b"c")))
            received = [web.read_text(), web.read_text()]
            other.send_text("resume")
            received += [web.read_text(), web.read_text()]
            other.send_text("resume")
            received.append(web.read_text())
            assert received == ["a", "paused", "b", "paused", "c"]


def test_a_pause_stops_the_ping_and_message_timeouts(start):
    server = start(pingMilliseconds=200, pongMilliseconds=500, assemblyMilliseconds=500)
    with server.raw() as web, server.raw() as other:
        # What follows in one segment cannot be delayed until a timeout.
        begin(web, frame(TEXT, b"pause") + frame(TEXT, b"one ", final=False))
        assert web.read_text() == "paused"
        with server.raw() as later:
            later.exchange("GET", "/later?milliseconds=1500")
        web.send(frame(0, b"message"))
        begin(other, frame(TEXT, b"resume"))
        assert web.read_text() == "one message"


def begin(raw, then):
    """Opens a WebSocket and sends more in the same segment."""
    assert raw.upgrade("/script", then)[0] == 101


def test_a_paused_connection_can_be_closed(start):
    server = start()
    with paused(server) as web:
        web.send(MESSAGE * 10)
        server.process.terminate()
        assert web.read_close() == (1001, "going away")
        web.answer_close(1001)
        assert server.stop() == 0


def test_a_paused_connection_that_vanishes_is_closed_once(start):
    server = start(pingMilliseconds=300, pongMilliseconds=600)
    web = server.raw()
    begin(web, frame(TEXT, b"pause"))
    assert web.read_text() == "paused"
    web.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    web.socket.close()
    with server.raw() as other:
        begin(other, frame(TEXT, b"resume"))
        wait_until(lambda: server.counters()["closed"] >= 1)
    wait_until(lambda: server.counters()["closed"] == 2)
