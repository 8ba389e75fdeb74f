"""Limits of SocketLoop against slow, silent, greedy and vanished peers."""

import socket
import subprocess
import time

import pytest

from conftest_socket import binary, echo, hasty, start  # noqa: F401
from harness.patience import PATIENCE
from harness.pickerd import wait_until
from rawsocket import CLOSE, PING, TEXT, Gone, drip, frame

SLOW = dict(receive_buffer=4096)


# Readers ---------------------------------------------------------------------------------------


def test_a_reader_that_never_reads_costs_one_buffered_frame(start):
    server = start()
    with server.websocket("/script", **SLOW) as slow, server.websocket("/script") as other:
        slow.send_text("anything")
        before = server.resident_bytes()
        for _ in range(50):
            slow.send_text("flood 40 60000")  # the handler has one shared frame for all
        slow.send_text("all done")
        assert other.read_text() == "done"
        assert server.resident_bytes() - before < 16_000_000


# Timeouts ---------------------------------------------------------------------------------------


def test_only_connections_that_answer_pings_stay_open(start):
    # A busy machine delays a pong by less than 10 s.
    server = start(pingMilliseconds=500, pongMilliseconds=10_000)
    with server.websocket() as silent, server.websocket() as alive:
        while server.counters()["timedOut"] == 0:
            opcode, payload = alive.read_frame()
            assert opcode == PING
            alive.send_frame(10, payload)
        assert silent.read_to_end().startswith(b"\x89")
        alive.send_text("still here")
        assert alive.read_text() == "still here"
    assert server.counters()["timedOut"] == 1


def test_a_slow_request_header_times_out(start):
    server = start(headerMilliseconds=2000)
    began = time.monotonic()
    with server.raw() as raw:
        drip(raw, [b"GET /hello HTTP/1.1\r\nHost: ", *[b"x"] * 10_000])
    assert time.monotonic() - began > 1.5


def test_a_connection_without_a_request_times_out(start):
    server = start(headerMilliseconds=2000)
    began = time.monotonic()
    with server.raw() as raw:
        raw.read_to_end()
    assert time.monotonic() - began > 1.5


def test_a_slow_body_times_out(hasty):
    with hasty.raw() as raw:
        began = time.monotonic()
        raw.request("POST", "/echo", [("Content-Length", "10000")])
        drip(raw, [b"x"] * 9999)
        assert time.monotonic() - began > 0.5


def test_a_response_that_is_not_read_times_out(start):
    server = start(answerMilliseconds=700)
    with server.raw(**SLOW) as raw:
        raw.request("GET", "/large?bytes=20000000")
        wait_until(lambda: server.counters()["timedOut"] >= 1)


def test_a_request_that_is_never_answered_times_out(start):
    server = start(answerMilliseconds=500)
    with server.raw() as raw:
        raw.request("GET", "/never")
        raw.read_to_end()
    wait_until(lambda: server.counters()["connections"] == 1)


# Disconnects -----------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["reset", "close", "half"])
def test_a_websocket_that_vanishes_is_closed_once(echo, end):
    before = echo.counters()
    webs = [echo.websocket() for _ in range(20)]
    for web in webs:
        web.send(frame(TEXT, b"half a mess", final=False))
        if end == "reset":
            web.reset()
        elif end == "close":
            web.socket.close()
        else:
            web.socket.shutdown(socket.SHUT_WR)
    # Once, or the fixture counts more closed than opened ones at the end.
    wait_until(lambda: echo.counters()["closed"] >= before["closed"] + 20)
    assert echo.counters()["opened"] == before["opened"] + 20
    for web in webs:
        web.socket.close()


def test_aborted_requests_do_not_leak_connections(start):
    server = start()
    for data in (b"", b"GET /he",
                 b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nhalf",
                 *(b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % path for path in (
                     b"/large?bytes=9000000", b"/never", b"/stream?pieces=-1"))):
        for number in range(20):
            raw = server.raw()
            raw.send(data)
            server.counters()
            raw.reset() if number % 2 else raw.socket.close()
        wait_until(lambda: server.counters()["connections"] == 1, what=f"the end of {data}")


def test_requests_sent_during_a_pending_response_use_no_cpu_time(start):
    """libwebsockets 4.1.6 would busy-loop."""
    server = start()
    more = b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n" * 3
    with server.raw(**SLOW) as large, server.raw() as never, server.raw() as stream:
        for raw, path in ((large, "/large?bytes=20000000"), (never, "/never"),
                          (stream, "/stream?pieces=-1")):
            raw.request("GET", path)
            server.counters()  # It is answered after the other request has been received.
            raw.send(more)
        assert server.cpu_of_a_second() < 0.3


# Counts ----------------------------------------------------------------------------------------


def test_connections_over_the_limit_get_503_and_are_counted(start):
    server = start(connectionsMax=5)
    webs = [server.websocket() for _ in range(5)]
    with server.raw() as raw:
        status, headers, body = raw.exchange("GET", "/hello")
        assert (status, headers["retry-after"]) == (503, "5")
        assert b'"code":"full"' in body
    leaving = webs.pop()
    leaving.send_frame(CLOSE, b"\x03\xe8")
    leaving.read_to_end()
    every_refusal_is_counted(server, 1)
    for web in webs:
        web.socket.close()


def every_refusal_is_counted(server, refused):
    """The server may need a moment until it has room for this request itself."""
    while True:
        try:
            counters = server.counters()
            break
        except (OSError, Gone, ValueError):
            refused += 1
    assert counters["refusedFull"] == refused


def is_served(raw):
    try:
        return raw.exchange("GET", "/hello")[0] == 200
    except (OSError, Gone):  # refused before the request
        return False


def has_room(server, **rest):
    """With TLS a full server closes the connection in the handshake."""
    try:
        with server.raw(**rest) as raw:
            return is_served(raw)
    except OSError:
        return False


def test_the_server_survives_running_out_of_descriptors(start):
    """It must not busy-loop although the listening socket stays readable."""
    server = start(wrapper=("prlimit", "--nofile=100:100"), connectionsMax=1000)
    first = server.raw()
    held = [socket.create_connection(server.address) for _ in range(150)]
    assert server.cpu_of_a_second(first) < 0.3
    for connection in held:
        connection.close()
    wait_until(lambda: has_room(server))
    assert server.counters()["refusedFull"] > 0
    with server.websocket() as web:
        web.send_text("fine")
        assert web.read_text() == "fine"


@pytest.fixture
def idle_bytes_max():
    return 4096


def test_an_idle_websocket_costs_less_than_its_maximum(start, idle_bytes_max):
    server = start()
    with server.websocket() as warm:
        warm.send_text("x")
        warm.read_text()
        before = server.resident_bytes()
        webs = [server.websocket() for _ in range(900)]
        each = (server.resident_bytes() - before) / len(webs)
        for web in webs:
            web.socket.close()
    assert each < idle_bytes_max, each


# Start and stop --------------------------------------------------------------------------------


def failure(**arguments):
    words = [f"{name}={value}" for name, value in arguments.items()]
    run = subprocess.run([str(binary()), *words], capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 1
    return run.stderr


def test_a_port_in_use_is_reported_with_advice(echo):
    port = echo.address[1]
    text = failure(port=port)
    assert f"127.0.0.1:{port}" in text and "choose another port" in text


def test_an_address_of_another_machine_is_reported(echo):
    assert "192.0.2.1:80" in failure(host="192.0.2.1", port=80)
    assert "not a numeric" in failure(host="localhost")


def test_a_drain_closes_all_connections_with_1001_and_exits(start):
    server = start()
    webs = [server.websocket(**SLOW) for _ in range(20)]
    with server.raw() as idle, server.raw() as later:
        idle.exchange("GET", "/hello")
        later.request("GET", "/later?milliseconds=300")
        server.counters()  # It is answered after the other request has been received.
        server.process.terminate()
        for web in webs:
            assert web.read_close() == (1001, "going away")
            web.answer_close(1001)
        assert later.response()[2] == b"at last"
        with pytest.raises(ConnectionRefusedError):
            server.raw()
    assert server.stop() == 0


def test_a_drain_does_not_wait_for_stalled_connections(start):
    server = start(answerMilliseconds=3_600_000)
    with server.websocket("/script", **SLOW) as web, server.raw() as never:
        web.send_text("flood 1 8000000")
        never.request("GET", "/never")
        server.counters()  # It is answered after the other request has been received.
        assert server.stop() == 0
