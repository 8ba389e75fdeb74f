"""The backup of a PostgreSQL store by `pg_dump`, as in deploy/README.md, and `pickerd move`."""

import re
import sqlite3

from harness.definitions import LISTS
from harness.pickerd import REPOSITORY, run


def test_a_restored_dump_is_served_under_new_epochs(postgres, store, serve, tmp_path):
    handbook = (REPOSITORY / "deploy/README.md").read_text()
    renewal = re.search(r"UPDATE pickerd.store SET [^'\"]*'[^']*'", handbook)[0]
    server = serve(store, clock=None)
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1)
    ana.reach(1)
    postgres.run("pg_dump", "-d", store, "--format=custom", "--schema=pickerd",
                 f"--file={tmp_path}/dump")
    ana.select(0, 2)
    ana.reach(2)
    server.stop()

    postgres.run("pg_restore", "--clean", "--if-exists", "-d", store, f"{tmp_path}/dump")
    postgres.sql(store, renewal)
    server.start()

    session.server = server
    now = server.get(session.path).json
    assert now["revision"] == 1 and now["epoch"] != session.epoch, now
    welcome = session.connect().join(resume=ana.resume())
    assert welcome["resumed"] is False and welcome["snapshot"] == now["snapshot"]


def test_a_database_is_not_backed_up_to_a_file(store, tmp_path):
    for arguments, words in (((store, tmp_path / "copy"), "pg_dump"),
                             ((f"sqlite:{tmp_path}/s", store), "pickerd move")):
        done = run("backup", *arguments)
        assert done.returncode == 64 and words in done.stderr, done
    assert not list(tmp_path.iterdir())


def test_moves_that_fail_are_explained_and_leave_nothing(store, postgres, tmp_path):
    """Regression: they left a lock beside the file, and tables in the database."""
    tmp_path.joinpath("text").write_text("precious")
    with sqlite3.connect(tmp_path / "other") as other:
        other.execute("CREATE TABLE song (name)")
    before = sorted(path.name for path in tmp_path.iterdir())

    for name, words in (("text", "is not a pickerd store"), ("other", "is not a pickerd store"),
                        ("none", "there is no file")):
        done = run("move", f"sqlite:{tmp_path / name}", store)
        assert done.returncode == 69 and words in done.stderr, done

    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert postgres.sql(store, "SELECT to_regnamespace('pickerd') IS NULL").strip() == "t"
