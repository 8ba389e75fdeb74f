"""What a pickerd node executes for a batch of commands (PostgresBatch.swift), as pgbench scripts."""

import os
import random
import re
import subprocess
import tempfile
from pathlib import Path

#: Bytes of an entry: those of the commands of cluster.py.
ENTRY = 130
#: Scripts with other sessions each.
SCRIPTS = 8
#: Of every connection of pickerd (PostgresConnection.swift).
SETTINGS = "-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off"
SCRIPT = r"""
\set incarnation :client_id + 1
\startpipeline
BEGIN;
WITH own AS (
  UPDATE node SET batch = batch + 1 WHERE incarnation = :incarnation AND fence = 0 RETURNING 1
)
SELECT 1 / count(*) FROM own;
SELECT count(*) FROM (
  SELECT FROM session WHERE id = ANY ({ids}) ORDER BY id FOR NO KEY UPDATE
) AS locked;
SELECT set_config('enable_hashjoin', 'on', true), set_config('enable_nestloop', 'off', true);
WITH grown AS (
  UPDATE session SET head = session.head + g.count, row_count = row_count + g.count,
    byte_count = byte_count + g.size, has_members = true, active_at = now_ms(),
    served_by = :incarnation
  FROM unnest({ids}, {epochs}, {counts}, {sizes}) AS g(id, epoch, count, size)
  WHERE session.id = g.id AND session.id = ANY ({ids}) AND session.epoch = g.epoch
    AND session.ended_at IS NULL
  RETURNING session.id, session.number, session.head - g.count AS base
), added AS (
  INSERT INTO entry (session, sequence, node, serial, body)
  SELECT grown.number, grown.base + e.number, :incarnation, e.place, e.body
  FROM unnest({entry_ids}, {numbers}, {bodies}) WITH ORDINALITY AS e(id, number, body, place)
  JOIN grown USING (id)
)
SELECT id, base FROM grown;
SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_nestloop', 'on', true);
SELECT newest FROM feed;
SELECT id, byte_count FROM session WHERE id = ANY ({ids}) AND ended_at IS NULL;
COMMIT;
\endpipeline
"""


def array(values, type):
    return "ARRAY[" + ",".join(f"'{value}'" for value in values) + f"]::{type}[]"


def script(sessions, size, number):
    """A batch of `size` entries of as many sessions as possible."""
    rng = random.Random(number)
    chosen = sorted(f"s{n}" for n in rng.sample(range(sessions), min(size, sessions)))
    entries = [chosen[n % len(chosen)] for n in range(size)]
    counts = [entries.count(name) if len(chosen) < size else 1 for name in chosen]
    body = "\\x" + "7b" * ENTRY
    return SCRIPT.format(
        ids=array(chosen, "text"), epochs=array(["e"] * len(chosen), "text"),
        counts=array(counts, "bigint"), sizes=array([n * ENTRY for n in counts], "bigint"),
        entry_ids=array(entries, "text"),
        numbers=array([n // len(chosen) + 1 for n in range(size)], "bigint"),
        bodies=array([body] * size, "bytea"))


class Inserts:
    """A database beside pickerd's, with the same tables and indexes and sessions of its own."""

    def __init__(self, store, passfile, sessions):
        self.environment = {**os.environ, "PGPASSFILE": passfile,
                            "PGOPTIONS": "-c search_path=pickerd " + SETTINGS}
        self.superuser = store.replace("pickerd@", "postgres@")
        self.run("psql", "-d", self.superuser, "-c", "CREATE DATABASE bench OWNER pickerd")
        tables = self.run("pg_dump", "-s", "-n", "pickerd", "-d", store)
        self.store = store.replace("/pickerd?", "/bench?")
        self.run("psql", "-v", "ON_ERROR_STOP=1", "-d", self.store, text=tables)
        self.run("psql", "-v", "ON_ERROR_STOP=1", "-d", self.store, text=f"""
            INSERT INTO node (incarnation, rules) SELECT generate_series(1, 8), 1;
            INSERT INTO session
              (id, epoch, origin, byte_count, ttl_seconds, active_at, rules, ordinal)
              SELECT 's' || n, 'e', '', 0, 86400, 0, 1, n
              FROM generate_series(0, {sessions - 1}) AS n;
            INSERT INTO feed DEFAULT VALUES ON CONFLICT DO NOTHING;
            ANALYZE;
            """)

    def fresh(self, name):
        """The address of an empty database."""
        for statement in (f"DROP DATABASE IF EXISTS {name} (FORCE)",
                          f"CREATE DATABASE {name} OWNER pickerd", "CHECKPOINT"):
            self.run("psql", "-d", self.superuser, "-c", statement)
        return self.store.replace("/bench?", f"/{name}?")

    def run(self, *command, text=None):
        return subprocess.run(command, input=text, capture_output=True, text=True, check=True,
                              env=self.environment).stdout

    def rate(self, sessions, size, connections, seconds):
        """Entries per second."""
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number in range(SCRIPTS):
                path = Path(folder) / f"{number}.sql"
                path.write_text(script(sessions, size, number))
                files += ["-f", path]
            done = self.run(
                "pgbench", "-n", "-M", "prepared", "-c", str(connections), "-j",
                str(connections), "-T", str(max(1, round(seconds))), *files, self.store)
        return float(re.search(r"tps = (\S+)", done)[1]) * size
