"""`pickerd backup` of a PostgreSQL database, and servers of the file that it writes."""

import json
import random
import sqlite3
import subprocess

import pytest

from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.pickerd import binary
from harness.store import KINDS, log_lines, random_command, stored_at


@pytest.fixture
def store(postgres):
    return postgres.database()


@pytest.fixture
def served(tmp_path):
    """Starts servers: `served(store)`."""
    servers = []

    def begin(store):
        servers.append(stored_at(tmp_path / f"log{len(servers)}", store, clock=None))
        return servers[-1]

    yield begin
    for server in servers:
        server.stop()


def feed(server):
    """The events, without their epochs."""
    lines = server.get("/v1/feed", port=server.admin_port).body.splitlines()
    return [{**json.loads(line), "epoch": ""} for line in lines]


def log(session):
    """The log, without its epoch."""
    lines = log_lines(session)
    del lines[1]["session"]["epoch"]
    return lines


def test_a_backup_can_be_served_from_a_file(served, store, tmp_path):
    server, rng = served(store), random.Random(1)
    sessions = [server.session(kind, external=f"order {n}") for n, kind in enumerate(KINDS)]
    for session in sessions:
        ana = session.join("Ana")
        for ref in range(1, 20):
            ana.send({**random_command(ana, rng), "ref": ref})
            ana.answer(ref)
    before = [(log(session), session.get()) for session in sessions]

    done = backup(store, tmp_path / "copy")

    assert done.returncode == 0, done.stderr
    assert f"has {len(sessions)} sessions," in done.stdout and "pg_basebackup" in done.stdout
    assert [path.name for path in tmp_path.glob("copy*")] == ["copy"], "a single file"
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o600
    copy = served(f"sqlite:{tmp_path}/copy")
    for session, (lines, state) in zip(sessions, before):
        session.server = copy
        now = copy.get(session.path).json
        assert log(session) == lines
        assert (now["revision"], now["snapshot"]) == (state["revision"], state["snapshot"])
        assert now["epoch"] != state["epoch"], "clients discard what the copy does not have"
    assert len(feed(copy)) >= len(KINDS) and feed(copy) == feed(server)
    taken = copy.create(LISTS, external="order 1")
    assert (taken.status, taken.code) == (409, "externalTaken")


def test_a_backup_of_one_session(served, store, tmp_path):
    server = served(store)
    wanted, other = server.session(LISTS), server.session(LISTS)
    wanted.join("Ana").select(0, 1)

    done = backup(store, tmp_path / "copy", "--session", wanted.id)

    assert done.returncode == 0 and "has 1 session," in done.stdout, done
    copy = served(f"sqlite:{tmp_path}/copy")
    assert copy.get(wanted.path).json["revision"] == 1
    assert copy.get(other.path).status == 404 and feed(copy) == []


def test_backups_that_fail_are_explained_and_leave_no_file(served, store, postgres, tmp_path):
    empty, new = postgres.database(), tmp_path / "x"
    served(store)
    (tmp_path / "there").write_text("precious")
    for status, *arguments in (
            (66, empty, new), (66, store.replace("/store", "/none"), new),
            (66, store, new, "--session", "none"), (73, store, tmp_path / "no" / "x"),
            (73, store, tmp_path), (73, store, tmp_path / "there"),
            (64, f"sqlite:{tmp_path}/s", new, "--session", "none")):
        done = backup(*arguments)
        assert done.returncode == status and done.stderr, (arguments, done)
        assert not list(tmp_path.glob("x*"))
    assert (tmp_path / "there").read_text() == "precious"


def backup(*arguments):
    return subprocess.run(
        [binary(), "backup", *arguments], capture_output=True, text=True, timeout=PATIENCE)


def test_moves_that_fail_are_explained_and_leave_nothing(store, postgres, tmp_path):
    """Regression: they left a lock beside the file, and tables in the database."""
    tmp_path.joinpath("text").write_text("precious")
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE song (name)")
    before = sorted(path.name for path in tmp_path.iterdir())

    for name, words in (("text", "is not a pickerd store"), ("other", "is not a pickerd store"),
                        ("none", "there is no file")):
        done = move(tmp_path / name, store)
        assert done.returncode == 69 and words in done.stderr, done

    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert postgres.sql(store, "SELECT to_regnamespace('pickerd') IS NULL").strip() == "t"


def move(path, store):
    return subprocess.run(
        [binary(), "move", f"sqlite:{path}", store], capture_output=True, text=True,
        timeout=PATIENCE)


def test_a_target_may_be_written_like_a_store(served, store, tmp_path):
    """Regression: the file had the name `sqlite:…`."""
    served(store).session(LISTS)

    done = backup(store, f"sqlite:{tmp_path}/copy")
    refused = backup(store, store)

    assert done.returncode == 0 and f"{tmp_path}/copy has 1 session," in done.stdout, done
    assert tmp_path.joinpath("copy").exists()
    assert refused.returncode == 64 and "pickerd move" in refused.stderr, refused
