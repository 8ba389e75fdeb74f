"""Connections with several loops: each request reaches the loop that has its session."""

import json

import pytest

from harness.definitions import CALENDAR, LISTS
from harness.loops import metric, one_on_each_loop
from harness.pickerd import wait_until
from rawsocket import TEXT, UPGRADE, Raw

COUNT = 3


@pytest.fixture
def looped(start):
    return start(options=("--loops", str(COUNT)))


@pytest.fixture
def sessions(looped):
    return one_on_each_loop(looped, COUNT, LISTS)


def raw(server, **rest):
    return Raw(("127.0.0.1", server.port), **rest)


def join(connection, name="Ana", **fields):
    """Joins on an open WebSocket and returns the welcome."""
    connection.send_frame(TEXT, json.dumps({"type": "join", "name": name, **fields}).encode())
    return json.loads(connection.read_text())


def opened(connection, path, *headers):
    connection.request("GET", path, [*UPGRADE, *headers])
    assert connection.response()[0] == 101
    return connection


def test_a_long_body_of_a_get_is_not_taken_for_the_next_request(looped, sessions):
    for path, status in [*((session.path, 413) for session in sessions),
                         *((f"/v1/sessions/nobody{number}", 404) for number in range(COUNT))]:
        with raw(looped) as connection:
            connection.request("GET", f"{path}/events", [("Content-Length", "4194305")])
            connection.send(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.response()[0] == status
            assert connection.read_to_end() == b"", "a second answer"


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


def test_origin_and_authorization_move_with_the_connection(start):
    server = start(options=("--loops", str(COUNT)), auth="token",
                   origins=["https://example.org"])
    for session in one_on_each_loop(server, COUNT, CALENDAR):
        for path in ("/healthz", "/readyz"):
            with raw(server) as connection:
                assert connection.exchange("GET", path)[0] == 200
                opened(connection, session.path, ("Origin", "https://example.org"),
                       ("Authorization", f"Bearer {session.tokens['editor']}"))
                assert join(connection)["member"]["role"] == "editor"
            with raw(server) as connection:
                assert connection.exchange("GET", path)[0] == 200
                headers = [*UPGRADE, ("Origin", "https://example.com")]
                assert connection.exchange("GET", session.path, headers)[0] == 403


def test_closed_connections_leave_no_resources_on_any_loop(looped, sessions):
    def take(session, number):
        connection = raw(looped)
        if number % 3 == 0:
            connection.exchange("GET", "/healthz")
        if number % 2:
            connection.request("GET", session.path, UPGRADE)
        else:
            connection.send(f"GET {session.path} HTT".encode())
        connection.reset() if number % 4 < 2 else connection.socket.close()

    for number in range(120):
        take(sessions[number % COUNT], number)

    wait_until(lambda: metric(looped, "pickerd_sockets") == 1, what="the close of all other sockets")
    wait_until(lambda: metric(looped, "pickerd_connections") == 0, what="the close of all WebSockets")
    for session in sessions:
        assert session.join("Ana").role == "owner"
