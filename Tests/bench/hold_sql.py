"""What a store executes for a batch of commands, or of holds that are refused, without pickerd.

The statements are those of SQLWriter.swift, SQLInventories.swift and SQLInventoryTable.swift: the
inventory of holds is locked and read once, and each session has an entry and a row that changes.
"""

import os
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from insert_sql import SETTINGS, array

#: Bytes of an entry with its outcome.
ENTRY = 260
NAME = "sale"
READS = [
    "SELECT name FROM inventory WHERE name = '{name}' ORDER BY name {lock}",
    "SELECT i.name, s.version, i.number, i.changed_at, i.ordinal, i.line_number, i.whole_number, "
    "i.open_count, i.booked_count FROM inventory i JOIN shared_definition s ON s.name = i.name "
    "WHERE i.name = '{name}'",
    "SELECT id, is_session, state, keys, units, holder, begun_at, ends_at, ordinal, is_over "
    "FROM inventory_claim WHERE definition = '{name}' AND {ids}",
    "SELECT key, booked, held, offered, waiting, kept_since FROM inventory_key "
    "WHERE definition = '{name}' AND key = '{key}'",
    "SELECT id, is_session FROM inventory_claim WHERE definition = '{name}' AND ends_at <= 0",
    "SELECT id, is_session, ends_at FROM inventory_unit WHERE definition = '{name}' "
    "AND key = '{key}' AND ends_at IS NOT NULL ORDER BY ends_at LIMIT 2",
]
LAST = ("SELECT min(ends_at) FROM inventory_claim WHERE definition = '{name}' "
        "AND ends_at IS NOT NULL")
UPDATE = ("UPDATE session SET entry_count = entry_count + 1, row_count = row_count + 1, "
          "byte_count = byte_count + {size}, active_at = active_at + 1 WHERE number = {number}")


def bare_transaction(store, count, key=None, turns=5):
    """Milliseconds of a transaction with `count` entries, the median of `turns`; `None` without a
    database. With a key it also reads the inventory."""
    if store.startswith("sqlite:"):
        return in_sqlite(store.removeprefix("sqlite:"), count, key, turns)
    return in_postgres(store, count, key, turns) if store.startswith("postgres:") else None


def in_sqlite(path, count, key, turns):
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA synchronous = FULL")
    sessions = database.execute(
        "SELECT number, id FROM session ORDER BY number LIMIT ?", [count]).fetchall()
    ids = "id IN (%s)" % ",".join(f"'{one}'" for _, one in sessions)
    body, took = b"{" * ENTRY, []
    for turn in range(turns):
        begun = time.monotonic()
        database.execute("BEGIN IMMEDIATE")
        for read in READS if key else []:
            database.execute(read.format(name=NAME, key=key, ids=ids, lock="")).fetchall()
        for number, _ in sessions:
            database.execute("INSERT INTO entry (session, sequence, body) VALUES (?, ?, ?)",
                             [number, 1_000_000 + turn, body])
        for number, _ in sessions:
            database.execute(UPDATE.format(size=ENTRY, number="?"), [number])
        if key:
            database.execute(LAST.format(name=NAME)).fetchall()
        database.execute("COMMIT")
        took.append(1000 * (time.monotonic() - begun))
    database.close()
    return sorted(took)[turns // 2]


def in_postgres(store, count, key, turns):
    environment = {**os.environ, "PGOPTIONS": "-c search_path=pickerd " + SETTINGS}

    def run(*command):
        return subprocess.run(command, capture_output=True, text=True, check=True,
                              env=environment).stdout

    rows = run("psql", "-At", "-F", " ", "-d", store, "-c",
               f"SELECT number, id FROM session ORDER BY number LIMIT {count}").splitlines()
    sessions = [row.split(" ", 1) for row in rows]
    ids = f"id = ANY ({array((one for _, one in sessions), 'text')})"
    reads = [read.format(name=NAME, key=key, ids=ids, lock="FOR NO KEY UPDATE")
             for read in READS if key]
    body = "'\\x" + "7b" * ENTRY + "'::bytea"
    writes = [f"INSERT INTO entry (session, sequence, body) VALUES ({number}, "
              f"nextval('entries'), {body})" for number, _ in sessions]
    writes += [UPDATE.format(size=ENTRY, number=number) for number, _ in sessions]
    script = "\n".join([
        r"\startpipeline", "BEGIN;", *(f"{one};" for one in reads), r"\endpipeline",
        r"\startpipeline", *(f"{one};" for one in writes),
        LAST.format(name=NAME) + ";" if key else "", "COMMIT;", r"\endpipeline"])
    run("psql", "-d", store, "-c", "CREATE SEQUENCE entries START 1000000")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hold.sql"
        path.write_text(script + "\n")
        # Each statement is prepared in the first transaction.
        run("pgbench", "-n", "-M", "prepared", "-t", str(1 + turns), "-f", path,
            "--log", "--log-prefix", Path(folder) / "log", store)
        log, = Path(folder).glob("log*")
        took = [int(line.split()[2]) / 1000 for line in log.read_text().splitlines()][1:]
    return sorted(took)[turns // 2]
