"""Connections with several loops: each request reaches the loop that has its session."""

import json
import time

import pytest

from harness.definitions import CALENDAR, LISTS
from harness.loops import loop_of, metric, one_on_each_loop
from harness.pickerd import wait_until
from rawsocket import KEY, TEXT, Gone, Raw

COUNT = 3


@pytest.fixture
def looped(start):
    return start(options=("--loops", str(COUNT)))


@pytest.fixture
def sessions(looped):
    return one_on_each_loop(looped, COUNT, LISTS)


def raw(server, **rest):
    return Raw(("127.0.0.1", server.port), **rest)


def handshake(path, **headers):
    lines = [f"GET {path} HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade",
             f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13",
             "Sec-WebSocket-Protocol: pickerd.v1"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines + ["", ""]).encode()


def join(connection, name="Ana", **fields):
    """Joins on an open WebSocket and returns the welcome."""
    connection.send_frame(TEXT, json.dumps({"type": "join", "name": name, **fields}).encode())
    return json.loads(connection.read_text())


def opened(connection, path, **headers):
    connection.send(handshake(path, **headers))
    status, answer, body = connection.response()
    assert status == 101, (status, answer, body)
    return connection


def test_a_request_without_a_session_is_answered_by_some_loop(looped):
    for _ in range(2 * COUNT):
        with raw(looped, timeout=10) as connection:
            assert connection.exchange("GET", "/v1/sessions/by/events")[0] == 404
        with raw(looped, timeout=10) as connection:
            connection.send(handshake("/v1/sessions/by/x"))
            assert connection.response()[0] in (404, 405)


def test_a_long_body_of_a_get_is_not_taken_for_the_next_request(looped, sessions):
    for path, status in [*((session.path, 413) for session in sessions),
                         *((f"/v1/sessions/nobody{number}", 404) for number in range(COUNT))]:
        with raw(looped, timeout=10) as connection:
            connection.request("GET", f"{path}/events", [("Content-Length", "4194305")])
            connection.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.response()[0] == status
            connection.socket.settimeout(0.3)
            try:
                assert connection.response()[0] is None, "a second answer"
            except (TimeoutError, Gone):
                pass


def test_a_persistent_connection_reaches_sessions_of_all_loops(looped, sessions):
    with raw(looped) as connection:
        for turn in range(3):
            for session in sessions:
                status, headers, body = connection.exchange("GET", session.path)
                assert (status, json.loads(body)["session"]) == (200, session.id)
                assert "connection" not in headers, "the connection is persistent"
                assert connection.exchange("GET", f"{session.path}/log")[0] == 200
            assert connection.exchange("GET", "/healthz")[0] == 200
            assert connection.exchange("GET", "/readyz")[0] == 200
            body = json.dumps({"name": f"number {turn}"}).encode()
            assert connection.exchange("POST", f"{session.path}/members", body=body)[0] == 201
        assert connection.exchange("GET", "/v1/sessions/nobody")[0] == 404


def test_pipelined_requests_are_answered_in_order(looped, sessions):
    paths = [session.path for session in sessions] * 5
    with raw(looped) as connection:
        connection.send(b"".join(
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for path in paths))
        for path in paths:
            status, _, body = connection.response()
            assert (status, path) == (200, "/v1/sessions/" + json.loads(body)["session"])


def test_a_websocket_can_follow_requests_on_the_same_connection(looped, sessions):
    """Proxies with persistent upstream connections do this."""
    for first in sessions:
        for session in sessions:
            with raw(looped) as connection:
                assert connection.exchange("GET", first.path)[0] == 200
                opened(connection, session.path)
                assert join(connection)["type"] == "welcome"
                connection.send_frame(TEXT, b'{"type":"select","ref":1,"column":0,"row":0,'
                                            b'"generation":1}')
                # Others may have left since the welcome.
                while (message := json.loads(connection.read_text()))["type"] == "presence":
                    pass
                assert message["ref"] == 1
    wait_until(lambda: metric(looped, "pickerd_connections") == 0, what="the close of all connections")


def test_an_event_stream_can_follow_requests_on_the_same_connection(looped, sessions):
    for first in sessions:
        for session in sessions:
            with raw(looped) as connection:
                assert connection.exchange("GET", first.path)[0] == 200
                connection.request(
                    "GET", f"{session.path}/events?locale=zh-Hans&x=a%26b",
                    [("Last-Event-ID", "none")])
                assert connection.read_line() == b"HTTP/1.1 200 OK"
                while connection.read_line() != b"":
                    pass
                assert b"event: welcome" in connection.read(100)


@pytest.mark.parametrize("spelt", [
    lambda id: f"/v1/sessions/{''.join(f'%{ord(c):02x}' for c in id)}",
    lambda id: f"/v1//./sessions/x/../{id}", lambda id: f"/v1/sessions/{id}?x=1"],
    ids=["percent-encoded", "with detours", "with a query"])
def test_equivalent_paths_reach_the_same_session(looped, sessions, spelt):
    for session in sessions:
        with raw(looped) as connection:
            opened(connection, spelt(session.id))
            assert join(connection)["type"] == "welcome"
        with raw(looped) as connection:
            assert json.loads(connection.exchange("GET", spelt(session.id))[2])[
                "session"] == session.id


def test_origin_and_authorization_move_with_the_connection(start):
    server = start(options=("--loops", str(COUNT)), auth="token",
                   origins=["https://example.org"])
    for session in one_on_each_loop(server, COUNT, CALENDAR):
        for path in ("/healthz", "/readyz"):
            with raw(server) as connection:
                assert connection.exchange("GET", path)[0] == 200
                opened(connection, session.path, Origin="https://example.org",
                       Authorization=f"Bearer {session.tokens['editor']}")
                assert join(connection)["member"]["role"] == "editor"
            with raw(server) as connection:
                assert connection.exchange("GET", path)[0] == 200
                connection.send(handshake(session.path, Origin="https://example.com"))
                assert connection.response()[0] == 403


def test_a_request_header_sent_byte_by_byte_reaches_its_loop(looped, sessions):
    for session in sessions:
        with raw(looped) as connection:
            for byte in handshake(session.path):
                connection.send(bytes([byte]))
            assert connection.response()[0] == 101
            assert join(connection)["type"] == "welcome"


def test_slow_and_missing_request_headers_time_out(looped, sessions):
    """The timeout of 10 s covers the whole header; single bytes do not restart it."""
    began = time.monotonic()
    silent = [raw(looped, timeout=60) for _ in range(COUNT)]
    half = [raw(looped, timeout=60) for _ in range(COUNT)]
    slow = [raw(looped, timeout=60) for _ in range(2 * COUNT)]
    for number, connection in enumerate(half):
        connection.send(f"GET {sessions[number].path} HTTP/1.1\r\nHost:".encode())
    left = set(slow)
    head = handshake(sessions[0].path) + b"x" * 1000
    for byte in head:
        for connection in list(left):
            try:
                connection.send(bytes([byte]))
            except OSError:
                left.discard(connection)
        if not left or time.monotonic() - began > 90:
            break
        time.sleep(0.1)

    assert not left and 8 < time.monotonic() - began, "the header takes more than two minutes"
    for connection in silent + half:
        connection.read_to_end()
    wait_until(lambda: metric(looped, "pickerd_sockets") == 1, what="the close of all connections")


def test_a_request_header_over_the_limit_is_rejected_with_431(looped, sessions):
    for session in sessions:
        with raw(looped) as connection:
            connection.send(handshake(session.path, X_Long="x" * 20_000))
            assert connection.response()[0] == 431
        with raw(looped) as connection:
            connection.send(b"GET /" + b"x" * 20_000)
            assert connection.response()[0] == 431


def test_closed_connections_leave_no_resources_on_any_loop(looped, sessions):
    def take(session, number):
        connection = raw(looped)
        if number % 3 == 0:
            connection.exchange("GET", "/healthz")
        connection.send(handshake(session.path)[:None if number % 2 else 40])
        connection.reset() if number % 4 < 2 else connection.socket.close()

    for number in range(120):
        take(sessions[number % COUNT], number)

    wait_until(lambda: metric(looped, "pickerd_sockets") == 1, what="the close of all other sockets")
    wait_until(lambda: metric(looped, "pickerd_connections") == 0, what="the close of all WebSockets")
    for session in sessions:
        assert session.join("Ana").role == "owner"


def test_the_connection_limit_covers_all_loops(start):
    server = start(options=("--loops", str(COUNT)),
                   limits={"connections": 8, "joinMilliseconds": 90_000})
    sessions = one_on_each_loop(server, COUNT, LISTS)
    wait_until(lambda: metric(server, "pickerd_sockets") == 1)
    open_connections = [opened(raw(server), sessions[n % COUNT].path) for n in range(8)]

    with raw(server) as one_more:
        assert one_more.exchange("GET", "/healthz")[0] == 503

    for connection in open_connections[:2]:
        connection.socket.close()
    wait_until(lambda: is_served(server), what="an accepted connection")
    wait_until(lambda: metric(server, "pickerd_connections") == 6)
    for connection in open_connections:
        connection.socket.close()


def test_the_limit_per_address_covers_all_loops_and_exempts_trusted_proxies(start):
    limits = {"connectionsPerAddress": 3}
    server = start(options=("--loops", str(COUNT), "--trusted-proxy", "192.0.2.1"), limits=limits)
    behind = start(limits=limits)
    wait_until(lambda: metric(server, "pickerd_sockets") == 1)
    open_connections = [raw(server) for _ in range(3)] + [raw(behind) for _ in range(10)]
    assert [connection.exchange("GET", "/healthz")[0] for connection in open_connections] == [200] * 13

    with raw(server) as one_more:
        assert one_more.exchange("GET", "/healthz")[0] == 429

    wait_until(lambda: metric(server, "pickerd_sockets_refused_per_address_total") == 1)
    for connection in open_connections:
        connection.socket.close()
    wait_until(lambda: is_served(server), what="an accepted connection")


def is_served(server):
    try:
        with raw(server) as connection:
            return connection.exchange("GET", "/healthz")[0] == 200
    except (OSError, Gone):
        return False


def test_a_session_is_on_the_loop_of_its_ids_hash(looped):
    """The hash is internal; the test only checks that every id is found on its loop."""
    ids = [looped.session(LISTS).id for _ in range(12)]
    with raw(looped) as connection:
        found = [connection.exchange("GET", f"/v1/sessions/{id}")[0] for id in ids]

    assert found == [200] * 12
    assert {loop_of(id, COUNT) for id in ids} == set(range(COUNT))
