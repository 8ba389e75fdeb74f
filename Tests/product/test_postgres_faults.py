"""Faults of the database that the nodes must show to their operator: /readyz and the log."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from harness.definitions import LISTS
from harness.member import Hung, Member
from harness.pickerd import binary, wait_until
from harness.postgres import BINARIES, Cut
from harness.store import stored_at


@pytest.fixture
def store(postgres):
    return postgres.database()


@pytest.fixture
def start(tmp_path, store):
    """Starts nodes, which are stopped at the end."""
    nodes = []

    def begin(*options):
        nodes.append(stored_at(
            tmp_path / f"{len(nodes)}.log", store, options=options, clock="system"))
        return nodes[-1]

    yield begin
    for node in nodes:
        node.stop()


ENDED = """SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE '{}'"""

#: Takes the lock that a node needs to follow the others: it cannot connect for that. The node may
#: take it again before.
FOLLOWER_LOCKED = """DO $$ BEGIN
  WHILE NOT pg_try_advisory_lock({0}) LOOP
    PERFORM pg_terminate_backend(pid, 5000) FROM pg_locks
      WHERE locktype = 'advisory' AND granted AND classid::bigint << 32 | objid::bigint = {0};
  END LOOP;
END $$"""


@contextlib.contextmanager
def holding(store, *statements):
    """Runs statements in a connection that stays open until the end of the block."""
    with subprocess.Popen(
            [f"{BINARIES}/psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", store],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as psql:
        psql.stdin.write(";\n".join([*statements, "SELECT 'held'"]) + ";\n")
        psql.stdin.flush()
        while psql.stdout.readline() != "held\n":
            assert psql.poll() is None, "psql has failed"
        yield
        psql.stdin.close()
        assert psql.wait(60) == 0


def test_each_line_of_the_log_is_json_when_connections_are_ended(start, postgres, store):
    """Regression: libpq wrote the server's messages to standard error."""
    server = start("--log-format", "json")
    session = server.session(LISTS)

    for _ in range(3):
        postgres.sql(store, ENDED.format("pickerd%"))
        assert session.join("Ana").welcome

    lines = server.complete_log().splitlines()
    assert [line for line in lines if not line.startswith(("{", "pickerd "))] == []
    assert all(json.loads(line) for line in lines if line.startswith("{"))


def is_ready(server):
    return server.get("/readyz").status == 200


def test_a_node_is_not_ready_while_its_tables_are_locked(start, store):
    """Regression: it said after half a second that the store was writable again."""
    server = start()
    session = server.session(LISTS)
    ana = session.join("Ana")

    with holding(store, "BEGIN", "LOCK TABLE pickerd.session IN EXCLUSIVE MODE"):
        ana.ask("confirm")
        ana.closed(4503, timeout=60)
        for _ in range(20):
            assert b"does not answer" in server.get("/readyz").body
            time.sleep(0.1)
    wait_until(lambda: is_ready(server), timeout=60, what="its readiness")


def test_a_node_that_cannot_follow_the_others_is_not_ready(start, store, postgres):
    """Regression: it was ready, and its members waited without end for the others' entries."""
    one = start()
    incarnation = postgres.sql(store, "SELECT incarnation FROM pickerd.node").strip()
    two = start()
    session = one.session(LISTS, now=None)
    ana = session.join("Ana")
    ben = session.track(Member(two.socket(session.path), "Ben"))
    wait_until(lambda: len(ana.screen.members) == 2 or ana.drain(0.1), what="Ben")

    with holding(store, FOLLOWER_LOCKED.format(incarnation)):
        ben.ask_select(0, 1)
        ana.closed(4503, timeout=60)
        detail = one.get("/readyz").json["detail"]
        assert "the lock of this node is held by another connection" in detail
        assert is_ready(two)
    wait_until(lambda: is_ready(one), timeout=60, what="its readiness")
    session.back(ana).reach(1)


def test_a_node_that_was_alone_and_cannot_follow_a_new_one_is_not_ready(start, store, postgres):
    """Regression: it never noticed the new node, and its members waited without end."""
    one = start()
    incarnation = postgres.sql(store, "SELECT incarnation FROM pickerd.node").strip()
    session = one.session(LISTS, now=None)
    ana = session.join("Ana")

    with holding(store, FOLLOWER_LOCKED.format(incarnation)):
        two = start()
        ben = session.track(Member(two.socket(session.path), "Ben"))
        ben.ask_select(0, 1)
        ben.reach(1)
        ana.ask_select(1, 1)
        ana.closed(4503, timeout=60)
        assert not is_ready(one)
        assert is_ready(two)
    wait_until(lambda: is_ready(one), timeout=60, what="its readiness")


def test_a_cursor_has_its_position_at_a_node_that_is_behind(start, store, postgres):
    """Regression: the other node refused the position, and had no cursor or an older one."""
    one = start()
    incarnation = postgres.sql(store, "SELECT incarnation FROM pickerd.node").strip()
    two = start()

    def cursor(server, method, body=None):
        return server.request(method, "/v1/feed/cursors/shop", body, port=server.admin_port)

    # The first node receives nothing from the other.
    with holding(store, FOLLOWER_LOCKED.format(incarnation)):
        two.session(LISTS, now=None)
        newest = int(postgres.sql(store, "SELECT newest FROM pickerd.feed"))
        assert newest > 0
        assert cursor(one, "PUT", {"position": newest + 1}).code == "badRequest"
        assert cursor(one, "PUT", {"position": newest}).json["position"] == newest
        assert cursor(two, "GET").json["position"] == newest
        assert cursor(two, "PUT", {"position": 0}).json["position"] == 0
        assert cursor(one, "GET").json["position"] == 0
        assert cursor(two, "DELETE").status == 204
        assert cursor(one, "GET").code == "noSuchCursor"


def test_a_database_that_hangs_and_is_replaced_is_not_waited_for(own_postgres, tmp_path):
    """Regression: sessions could not be loaded for 30 s after a hung primary was replaced."""
    store = own_postgres.database()
    maker = stored_at(tmp_path / "maker.log", store, clock="system")
    one, other = (maker.session(LISTS, now=None) for _ in range(2))
    cut = Cut(store, tmp_path)
    server = stored_at(tmp_path / "log", cut.store, clock="system")
    try:
        assert server.get(one.path).status == 200, "a connection has loaded it"

        cut.hang()
        own_postgres.crash()
        own_postgres.start()

        # The node finds that out after eight seconds.
        request = server.connection(timeout=25)
        request.request("GET", other.path)
        assert request.getresponse().status == 200
    finally:
        server.stop()
        maker.stop()
        cut.close()


@pytest.fixture
def small_disk(postgres):
    """The folder of a disk of 40 MB, and a store whose database is on it."""
    if os.geteuid() != 0:
        pytest.skip("only root mounts a small disk")
    folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=40m", "tmpfs", folder]).returncode:
        folder.rmdir()
        pytest.skip("this container may not mount a small disk")
    shutil.chown(folder, "postgres")
    postgres.sql("postgres://pickerd@/postgres", f"CREATE TABLESPACE small LOCATION '{folder}'")
    postgres.run("createdb", "-D", "small", "small")
    yield folder, f"postgres://pickerd@/small?host={postgres.folder}"
    postgres.run("dropdb", "--force", "small")
    postgres.sql("postgres://pickerd@/postgres", "DROP TABLESPACE small")
    subprocess.run(["umount", folder], check=True)
    folder.rmdir()


def test_a_full_disk_of_the_database_is_logged_once(small_disk, tmp_path):
    """Regression: the node said twice a second that the store was writable again."""
    folder, store = small_disk
    server = stored_at(tmp_path / "log", store, clock="system")
    session = server.session(LISTS, now=None)
    ballast = folder / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)

    until, failed = time.monotonic() + 10, 0
    while time.monotonic() < until:
        try:
            ana = session.join("Ana")
            ana.select(0, failed % 2 + 1)
        except (AssertionError, Hung):
            failed += 1
            time.sleep(0.05)
    assert failed and b"No space left on device" in server.get("/readyz").body
    ballast.unlink()
    wait_until(lambda: is_ready(server), timeout=60, what="its readiness")

    server.stop()
    assert server.log.read_text().count("is writable again") == 1


def test_a_start_that_waits_for_another_node_says_so_and_ends_at_sigterm(start, postgres, store):
    start().stop()
    # As if a standby was promoted since.
    postgres.sql(store, "UPDATE pickerd.store SET history = split_part(history, '/', 1) || '/000000FF'")

    command = [binary(), "serve", "--store", store, "--listen", "127.0.0.1:0"]
    with subprocess.Popen(["timeout", "--signal=KILL", "60", *command],
                          stderr=subprocess.PIPE, text=True) as server:
        lines = iter(server.stderr.readline, "")
        assert any("waiting for another node" in line for line in lines)
        server.terminate()
        assert any("ended while it waited for another node" in line for line in lines)
        assert server.wait(60) > 0
