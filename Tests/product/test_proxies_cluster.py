"""HAProxy and nginx before three nodes: a session stays at one node, unless it is not ready.

The nodes have stores of their own, so that a 404 shows that a request went to another node.
"""

import signal
import ssl
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.definitions import LISTS
from harness.member import Member
from harness.patience import PATIENCE
from harness.pickerd import Pickerd, wait_until
from harness.ports import free_ports
from harness.proxies import Proxy

#: So many that no node is without one: each id is hashed to one of three nodes.
SESSIONS = 40


class Nodes:
    """Three nodes behind one proxy; requests go through the proxy."""

    get, post, request = Pickerd.get, Pickerd.post, Pickerd.request

    def __init__(self, kind, folder):
        self.ports = free_ports(3)
        self.folders = [folder / f"node{n}" for n in range(3)]
        for each in self.folders:
            each.mkdir()
        self.nodes = [
            Pickerd(folder / f"node{n}.log", listen=f"127.0.0.1:{port}", clock=None,
                    options=(
                        "--store", f"sqlite:{self.folders[n]}/store"))
            for n, port in enumerate(self.ports)]
        self.proxy = Proxy(kind, folder, *self.ports)

    def connection(self, _port=None):
        return self.proxy.connection()

    def status(self, path):
        return self.get(path).status

    def first_status(self, method, path, body=None):
        """The status of a response that may be the proxy's own."""
        connection = self.connection()
        try:
            connection.request(method, path, body)
            return connection.getresponse().status
        finally:
            connection.close()

    def answers(self, path, status):
        """Whether a request for a session of a node that goes down is answered so. HAProxy closes the
        connections of such a node: a request that is in flight then gets HAProxy's own 502, or no
        answer."""
        try:
            return self.first_status("GET", path) == status
        except ConnectionError:
            return False

    def own(self, node):
        """Sessions of this node that the proxy routes to it."""
        sessions = [node.session(LISTS, now=None) for _ in range(SESSIONS)]
        mine = [session for session in sessions if self.status(session.path) == 200]
        assert 0 < len(mine) < SESSIONS, "a third of the ids are hashed to this node"
        return mine

    def member(self, session, name):
        """Joins through the proxy."""
        return Member(f"wss://localhost:{self.proxy.port}{session.path}", name)

    def stop(self):
        self.proxy.stop()
        for node in self.nodes:
            node.stop()


@pytest.fixture(scope="module", params=["haproxy", "nginx"])
def nodes(request, tmp_path_factory):
    nodes = Nodes(request.param, tmp_path_factory.mktemp(request.param))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", lambda: nodes.proxy.member_context)
        yield nodes
    nodes.stop()


def test_all_requests_for_a_session_go_to_one_node(nodes):
    for node in nodes.nodes:
        for session in nodes.own(node)[:3]:
            ana, bo = nodes.member(session, "Ana"), nodes.member(session, "Bo")
            ana.select(0, 1)
            bo.reach(1)
            for path in ("", "/log", "?locale=de", "/log?after=0"):
                assert nodes.status(session.path + path) == 200, path
            ana.drop()
            bo.drop()


def test_other_requests_go_to_all_nodes(nodes):
    """Hashing /v1/sessions would give one node all creations."""
    made = [nodes.post("/v1/sessions", {"definition": LISTS}) for _ in range(SESSIONS)]
    assert {answer.status for answer in made} == {201}
    for node in nodes.nodes:
        found = [node.get(f"/v1/sessions/{answer.json['session']}").status for answer in made]
        assert 0 < found.count(200) < SESSIONS


def test_a_killed_node_gets_no_requests_and_the_others_keep_their_sessions(nodes):
    first, second, third = nodes.nodes
    lost, *others = [nodes.own(node)[:5] for node in (first, second, third)]

    first.kill()

    for session in lost:
        assert nodes.status(session.path) == 404, "another node answers, without an error between"
    for session in sum(others, []):
        # A node that a busy machine delays for seconds loses its sessions for a moment.
        wait_until(lambda: nodes.status(session.path) == 200,
                   what="only the killed node's sessions have moved")
    first.start()
    wait_until(lambda: {nodes.status(session.path) for session in lost} == {200},
               what="the way back to the restarted node")


@pytest.mark.parametrize("nodes", ["haproxy"], indirect=True)
def test_a_node_that_is_not_ready_gets_no_requests_and_its_members_go_to_others(nodes):
    """Not with nginx, which does not ask for /readyz."""
    node, folder = nodes.nodes[0], nodes.folders[0]
    session = nodes.own(node)[0]
    ana = nodes.member(session, "Ana")

    (folder / "store").rename(folder / "away")

    wait_until(lambda: node.get("/readyz", port=node.admin_port).status == 503, what="/readyz 503")
    wait_until(lambda: nodes.answers(session.path, 404), what="another node's answer")
    ana.drain(PATIENCE)
    assert not ana.is_open, "HAProxy has closed the WebSocket of the node that is not ready"
    (folder / "away").rename(folder / "store")
    wait_until(lambda: nodes.status(session.path) == 200, what="the way back")
    back = ana.come_back()
    assert back.welcome["resumed"]
    back.drop()


def test_a_get_is_repeated_at_another_node_if_its_node_ends_and_a_post_is_not(nodes):
    node = nodes.nodes[1]
    session = nodes.own(node)[0]
    node.process.send_signal(signal.SIGSTOP)
    with ThreadPoolExecutor() as pool:
        get = pool.submit(nodes.status, session.path)
        post = pool.submit(nodes.first_status, "POST", f"{session.path}/members", "{}")
        wait_until(lambda: unread(nodes.ports[1]) >= 2, what="both requests at the node")

        node.kill()

        assert get.result(PATIENCE) == 404, "from another node"
        assert post.result(PATIENCE) == 502, "the node may have executed it"
    node.start()
    wait_until(lambda: nodes.status(session.path) == 200, what="the way back")


def unread(port):
    """The number of connections to a port that have unread bytes."""
    rows = [line.split() for line in open("/proc/net/tcp").readlines()[1:]]
    return sum(int(row[1].split(":")[1], 16) == port and row[3] == "01"
               and int(row[4].split(":")[1], 16) > 0 for row in rows)


def test_a_node_that_drains_gets_no_requests_and_its_members_come_back(nodes):
    """A restart for an upgrade: no request fails, and members are asked to reconnect."""
    node = nodes.nodes[1]
    session, idle = nodes.own(node)[:2]
    ana = nodes.member(session, "Ana")

    node.terminate()

    statuses = {nodes.status(each.path) for _ in range(20) for each in (session, idle)}
    assert statuses <= {200, 404}, "from the node until it drains, then from another one"
    assert ana.expect("draining")["reconnectAfterMs"] >= 0
    ana.closed(1001)
    assert node.process.wait(PATIENCE) == 0
    assert {nodes.status(each.path) for _ in range(5) for each in (session, idle)} == {404}
    node.start()
    wait_until(lambda: nodes.status(session.path) == 200, what="the way back")
    back = ana.come_back()
    assert back.welcome["resumed"]
    back.drop()
