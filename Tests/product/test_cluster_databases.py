"""The databases of `make cluster`: a commit that was answered survives the death of the primary."""

import contextlib
import subprocess
import threading
import time

import pytest

from harness.cluster import DATABASES, FAILOVER, Cluster
from harness.definitions import LISTS
from harness.pickerd import binary, wait_until
from harness.store import stored_at


@pytest.fixture(scope="module")
def cluster():
    cluster = Cluster("--nodes", "0")
    yield cluster
    cluster.stop()


class Writer(threading.Thread):
    """Inserts numbers, each in a transaction of its own, and records the answered ones."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        cluster.sql("DROP TABLE IF EXISTS number; CREATE TABLE number (n int PRIMARY KEY)")
        self.cluster, self.answered, self.is_over = cluster, [], threading.Event()

    def run(self):
        number = 0
        while not self.is_over.is_set():
            number += 1
            try:
                self.cluster.sql(f"INSERT INTO number VALUES ({number})")
            except (ConnectionError, subprocess.TimeoutExpired):
                continue
            self.answered.append(number)

    def wait_for_more(self, count=10):
        before = len(self.answered)
        wait_until(lambda: len(self.answered) > before + count, timeout=FAILOVER, what="commits")

    def stored(self):
        return set(map(int, self.cluster.sql("SELECT n FROM number").split()))


def test_a_commit_waits_for_the_standby_that_is_promoted(cluster):
    cluster.wait_for_standbys()
    wait_until(lambda: cluster.sql("SHOW synchronous_standby_names").strip()
               == cluster.synchronous_standby(), timeout=FAILOVER, what="one standby")
    assert cluster.sql("SHOW synchronous_commit").strip() == "on"
    assert cluster.sql("SHOW fsync").strip() == "on"


@pytest.mark.parametrize("machine", [False, True], ids=["the server", "the server and Patroni"])
def test_no_answered_commit_is_lost_when_the_primary_is_killed(cluster, machine):
    cluster.wait_for_standbys()
    writer = Writer(cluster)
    writer.start()
    writer.wait_for_more()
    old = cluster.primary_to_lose()

    with cluster.without_machine(old) if machine else contextlib.nullcontext():
        if not machine:
            cluster.kill_server(old)
        wait_until(lambda: cluster.is_promoted(old if machine else None), timeout=FAILOVER,
                   what="a primary")
        writer.wait_for_more()
    writer.is_over.set()
    writer.join(120)
    assert set(writer.answered) <= writer.stored(), "no answered commit is lost"


def test_a_standby_that_lacks_answered_commits_is_not_promoted(cluster):
    """Not even if it is the only server that is left."""
    cluster.wait_for_standbys()
    old, synchronous = cluster.primary(), cluster.synchronous_standby()
    other, = set(DATABASES) - {old, synchronous}
    log = cluster.folder / f"{other}.log"
    writer = Writer(cluster)
    writer.start()
    writer.wait_for_more()

    with contextlib.ExitStack() as later:
        with cluster.stopped(other):
            writer.wait_for_more()
            later.enter_context(cluster.without(old, synchronous))
            begin = log.stat().st_size

        # Patroni has found that there is no primary, and goes on as a standby, several times.
        wait_until(lambda: log.read_bytes()[begin:].count(b"not the healthiest node") > 3,
                   timeout=FAILOVER, what="an election")
        assert not cluster.is_promoted(old)
    wait_until(lambda: cluster.is_promoted(other), timeout=FAILOVER, what="a primary")
    writer.wait_for_more()
    writer.is_over.set()
    writer.join(120)
    assert set(writer.answered) <= writer.stored(), "no answered commit is lost"


def test_tools_that_only_read_can_use_a_standby(cluster, tmp_path, monkeypatch):
    """Regression: `session is read-only`."""
    cluster.wait_for_standbys()
    monkeypatch.setenv("PGPASSFILE", cluster.words["passfile"][0])
    store = cluster.words["store"][0]
    server = stored_at(tmp_path / "log", store)
    try:
        session = server.session(LISTS)
        session.join("Ana").select(0, 1)
        standbys = [f"postgres://pickerd@{cluster.words[name][0]}/pickerd"
                    for name in DATABASES if name != cluster.primary()]
        for standby in standbys:
            wait_until(lambda standby=standby: "revision  1 of 1" in tool(
                "replay", standby, session.id).stdout, what="the standby")

        for source in (standbys[0], store.replace("read-write", "standby")):
            done = tool("backup", source, tmp_path / "copy", "--force", "--session", session.id)
            assert done.returncode == 0 and "has 1 session," in done.stdout, done
    finally:
        server.stop()


def tool(*arguments):
    return subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=180)


def test_the_passwords_are_private(cluster):
    for name in ("passfile", "pg1.d/2.yml"):
        assert (cluster.folder / name).stat().st_mode & 0o077 == 0, name
