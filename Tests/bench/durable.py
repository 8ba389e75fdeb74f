"""What storing costs: commands a second, a lone command beside a bare commit, and ten people."""

import tempfile

from generator import measure
from hold_sql import bare_transaction
from scenarios import Scenario
from servers import Pickerd, database

#: One command in flight in each session; the rates of the open loop.
CROWD = Scenario("100x1", [(100, 1, True)], 500)
LONE = Scenario("1x1", [(1, 1, True)], 100)
TEN = Scenario("1x10", [(1, 10, True)], 500)
SECONDS = 2


def measured(store, scenario):
    server = Pickerd(store=store)
    try:
        return measure(server, scenario, seconds=SECONDS)
    finally:
        server.kill()


def of_store(name, store):
    crowd = measured(store, CROWD)["closed"]
    found = {f"{name}: commands/s of 100 sessions": crowd["taps"] / crowd["seconds"],
             f"{name}: CPU µs/command": crowd["cpuPerTap"],
             f"{name}: 1 × 10 at 500 taps/s, p99 in ms":
                 measured(store, TEN)["open"]["p99"] / 1000,
             f"{name}: a lone command, p50 in ms": measured(store, LONE)["closed"]["p50"] / 1000}
    bare = bare_transaction(store, 1, turns=200)
    return found | ({} if bare is None else {f"{name}: a bare commit, p50 in ms": bare})


def durable():
    with tempfile.TemporaryDirectory() as folder, database() as postgres:
        return (of_store("memory", "memory:")
                | of_store("SQLite", f"sqlite:{folder}/store.sqlite")
                | of_store("PostgreSQL", postgres))
