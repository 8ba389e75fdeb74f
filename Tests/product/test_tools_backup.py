"""`pickerd backup` on a running server, and clients of a server started from the backup."""

import contextlib
import shutil
import sqlite3
import threading

import pytest

from harness.definitions import LISTS, TREE
from harness.patience import PATIENCE
from harness.tools import pickerd, replay

MANY = {"messagesPerSecond": 100_000}


@pytest.fixture
def store(tmp_path):
    return tmp_path / "pickerd.sqlite"


def serve(start, store):
    return start(limits=MANY, options=["--store", f"sqlite:{store}"])


def put_back(copy, store):
    """The procedure of deploy/README.md: replaces the store and its journal with the copy."""
    for suffix in ("", "-wal", "-shm"):
        store.with_name(store.name + suffix).unlink(missing_ok=True)
    shutil.copy(copy, store)


class Busy:
    """Sends selects to several sessions until `stop()`."""

    def __init__(self, sessions):
        self.members = [session.join("Ana") for session in sessions]
        self.goes_on = threading.Event()
        self.problem = None
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        n = 0
        try:
            while not self.goes_on.is_set():
                n += 1
                for member in self.members:
                    member.select(0, n % 4)
        except Exception as problem:  # reported by stop()
            self.problem = problem

    def stop(self):
        self.goes_on.set()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()
        assert self.problem is None, self.problem


def test_a_reader_of_a_backup_cannot_sign_tickets(start, store, tmp_path):
    def key(path):
        with contextlib.closing(sqlite3.connect(path)) as file:
            return file.execute("SELECT ticket_key FROM store").fetchone()[0]

    serve(start, store)
    copy = tmp_path / "copy.sqlite"

    assert pickerd("backup", f"sqlite:{store}", copy).status == 0

    assert len(key(store)) == len(key(copy)) == 64
    assert key(store) != key(copy)


def test_a_backup_under_load_is_a_consistent_snapshot(start, store, tmp_path):
    server = serve(start, store)
    sessions = [server.session(LISTS) for _ in range(5)]
    busy = Busy(sessions)
    copies = []
    for n in range(3):
        copies.append(tmp_path / f"copy-{n}.sqlite")
        done = pickerd("backup", f"sqlite:{store}", copies[-1])
        assert done.status == 0 and "5 sessions" in done.output, done
    busy.stop()

    for copy in copies:
        revisions = []
        for session in sessions:
            done = replay(f"sqlite:{copy}", session.id, "--json")
            assert done.status == 0, done
            revisions.append(done.json["lastRevision"])
            now = replay(
                f"sqlite:{store}", session.id, "--json", "--at", revisions[-1])
            assert now.json["state"]["snapshot"] == done.json["state"]["snapshot"]
        # Each round selects in one session after the other, so revisions differ by one at most.
        assert max(revisions) - min(revisions) <= 1, revisions
        assert revisions == sorted(revisions, reverse=True), revisions
    left = [path.name for path in tmp_path.iterdir() if path.name.startswith("copy")]
    assert sorted(left) == [copy.name for copy in copies], "each backup is a single file"


def test_a_restored_backup_has_a_new_epoch(start, store, tmp_path):
    server = serve(start, store)
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1)
    bo.reach(1)
    behind = bo.resume(0)
    assert pickerd("backup", f"sqlite:{store}", tmp_path / "copy").status == 0
    ana.select(0, 0)
    ana.select(0, 1)
    assert ana.screen.revision == 3
    server.stop()
    put_back(tmp_path / "copy", store)

    server.start()
    session.server, path = server, session.path

    now = server.get(path).json
    assert (now["revision"], now["snapshot"]["result"]["keys"][0]) == (1, "Sichuan")
    assert now["epoch"] != session.epoch
    ahead = session.connect()
    welcome = ahead.join(resume=ana.resume())
    assert (welcome["resumed"], welcome["revision"]) == (False, 1)
    assert welcome["snapshot"] == now["snapshot"]
    assert welcome["member"]["id"] == ana.id, "members are restored"
    late = session.connect()
    welcome = late.join(resume=behind)
    assert (welcome["resumed"], welcome["epoch"]) == (False, now["epoch"])
    assert "snapshot" in welcome and welcome["member"]["id"] == bo.id
    late.greatest = 50
    late.select(0, 0)
    ahead.reach(2)
    assert replay(f"sqlite:{store}", session.id).status == 0
    server.stop()

    server.start()
    again = server.get(path).json
    assert (again["epoch"], again["revision"]) == (now["epoch"], 2), "the epoch changes only once"


def test_existing_files_are_replaced_only_with_force(start, store, tmp_path):
    server = serve(start, store)
    server.session(LISTS)
    copy = tmp_path / "copy"
    copy.write_text("precious")

    refused = pickerd("backup", f"sqlite:{store}", copy)
    assert refused.status == 73 and "--force" in refused.complaint
    assert copy.read_text() == "precious"
    assert pickerd("backup", f"sqlite:{store}", copy, "--force").status == 0
    assert replay(f"sqlite:{copy}", "nobody").status == 66, "the copy is a store"


def test_the_journal_of_a_store_that_is_not_there_is_not_applied_to_a_backup(start, store, tmp_path):
    serve(start, store).session(LISTS)
    other = tmp_path / "killed.sqlite"
    killed = serve(start, other)
    killed.session(LISTS)
    killed.kill()
    other.unlink()

    done = pickerd("backup", f"sqlite:{store}", f"sqlite:{other}")

    assert done.status == 73 and "killed.sqlite-wal" in done.complaint, done
    assert not other.exists()
