"""What a pickerd node executes for a batch of commands (SQLWriter.swift), as pgbench scripts."""

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
SETTINGS = ("-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off "
            "-c plan_cache_mode=force_generic_plan")
#: Two round trips, as a node has.
LOCKS = r"""
\startpipeline
BEGIN;
UPDATE node SET batch = batch + 1 WHERE number = 1 RETURNING batch;
SELECT id, number, entry_count, row_count, byte_count, event_sequence FROM session
WHERE id = ANY ({ids}) AND owner = 1 AND NOT ended ORDER BY id FOR NO KEY UPDATE;
\endpipeline
\startpipeline
"""
INSERT = "INSERT INTO entry (session, sequence, body) VALUES (:s{0}, nextval('entries'), :body);\n"
UPDATE = """UPDATE session SET entry_count = entry_count + 1, row_count = row_count + 1,
  byte_count = byte_count + 130, event_sequence = event_sequence, status = status,
  has_members = true, active_at = active_at + 1 WHERE number = :s{0};
"""


def array(values, type):
    return "ARRAY[" + ",".join(f"'{value}'" for value in values) + f"]::{type}[]"


def script(sessions, size, number):
    """A batch of `size` entries of as many sessions as possible."""
    rng = random.Random(number)
    chosen = sorted(rng.sample(range(sessions), min(size, sessions)))
    body = "\\x" + "7b" * ENTRY
    lines = [f"\\set s{n} {n + 1}\n" for n in chosen]
    lines.append(LOCKS.format(ids=array((f"s{n}" for n in chosen), "text")))
    lines += [INSERT.format(chosen[n % len(chosen)]).replace(":body", f"'{body}'::bytea")
              for n in range(size)]
    lines += [UPDATE.format(n) for n in chosen]
    return "".join([*lines, "COMMIT;\n\\endpipeline\n"])


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
            CREATE SEQUENCE entries CACHE 1000;
            INSERT INTO node (number, history) VALUES (1, 1);
            INSERT INTO session
              (id, epoch, origin, byte_count, ttl_seconds, active_at, rules, ordinal, owner)
              SELECT 's' || n, 'e', '', 0, 86400, 0, 1, n, 1
              FROM generate_series(0, {sessions - 1}) AS n;
            ANALYZE;
            """)

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
