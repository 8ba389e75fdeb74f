"""Session ids that no node knows are looked up in the database, at a limited rate per address."""

import re

import pytest

from websockets.exceptions import ConnectionClosed, InvalidStatus

from harness.definitions import LISTS
from harness.loops import metric
from harness.member import Member, dial
from harness.pickerd import Pickerd, wait_until
from harness.ports import free_ports
from harness.store import MANY

RATE = 2


@pytest.fixture(scope="module")
def nodes(tmp_path_factory, postgres):
    store, folder = postgres.database(), tmp_path_factory.mktemp("nodes")
    nodes = [
        Pickerd(folder / f"node{n}.log", clock="system",
                limits={**MANY, "joinsPerSecond": 2 * RATE},
                options=("--store", store, "--trusted-proxy", "127.0.0.1",
                         "--node-listen", f"127.0.0.1:{port}"))
        for n, port in enumerate(free_ports(2))]
    yield nodes
    for node in nodes:
        node.stop()


def test_the_sessions_of_all_nodes_count_against_the_limit(tmp_path, postgres):
    store = postgres.database()
    nodes = [
        Pickerd(tmp_path / f"node{n}.log", clock="system", limits={"sessions": 3},
                options=("--store", store)) for n in range(2)]
    try:
        made = [nodes[0].session(LISTS, now=None) for _ in range(3)]
        assert (nodes[0].create(LISTS).status, nodes[0].create(LISTS).code) == (503, "full")
        wait_until(lambda: metric(nodes[1], "pickerd_sessions") == 3, what="the other node's count")
        assert nodes[1].create(LISTS).code == "full"
        # Evicted sessions count, too.
        nodes[0].terminate()
        nodes[0].exited()
        nodes[0].start()
        assert nodes[0].create(LISTS).code == "full"

        assert nodes[1].delete(made[0].path).status == 204
        for node in nodes:
            wait_until(lambda: metric(node, "pickerd_sessions") == 2, what="the end to be counted")
        assert nodes[1].create(LISTS).status == 201
    finally:
        for node in nodes:
            node.stop()


def unknown(number):
    return f"/v1/sessions/unknown{number}"


def refused(node):
    """Refused requests. The proxy's clients have the addresses of their headers."""
    return metric(node, "pickerd_rate_limited_total").get("unknownSession", 0)


def closing(socket):
    """The code with which the server closes the connection of a member who joins."""
    socket.send('{"type":"join"}')
    with pytest.raises(ConnectionClosed) as closed:
        while True:
            socket.recv(timeout=60)
    return closed.value.rcvd.code


KINDS = ["get", "delete", "members", "socket"]


@pytest.mark.parametrize("kind", KINDS)
def test_unknown_sessions_are_looked_up_at_a_limited_rate(nodes, kind):
    node = nodes[0]
    known, other = node.session(LISTS, now=None), nodes[1].session(LISTS, now=None)
    ana = known.track(Member(node.socket(known.path), "Ana"))
    stranger = {"X-Forwarded-For": f"203.0.113.{KINDS.index(kind) + 1}"}
    before = refused(node)

    def look_up(number):
        if kind == "get":
            return node.get(unknown(number), headers=stranger).status
        if kind == "delete":
            return node.delete(unknown(number), headers=stranger).status
        if kind == "members":
            return node.post(f"{unknown(number)}/members", {"name": "S"}, headers=stranger).status
        return dialled(unknown(number))

    def dialled(path):
        """The status of a WebSocket that is closed when the session was looked up."""
        try:
            socket = dial(node.socket(path), headers=stranger)
        except InvalidStatus as refusal:
            return refusal.response.status_code
        assert closing(socket) == 4404
        return 101

    def upgrade(node, path, headers):
        return node.get(path, headers={
            "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Protocol": "pickerd.v1", **headers}).status

    outcomes = [look_up(f"{kind}{number}") for number in range(20)]

    found = 101 if kind == "socket" else 404
    assert set(outcomes) == {found, 429}, outcomes
    assert outcomes[:RATE] == [found] * RATE, "the burst"
    assert refused(node) - before == outcomes.count(429)
    # What this node knows costs nothing, nor do other addresses.
    assert node.get(known.path, headers=stranger).status == 200
    assert upgrade(node, known.path, stranger) == 101
    assert ana.select(0, 1)["type"] == "delta"
    assert node.get(other.path).status == 200
    # A session of another node is found when the bucket has a token again.
    last = nodes[1].session(LISTS, now=None)
    wait_until(lambda: node.get(last.path, headers=stranger).status == 200, what="a token")


def test_sessions_of_other_nodes_cost_nothing(nodes):
    sessions = [nodes[1].session(LISTS, now=None) for _ in range(4 * RATE)]
    before = refused(nodes[0])

    assert [nodes[0].get(session.path).status for session in sessions] == [200] * len(sessions)
    assert refused(nodes[0]) == before


def test_a_cached_absence_costs_nothing(nodes):
    statuses = [nodes[0].get(unknown("cached")).status for _ in range(4 * RATE)]

    assert set(statuses) == {404}


def test_an_id_that_a_database_cannot_have_is_not_looked_up(nodes):
    node = nodes[0]
    outcomes = [node.get(f"/v1/sessions/{n}%00").status for n in range(4 * RATE)]

    # The rate of what the database does not have applies, instead of an error of the database.
    assert set(outcomes) == {404, 429} and outcomes[0] == 404, outcomes
    address = {"X-Forwarded-For": "203.0.113.9"}
    assert closing(dial(node.socket("/v1/sessions/%00"), headers=address)) == 4404


def test_nothing_but_lines_of_the_log_is_written(nodes):
    node = nodes[0]
    body = {"definition": LISTS, "external": "a new one"}

    assert node.post("/v1/sessions", body).status == 201

    lines = node.log.read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT|pickerd ", line) for line in lines), lines
