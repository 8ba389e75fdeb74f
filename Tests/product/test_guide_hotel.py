"""The guide's hotel sells no night three times, and answers every guest, whatever is killed."""

import json
import random
import re
from collections import Counter
from datetime import date, timedelta

import pytest

from harness.pickerd import wait_until
from harness.shop import GUIDE, Hotel, started

PROGRAM = (GUIDE / "hotel.mjs").read_text()


@pytest.fixture
def hotel(tmp_path):
    yield from started(Hotel(tmp_path))


def night(number):
    """A day that is this many nights ahead."""
    return (date.today() + timedelta(days=3 + number)).isoformat()


def choose(member, start, end):
    for day in (start, end):
        assert member.tap(night(day))["type"] == "delta"
    assert member.screen.result["nights"] == end - start
    return member


def nights(start, end):
    days = (date.fromisoformat(end) - date.fromisoformat(start)).days
    return [(date.fromisoformat(start) + timedelta(days=one)).isoformat() for one in range(days)]


def settled(hotel):
    """Each confirmed session is a stay in the books and a booking; how often each night is sold."""
    wait_until(hotel.is_consistent, what="stays equal to the confirmed sessions")
    assert hotel.booked() == {
        (session, start, len(nights(start, end))) for session, start, end in hotel.confirmed()}
    sold = Counter(night for _, start, end in hotel.stays() for night in nights(start, end))
    assert max(sold.values(), default=0) <= 2, "a night is sold three times"
    return sold


def hold(member, state):
    return member.until(lambda m: m.screen.taking.get("hold", {}).get("state") == state, what=state)


def test_the_steps_of_the_page_name_functions_of_the_program():
    steps = re.findall(r"^\d\. \*\*.*?\*\* \(`(\w+)`\)", Hotel.page.read_text(), re.M)
    assert len(steps) == 5 and all(f"function {name}(" in PROGRAM for name in steps)
    assert len(PROGRAM.splitlines()) <= 120


def test_the_last_room_is_held_waited_for_and_offered_while_the_hotel_is_down(hotel):
    walk_in = {"name": "<Wim>", "arrival": night(0), "departure": night(2), "guest": "w" * 36}
    assert hotel.post(hotel.desk, **walk_in) == (200, "<!doctype html><title>The hotel</title>Booked.")
    assert "Booked." in hotel.post(hotel.desk, **walk_in)[1], "the same form is the same stay"
    assert hotel.post("/desk/guessed")[0] == 404
    ana, bo, cem = (hotel.guest(name) for name in ("Ana", "Bo", "Cem"))
    choose(ana, 0, 2), choose(bo, 1, 3), choose(cem, 2, 3)
    assert ana.screen.result["total"] == {"amount": 240, "currency": "EUR"}

    hotel.kill("hotel")
    assert ana.do("hold")["type"] == "delta"
    assert bo.confirm()["code"] == "held"
    assert bo.do("wait", keys=[night(1), night(2)])["type"] == "delta"
    assert cem.confirm()["type"] == "delta"
    ana.do("release")
    hold(bo, "offered")
    assert (bo.screen.result["start"], bo.screen.result["end"]) == (night(1), night(3))
    assert bo.confirm()["type"] == "delta"
    hotel.kill("serve")
    hotel.start()

    sold = settled(hotel)
    assert (sold[night(0)], sold[night(1)], sold[night(2)]) == (1, 2, 2)
    assert "cannot be booked" in hotel.post(hotel.desk, **{**walk_in, "guest": "x" * 36})[1]
    again = hotel.join(cem.path)
    assert again.session == cem.session and again.reopen()["code"] == "notAllowed"


def test_the_house_cancels_a_stay_and_its_nights_go_to_the_waiting_list(hotel):
    ana, bo, cem = (hotel.guest(name) for name in ("Ana", "Bo", "Cem"))
    for member in (ana, bo):
        assert choose(member, 5, 7).confirm()["type"] == "delta"
    assert cem.do("wait", keys=[night(5)])["type"] == "delta"
    settled(hotel)

    body = json.dumps({"type": "cancel", "reason": {"en": "The pipes have burst"}}).encode()
    assert hotel.api("POST", f"/v1/sessions/{ana.session}/commands", body).json["type"] == "delta"

    ana.until(lambda m: m.screen.status == "cancelled", what="cancelled")
    assert hold(cem, "offered").confirm()["type"] == "delta"
    sold = settled(hotel)
    assert (sold[night(5)], sold[night(6)]) == (2, 1)


def test_stays_that_a_restored_backup_has_lost_are_booked_again(hotel):
    ana = choose(hotel.guest("Ana"), 9, 11)
    assert ana.confirm()["type"] == "delta"
    settled(hotel)
    hotel.kill("serve")
    hotel.copy_store()
    hotel.start("serve")
    bo = choose(hotel.guest("Bo"), 10, 12)
    assert bo.confirm()["type"] == "delta"
    settled(hotel)
    hotel.kill("serve")
    hotel.restore_store()

    hotel.start("serve")

    path = f"/v1/definitions/double/inventory?key={night(10)}&key={night(11)}"
    wait_until(lambda: [one["booked"] for one in hotel.api("GET", path).json["keys"].values()] == [2, 1],
               what="the nights of the lost stay")
    assert len(hotel.stays()) == 2
    assert hotel.guest("Cem").do("wait", keys=[night(10)])["type"] == "delta", "it is sold out"


def test_stays_equal_confirmed_sessions_and_bookings_after_random_kills(hotel):
    choice = random.Random(1)
    for number in range(3):
        guests = [hotel.guest(name) for name in ("Ana", "Bo", "Cem", "Dora")]
        first = choice.randrange(0, 60, 3)
        for member in guests:
            start = first + choice.randrange(2)
            if member.tap(night(start))["type"] == "delta":
                member.tap(night(start + choice.randrange(1, 3)))
            if choice.randrange(2):
                member.ask("hold")
        asked = [(member, member.ask("confirm")) for member in guests]
        for member, ref in choice.sample(asked, choice.randrange(5) if number else 4):
            member.answer(ref)
        hotel.again(*choice.sample(["hotel", "serve"], choice.randrange(1, 3)))
        settled(hotel)
        for member in guests:
            assert hotel.status(member.session) in ("confirmed", "open")
            member.drop()
    assert hotel.stays()
