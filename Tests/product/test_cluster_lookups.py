"""Session ids that no node knows are looked up in the database, at a limited rate per address."""

import pytest

from websockets.exceptions import ConnectionClosed, InvalidStatus

from harness.definitions import LISTS
from harness.loops import metric
from harness.member import Member, dial
from harness.patience import PATIENCE
from harness.pickerd import wait_until
from harness.store import Nodes
from rawsocket import UPGRADE

RATE = 2


@pytest.fixture(scope="module")
def nodes(tmp_path_factory, postgres):
    nodes = Nodes(tmp_path_factory.mktemp("nodes"), postgres.database(), 2,
                  joinsPerSecond=2 * RATE)
    yield nodes
    nodes.stop()


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
            socket.recv(timeout=PATIENCE)
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

    outcomes = [look_up(f"{kind}{number}") for number in range(20)]

    found = 101 if kind == "socket" else 404
    assert set(outcomes) == {found, 429}, outcomes
    assert outcomes[:RATE] == [found] * RATE, "the burst"
    assert refused(node) - before == outcomes.count(429)
    # What this node knows costs nothing, nor do other addresses.
    assert node.get(known.path, headers=stranger).status == 200
    assert node.get(known.path, headers={**dict(UPGRADE), **stranger}).status == 101
    assert ana.select(0, 1)["type"] == "delta"
    assert node.get(other.path).status == 200
    # A session of another node is found when the bucket has a token again.
    last = nodes[1].session(LISTS, now=None)
    wait_until(lambda: node.get(last.path, headers=stranger).status == 200, what="a token")
