"""pickerd on PostgreSQL with standbys behind HAProxy: what members see when programs are killed.

Requests of one session go to one node, and to another one when that is killed.
"""

import os
import signal

import pytest

from harness.cluster import Cluster
from harness.pickerd import wait_until
from harness.travellers import Travel
from test_cluster_databases import FAILOVER, is_promoted


@pytest.fixture(scope="module")
def cluster():
    cluster = Cluster("--", "--limit", "messagesPerSecond=100000", "--limit", "joinsBurst=10000")
    yield cluster
    cluster.stop()


@pytest.fixture
def travel(cluster):
    """Members of one session, who send commands; afterwards, nothing must be wrong."""
    travel = Travel([cluster], members=6)
    with travel.under_way():
        yield travel
        travel.wait_for_answers(timeout=FAILOVER)
    assert travel.history().violations() == []
    travel.end()


def active(cluster):
    """The name of the node that serves."""
    for name in ("node1", "node2", "node3"):
        try:
            address = cluster.words[name][0].rpartition(":")[2]
            if cluster.get("/readyz", port=int(address)).status == 200:
                return name
        except OSError:
            continue
    return None


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["SIGKILL", "SIGTERM"])
def test_no_answered_command_is_lost_when_the_serving_node_ends(cluster, travel, number):
    node = wait_until(lambda: active(cluster), timeout=FAILOVER, what="a node that serves")
    pid = cluster.pid(node)

    os.kill(pid, number)

    wait_until(lambda: cluster.pid(node) != pid, timeout=FAILOVER, what="the same node again")
    wait_until(lambda: active(cluster), timeout=FAILOVER, what="a node that serves")


def test_no_answered_command_is_lost_when_the_primary_is_killed(cluster, travel):
    old = cluster.primary()

    os.kill(cluster.postmaster(old), signal.SIGKILL)

    wait_until(lambda: is_promoted(cluster, old), timeout=FAILOVER, what="another primary")


def test_no_answered_command_is_lost_when_the_machine_of_the_primary_is_lost(cluster, travel):
    old = cluster.primary()
    postmaster = cluster.postmaster(old)

    cluster.kill(old)
    os.kill(postmaster, signal.SIGKILL)

    wait_until(lambda: is_promoted(cluster, old), timeout=FAILOVER, what="another primary")
