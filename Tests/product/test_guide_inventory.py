"""Runs the program of the guide's "Connect your inventory" with a table of bookings."""

import os
import sqlite3
import subprocess
import sys

import pytest

from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, wait_until

PROGRAM = REPOSITORY / "web/guide/inventory.py"
STAY = {"kind": "calendar", "months": {"from": "2026-11", "through": "2027-01"},
        "taken": {"by-hand": {"from": "2026-11-30", "through": "2026-11-30"}}}


@pytest.fixture
def bookings(tmp_path):
    """The host's database and its path."""
    path = tmp_path / "bookings.db"
    database = sqlite3.connect(path, isolation_level=None, timeout=PATIENCE)
    database.execute("CREATE TABLE bookings (id INTEGER PRIMARY KEY, first_day TEXT, last_day TEXT)")
    yield database, path
    database.close()


@pytest.fixture
def keeps_in_step():
    """Runs the guide's program for a session."""
    running = []

    def begin(path, session):
        address = f"http://127.0.0.1:{session.server.port}{session.path}"
        token = [session.tokens["owner"]] if session.tokens else []
        running.append(subprocess.Popen(
            [sys.executable, str(PROGRAM), str(path), address, *token], stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"}))
        return running[-1]

    yield begin
    for program in running:
        program.kill()
        program.wait()
        program.stderr.close()


def taken(session):
    answer = session.server.get(session.path + "/definition", token=session.tokens.get("owner"))
    return answer.json["taken"]


def test_the_program_is_short_and_needs_only_the_standard_library():
    lines = PROGRAM.read_text().splitlines()
    assert len(lines) <= 46
    imported = next(line for line in lines if line.startswith("import "))
    names = {name.strip().split(".")[0] for name in imported.removeprefix("import ").split(",")}
    assert names <= sys.stdlib_module_names


@pytest.mark.parametrize("auth", ["server", "guarded"])
def test_a_booking_shortens_a_stay_and_its_cancellation_frees_the_days(
        request, auth, bookings, keeps_in_step):
    session = request.getfixturevalue(auth).session(STAY)
    ana = session.join("Ana")
    ana.tap("2026-12-20")
    ana.tap("2026-12-27")
    database, path = bookings
    keeps_in_step(path, session)

    database.execute("INSERT INTO bookings VALUES (17, '2026-12-24', '2026-12-26')")

    ana.reach(3)
    assert session.result() == {"start": "2026-12-20", "end": "2026-12-23", "days": 4}
    assert taken(session) == {**STAY["taken"], "booking-17": {"from": "2026-12-24", "through": "2026-12-26"}}
    database.execute("UPDATE bookings SET last_day = '2026-12-24'")
    ana.reach(4)
    database.execute("DELETE FROM bookings")
    ana.reach(5)
    assert taken(session) == STAY["taken"], "entries of others remain"


def test_the_program_needs_no_stored_state_after_a_restart(server, bookings, keeps_in_step):
    session = server.session(STAY)
    database, path = bookings
    database.execute("INSERT INTO bookings VALUES (1, '2026-12-01', '2026-12-02'), (2, '2026-12-05', '2026-12-05')")
    first = keeps_in_step(path, session)
    wait_until(lambda: len(taken(session)) == 3)
    first.kill()
    first.wait()
    database.execute("DELETE FROM bookings WHERE id = 1")
    database.execute("INSERT INTO bookings VALUES (3, '2026-12-09', '2026-12-09')")

    keeps_in_step(path, session)

    wait_until(lambda: set(taken(session)) == {"by-hand", "booking-2", "booking-3"})
    assert session.revision() == 2, "one patch for all differences"


def test_a_row_that_the_picker_refuses_is_reported_and_stops_no_other(
        server, bookings, keeps_in_step):
    session = server.session(STAY)
    database, path = bookings
    good = ("2026-12-24", "2026-12-26")
    rows = [("2026-12-05", "2026-12-01"), good, (None, "2026-12-01"), ("2026-02-30", "2026-03-01")]
    database.executemany("INSERT INTO bookings (first_day, last_day) VALUES (?, ?)", rows)

    program = keeps_in_step(path, session)

    left_out = [program.stderr.readline().decode() for _ in range(3)]
    for id, line in zip((1, 3, 4), left_out, strict=True):
        assert line.startswith(f"left out booking-{id}: HTTP Error 422: PATCH http://127.0.0.1:")
        assert '"code":"badDefinition"' in line and '"detail":"' in line
    wait_until(lambda: set(taken(session)) == {"by-hand", "booking-2"})


def test_an_entry_that_is_no_object_is_left_out_too(server, monkeypatch, capsys):
    session = server.session(STAY)
    monkeypatch.syspath_prepend(str(PROGRAM.parent))
    import inventory
    good = {"from": "2026-12-24", "through": "2026-12-26"}

    inventory.step(f"http://127.0.0.1:{server.port}{session.path}",
                   {"booking-1": "2026-12-01", "booking-10": good})

    assert capsys.readouterr().err.startswith("left out booking-1: HTTP Error 422")
    assert taken(session) == {**STAY["taken"], "booking-10": good}


def test_a_refused_request_is_reported_with_its_detail(server, bookings, keeps_in_step):
    session = server.session({"kind": "columns", "columns": [["tea", "coffee"]]})
    database, path = bookings
    database.execute("INSERT INTO bookings VALUES (1, '2026-12-01', '2026-12-02')")

    line = keeps_in_step(path, session).stderr.readline().decode()

    assert line.startswith("not synchronized yet: HTTP Error 422: PATCH http://127.0.0.1:")
    assert '"code":"badDefinition"' in line and '"detail":"' in line
