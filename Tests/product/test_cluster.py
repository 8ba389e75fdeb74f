"""Three pickerd nodes on PostgreSQL with two standbys, each on a machine of its own: what members
see when programs are killed, stopped and restarted, and when the network between them is cut.

The clocks of the nodes differ by 10 s. Members send commands all the time, at each of the nodes and
through HAProxy, and go to another node when theirs does not answer. The session is read at each of
them: what a member has seen is never missing.
"""

import contextlib
import http.client
import json
import os
import signal
import time

import pytest

from harness.clocks import clock_offset
from harness.cluster import DATABASES, Cluster
from harness.definitions import LISTS
from harness.member import Member
from harness.network import Network
from harness.patience import PATIENCE
from harness.pickerd import wait_until
from harness.travellers import Travel

IS_ROOT = os.geteuid() == 0
cuts = pytest.mark.skipif(not IS_ROOT, reason="only root makes network namespaces")

NODES = ["node1", "node2", "node3"]
#: What is added to the time of each node's clock, in seconds.
CLOCKS = {"node1": 5, "node2": -5}
#: The port of a listener at each node's machine, for clients on that machine.
ADMIN = 7682


@pytest.fixture(scope="module")
def network():
    """`None` if this is not root: then all programs are on one machine."""
    if not IS_ROOT:
        yield None
        return
    network = Network(*DATABASES, *NODES)
    with network.entered():
        yield network
    network.stop()


@pytest.fixture(scope="module")
def cluster(network, tmp_path_factory):
    library = clock_offset(tmp_path_factory.mktemp("clock"))
    environment = sum((
        ["--environment", f"{node}:LD_PRELOAD={library}",
         "--environment", f"{node}:CLOCK_OFFSET_SECONDS={seconds}"]
        for node, seconds in CLOCKS.items()), [])
    machines = network.arguments() if network else []
    # Without API keys, the feed is for clients of the loopback interface.
    admin = ["--admin-listen", f"127.0.0.1:{ADMIN}"] if network else []
    cluster = Cluster(*machines, *environment, "--", *admin, "--limit",
                      "messagesPerSecond=100000", "--limit", "joinsPerSecond=10000")
    yield cluster
    cluster.stop()


def wait_for_nodes(cluster):
    for node in cluster.nodes:
        wait_until(node.is_ready, what=f"the readiness of {node.name}")


@pytest.fixture
def travel(cluster, request):
    """Members of one session, who send commands; afterwards, nothing must be wrong."""
    cluster.wait_for_standbys()
    wait_for_nodes(cluster)
    travel = Travel([*cluster.nodes, cluster], members=6)
    with travel.under_way():
        yield travel
        travel.wait_for_answers()
    may_renew = request.node.get_closest_marker("may_renew") is not None
    assert travel.violations(may_renew) == []
    travel.end()


def owner(cluster, travel):
    """The node at which the members are."""
    return wait_until(lambda: cluster.owner(travel.session), what="an owner")


def test_kill_9_of_the_owner(cluster, travel):
    node = owner(cluster, travel)
    pid = cluster.pid(node.name)

    cluster.kill(node.name)

    wait_until(lambda: cluster.pid(node.name) != pid, what="the node again")
    wait_until(node.is_ready, what="its readiness")


def test_an_owner_that_is_stopped_and_continued(cluster, travel):
    """It answers nothing more from its memory, in which it still has the session."""
    node = owner(cluster, travel)

    cluster.signal(node.name, signal.SIGSTOP)
    try:
        travel.wait_for_answers()
        assert owner(cluster, travel).name != node.name
    finally:
        cluster.signal(node.name, signal.SIGCONT)

    wait_until(node.is_ready, what="its readiness")


def test_a_restart_of_all_nodes_one_after_the_other(cluster, travel):
    for node in cluster.nodes:
        pid = cluster.pid(node.name)
        cluster.signal(node.name, signal.SIGTERM)
        wait_until(lambda: cluster.pid(node.name) != pid, what="the node again")
        wait_until(node.is_ready, what="its readiness")

    asked = [walker.name for walker in travel.walkers if any(
        message["type"] == "draining" for visit in walker.visits for message in visit.record)]
    # On a busy machine, a few may have gone to another node by themselves.
    assert len(asked) > len(travel.walkers) / 2, asked


def test_kill_9_of_the_primary(cluster, travel):
    old = cluster.primary_to_lose()

    cluster.kill_server(old)

    wait_until(cluster.has_primary, what="a primary")


@pytest.mark.may_renew
def test_kill_9_of_the_primarys_postmaster_and_of_two_nodes(cluster, travel):
    """Nothing is lost, but what the dead nodes have committed last is known to nobody."""
    node = owner(cluster, travel)
    other = next(each for each in cluster.nodes if each.name != node.name)
    old = cluster.primary_to_lose()

    for each in (node, other):
        cluster.kill(each.name)
    cluster.kill_postmaster(old)

    wait_until(cluster.has_primary, what="a primary")
    wait_for_nodes(cluster)


@pytest.mark.parametrize("role", ["primary", "synchronous standby"])
def test_the_loss_of_a_databases_machine(cluster, network, travel, role):
    lost = cluster.primary_to_lose()
    if role != "primary":
        lost = cluster.synchronous_standby()
    others = [name for name in DATABASES + NODES if name != lost]

    silence = network.cut([lost], others) if network else contextlib.nullcontext()
    with silence, cluster.without_machine(lost):
        if role == "primary":
            wait_until(lambda: cluster.is_promoted(lost), what="another primary")
        wait_until(lambda: cluster.synchronous_standby() not in (None, lost),
                   what="another synchronous standby")
        travel.wait_for_answers()


def test_a_standby_that_lacks_answered_commits_is_not_promoted(cluster, travel):
    """Not even if it is the only server that is left."""
    old, synchronous = cluster.primary(), cluster.synchronous_standby()
    other, = set(DATABASES) - {old, synchronous}
    log = cluster.folder / f"{other}.log"
    assert cluster.sql("SHOW synchronous_standby_names").strip() == synchronous
    assert cluster.sql("SHOW synchronous_commit").strip() == "on"
    assert cluster.sql("SHOW fsync").strip() == "on"

    with contextlib.ExitStack() as later:
        with cluster.stopped(other):
            travel.wait_for_answers()
            later.enter_context(cluster.without(old, synchronous))
            begin = log.stat().st_size

        # Patroni has found that there is no primary, and goes on as a standby, several times.
        wait_until(lambda: log.read_bytes()[begin:].count(b"not the healthiest node") > 3,
                   what="an election")
        assert not cluster.is_promoted(old)
    wait_until(cluster.has_primary, what="a primary")


@cuts
def test_an_owner_that_is_cut_off_from_the_databases(cluster, network, travel):
    """Regression: it answered for seconds with a state that was older than that of another node,
    and with a session that another node had deleted."""
    node = owner(cluster, travel)
    here = [each for each in cluster.nodes if each.name != node.name]
    deleted = node.session(LISTS, now=None)
    patient = Member(node.socket(node.session(LISTS, now=None).path), "Patient")

    with network.cut([node.name], DATABASES):
        patient.ask("confirm")
        wait_until(lambda: here[0].delete(deleted.path).status in (204, 404),
                   what="the deletion at another node")
        until = time.monotonic() + 5
        while time.monotonic() < until:
            assert node.get(deleted.path).status in (404, 503)
        patient.closed(4503)
        wait_until(lambda: not node.is_ready(), what="503")

    wait_until(node.is_ready, what="its readiness")
    wait_until(lambda: node.get(deleted.path).status == 404, what="the end")


@cuts
def test_a_cut_between_the_primary_with_a_node_and_the_others(cluster, network, travel):
    """The old primary must not accept anything more, and must not take over again, without the new
    commits, when it reaches the others. Regression: at the node that reaches only the old primary,
    the position of an event that others had read was answered with 410."""
    old = cluster.primary_to_lose()
    home = owner(cluster, travel)
    node = next(each for each in cluster.nodes if each.name != home.name)
    here = [old, node.name]

    with network.cut(here, [name for name in DATABASES + NODES if name not in here]):
        wait_until(lambda: cluster.is_promoted(old), what="another primary")
        wait_until(lambda: home.create(LISTS).status == 201, what="a session")
        newest = newest_position(network, home)
        until = time.monotonic() + 5
        while time.monotonic() < until:
            status, _ = feed(network, node, after=newest)
            assert status in (200, 503), status
        travel.wait_for_answers()

    cluster.wait_for_standbys()
    wait_until(lambda: feed(network, node, after=newest)[0] == 200,
               what="the feed")


def feed(network, node, after):
    """The status of a request for the events after a position, and the lines."""
    with network.inside(node.name) if network else contextlib.nullcontext():
        connection = http.client.HTTPConnection(
            "127.0.0.1", ADMIN if network else node.admin_port, timeout=PATIENCE)
        connection.request("GET", f"/v1/feed?limit=1000&after={after}")
        response = connection.getresponse()
        return response.status, response.read().splitlines()


def newest_position(network, node):
    """After a failover the feed cannot be read before a node has connected."""
    def lines():
        status, lines = feed(network, node, after=0)
        return lines if status == 200 else None

    return json.loads(wait_until(lines, what="the feed")[-1])["position"]


def test_a_restart_of_everything_loses_nothing(cluster, network):
    """It begins a timeline, on which no owner is alive: a session has a new epoch. Regression: the
    log said that the store was older than before."""
    cluster.wait_for_standbys()
    wait_for_nodes(cluster)
    session = cluster.nodes[0].session(LISTS, now=None)
    ana = Member(cluster.nodes[0].socket(session.path), "Ana")
    ana.select(0, 1)
    position = newest_position(network, cluster.nodes[1])
    logs = [cluster.folder / f"{name}.log" for name in NODES]
    before = [log.stat().st_size for log in logs]

    for part in (NODES, DATABASES, [f"etcd-{name}" for name in DATABASES]):
        cluster.end(part)
    for part in ([f"etcd-{name}" for name in DATABASES], DATABASES, NODES):
        cluster.begin(part)

    wait_for_nodes(cluster)
    ana.url = cluster.nodes[1].socket(session.path)
    back = wait_until(lambda: returned(ana), what="her return")
    assert back.welcome["member"]["id"] == ana.id and back.screen.revision == 1
    assert back.welcome["epoch"] != session.epoch
    assert back.select(0, 2)["revision"] == 2
    assert feed(network, cluster.nodes[2], after=position)[0] == 200
    lines = "".join(log.read_bytes()[begin:].decode() for log, begin in zip(logs, before))
    assert "epoch" not in lines and " older" not in lines, lines
    back.drop()


def returned(member):
    try:
        return member.come_back()
    except (AssertionError, OSError):
        return None


def test_the_passwords_are_private(cluster):
    for name in ("passfile", "pg1.d/2.yml"):
        assert (cluster.folder / name).stat().st_mode & 0o077 == 0, name
