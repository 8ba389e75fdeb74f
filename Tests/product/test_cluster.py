"""Three pickerd nodes on PostgreSQL with two standbys, each on a machine of its own: what members
see when programs are killed, stopped and restarted, and when the network between them is cut.

The clocks of the nodes differ by 5 s. Members send commands all the time, at each of the nodes and
through HAProxy, and go to another node when theirs does not answer.
"""

import contextlib
import os
import signal
import statistics
import subprocess
import time
from datetime import datetime

import pytest

from harness.cluster import DATABASES, FAILOVER, Cluster, Commits
from harness.definitions import LISTS
from harness.member import Member
from harness.network import Network
from harness.pickerd import REPOSITORY, wait_until
from harness.travellers import Travel

IS_ROOT = os.geteuid() == 0
cuts = pytest.mark.skipif(not IS_ROOT, reason="only root makes network namespaces")

NODES = ["node1", "node2", "node3"]
#: What is added to the time of each node's clock, in seconds.
CLOCKS = {"node1": 5, "node2": -5}
#: By test, in seconds: each member's longest time without an answer, and that of a client that uses
#: the databases without pickerd.
SILENCES = {}
#: The tests during which the databases always answer, and so does another node.
NODE_FAULTS = {
    "test_kill_9_of_a_node", "test_a_node_that_is_stopped_and_continued",
    "test_a_restart_of_all_nodes_one_after_the_other",
    "test_a_cut_between_a_node_and_the_databases",
}


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
    library = clock_offset(tmp_path_factory.mktemp("clock") / "clock_offset.so")
    environment = sum((
        ["--environment", f"{node}:LD_PRELOAD={library}",
         "--environment", f"{node}:CLOCK_OFFSET_SECONDS={seconds}"]
        for node, seconds in CLOCKS.items()), [])
    machines = network.arguments() if network else []
    cluster = Cluster(*machines, *environment, "--", "--limit",
                      "messagesPerSecond=100000", "--limit", "joinsBurst=10000")
    yield cluster
    cluster.stop()


def clock_offset(library):
    """A library to preload that shifts a program's clock."""
    source = REPOSITORY / "Tests/product/harness/clock_offset.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.fixture
def travel(cluster, request):
    """Members of one session, who send commands; afterwards, nothing must be wrong."""
    cluster.wait_for_standbys()
    for node in cluster.nodes:
        wait_until(node.is_ready, timeout=FAILOVER, what=f"the readiness of {node.name}")
    travel = Travel([*cluster.nodes, cluster], members=8)
    with Commits(cluster) as commits, travel.under_way():
        yield travel
        travel.wait_for_answers(timeout=FAILOVER)
    assert travel.history().violations() == []
    SILENCES[request.node.name] = (travel.silences(), commits.silence())
    travel.end()


def test_kill_9_of_a_node(cluster, travel):
    pid = cluster.pid("node1")

    cluster.kill("node1")

    wait_until(lambda: cluster.pid("node1") != pid, timeout=FAILOVER, what="the node again")
    wait_until(cluster.nodes[0].is_ready, timeout=FAILOVER, what="its readiness")


def test_a_node_that_is_stopped_and_continued(cluster, travel):
    cluster.signal("node2", signal.SIGSTOP)
    try:
        travel.wait_for_answers(timeout=FAILOVER)
    finally:
        cluster.signal("node2", signal.SIGCONT)

    wait_until(cluster.nodes[1].is_ready, timeout=FAILOVER, what="its readiness")


def test_a_restart_of_all_nodes_one_after_the_other(cluster, travel):
    for node in cluster.nodes:
        pid = cluster.pid(node.name)
        cluster.signal(node.name, signal.SIGTERM)
        wait_until(lambda: cluster.pid(node.name) != pid, timeout=FAILOVER, what="the node again")
        wait_until(node.is_ready, timeout=FAILOVER, what="its readiness")

    asked = [walker.name for walker in travel.walkers if any(
        message["type"] == "draining" for visit in walker.visits for message in visit.record)]
    # On a busy machine, a few may have gone to another node by themselves.
    assert len(asked) > len(travel.walkers) / 2, asked


def test_kill_9_of_the_primary(cluster, travel):
    old = cluster.primary_to_lose()

    cluster.kill_server(old)

    wait_until(cluster.has_primary, timeout=FAILOVER, what="a primary")


def test_kill_9_of_the_primarys_postmaster_and_of_two_nodes(cluster, travel):
    """Nodes that start during a failover find another timeline, but nothing is lost."""
    old = cluster.primary_to_lose()

    for name in ("node1", "node2"):
        cluster.kill(name)
    cluster.kill_postmaster(old)

    wait_until(cluster.has_primary, timeout=FAILOVER, what="a primary")
    for node in cluster.nodes:
        wait_until(node.is_ready, timeout=FAILOVER, what=f"the readiness of {node.name}")


def test_kill_9_of_a_primary_whose_other_standby_is_ahead(cluster, travel):
    """The standby for which commits wait is promoted. The other one has commits that it lacks, and
    that were not answered."""
    old = cluster.primary_to_lose()
    before = cluster.rewinds()
    sender = "SELECT pid FROM pg_stat_replication WHERE sync_state = 'sync'"
    received = "SELECT count(DISTINCT flush_lsn) FROM pg_stat_replication"

    os.kill(int(cluster.sql(sender, user="postgres")), signal.SIGSTOP)
    wait_until(lambda: cluster.sql(received, user="postgres").strip() == "2", timeout=FAILOVER,
               what="commits that only the other standby has")
    cluster.kill_server(old)

    wait_until(cluster.has_primary, timeout=FAILOVER, what="a primary")
    cluster.wait_for_standbys()
    rewound = [name for name, count in cluster.rewinds().items() if count > before[name]]
    assert rewound == [name for name in DATABASES if name != cluster.primary()]


def test_the_loss_of_the_primarys_machine(cluster, network, travel):
    old = cluster.primary_to_lose()
    others = [name for name in DATABASES + NODES if name != old]

    silence = network.cut([old], others) if network else contextlib.nullcontext()
    with silence, cluster.without_machine(old):
        wait_until(lambda: cluster.is_promoted(old), timeout=FAILOVER, what="another primary")
        travel.wait_for_answers(timeout=FAILOVER)


def test_the_loss_of_the_standby_for_which_commits_wait(cluster, network, travel):
    lost = cluster.synchronous_standby()
    others = [name for name in DATABASES + NODES if name != lost]

    silence = network.cut([lost], others) if network else contextlib.nullcontext()
    with silence, cluster.without_machine(lost):
        wait_until(lambda: cluster.synchronous_standby() not in (None, lost), timeout=FAILOVER,
                   what="another synchronous standby")
        travel.wait_for_answers(timeout=FAILOVER)


def test_a_primary_that_hangs(cluster, travel):
    """Regression: nodes waited for their connections to it one after the other, 40 s in all."""
    old = cluster.primary_to_lose()

    with cluster.stopped(old):
        wait_until(lambda: cluster.is_promoted(old), timeout=FAILOVER, what="another primary")
        travel.wait_for_answers(timeout=FAILOVER)


@cuts
def test_a_cut_between_a_node_and_the_databases(cluster, network, travel):
    address = network.addresses["node3"]
    connections = f"SELECT count(*) FROM pg_stat_activity WHERE client_addr = '{address}'"
    assert int(cluster.sql(connections, user="postgres")) > 0

    session = cluster.nodes[2].session(LISTS, now=None)
    patient = Member(cluster.nodes[2].socket(session.path), "Patient")

    with network.cut(["node3"], DATABASES):
        patient.ask("confirm")
        travel.wait_for_answers(timeout=FAILOVER)
        patient.closed(4503, timeout=FAILOVER)
        wait_until(lambda: cluster.sql(connections, user="postgres").strip() == "0",
                   timeout=FAILOVER, what="the end of its connections, with their locks")
        wait_until(lambda: not cluster.nodes[2].is_ready(), timeout=FAILOVER, what="503")

    wait_until(cluster.nodes[2].is_ready, timeout=FAILOVER, what="its readiness")


@cuts
def test_a_cut_between_the_primary_and_the_standbys(cluster, network, travel):
    """The nodes reach all of them: the old primary must not accept anything more, and must not take
    over again, without the new commits, when it reaches the others."""
    old = cluster.primary_to_lose()

    with network.cut([old], [name for name in DATABASES if name != old]):
        wait_until(lambda: cluster.is_promoted(old), timeout=FAILOVER, what="another primary")
        travel.wait_for_answers(timeout=FAILOVER)

    cluster.wait_for_standbys()


def test_members_are_back_five_seconds_after_the_databases():
    """How long a failover takes is Patroni's matter: it takes longer if a standby has to be set back
    before commits are answered. The times on a quiet machine are in deploy/README.md."""
    late = []
    for name, (members, databases) in SILENCES.items():
        times = (f"{name}: {statistics.median(members):.1f} s, at most {max(members):.1f} s; "
                 f"the databases {databases:.1f} s")
        print(times)
        if statistics.median(members) > (5 if name in NODE_FAULTS else databases + 5):
            late.append(times)
    assert late == []


def test_nodes_with_different_clocks_agree_on_the_time(cluster):
    """All take it from the database. The clock of the databases is that of the test."""
    begin = time.time()
    travel = Travel(cluster.nodes, members=6)
    with travel.under_way():
        travel.wait_for_answers()
    end = time.time()

    history = travel.history()
    travel.end()

    assert history.violations() == []
    times = [datetime.fromisoformat(line["at"]).timestamp() for line in history.logs[0]]
    assert begin - 2 < min(times) and max(times) < end + 2
