"""The store's file: disk full, moved, locked, damaged, truncated, foreign or newer."""

import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess

import pytest

from harness.definitions import LISTS
from harness.member import Hung
from harness.pickerd import binary, wait_until
from harness.store import again, back, log_lines, stored
from harness.tools import pickerd


@pytest.fixture
def place(tmp_path):
    """Starts servers on one store and stops them after the test."""
    class Place:
        path = tmp_path / "store.sqlite"
        servers = []

        def serve(self, path=None, **rest):
            server = stored(tmp_path / "log", path or self.path, **rest)
            self.servers.append(server)
            return server

    yield Place()
    for server in Place.servers:
        if server.is_alive:
            server.kill()


def refused(path):
    """Starts a server on `path`, which must fail; its error output."""
    ended = subprocess.run(
        [binary(), "serve", "--listen", "127.0.0.1:0", "--store", f"sqlite:{path}"],
        capture_output=True, text=True, timeout=120)
    assert ended.returncode not in (0, -6, -4, -11), ended
    assert "pickerd serve: " in ended.stderr and "Fatal" not in ended.stderr, ended
    return ended.stderr


def worked(server, count=20):
    """A session with a history, and a member that has received all of it."""
    session = server.session(LISTS)
    ana = session.join("Ana")
    for n in range(1, count + 1):
        assert ana.select(n % 2, n % 4)["type"] in ("delta", "reply")
    return session, ana


def fails_and_recovers(server, session, ana, harm, heal, why):
    """Asserts that a failing store acknowledges nothing and recovers without a restart."""
    harm()
    for _ in range(400):
        ref = ana.ask_select(0, (ana.screen.columns[0]["row"] + 1) % 4)
        try:
            ana.answer(ref, timeout=60)
        except Hung:
            break
    assert ana.hung.rcvd.code == 4503, ana.hung
    assert ana.record[-1]["code"] == "unavailable", ana.record[-1]
    answer = wait_until(
        lambda: (a := server.get("/readyz")).status == 503 and a, what="a failing /readyz")
    assert any(word in answer.json["detail"] for word in why), answer.json
    assert server.create(LISTS).status == 503
    revision = ana.screen.revision
    newcomer = session.connect()
    newcomer.send({"type": "join"})
    newcomer.closed(4503)

    heal()
    wait_until(lambda: server.get("/readyz").status == 200, what="a healthy /readyz")
    came = back(session, ana)
    assert came.welcome["resumed"] and session.revision() >= revision
    assert came.select(0, (came.screen.columns[0]["row"] + 1) % 4)["type"] == "delta"
    last = came.screen.revision
    again(server)
    assert came.screen.revision == last == max(log_lines(session))
    came = back(session, came)
    assert came.welcome["resumed"]
    session.agree()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small disk")
def test_a_full_disk_is_reported_and_recovers_without_a_restart(place, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=True)
    try:
        server = place.serve(disk / "store.sqlite")
        session, ana = worked(server)

        def fill():
            with (disk / "ballast").open("wb", buffering=0) as ballast:
                try:
                    while ballast.write(bytes(1024)):
                        pass
                except OSError:
                    return

        fails_and_recovers(
            server, session, ana, fill, (disk / "ballast").unlink, ["full", "disk I/O"])
        server.stop()
    finally:
        for server in place.servers:
            if server.is_alive:
                server.kill()
        subprocess.run(["umount", "-l", disk], check=True)


def test_an_io_error_is_reported_and_recovers_without_a_restart(place):
    server = place.serve()
    session, ana = worked(server)

    def limit(data):
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (data, hard))

    _, hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    fails_and_recovers(
        server, session, ana, lambda: limit(16), lambda: limit(hard), ["full", "disk I/O"])


@pytest.mark.parametrize("suffix", ["", "-wal", ".lock"])
def test_a_moved_file_is_reported_and_nothing_is_acknowledged(place, suffix):
    server = place.serve()
    session, ana = worked(server)
    file = place.path.with_name(place.path.name + suffix)
    away = place.path.with_name("away")

    fails_and_recovers(
        server, session, ana, lambda: file.rename(away), lambda: away.rename(file),
        ["moved, removed or replaced", "was removed while"])


def test_a_moved_folder_is_reported_and_nothing_is_acknowledged(place, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    server = place.serve(folder / "store.sqlite")
    session, ana = worked(server)

    fails_and_recovers(
        server, session, ana, lambda: folder.rename(tmp_path / "away"),
        lambda: (tmp_path / "away").rename(folder), ["moved, removed or replaced"])


def test_a_store_locked_by_another_process_is_reported_after_a_wait(place):
    server = place.serve()
    session, ana = worked(server)
    other = sqlite3.connect(place.path, isolation_level=None)

    fails_and_recovers(
        server, session, ana, lambda: other.execute("BEGIN EXCLUSIVE"),
        lambda: other.execute("ROLLBACK"), ["locked"])


def test_a_second_server_on_one_store_refuses_to_start(place):
    server = place.serve()

    assert "another pickerd serves" in refused(place.path)
    assert server.get("/readyz").status == 200


def test_a_store_of_a_newer_version_is_refused(place):
    place.serve().stop()
    with sqlite3.connect(place.path) as store:
        store.execute("UPDATE store SET schema_version = schema_version + 1")

    assert "newer pickerd" in refused(place.path)


@pytest.mark.parametrize("change", [
    "UPDATE store SET schema_version = -1", "UPDATE store SET schema_version = 0",
    "DELETE FROM store"])
def test_a_store_without_a_valid_schema_number_is_refused_and_not_changed(place, change):
    """Regression: -1 ended the process with SIGILL; with the others the check found nothing."""
    place.serve().stop()
    store = sqlite3.connect(place.path, isolation_level=None)
    store.execute(change)
    store.close()
    before = place.path.read_bytes()

    checked = pickerd("serve", "--check", "--store", f"sqlite:{place.path}")

    for line in (refused(place.path), checked.complaint):
        assert (f"{place.path} is damaged (its schema has no valid number): restore a backup, or "
                "begin with a new store") in line
    assert place.path.read_bytes() == before


def test_a_store_of_a_build_before_the_first_release_is_refused_by_all_commands(place, tmp_path):
    with sqlite3.connect(place.path) as store:
        store.executescript("""
            CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
            INSERT INTO grdb_migrations VALUES ('1');
            CREATE TABLE store (only INTEGER PRIMARY KEY, batch INTEGER NOT NULL);
            CREATE TABLE session (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE);
            PRAGMA user_version = 1;
            """)
    before = place.path.read_bytes()
    url = f"sqlite:{place.path}"

    said = [refused(place.path)] + [
        done.complaint for done in (
            pickerd("serve", "--check", "--store", url),
            pickerd("backup", url, tmp_path / "copy"),
            pickerd("replay", url, "s"),
            pickerd("move", url, "postgres://nobody@127.0.0.1:1/none"))]

    for line in said:
        assert (f"{place.path} was written by a build from before the first release, which no "
                "release can read: begin with a new store, or use this one with the build that "
                "wrote it") in line, said
    assert place.path.read_bytes() == before
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("table", ["recipe (name TEXT)", "store (name TEXT, version INTEGER)"])
def test_a_database_of_another_program_is_refused_and_not_changed(place, table):
    with sqlite3.connect(place.path) as other:
        other.execute(f"CREATE TABLE {table}")
    before = place.path.read_bytes()

    assert "another program" in refused(place.path)
    assert place.path.read_bytes() == before


def test_a_file_that_is_not_a_database_is_refused_and_not_changed(place):
    place.path.write_text("Dear diary, " * 500)
    before = place.path.read_bytes()

    assert "damaged" in refused(place.path)
    assert place.path.read_bytes() == before


@pytest.mark.parametrize("ending", ["SIGTERM", "kill -9"])
@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_a_truncated_store_is_refused_complete_or_of_a_new_epoch(place, tmp_path, ending, suffix):
    server = place.serve()
    session, ana = worked(server, 60)
    if ending == "SIGTERM":
        server.stop()
    else:
        server.kill()
    names = [n for n in ("", "-wal", ".lock") if (tmp_path / f"store.sqlite{n}").exists()]
    originals = {n: (tmp_path / f"store.sqlite{n}").read_bytes() for n in names}
    if not originals.get(suffix):
        return  # A clean shutdown leaves an empty journal.
    rng = random.Random(4)
    length = len(originals[suffix])
    cuts = {0, 1, 31, 32, 33, 99, 100, 512, 4095, 4096, 4097, length - 1, length}
    cuts |= {rng.randrange(length) for _ in range(12)}
    outcomes = set()

    for cut in sorted(c for c in cuts if c <= length):
        folder = tmp_path / f"cut{cut}"
        folder.mkdir()
        for name, data in originals.items():
            (folder / f"store.sqlite{name}").write_bytes(data[:cut] if name == suffix else data)
        outcomes.add(served(place, folder / "store.sqlite", session, ana, cut))
        shutil.rmtree(folder)

    assert "whole" in outcomes and len(outcomes) > 1, outcomes


def served(place, path, session, ana, cut):
    """The state of a session after its store was cut; asserts no lost history in the same epoch."""
    try:
        server = place.serve(path)
    except AssertionError:
        assert "damaged" in refused(path), cut
        return "refused"
    answer = server.get(session.path)
    server.kill()
    if answer.status in (404, 503):
        return "gone" if answer.status == 404 else "unreadable"
    if answer.json["epoch"] != session.epoch:
        return "new epoch"
    assert answer.json["revision"] == ana.screen.revision, f"cut at {cut}: lost history, same epoch"
    return "whole"


def test_an_older_copy_gets_a_new_epoch(place, tmp_path):
    server = place.serve()
    session, ana = worked(server)
    server.stop()
    older = place.path.read_bytes()
    server.start()
    ana = back(session, ana)
    ana.select(0, (ana.screen.columns[0]["row"] + 1) % 4)
    server.stop()
    place.path.write_bytes(older)
    server.start()

    session.epoch = server.get(session.path).json["epoch"]
    assert session.epoch != ana.welcome["epoch"]
    ana.url = session.url
    came = session.back(ana)
    assert not came.welcome["resumed"] and came.id == ana.id
    session.agree()
    again(server)
    assert session.revision() == came.screen.revision, "the new epoch is stored"


def test_sigxfsz_does_not_end_the_server(place):
    server = place.serve()
    server.process.send_signal(signal.SIGXFSZ)

    assert server.get("/healthz").status == 200
