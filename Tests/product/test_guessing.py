"""Ids, tokens and names cannot be guessed or broken out of."""

import re
import secrets
import string
from pathlib import Path

import pytest

from websockets.exceptions import InvalidStatus

from harness.definitions import LISTS
from harness.member import dial
from harness.metrics import samples
from harness.pickerd import REPOSITORY, wait_until
from rawsocket import Raw

LETTERS = string.ascii_letters + string.digits
#: SQL and JSON that would do harm if a store pasted it into its statements.
HARMFUL = """x'); DROP TABLE entry; -- " \\" ' ; %s $1 ? \\0 {"a":1} 日本"""
SQL = re.compile(r"\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|PRAGMA|NOTIFY|LISTEN|SET) ")
#: What the sources interpolate into SQL: names of columns and tables, conditions and settings, which
#: are literals or have a ? or $1 for each value.
CONSTANTS = {
    "DormantSession.columns", "PostgresEngine.nodeLock", "SQLCopy.marks(columns.count",
    "SQLCopy.marks(row.count", "SQLCopy.names(columns", "SQLFeed.channel", "SQLWriter.columns",
    "column", "condition", 'conditions.joined(separator: " AND "', "connection.dialect.forUpdate",
    "connection.dialect.forUpdateSkippingLocked", 'connection.dialect.isAny("id", 1',
    'connection.dialect.isAny("id", 2', 'connection.dialect.isAny("id", 3',
    'connection.dialect.isAny("owner", 1',
    'connection.dialect.locking("FOR KEY SHARE"',
    "connection.dialect.randomText", 'dialect == .postgres ? " WITH (fillfactor = 50',
    'dialect == .sqlite ? "INTEGER" : "bigint"', "dialect.identity", "dialect.randomText",
    "epoch", "function", "key", "keyCount + 1", "mode.rawValue",
    'session == nil ? "" : ", session"', "owner", "parameter", "random", "table",
    "filter", "locking", "isInLine", "isNamed", "isUnused",
    "InventoryReading.isUsed", "SQLCopy.marks(keyCount",
    "SQLInventoryTable.claimColumns", "SQLInventoryTable.countColumns", "columns",
    'connection.dialect.isAny("holder", 2', 'connection.dialect.isAny("i.name", 1',
    'connection.dialect.isAny("key", 2', 'connection.dialect.isAny("name", 1',
    'connection.dialect.locking("FOR UPDATE"', "connection.dialect.values(2",
    "dialect.orderedText", "inventory(dialect", 'number == nil ? InventoryReading.isUsed : ""',
    'through == nil ? "" : "AND key <= $5"'}


def test_a_thousand_guessed_ids_find_nothing_and_are_throttled(start):
    server = start(limits={"joinsPerSecond": 5})
    session = server.session(LISTS)
    width = len(session.id)
    assert width * 5.95 >= 128, "at least 128 random bits, with 62 letters"

    guesses = ["".join(secrets.choice(LETTERS) for _ in range(width)) for _ in range(1000)]
    guesses += [session.id[:-1] + last for last in LETTERS if last != session.id[-1]]
    found = {server.get(f"/v1/sessions/{guess}").status for guess in guesses}
    refused = 0
    for guess in guesses:
        if refused == 20:
            break  # After about 70, more on a slow machine: one a second is admitted.
        try:
            dial(server.socket(f"/v1/sessions/{guess}")).close()
        except InvalidStatus as error:
            assert error.response.status_code == 429
            refused += 1

    assert found == {404} and refused == 20
    wait_until(lambda: samples(server, "pickerd_rate_limited_total")[("join",)] == refused)


def test_ten_thousand_guessed_ids_find_nothing(start):
    server = start()
    ids = {server.session(LISTS).id for _ in range(100)}
    width, each = len(next(iter(ids))), 500

    with Raw(("127.0.0.1", server.port)) as raw:
        for _ in range(10_000 // each):
            guesses = {secrets.token_urlsafe(width)[:width] for _ in range(each)} - ids
            raw.send(b"".join(
                f"GET /v1/sessions/{guess} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
                for guess in guesses))
            assert {raw.response()[0] for _ in guesses} == {404}


def test_statements_have_no_values_from_outside():
    interpolated = set()
    for path in (REPOSITORY / "Sources").rglob("*.swift"):
        for literal in re.findall(r'"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"', path.read_text(), re.S):
            if SQL.search("".join(literal)):
                interpolated |= set(re.findall(r"\\\((.*?)\)", "".join(literal)))

    assert interpolated == CONSTANTS


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_harmful_text_in_every_field_is_stored_as_text(kind, serve, request):
    server = serve(request.getfixturevalue("store") if kind == "postgres" else None)
    session = server.session(LISTS, title=HARMFUL, external=HARMFUL[:60])
    ana = session.join(HARMFUL[:60])
    ana.select(0, 1)

    server.kill()
    server.start()
    got = session.get()

    assert got["title"] == HARMFUL and got["external"] == HARMFUL[:60]
    assert got["members"][0]["name"] == HARMFUL[:60] and got["revision"] == 1


def test_each_listener_is_bound_to_its_address_only(start):
    server = start()

    rows = [line.split() for name in ("tcp", "tcp6")
            for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]

    listening = "0A"
    for port in (server.port, server.admin_port):
        assert [row[1] for row in rows if row[3] == listening and row[1].endswith(
            f":{port:04X}")] == [f"0100007F:{port:04X}"]
