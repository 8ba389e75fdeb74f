"""The guide's hotel sells no night three times, and answers every guest, whatever is killed."""

import random
import re
from collections import Counter
from datetime import date, timedelta

import pytest

from harness.pickerd import wait_until
from harness.shop import GUIDE, Hotel

PROGRAM = (GUIDE / "hotel.mjs").read_text()


@pytest.fixture
def hotel(tmp_path):
    hotel = Hotel(tmp_path)
    try:
        hotel.start()
        yield hotel
    finally:
        hotel.kill(*hotel.running)
        print(hotel.logs())  # Shown if the test has failed.


def night(number):
    """A day that is this many nights ahead."""
    return (date.today() + timedelta(days=3 + number)).isoformat()


def choose(member, start, end):
    for day in (start, end):
        assert member.tap(night(day))["type"] == "delta"
    assert member.screen.result["nights"] == end - start
    return member


def settled(hotel):
    wait_until(hotel.is_consistent, what="stays equal to the confirmed sessions")
    sold = Counter()
    for _, start, end in hotel.stays():
        days = (date.fromisoformat(end) - date.fromisoformat(start)).days
        sold.update((date.fromisoformat(start) + timedelta(days=one)).isoformat() for one in range(days))
    assert max(sold.values(), default=0) <= 2, "a night is sold three times"
    return sold


def status(member, wanted):
    return member.until(lambda m: m.screen.status == wanted, what=wanted)


def test_the_steps_of_the_page_name_functions_of_the_program():
    steps = re.findall(r"^\d\. \*\*.*?\*\* \(`(\w+)`\)", Hotel.page.read_text(), re.M)
    assert len(steps) == 7 and all(f"function {name}(" in PROGRAM for name in steps)
    assert len(PROGRAM.splitlines()) <= 147


def test_a_walk_in_a_race_for_the_last_room_and_kills_between_all_steps(hotel):
    walk_in = {"name": "<Wim>", "arrival": night(0), "departure": night(2), "guest": "w" * 36}
    assert hotel.post(hotel.desk, **walk_in) == (200, "<!doctype html><title>The hotel</title>Booked.")
    assert "Booked." in hotel.post(hotel.desk, **walk_in)[1], "the same form is the same stay"
    assert hotel.post("/desk/guessed")[0] == 404
    ana, bo, cem = (hotel.guest(name) for name in ("Ana", "Bo", "Cem"))
    choose(ana, 0, 2), choose(bo, 1, 3), choose(cem, 2, 3)
    gone = [choose(hotel.guest(name), 5, 6) for name in ("Eve", "Finn")]
    assert ana.screen.result["total"] == {"amount": 240, "currency": "EUR"}

    hotel.kill("hotel")
    for member in (ana, bo, cem, *gone):
        assert member.confirm()["changes"][0]["status"] == "confirming"
        member.drop()
    for member in gone:
        hotel.api("DELETE", f"/v1/sessions/{member.session}")
    hotel.kill("serve")
    hotel.start()

    wait_until(lambda: hotel.outcomes().count("ended") == 2, what="deleted stays")
    sold = settled(hotel)
    # The walk-in, Cem, and of Ana and Bo the one that was decided first.
    assert sold[night(1)] == 2 and len(hotel.stays()) == 3
    winner, loser = (ana, bo) if hotel.status(ana.session) == "confirmed" else (bo, ana)
    assert [hotel.status(one.session) for one in (winner, loser, cem)] == [
        "confirmed", "open", "confirmed"]
    assert hotel.reasons(loser.session) == ["The last room has just been booked."]
    dora = hotel.guest("Dora")
    dora.tap(night(1)), dora.tap(night(2))
    dora.until(lambda m: not (m.screen.result or {"end": ""})["end"] > night(1), what="no such night")
    assert "cannot be booked" in hotel.post(hotel.desk, **{**walk_in, "guest": "x" * 36})[1]
    free = {**walk_in, "arrival": night(5), "departure": night(6), "guest": "y" * 36}
    assert "Booked." in hotel.post(hotel.desk, **free)[1], "a deleted stay is booked no more"
    again = hotel.join(cem.path)
    assert again.session == cem.session and again.reopen()["code"] == "notAllowed"


@pytest.mark.parametrize("seed", [1, 2])
def test_stays_equal_confirmed_sessions_after_random_kills(hotel, seed):
    choice = random.Random(seed)
    for _ in range(3):
        guests = [hotel.guest(name) for name in ("Ana", "Bo", "Cem", "Dora")]
        first = choice.randrange(0, 60, 3)
        for member in guests:
            start = first + choice.randrange(2)
            if member.tap(night(start))["type"] == "delta":
                member.tap(night(start + choice.randrange(1, 3)))
        asked = [(member, member.ask("confirm")) for member in guests]
        for member, ref in choice.sample(asked, choice.randrange(len(asked) + 1)):
            member.answer(ref)
        victims = choice.sample(["hotel", "serve"], choice.randrange(1, 3))
        hotel.kill(*victims)
        hotel.start(*[name for name in hotel.commands if name in victims])
        settled(hotel)
        for member in guests:
            assert hotel.status(member.session) in ("confirmed", "open")
            member.drop()
    assert hotel.stays()
