"""Moving a connection from one SocketLoop to another, together with its request."""

import time

import pytest

from conftest_socket import PATIENT, start  # noqa: F401
from harness.pickerd import wait_until
from test_socket_limits import has_room


@pytest.fixture
def two(start):  # noqa: F811
    return start(loops=2, **PATIENT)


def second(server):
    """The counters of the second loop; this request itself is one of its connections."""
    with server.raw() as raw:
        _, _, body = raw.exchange("GET", "/counters?over")
    return {name: int(count) for name, count in
            (line.split() for line in body.decode().splitlines())}


def test_a_moved_websocket_behaves_like_any_other(two):
    with two.websocket("/?over") as over, two.websocket("/") as here:
        for web in (over, here):
            for text in ("a", "b" * 60_000, "ü" * 200):
                web.send_text(text)
                assert web.read_text() == text
        assert (second(two)["webSockets"], two.counters()["webSockets"]) == (1, 1)


def test_a_connection_can_move_after_any_number_of_requests(two):
    with two.raw() as raw:
        for _ in range(5):
            assert raw.exchange("GET", "/hello")[0] == 200
            assert raw.exchange("POST", "/echo", body=b"b" * 100_000)[2] == b"b" * 100_000
        assert raw.upgrade("/?over")[0] == 101
        raw.send_text("here")
        assert raw.read_text() == "here"
    assert second(two)["opened"] == 1


def test_the_moved_request_is_unchanged(two):
    path = "/./x/..//request?over=1&locale=zh-Hans&name=a%26b+c%3Dd&empty&%C3%BC=%25"
    headers = [("Origin", "http://a"), ("Authorization", "Bearer x.y"), ("Last-Event-ID", "7"),
               ("X-Forwarded-Proto", "https"), ("Origin", "http://b"), ("Accept", "text/html, */*"),
               ("If-None-Match", '"x", W/"y"'), ("Unknown", "is left out")]
    with two.raw() as raw:
        over = raw.exchange("GET", path, headers)[2].decode()
    with two.raw() as raw:
        here = raw.exchange("GET", path.replace("over", "stay"), headers)[2].decode()

    assert over == here.replace("stay", "over")
    assert "query name=a&b c=d" in over and "query ü=%" in over


@pytest.mark.parametrize("length", [2_000, 7_000])
def test_a_long_request_header_moves_completely(two, length):
    with two.raw() as raw:
        _, _, body = raw.exchange(
            "GET", "/request?over&x=" + "%E2%82%AC" * (length // 9), [("Accept", "y" * 100)])
    assert "€" * (length // 9) in body.decode()


def test_a_stream_can_move_and_its_end_is_detected(two):
    with two.raw() as raw:
        raw.request("GET", "/stream?over&pieces=20")
        assert raw.response()[2] == b"." * 200_000
    with two.raw() as raw:
        raw.request("GET", "/stream?over&pieces=-1")
        raw.read_line()
    wait_until(lambda: second(two)["streamsClosed"] == 1)


def test_moved_connections_leave_no_resources_on_the_first_loop(two):
    for number in range(50):
        raw = two.raw()
        if number % 2:
            raw.exchange("GET", "/hello")
        raw.upgrade("/?over")
        raw.reset() if number % 3 == 0 else raw.socket.close()

    wait_until(lambda: two.counters()["connections"] == 1)
    wait_until(lambda: second(two)["connections"] == 1)
    assert second(two)["closed"] == 50
    accepted = two.counters()["accepted"]
    assert second(two)["accepted"] == 0 and accepted >= 50


def test_a_moved_connection_counts_once_towards_the_limit(start):  # noqa: F811
    two = start(loops=2, connectionsMax=10, **PATIENT)
    webs = [two.websocket("/?over") for _ in range(9)]
    with two.raw() as raw:
        assert raw.exchange("GET", "/hello")[0] == 200
        with two.raw() as one_more:
            assert one_more.exchange("GET", "/hello")[0] == 503
        assert raw.upgrade("/?over")[0] == 101, "moving does not count again"
    for web in webs:
        web.socket.close()
    wait_until(lambda: has_room(two))
    wait_until(lambda: second(two)["connections"] == 1)


def test_an_idle_moved_connection_times_out(start):  # noqa: F811
    two = start(loops=2, idleSeconds=2)
    began = time.monotonic()
    with two.raw() as raw:
        assert raw.exchange("GET", "/hello?over")[0] == 200
        raw.read_to_end()
    assert time.monotonic() - began > 1


def test_a_moved_websocket_is_pinged_and_times_out(start):  # noqa: F811
    two = start(loops=2, pingMilliseconds=300, pongMilliseconds=1000)
    with two.websocket("/?over") as silent:
        silent.read_to_end()
    assert second(two)["timedOut"] == 1


def test_moved_idle_connections_use_no_cpu_time(two):
    with two.raw() as raw, two.websocket("/?over"):
        raw.exchange("GET", "/hello")
        assert two.cpu_of_a_second() < 0.3
