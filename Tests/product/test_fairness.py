"""An address that sends more than its share of an event-loop iteration is answered later."""

import json
import signal
import socket

import pytest

from harness.definitions import LISTS
from harness.pickerd import wait_until
from harness.rawmember import TEXT, RawMember

COUNT = 300
CONNECTION_COUNT, COUNT_EACH = 60, 10
REQUEST_COUNT = 600


def test_all_commands_over_the_share_of_an_address_are_answered_in_order(start):
    # Loopback addresses are trusted by default, and have no share.
    server = start(
        options=("--trusted-proxy", "none"),
        limits={"messagesPerSecond": 100_000})
    session = server.session(LISTS)
    other = RawMember(server, session, name="Ana")
    many = RawMember(server, session, name="Bo", source="127.0.0.2")

    for ref in range(1, COUNT + 1):
        many.send({"type": "select", "ref": ref, "column": 0, "row": ref % 3, "generation": 1})

    assert answered(many, COUNT) == list(range(1, COUNT + 1))
    other.send({"type": "select", "ref": 1, "column": 0, "row": 1, "generation": 1})
    assert answered(other, 1) == [1]


def test_messages_over_the_share_of_an_address_are_handled_after_one_of_another(start):
    server = start(
        options=("--trusted-proxy", "none", "--loops", "1"),
        limits={"messagesPerSecond": 100_000})
    session = server.session(LISTS)
    many = [RawMember(server, session, source="127.0.0.2") for _ in range(CONNECTION_COUNT)]
    leaver = RawMember(server, session, source="127.0.0.2")
    other = RawMember(server, session, source="127.0.0.3")

    # All messages arrive before one iteration of the event loop, that of the other address last.
    server.process.send_signal(signal.SIGSTOP)
    for ref in range(1, COUNT_EACH + 1):
        for number, member in enumerate(many):
            row = (number + ref) % 3
            member.send({"type": "select", "ref": ref, "column": 0, "row": row, "generation": 1})
    leaver.send({"type": "leave"})
    leaver.socket.shutdown(socket.SHUT_WR)
    other.send({"type": "select", "ref": 1, "column": 1, "row": 1, "generation": 1})
    server.process.send_signal(signal.SIGCONT)

    while "ref" not in (own := other.until_type("delta")):
        pass
    assert own["revision"] < COUNT_EACH * CONNECTION_COUNT / 2
    for member in many:
        assert answered(member, COUNT_EACH) == list(range(1, COUNT_EACH + 1))
    wait_until(
        lambda: len(server.get(session.path).json["members"]) == CONNECTION_COUNT + 1,
        what="the leave")


@pytest.mark.parametrize("proxy", ["none", "127.0.0.1"])
def test_requests_over_the_share_of_an_address_are_answered_after_one_of_another(start, proxy):
    # One loop: a second one could be executed after the first one has answered most requests.
    server = start(
        options=("--trusted-proxy", proxy, "--loops", "1"),
        limits={"messagesPerSecond": 100_000, "refs": REQUEST_COUNT})
    session = server.session(LISTS)
    many, other = (
        server.post(f"{session.path}/members", {"name": name}).json["member"]
        for name in ("Ana", "Bo"))
    connections = [connected(server, proxy, "127.0.0.2") for _ in range(REQUEST_COUNT)]
    last = connected(server, proxy, "127.0.0.3")

    # All requests arrive before one iteration of the event loop, that of the other address last.
    server.process.send_signal(signal.SIGSTOP)
    for ref, connection in enumerate(connections, 1):
        post(connection, "127.0.0.2", session, many, ref, column=0, row=ref % 3)
    post(last, "127.0.0.3", session, other, 1, column=1, row=1)
    server.process.send_signal(signal.SIGCONT)

    revisions = [answer(connection)["revision"] for connection in connections]
    own = answer(last)["revision"]
    assert own < max(revisions) / 2
    for connection in [*connections, last]:
        connection.close()


def connected(server, proxy, source):
    """A connection that the server has accepted, from an address or from a proxy."""
    place = (source if proxy == "none" else proxy, 0)
    connection = socket.create_connection(("127.0.0.1", server.port), source_address=place)
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert answer(connection) is None
    return connection


def post(connection, source, session, member, ref, **fields):
    body = json.dumps({
        "type": "select", "ref": ref, "member": member["id"], "secret": member["secret"],
        "generation": 1, **fields}).encode()
    connection.sendall(
        f"POST {session.path}/commands HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Forwarded-For: {source}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


def answer(connection):
    """The body of a response, if it is JSON."""
    with connection.makefile("rb") as stream:
        status = stream.readline()
        length = 0
        while (line := stream.readline()) != b"\r\n":
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        body = stream.read(length)
    assert b" 200 " in status, (status, body)
    return json.loads(body) if body.startswith(b"{") else None


def answered(member, count):
    """The refs of the next `count` answers."""
    refs = []
    while len(refs) < count:
        opcode, payload = member.read()
        assert opcode is not None, "closed"
        if opcode == TEXT and "ref" in (message := json.loads(payload)):
            refs.append(message["ref"])
    return refs
