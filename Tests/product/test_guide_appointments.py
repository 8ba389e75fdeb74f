"""The guide's appointment book gives a room to one patient, whatever is killed."""

import random
import re
import shutil
from collections import Counter

import pytest

from harness.pickerd import wait_until
from harness.shop import GUIDE, Practice

PATIENCE = 120
PROGRAM = (GUIDE / "appointments.py").read_text()


@pytest.fixture
def practice(tmp_path):
    practice = Practice(tmp_path)
    try:
        practice.start()
        yield practice
    finally:
        practice.kill(*practice.running)
        print(practice.logs())  # Shown if the test has failed.


def settled(practice):
    wait_until(practice.is_consistent, timeout=PATIENCE, what="visits equal to the confirmed sessions")
    rooms = Counter(one["start"] for one in practice.book()["visits"])
    assert max(rooms.values(), default=0) <= 2, "a room is given twice"


def status(member, wanted):
    return member.until(lambda m: m.screen.status == wanted, what=wanted)


def held(practice, *members):
    """These confirm the time that they see, and the practice holds it for them."""
    for member in members:
        assert member.confirm()["changes"][0]["status"] == "confirming"
    wait_until(lambda: {member.session for member in members} <= {
        session for _, session in practice.visits("held")}, timeout=PATIENCE, what="held")


def booked(practice, *members):
    held(practice, *members)
    for member in members:
        assert practice.post(member.path, do="book", reason="a cough")[0] == 303
        status(member, "confirmed")


def come(practice, *names):
    return [practice.member(practice.patient(name)) for name in names]


def last_status(member):
    changes = [change for delta in member.record if delta["type"] == "delta"
               for change in delta["changes"] if change["change"] == "status"]
    return changes[-1]


def test_the_program_is_short_and_the_page_names_its_functions():
    assert len([line for line in PROGRAM.splitlines() if line]) <= 150
    named = re.findall(r"\(`(\w+)`(?:, `(\w+)`)?\)", Practice.page.read_text())
    assert len(named) >= 8
    for name in {one for pair in named for one in pair if one}:
        assert f"def {name}(" in PROGRAM, name


def test_a_time_is_held_while_the_form_is_filled_in_and_given_back(practice):
    ana, bo, cem = come(practice, "Ana", "Bo", "Cem")
    first = ana.screen.result

    held(practice, ana, bo)

    cem.until(lambda m: m.screen.result != first, what="no room at this time")
    assert practice.post(ana.path, do="back")[0] == 303
    status(ana, "open")
    assert last_status(ana)["detail"] == "Given back."
    assert ana.screen.result == first, "the picker that gave it back still has the time"
    assert practice.post(bo.path, do="book", reason="a cough")[0] == 303
    status(bo, "confirmed")
    dora, = come(practice, "Dora")
    assert dora.screen.result == first
    settled(practice)


def test_a_closed_day_shows_everybody_the_reason_and_is_in_no_picker(practice):
    ana, bo, cem = come(practice, "Ana", "Bo", "Cem")
    day = ana.screen.result["local"][:10]
    booked(practice, ana)
    held(practice, bo)

    assert practice.post(practice.desk, do="close", day=day, reason="Dr. Weber is ill")[0] == 303

    status(ana, "cancelled"), status(bo, "open")
    assert last_status(ana)["reason"] == "Dr. Weber is ill"
    assert last_status(bo)["detail"] == "Dr. Weber is ill"
    cem.until(lambda m: m.screen.result["local"][:10] > day, what="another day")
    settled(practice)
    again = practice.member(ana.path)
    assert again.session != ana.session and again.screen.result["local"][:10] > day


def test_a_time_that_becomes_free_is_booked_for_the_first_in_the_line(practice):
    ana, bo, cem = come(practice, "Ana", "Bo", "Cem")
    start = ana.screen.result["instant"]
    booked(practice, ana, bo)
    assert practice.post(cem.path, do="wait")[0] == 303

    assert practice.post(ana.path, do="cancel")[0] == 303

    status(ana, "cancelled"), status(cem, "confirmed")
    assert cem.screen.result["instant"] == start
    settled(practice)


def test_the_desk_books_the_first_free_time_or_the_one_that_is_wanted_once(practice):
    ana, = come(practice, "Ana")
    first = ana.screen.result
    for _ in range(2):  # The same form is the same caller.
        assert practice.post(practice.desk, do="call", name="Wim", id="w" * 22)[0] == 303
    settled(practice)
    wanted = first["local"][:11] + "11:40"
    assert practice.post(practice.desk, do="call", name="Xia", id="x" * 22, time=wanted)[0] == 303
    assert practice.post(practice.desk, do="call", name="Yu", id="y" * 22, time="2018-01-01T08:00")[0] == 409
    settled(practice)
    assert {one["local"] for one in practice.book()["visits"]} == {first["local"], wanted}
    assert practice.post("/desk/guessed", do="close", day=wanted[:10], reason="x")[0] == 303
    assert practice.book()["closed"] == {}


def test_what_a_restored_backup_has_lost_is_confirmed_again(practice):
    ana, bo = come(practice, "Ana", "Bo")
    booked(practice, ana)
    practice.kill("serve")
    store = practice.folder / "pickerd.sqlite"
    backup = practice.folder / "backup"
    backup.mkdir()
    for file in practice.folder.glob("pickerd.sqlite*"):
        shutil.copy(file, backup)
    practice.start("serve")
    bo = practice.member(bo.path)
    booked(practice, bo)
    late, = come(practice, "Cem")
    booked(practice, late)
    before = {start for start, _ in practice.visits()}
    practice.kill("serve")
    for file in practice.folder.glob("pickerd.sqlite*"):
        file.unlink()
    for file in backup.iterdir():
        shutil.copy(file, practice.folder)
    assert store.exists()

    practice.start("serve")

    settled(practice)
    assert {start for start, _ in practice.visits()} == before and len(practice.confirmed()) == 3


@pytest.mark.parametrize("seed", [1, 2])
def test_visits_equal_confirmed_sessions_after_random_kills(practice, seed):
    choice = random.Random(seed)
    for _ in range(3):
        members = come(practice, "Ana", "Bo", "Cem")
        for member in members:
            member.ask("confirm")
        for member in choice.sample(members, 2):
            practice.post(member.path, do=choice.choice(["book", "back", "cancel", "wait"]), reason="x")
        victims = choice.sample(["practice", "serve"], choice.randrange(1, 3))
        practice.kill(*victims)
        practice.start(*[name for name in practice.commands if name in victims])
        wait_until(lambda: practice.book()["visits"] is not None, timeout=PATIENCE)
        for member in members:
            practice.post(member.path, do="book", reason="a cough")
        settled(practice)
        for member in members:
            member.drop()
    assert practice.visits()
