"""Relaying connections from one server to another, at the level of bytes.

`near` receives connections; those whose first request has `far` in its path belong to the other
server, which has a listener for relayed connections.
"""

import socket
import struct
import threading
import time

import pytest

from conftest_socket import PATIENT, start, under_valgrind  # noqa: F401
from harness.ports import free_ports
from harness.pickerd import wait_until
from rawsocket import CLOSE, TEXT, frame, problem
from test_socket_pause import unread


@pytest.fixture
def pair(start):  # noqa: F811
    """Starts the two servers; `near` and `far` have further limits of each."""
    def begin(near=None, far=None):
        port, = free_ports(1)
        there = start(node=port, **{**PATIENT, **(far or {})})
        there.node = ("127.0.0.1", port)
        here = start(owner=f"127.0.0.1:{port}", **{**PATIENT, **(near or {})})
        return here, there
    return begin


@pytest.fixture
def servers(pair):
    return pair()


def none_left(server):
    wait_until(lambda: server.counters()["relays"] == 0, what="the end of the relays")
    wait_until(lambda: server.counters()["connections"] == 1, what="the end of the connections")


def test_requests_of_all_kinds_are_relayed_with_their_bodies(servers):
    near, far = servers
    def exchange(method, path, **rest):
        with near.raw() as raw:
            status, headers, body = raw.exchange(method, path, **rest)
            assert status == 200 and headers["connection"] == "close"
            return body

    assert exchange("GET", "/hello?far") == b"hello"
    assert exchange("HEAD", "/hello?far") == b""
    for count in (1, 100_000, 3_000_000):
        assert exchange("POST", "/echo?far", body=b"b" * count) == b"b" * count
    assert exchange("GET", "/large?bytes=3000000&far") == b"a" * 3_000_000
    assert exchange("GET", "/stream?far&pieces=20") == b"." * 200_000
    none_left(near)
    counted = near.counters()
    assert counted["relayed"] == 7 and counted["relaysFailed"] == 0
    assert counted["bytesRelayedToNodes"] > 3_100_000
    assert counted["bytesRelayedToClients"] > 6_300_000
    assert far.counters()["connections"] == 1


def test_a_relayed_websocket_is_like_any_other(servers):
    near, far = servers
    with near.websocket("/?far") as web:
        for text in ("a", "b" * 60_000, "ü" * 200):
            web.send_text(text)
            assert web.read_text() == text
        assert far.counters()["webSockets"] == 1 and near.counters()["webSockets"] == 0
        wait_until(lambda: near.counters()["connections"] == 2, what="two: the relay is one")
        assert near.counters()["relays"] == 1
        web.send_frame(CLOSE, struct.pack("!H", 1000))
        assert web.read_frame() == (CLOSE, struct.pack("!H", 1000))
        web.read_to_end()
    none_left(near)
    assert far.counters()["closed"] == 1


def test_the_address_of_the_client_survives(servers):
    near, far = servers
    with near.raw(source="127.0.0.77") as raw:
        line = raw.exchange("GET", "/request?far")[2].split(b"\n")[0]
    assert line == b"GET /request from 127.0.0.77"


def test_a_relayed_connection_counts_once_here_and_for_its_address_there(pair):
    near, far = pair({"addressConnectionsMax": 2}, {"addressConnectionsMax": 2})
    webs = [near.websocket("/?far", source="127.0.0.9") for _ in range(2)]
    with near.raw(source="127.0.0.9") as raw:
        assert problem(raw.response())["code"] == "tooMany"
    with far.raw(source="127.0.0.9") as raw:
        assert problem(raw.response())["code"] == "tooMany"
    with near.websocket("/?far", source="127.0.0.10"):
        assert near.counters()["relays"] == 3
    for web in webs:
        web.socket.close()
    none_left(near)


def test_the_first_request_can_arrive_in_pieces(servers):
    near, far = servers
    relayed = (b"POST /echo?far=" + b"x" * 40
               + b" HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody")
    for cut in 1, 4, 9, 20, 60:
        for request in relayed, relayed.replace(b"far", b"fur"):
            with near.raw() as raw:
                raw.send(request[:cut])
                near.counters()  # It is answered after the first piece has been received.
                raw.send(request[cut:])
                assert raw.response()[2] == b"body"
    assert near.counters()["relayed"] == 5


def test_a_connection_without_a_request_times_out(pair):
    near, far = pair({"headerMilliseconds": 2000})
    with near.raw() as silent, near.raw() as partial:
        partial.send(b"GET /he")
        assert silent.read_to_end() == partial.read_to_end() == b""
    wait_until(lambda: near.counters()["timedOut"] >= 2, what="two timeouts")


def test_connections_that_end_before_their_request_leave_nothing(servers):
    near, far = servers
    for number in range(50):
        raw = near.raw()
        if number % 2:
            raw.send(b"GET /hel")
        raw.reset() if number % 3 == 0 else raw.socket.close()
    none_left(near)


# Owners that cannot serve ------------------------------------------------------------------------


@pytest.mark.parametrize("owner", ["nowhere", "unknown", "127.0.0.1:1"])
def test_without_an_owner_that_can_be_reached_the_answer_is_503(start, owner):  # noqa: F811
    near = start(owner=owner, loops=2, **PATIENT)
    for path, body in (("/hello?far", b""), ("/echo?far", b"b" * 100_000)):
        with near.raw() as raw:
            status, headers, text = raw.exchange("POST" if body else "GET", path, body=body)
            assert status == 503 and problem((status, headers, text))["code"] == "unavailable"
            assert headers["retry-after"] and headers["connection"] == "close"
    with near.raw() as raw:
        assert raw.exchange("GET", "/hello")[0] == 200
    wait_until(lambda: near.counters()["connections"] == 1, what="the end of the others")


def test_while_the_owner_is_unknown_a_connection_waits_and_then_gets_503(start):  # noqa: F811
    near = start(owner="silent", **PATIENT)
    began = time.monotonic()
    with near.raw() as raw, near.raw() as gone:
        gone.request("GET", "/hello?far")
        gone.reset()
        raw.request("GET", "/hello?far")
        assert near.counters()["relays"] == 0, "others are served meanwhile"
        assert problem(raw.response())["code"] == "unavailable"
    assert time.monotonic() - began > 9
    wait_until(lambda: near.counters()["connections"] == 1, what="the end of the others")


def test_the_number_of_connections_whose_owner_is_unknown_is_limited(start):  # noqa: F811
    near = start(owner="silent", lookupsMax=64, **PATIENT)
    held = [near.raw() for _ in range(64)]
    for raw in held:
        raw.request("GET", "/hello?far")
    with near.raw() as raw:
        raw.request("GET", "/hello?far")
        assert problem(raw.response())["code"] in ("full", "unavailable")
    assert near.counters()["refusedFull"] >= 1
    for raw in held:
        raw.socket.close()


def test_a_server_that_does_not_accept_delays_its_clients_only(start):  # noqa: F811
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    filler = [socket.socket() for _ in range(4)]
    for one in filler:
        one.setblocking(False)
        one.connect_ex(listener.getsockname())
    near = start(owner="127.0.0.1:%d" % listener.getsockname()[1], **PATIENT)
    with near.raw() as raw:
        raw.request("GET", "/hello?far")
        assert near.counters()["relayed"] == 0
        assert problem(raw.response())["code"] == "unavailable"
    assert near.counters()["relaysFailed"] == 1
    for one in (*filler, listener):
        one.close()


def test_a_relayed_connection_is_not_relayed_again(start):  # noqa: F811
    """Two servers that hold each other for the owner."""
    first, second = free_ports(2)
    one = start(node=first, owner=f"127.0.0.1:{second}", **PATIENT)
    two = start(node=second, owner=f"127.0.0.1:{first}", **PATIENT)
    with one.raw() as raw:
        assert raw.exchange("GET", "/hello?far")[2] == b"hello"
    assert one.counters()["relayed"] == 1 and two.counters()["relayed"] == 0


# Ends --------------------------------------------------------------------------------------------


def test_a_killed_server_ends_its_relayed_connections(servers):
    near, far = servers
    web, stream = near.websocket("/?far"), near.raw()
    stream.request("GET", "/stream?far&pieces=-1")
    stream.read_line()
    far.process.kill()
    far.process.wait()
    with web, stream:
        web.read_to_end()
        stream.read_to_end()
    none_left(near)
    with near.raw() as raw:
        assert problem(raw.exchange("GET", "/hello?far"))["code"] == "unavailable"


def test_a_client_that_is_lost_is_lost_for_the_other_server(servers):
    near, far = servers
    for number in range(20):
        web = near.websocket("/?far")
        web.reset() if number % 2 else web.socket.close()
        stream = near.raw()
        stream.request("GET", "/stream?far&pieces=-1")
        stream.read_line()
        stream.reset() if number % 2 else stream.socket.close()
    none_left(near)
    wait_until(lambda: far.counters()["closed"] == 20, what="the end of the WebSockets")
    wait_until(lambda: far.counters()["streamsClosed"] == 20, what="the end of the streams")
    wait_until(lambda: far.counters()["connections"] == 1, what="the end of the connections")


def test_a_client_that_has_sent_its_last_request_gets_the_response(servers):
    near, far = servers
    with near.raw() as raw:
        raw.request("GET", "/large?far&bytes=2000000", [("Connection", "close")])
        raw.socket.shutdown(socket.SHUT_WR)
        assert raw.response()[2] == b"a" * 2_000_000
        raw.read_to_end()
    none_left(near)


def test_a_response_is_complete_though_the_server_closes_at_once(servers):
    near, far = servers
    with near.raw(receive_buffer=4096) as raw:
        raw.send(b"GET /large?far&bytes=2000000 HTTP/1.0\r\n\r\n")
        near.counters(), far.counters()
        assert raw.response()[2] == b"a" * 2_000_000
        assert raw.read_to_end() == b""
    none_left(near)


def test_a_draining_server_lets_responses_through_and_ends_what_is_quiet(pair):
    near, far = pair({"drain": 120_000})
    web, slow = near.websocket("/?far"), near.raw(receive_buffer=4096)
    slow.request("GET", "/large?far&bytes=5000000")
    wait_until(lambda: near.counters()["relayed"] == 2, what="both relays")
    near.process.send_signal(15)
    with web, slow:
        web.read_to_end()
        assert slow.response()[2] == b"a" * 5_000_000
    assert near.stop() == 0


def test_close_frames_go_through_while_both_servers_drain(servers):
    near, far = servers
    with near.websocket("/?far") as web:
        far.process.send_signal(15)
        assert web.read_frame()[0] == CLOSE
        web.send_frame(CLOSE, struct.pack("!H", 1001))
        web.read_to_end()
    assert far.stop() == 0


# Slow sides --------------------------------------------------------------------------------------


def test_a_slow_reader_takes_bounded_memory_of_both_servers(servers):
    near, far = servers
    slow = near.websocket("/script?far", receive_buffer=4096)
    before = near.resident_bytes()
    slow.send_text("flood 2000 30000")
    with near.websocket("/?far") as other:
        for _ in range(20):
            other.send_text("x" * 10_000)
            assert other.read_text() == "x" * 10_000
    assert near.counters()["bytesRelayedToClients"] < 30_000_000, "it waits for the reader"
    assert near.resident_bytes() - before < 8_000_000
    for _ in range(2000):
        assert slow.read_text() == "x" * 30_000
    slow.socket.close()
    none_left(near)


def test_a_server_that_does_not_read_stops_its_client(servers):
    near, far = servers
    with near.websocket("/script?far") as web, near.websocket("/script?far") as other:
        web.send_text("pause")
        assert web.read_text() == "paused"
        text = frame(TEXT, b"y" * 60_000)
        sent, more = 0, 1
        while more and sent < 40_000_000:
            more = unread(web, text)
            sent += more
            other.send_text("z")
            assert other.read_text() == "z"
        assert sent < 20_000_000, "the client is not read any more"
    none_left(near)


def test_every_byte_arrives_in_both_directions_at_once(servers):
    near, far = servers
    count = 300
    with near.websocket("/?far", receive_buffer=16_384) as web:
        def send():
            for number in range(count):
                web.send_text(f"{number} " + "t" * (number * 97 % 50_000))
        sender = threading.Thread(target=send)
        sender.start()
        for number in range(count):
            assert web.read_text() == f"{number} " + "t" * (number * 97 % 50_000)
        sender.join()
    none_left(near)


def test_every_end_of_a_relay_is_clean_under_valgrind(start, under_valgrind):  # noqa: F811
    port, = free_ports(1)
    far = start(node=port, **PATIENT)
    near = under_valgrind(owner=f"127.0.0.1:{port}", **PATIENT)
    for rest in b"llo?far", b"llo":
        with near.raw() as raw:
            raw.send(b"GET /he")
            near.counters()
            raw.send(rest + b" HTTP/1.1\r\nHost: a\r\n\r\n")
            assert raw.response()[2] == b"hello"
    for number in range(6):
        web = near.websocket("/script?far", receive_buffer=4096)
        web.send_text(f"flood {number * 8} 30000")
        near.counters()
        web.reset() if number % 2 else web.socket.close()
    with near.raw() as raw:
        raw.send(b"GET /large?far&bytes=2000000 HTTP/1.0\r\n\r\n")
        assert raw.response()[2] == b"a" * 2_000_000
    lost = [near.websocket("/?far") for _ in range(3)]
    far.process.kill()
    for web in lost:
        with web:
            web.read_to_end()
    with near.raw() as raw:
        assert raw.exchange("GET", "/hello?far")[0] == 503
    left_open = near.raw()
    left_open.send(b"GET")
    near.counters()
    assert near.stop() == 0, near.log.read_text()
