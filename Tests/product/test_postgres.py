"""`--store postgres://…`: a real PostgreSQL that is killed, and servers that are killed.

The rules of a store are the same as for SQLite: no acknowledged command is lost or done twice.
"""

import os
import shutil
import time
from pathlib import Path

from harness.certificates import Authority
from harness.definitions import LISTS
from harness.member import Hung
from harness.metrics import samples
from harness.patience import PATIENCE
from harness.pickerd import run, wait_until
from harness.postgres import Cut
from harness.ports import free_ports
from harness.store import again, back, log_lines


def test_a_crash_of_the_database_loses_no_acknowledged_command(own_postgres, serve):
    server = serve(own_postgres.database())
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.is_trusted = True
    ana.select(0, 1)
    ana.reach(1)

    for _ in range(30):
        began = time.monotonic()
        own_postgres.crash()
        revision = ana.screen.revision
        read = server.get(session.path)
        # Reads go on for 1.5 s, for which a busy machine may end the database.
        assert read.status == 503 or read.json["revision"] == revision
        ref = ana.ask_select(0, 2 - revision % 2 * 2)
        own_postgres.start()
        try:
            answer = ana.answer(ref)
            break
        except Hung:
            # PostgreSQL has started too late on a busy machine: commands wait for 10 s.
            assert time.monotonic() - began > 9, ana.hung
        wait_until(lambda: server.get("/readyz").status == 200)
        ana = wait_until(lambda: returned(session, ana))
    assert (answer["type"], answer["revision"]) == ("delta", revision + 1), (
        "the command has waited")
    assert len(log_lines(session)) == revision + 1


def test_a_command_is_done_once_when_the_answer_of_its_commit_is_lost(store, serve, tmp_path):
    cut = Cut(store, tmp_path)
    server = serve(cut.store)
    try:
        session = server.session(LISTS)
        ana = session.join("Ana")
        for number in range(10):
            cut.drop_next_answers()
            ref = ana.ask_select(0, number % 2 + 1)
            answer = ana.answer(ref)
            assert (answer["type"], answer["revision"]) == ("delta", number + 1), answer
        assert len(log_lines(session)) == 10
        again(server)
        assert session.revision() == 10
        assert len(log_lines(session)) == 10
    finally:
        server.stop()
        cut.close()


def test_passwords_are_not_logged():
    for store in ("postgres://pickerd:geheim@127.0.0.1:1/none", "postgres://pickerd:geheim@[/x"):
        ran = run("serve", "--store", store, "--listen", "127.0.0.1:0")
        assert ran.returncode != 0 and ran.stderr
        assert "geheim" not in ran.stderr + ran.stdout


def test_a_database_that_hangs_loses_and_repeats_nothing(own_postgres, serve):
    server = serve(own_postgres.database())
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1)
    command = {"type": "select", "column": 0, "row": 2, "ref": ana.next_ref(),
               "generation": ana.screen.columns[0]["generation"]}
    with own_postgres.stopped():
        ana.send(command)
        ana.closed(4503)
        # As the handbook says of the alerts: it is a failure, and no lag any more.
        assert samples(server, "pickerd_store_failed") == {(): 1}
        assert samples(server, "pickerd_store_lag_seconds") == {(): 0}
    wait_until(lambda: server.get("/readyz").status == 200)

    came = wait_until(lambda: returned(session, ana))
    came.send(command)
    came.answer(command["ref"])
    assert session.revision() == 2
    assert [line["ref"] for line in log_lines(session).values()] == [1, command["ref"]]


def returned(session, member):
    """The member after it has resumed; None while its session cannot be loaded."""
    try:
        return back(session, member)
    except (AssertionError, Hung, OSError):
        return None


def test_clients_resume_after_a_store_was_moved(store, serve, tmp_path):
    path = tmp_path / "store.sqlite"
    server = serve()
    session = server.session(LISTS, external="order 7")
    ana = session.join("Ana")
    ana.select(0, 1)
    ana.select(0, 2)
    lines = log_lines(session)
    refused = moved(path, store)
    server.terminate()
    server.process.wait(PATIENCE)

    copied = moved(path, store)
    server.arguments[server.arguments.index(f"sqlite:{path}")] = store
    server.start()
    came = back(session, ana)

    assert refused.returncode == 69 and "another pickerd serves" in refused.stderr
    assert copied.returncode == 0 and "has 1 session" in copied.stdout
    assert came.welcome["resumed"] and came.id == ana.id
    assert log_lines(session) == lines
    taken = server.create(LISTS, external="order 7")
    assert (taken.status, taken.code) == (409, "externalTaken")
    came.select(0, 1)


def moved(path, store):
    return run("move", f"sqlite:{path}", store)


def test_a_database_is_used_over_tls_only_with_its_name_and_authority(
        tmp_path, own_postgres, serve):
    port, = free_ports(1)
    (tmp_path / "other").mkdir()
    authority, other = Authority(tmp_path), Authority(tmp_path / "other")
    issued = authority.issue()
    own_postgres.run("createdb", "safe")
    data = Path(own_postgres.folder) / "data"
    for name, file in (("server.crt", issued.certificate), ("server.key", issued.key)):
        shutil.copy(file, data / name)
        (data / name).chmod(0o600)
        os.chown(data / name, data.stat().st_uid, data.stat().st_gid)
    for setting, value in (("ssl", "on"), ("listen_addresses", "127.0.0.1"), ("port", port)):
        own_postgres.run("psql", "-d", "safe", "-c", f"ALTER SYSTEM SET {setting} = '{value}'")
    own_postgres.crash()
    own_postgres.start()

    def store(host, root):
        return (f"postgres://pickerd@{host}:{port}/safe?sslmode=verify-full"
                f"&sslrootcert={root}&hostaddr=127.0.0.1")

    for host, root in (("localhost", other.root), ("db.example.org", authority.root)):
        ran = run("serve", "--store", store(host, root), "--listen", "127.0.0.1:0")
        assert ran.returncode == 69, ran.stderr
        assert "SSL error" in ran.stderr or "certificate" in ran.stderr, ran.stderr
    server = serve(store("localhost", authority.root))
    assert server.session(LISTS).join("Ana").select(0, 1)["type"] == "delta"


def test_replay_of_a_database_without_sessions_says_so(serve, store, postgres):
    """Regression: it reported a missing table, or that the session had ended."""
    session = serve(store).session(LISTS)
    empty = replayed(postgres.database(), session)
    postgres.sql(store, "UPDATE pickerd.store SET moving_from = 'a/1'")
    incomplete = replayed(store, session)
    postgres.sql(store, "UPDATE pickerd.store SET moving_from = NULL, schema_number = schema_number + 1")
    newer = replayed(store, session)

    assert {empty.returncode, incomplete.returncode, newer.returncode} == {66}
    assert empty.stderr.endswith(" has no sessions of pickerd\n"), empty.stderr
    assert "has an incomplete copy" in incomplete.stderr, incomplete.stderr
    assert "was written by a newer pickerd" in newer.stderr, newer.stderr


def replayed(store, session):
    return run("replay", store, session.id)
