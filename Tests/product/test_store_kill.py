"""kill -9 at random moments under load loses no acknowledged command.

Each restart uses another number of event loops. `make soak` does the same for longer, together with
floods and slow readers.
"""

import os
import random

import pytest

from harness import contract
from harness.listener import Listener
from harness.store import Crowd

ROUNDS = int(os.environ.get("PICKERD_KILL_ROUNDS", "6"))


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_kill_9_loses_no_acknowledged_command(engine, serve, monkeypatch, request):
    # Tens of thousands of messages: folded, but not validated against the schemas.
    monkeypatch.setattr(Listener, "is_trusted", True)
    monkeypatch.setattr(contract, "fits", lambda name, value: value)
    seed = int(os.environ.get("PICKERD_KILL_SEED", "1"))
    rng = random.Random(seed)
    server = serve(request.getfixturevalue("store") if engine == "postgres" else None)
    crowd = Crowd(server)
    for number in range(ROUNDS):
        crowd.load(rng.randint(1, 400), f"{seed}-{number}")
        server.environment["PICKERD_LOOPS"] = str(rng.randint(1, 3))
        server.start()
        if rng.random() < 0.2:
            server.kill()
            server.start()
        try:
            crowd.check()
        except AssertionError as failure:
            raise AssertionError(f"seed {seed}, round {number}: {failure}") from failure
