"""pickerd with exactly the role of deploy/postgres.sql, which can do nothing else."""

import subprocess

import pytest

from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY
from harness.postgres import BINARIES, Postgres
from harness.store import again, back, log_lines, stored_at


@pytest.fixture(scope="module")
def database():
    """A database server with the database of pickerd, and with data of others."""
    server = Postgres(administrator="postgres")
    try:
        server.run("psql", "-X", "-v", "ON_ERROR_STOP=1", "-d", "postgres", "-f",
                   str(REPOSITORY / "deploy/postgres.sql"))
        administer(server, "pickerd", "CREATE SCHEMA other")
        administer(server, "pickerd", "CREATE TABLE other.secret AS SELECT 1 AS number")
        administer(server, "pickerd", "CREATE ROLE stranger LOGIN")
        server.run("createdb", "shop")
        administer(server, "shop", "CREATE TABLE orders AS SELECT 1 AS number")
        yield server
    finally:
        server.stop()


def administer(server, database, statement):
    server.run("psql", "-X", "-v", "ON_ERROR_STOP=1", "-d", database, "-c", statement)


def attempt(server, statement, database="pickerd", user="pickerd"):
    """Runs a statement as a role; on an error, standard error has its SQLSTATE."""
    return subprocess.run(
        [f"{BINARIES}/psql", "-X", "-At", "-v", "VERBOSITY=sqlstate", "-h", server.folder, "-U",
         user, "-d", database, "-c", statement], capture_output=True, text=True, timeout=PATIENCE)


def store(server):
    return f"postgres://pickerd@/pickerd?host={server.folder}"


def test_two_servers_a_restart_and_a_backup_need_no_other_privilege(database, tmp_path):
    one = stored_at(tmp_path / "one", store(database))
    two = stored_at(tmp_path / "two", store(database))
    try:
        session = one.session(LISTS, title="Lunch")
        ana = session.join("Ana")
        ana.select(0, 1)
        ana.reach(1)
        assert two.get(session.path).status == 503, "without --node-listen"
        again(one)
        ana = back(session, ana)
        ana.select(0, 2)
        ana.reach(2)
        assert len(log_lines(session)) == 2
        subprocess.run(
            [f"{BINARIES}/pg_dump", "-d", store(database), "--schema=pickerd",
             f"--file={tmp_path}/dump"], check=True, timeout=PATIENCE)
        one.stop()
        assert two.get(session.path).json["revision"] == 2
        assert two.delete(session.path).status == 204
    finally:
        one.stop()
        two.stop()


def test_the_role_has_no_attributes_and_is_in_no_other_role(database):
    found = attempt(database, """
        SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, rolinherit,
          (SELECT count(*) FROM pg_auth_members WHERE member = pg_roles.oid)
        FROM pg_roles WHERE rolname = current_user""")
    assert found.stdout.strip() == "f|f|f|f|f|f|0", found.stderr


FORBIDDEN = [
    "CREATE ROLE evil", "ALTER ROLE pickerd SUPERUSER", "CREATE DATABASE evil",
    "CREATE SCHEMA evil", "CREATE TABLE public.evil (x int)", "CREATE TEMP TABLE evil (x int)",
    "SELECT * FROM other.secret", "CREATE TABLE other.evil (x int)",
    "SELECT rolpassword FROM pg_authid", "SELECT pg_read_file('PG_VERSION')",
    "COPY (SELECT 1) TO PROGRAM 'true'", "COPY (SELECT 1) TO '/tmp/evil'",
    "CREATE FUNCTION pickerd.evil() RETURNS int LANGUAGE c AS 'libc.so.6', 'getpid'",
    "ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()", "SELECT pg_switch_wal()",
    "SET session_replication_role = replica", "DROP SCHEMA public", "DROP DATABASE shop",
]


@pytest.mark.parametrize("statement", FORBIDDEN)
def test_the_role_may_not(database, statement):
    refused = attempt(database, statement)
    insufficient_privilege = "42501"
    assert refused.returncode != 0 and insufficient_privilege in refused.stderr, refused


def test_the_role_cannot_read_the_tables_of_another_database(database):
    refused = attempt(database, "SELECT * FROM orders", database="shop")
    assert refused.returncode != 0 and "42501" in refused.stderr, refused


def test_another_role_cannot_connect_to_the_database(database):
    refused = attempt(database, "SELECT 1", user="stranger")
    assert refused.returncode != 0 and "permission denied for database" in refused.stderr, refused
