"""An address that sends more than its share of an event-loop iteration is answered later."""

import json
import re
import signal
import socket
import ssl

import pytest

from harness.certificates import Authority
from harness.definitions import LISTS
from harness.loops import metric
from harness.pickerd import wait_until
from harness.rawmember import TEXT, RawMember
from rawsocket import UPGRADE, Raw

CONNECTION_COUNT, COUNT_EACH = 60, 10
UPGRADE_COUNT, HANDSHAKE_COUNT = 300, 100


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
def test_upgrades_over_the_share_of_an_address_are_answered_after_one_of_another(start, proxy):
    server = start(
        options=("--trusted-proxy", proxy, "--loops", "1"),
        limits={"joinsPerSecond": 10_000, "joinMilliseconds": 600_000})
    session = server.session(LISTS)
    source = "127.0.0.2" if proxy == "none" else proxy
    connections = [connected(server, source) for _ in range(UPGRADE_COUNT)]
    last = Raw(("127.0.0.1", server.admin_port))
    assert last.exchange("GET", "/healthz")[0] == 200

    # All requests arrive before one iteration of the event loop, that of the other address last.
    server.process.send_signal(signal.SIGSTOP)
    for connection in connections:
        connection.request("GET", session.path, [("X-Forwarded-For", "127.0.0.2"), *UPGRADE])
    last.request("GET", "/metrics")
    server.process.send_signal(signal.SIGCONT)

    figures = last.response()[2].decode()
    opened = int(re.search(r"^pickerd_connections (\d+)", figures, re.M)[1])
    assert opened < UPGRADE_COUNT / 2
    for connection in connections:
        assert connection.response()[0] == 101
        connection.socket.close()
    last.socket.close()


def test_handshakes_over_the_share_of_an_address_are_made_in_later_iterations(start, tmp_path):
    issued, hello = Authority(tmp_path).issue("rsa"), client_hello()
    server = start(limits={"joinMilliseconds": 600_000}, options=(
        "--trusted-proxy", "none", "--loops", "1",
        "--tls-certificate", str(issued.certificate), "--tls-key", str(issued.key)))
    before = metric(server, "pickerd_sockets")
    connections = [
        socket.create_connection(("127.0.0.1", server.port), source_address=("127.0.0.2", 0))
        for _ in range(HANDSHAKE_COUNT)]
    wait_until(
        lambda: metric(server, "pickerd_sockets") == before + HANDSHAKE_COUNT,
        what="the connections")

    begun = metric(server, "pickerd_loop_iteration_seconds_count")
    server.process.send_signal(signal.SIGSTOP)
    for connection in connections:
        connection.sendall(hello)
    server.process.send_signal(signal.SIGCONT)
    for connection in connections:
        assert connection.recv(4096)[0] == 22, "a handshake record"
        connection.close()

    # Each takes longer than half a share.
    assert metric(server, "pickerd_loop_iteration_seconds_count") - begun > HANDSHAKE_COUNT / 4


def client_hello():
    sent = ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        ssl.create_default_context().wrap_bio(
            ssl.MemoryBIO(), sent, server_hostname="localhost").do_handshake()
    return sent.read()


def connected(server, source):
    """A connection that the server has accepted."""
    raw = Raw(("127.0.0.1", server.port), source=source)
    assert raw.exchange("GET", "/healthz")[0] == 200
    return raw


def answered(member, count):
    """The refs of the next `count` answers."""
    refs = []
    while len(refs) < count:
        opcode, payload = member.read()
        assert opcode is not None, "closed"
        if opcode == TEXT and "ref" in (message := json.loads(payload)):
            refs.append(message["ref"])
    return refs
