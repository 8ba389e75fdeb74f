"""The figures for sizing a server: the memory of sessions."""

import tempfile
import time

from generator import generated
from scenarios import CALENDAR, Scenario
from servers import Pickerd

SLOT = {"kind": "slot", "leadMinutes": 0, "stepMinutes": 15, "days": 14}
KINDS = {"calendar": CALENDAR, "slot": SLOT}
#: Sessions without members are evicted 5 s after their creation.
EVICTION_SECONDS = 7
COUNT = 5000


def with_members(definition):
    """Bytes of memory of a session with two idle members, with their connections."""
    scenario = Scenario("members", [(COUNT, 2, False)], 0, definition)
    server = Pickerd()
    try:
        empty = server.memory()
        joined = generated(server, scenario, warm=0, closed=0, opened=0)
        most = joined["memoryEmpty"] + joined["memoryPerMember"] * joined["connections"]
        return (most - empty) / COUNT
    finally:
        server.kill()


def without_members(definition):
    """Bytes of memory of a session that nobody has joined: in memory, and on disk only."""
    server = Pickerd()
    try:
        before = server.memory()
        server.create(definition, COUNT)
        resident = (server.memory() - before) / COUNT
    finally:
        server.kill()
    with tempfile.TemporaryDirectory() as folder:
        server = Pickerd(store=f"sqlite:{folder}/store.sqlite")
        try:
            before = server.memory()
            server.create(definition, COUNT)
            time.sleep(EVICTION_SECONDS)
            server.process.terminate()
            server.process.wait(60)
            server.start()
            dormant = (server.memory() - before) / COUNT
        finally:
            server.kill()
    return resident, dormant


def sizing():
    found = {}
    for name, definition in KINDS.items():
        resident, dormant = without_members(definition)
        found[f"bytes of a {name} in memory"] = resident
        found[f"bytes of a {name} on disk"] = dormant
        found[f"bytes of a {name} with two members"] = with_members(definition)
    return found
