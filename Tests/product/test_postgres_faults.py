"""Faults of the database that the nodes must show to their operator: /readyz and the log."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from datetime import datetime
from pathlib import Path

import pytest
from websockets.exceptions import InvalidStatus

from harness.clocks import clock_offset
from harness.definitions import LISTS
from harness.member import Hung
from harness.patience import PATIENCE
from harness.pickerd import wait_until
from harness.postgres import BINARIES, Cut, Postgres
from harness.store import again, back, stored_at

ENDED = """SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE '{}'"""


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
        assert psql.wait(PATIENCE) == 0


def test_each_line_of_the_log_is_json_when_connections_are_ended(serve, postgres, store):
    """Regression: libpq wrote the server's messages to standard error."""
    server = serve(store, options=("--log-format", "json"), clock="system")
    session = server.session(LISTS)

    for _ in range(3):
        postgres.sql(store, ENDED.format("pickerd%"))
        assert session.join("Ana").welcome

    lines = server.complete_log().splitlines()
    assert [line for line in lines if not line.startswith(("{", "pickerd "))] == []
    assert all(json.loads(line) for line in lines if line.startswith("{"))


#: The calls that wait for a lock, and since when.
WAITING = """SELECT pid || '-' || extract(epoch FROM query_start) FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'"""


def is_ready(server):
    return server.get("/readyz").status == 200


def test_a_node_is_not_ready_while_its_tables_are_locked(serve, postgres, store):
    """Regression: it said after half a second that the store was writable again."""
    server = serve(store, clock="system")
    session = server.session(LISTS)
    ana = session.join("Ana")

    with holding(store, "BEGIN", "LOCK TABLE pickerd.session IN EXCLUSIVE MODE"):
        ana.ask("confirm")
        ana.closed(4503)
        attempts = set()

        def has_tried_again():
            assert b"does not answer" in server.get("/readyz").body
            attempts.update(postgres.sql(store, WAITING).split())
            return len(attempts) > 2

        wait_until(has_tried_again, what="more attempts of the node")
    wait_until(lambda: is_ready(server), what="its readiness")


def test_a_database_that_hangs_and_is_replaced_is_not_waited_for(own_postgres, tmp_path):
    """Regression: sessions could not be loaded for 30 s after a hung primary was replaced."""
    store = own_postgres.database()
    maker = stored_at(tmp_path / "maker.log", store, clock="system")
    one, other = (maker.session(LISTS, now=None) for _ in range(2))
    maker.stop()
    cut = Cut(store, tmp_path)
    server = stored_at(tmp_path / "log", cut.store, clock="system")
    try:
        assert server.get(one.path).status == 200, "a connection has loaded it"

        cut.hang()
        own_postgres.crash()
        own_postgres.start()

        # The node finds that out after five seconds.
        request = server.connection()
        request.request("GET", other.path)
        assert request.getresponse().status == 200
    finally:
        server.stop()
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

    failed = 0
    for number in range(400):
        try:
            ana = session.join("Ana")
            ana.select(0, number % 2 + 1)
        except (AssertionError, Hung, InvalidStatus):
            failed += 1
    assert failed and b"No space left on device" in server.get("/readyz").body
    ballast.unlink()
    wait_until(lambda: is_ready(server), what="its readiness")

    server.stop()
    assert server.log.read_text().count("is writable again") == 1


def test_the_clock_of_the_databases_machine_does_not_matter(tmp_path):
    """Regression: times of a session went back when another machine became the primary."""
    # PostgreSQL's user may not read `tmp_path`.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        database = Postgres(variables=[
            f"LD_PRELOAD={clock_offset(Path(folder))}", "CLOCK_OFFSET_SECONDS=7200"])
    begin = time.time()
    store = database.database()
    server = stored_at(tmp_path / "log", store, clock="system")
    try:
        session = server.session(LISTS, now=None, ttlSeconds=3600)
        ana = session.join("Ana")
        ana.select(0, 1)
        now = float(database.sql(store, "SELECT extract(epoch FROM now())"))
        again(server)

        ana = back(session, ana)
        at = ana.select(0, 2)["at"]

        assert now > begin + 7000, "the database's clock differs"
        assert begin - 1 < datetime.fromisoformat(at).timestamp() < time.time() + 1
    finally:
        server.stop()
        database.stop()
