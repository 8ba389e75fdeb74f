"""The guide's appointment book gives a room to one patient, whatever is killed."""

import random
import re
from collections import Counter

import pytest

from harness.pickerd import wait_until
from harness.shop import GUIDE, Practice, started

PROGRAM = (GUIDE / "appointments.py").read_text()


@pytest.fixture
def practice(tmp_path):
    yield from started(Practice(tmp_path))


def settled(practice):
    wait_until(practice.is_consistent, what="visits equal to the confirmed sessions")
    bookings = practice.api("GET", "/v1/definitions/practice/bookings?limit=1000").json["bookings"]
    assert {(one["keys"][0], one["session"]) for one in bookings if "session" in one} == practice.visits()
    rooms = Counter(start for start, _ in practice.visits())
    assert max(rooms.values(), default=0) <= 2, "a room is given twice"


def status(member, wanted):
    return member.until(lambda m: m.screen.status == wanted, what=wanted)


def hold(member, state):
    return member.until(lambda m: (m.screen.taking.get("hold") or {}).get("state") == state, what=state)


def held(*members):
    for member in members:
        assert member.do("hold")["type"] == "delta"


def book(practice, member):
    """Sends the form of a time that is held or offered."""
    return practice.post(member.path, do="book", reason="a cough", start=member.screen.result["instant"])[0]


def booked(practice, *members):
    held(*members)
    for member in members:
        assert book(practice, member) == 303
        status(member, "confirmed")


def come(practice, *names):
    return [practice.member(practice.patient(name)) for name in names]


def last_status(member):
    changes = [change for delta in member.record if delta["type"] == "delta"
               for change in delta["changes"] if change["change"] == "status"]
    return changes[-1]


def test_the_program_is_short_and_the_page_names_its_functions():
    assert len(PROGRAM.splitlines()) <= 129
    named = re.findall(r"\(`(\w+)`\)", Practice.page.read_text())
    assert len(named) >= 8
    for name in named:
        assert f"def {name}(" in PROGRAM, name


def test_a_time_is_held_while_the_form_is_filled_in_and_given_back(practice):
    ana, bo, cem = come(practice, "Ana", "Bo", "Cem")
    first = ana.screen.result
    assert ana.confirm()["code"] == "notAllowed", "only the practice confirms"

    held(ana, bo)

    cem.until(lambda m: m.screen.result != first, what="no room at this time")
    assert ana.do("release")["type"] == "delta"
    assert book(practice, bo) == 303
    status(bo, "confirmed")
    wait_until(lambda: come(practice, "Dora")[0].screen.result == first, what="a room at this time")
    booked(practice, ana)
    assert practice.post(cem.path, do="book", reason="x", start=first["instant"])[0] == 409
    settled(practice)
    assert practice.book()["patients"][bo.path.removeprefix("/patients/")]["why"] == "a cough"


def test_a_closed_day_shows_everybody_the_reason_and_is_in_no_picker(practice):
    ana, bo, cem = come(practice, "Ana", "Bo", "Cem")
    day = ana.screen.result["local"][:10]
    booked(practice, ana)
    held(bo)

    assert practice.post(practice.desk, do="close", day=day, reason="Dr. Weber is ill")[0] == 303

    status(ana, "cancelled")
    assert last_status(ana)["reason"] == "Dr. Weber is ill"
    for member in (bo, cem):
        member.until(lambda m: m.screen.result["local"][:10] > day, what="another day")
    assert not bo.screen.taking.get("hold")
    settled(practice)
    wait_until(lambda: "Dr. Weber is ill" in practice.post(ana.path)[1], what="the reason on the page")
    again = practice.member(ana.path)
    assert again.session != ana.session and again.screen.result["local"][:10] > day


def test_a_time_that_becomes_free_is_offered_to_the_first_in_the_line(practice):
    ana, bo, cem = come(practice, "Ana", "Bo", "Cem")
    start = ana.screen.result["instant"]
    booked(practice, ana, bo)
    assert practice.post(cem.path, do="wait", start=start)[0] == 303
    assert "Wait for " not in practice.post(cem.path)[1]

    assert practice.post(ana.path, do="cancel")[0] == 303

    status(ana, "cancelled"), hold(cem, "offered")
    assert cem.screen.result["instant"] == start
    dora, = come(practice, "Dora")
    assert dora.screen.result["instant"] != start and "Wait for " in practice.post(dora.path)[1]
    assert book(practice, cem) == 303
    status(cem, "confirmed")
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
    assert {one["local"] for one in practice.book()["visits"].values()} == {first["local"], wanted}
    page = practice.post(practice.desk)[1]
    session = re.search(r'name="session" value="([^"]+)"', page)[1]
    assert practice.post(practice.desk, do="cancel", session=session, reason="x")[0] == 303
    wait_until(lambda: len(practice.visits()) == 1, what="one visit")
    assert practice.post("/desk/guessed", do="close", day=wanted[:10], reason="x")[0] == 303
    assert practice.book()["closed"] == {}


def test_what_a_restored_backup_has_lost_is_confirmed_again(practice):
    ana, bo = come(practice, "Ana", "Bo")
    booked(practice, ana)
    settled(practice)
    practice.kill("serve")
    practice.copy_store()
    practice.start("serve")
    bo = practice.member(bo.path)
    booked(practice, bo)
    late, = come(practice, "Cem")
    booked(practice, late)
    settled(practice)
    before = {start for start, _ in practice.visits()}
    practice.kill("serve")
    practice.restore_store()

    practice.start("serve")

    wait_until(lambda: len(practice.confirmed()) == 3, what="three visits")
    settled(practice)
    assert {start for start, _ in practice.visits()} == before


def test_visits_equal_confirmed_sessions_after_random_kills(practice):
    choice = random.Random(1)
    for _ in range(3):
        members = come(practice, "Ana", "Bo", "Cem")
        for member in members:
            member.ask("hold")
        for member in choice.sample(members, 2):
            practice.post(member.path, do=choice.choice(["book", "wait", "cancel"]), reason="x",
                          start=member.screen.result["instant"])
        practice.again(*choice.sample(["practice", "serve"], choice.randrange(1, 3)))
        for member in members:
            start = member.screen.result["instant"]
            wait_until(lambda: practice.post(
                member.path, do="book", reason="a cough", start=start)[0] in (303, 409))
        settled(practice)
        for member in members:
            member.drop()
    assert practice.visits()
