"""The guide's ticket shop sells no place twice, and writes every sale down once, whatever is killed."""

import http.client
import json
import random
import re
import urllib.parse
from collections import Counter
from datetime import date, timedelta

import pytest

from harness.pickerd import wait_until
from harness.shop import GUIDE, Tickets, selling

PROGRAM = (GUIDE / "tickets.mjs").read_text()


@pytest.fixture
def tickets(tmp_path):
    yield from selling(tmp_path)


def evening(number):
    return str(date.today() + timedelta(days=2 + number))


def come(tickets, *names):
    return [tickets.member(tickets.order(name)) for name in names]


def choose(member, day, units):
    assert member.tap(day)["type"] == "delta"
    if units > 1:
        assert member.do("units", units=units)["type"] == "delta"
    return member


def status(member, wanted):
    return member.until(lambda m: m.screen.status == wanted, what=wanted)


def hold(member, state):
    return member.until(lambda m: m.screen.taking.get("hold", {}).get("state") == state, what=state)


def buy(tickets, member):
    delta = member.confirm()
    assert "confirming" in [change.get("status") for change in delta["changes"]], delta
    assert tickets.post(member.path, id="pay") == (303, member.path)
    return status(member, "confirmed")


def settled(tickets):
    """Every confirmed session is a booking and a sale, and no evening has more than six places."""
    wait_until(lambda: tickets.sales() == tickets.confirmed(), what="the sales in the books")
    bookings = tickets.bookings()
    assert tickets.confirmed() == {
        (one["session"], one["keys"][0], one["units"]) for one in bookings if "session" in one}
    sold = Counter()
    for one in bookings:
        sold[one["keys"][0]] += one["units"]
    counts = tickets.counts()
    assert all(places <= 6 for places in sold.values()), sold
    assert {day: count["booked"] for day, count in counts.items() if count["booked"]} == dict(sold)


def test_the_program_is_short_and_the_page_names_its_functions():
    assert len(PROGRAM.splitlines()) <= 120
    steps = re.findall(r"^\d\. \*\*.*?\*\* \(`(\w+)`\)", Tickets.page.read_text(), re.M)
    assert len(steps) == 6
    assert all(re.search(rf"(?:function|const) {name}\b", PROGRAM) for name in steps)


def test_the_last_places_are_held_sold_and_offered_to_who_waits(tickets):
    ana, bo, cem = come(tickets, "Ana", "Bo", "Cem")
    for member, units in ((ana, 4), (bo, 2), (cem, 1)):
        choose(member, evening(0), units)
    assert ana.do("hold")["type"] == bo.do("hold")["type"] == "delta"
    assert cem.do("hold")["code"] == "held"
    assert cem.do("wait", keys=[evening(0)])["type"] == "delta"
    cem.leave()  # Nobody looks at this session any more.

    buy(tickets, ana)
    bo.do("release")

    wait_until(lambda: len(tickets.letters()) == 2, what="both letters")
    letters = dict(tickets.letters())
    assert letters["ana@example.org"] == f"You have paid 160 EUR for 4 x {evening(0)}."
    link = re.search(r"(/orders/\S+)$", letters["cem@example.org"])[1]
    assert link == cem.path
    again = hold(tickets.member(link), "offered")
    assert again.screen.result == {"date": evening(0), "units": 1}
    buy(tickets, again)
    settled(tickets)
    assert tickets.post("/orders/guessed")[0] == 404


def test_a_caller_is_booked_once_refused_with_the_reason_and_gives_back(tickets):
    wim = {"id": "w" * 36, "name": "<Wim>", "evening": evening(1), "places": 5}
    for _ in range(2):  # The same form is the same booking.
        code, page = tickets.post(tickets.desk, **wim)
        assert code == 200 and page.count("&#60;Wim>") == 2 and "5 booked" in page
    ana, bo = come(tickets, "Ana", "Bo")
    assert choose(ana, evening(1), 1).do("hold")["type"] == "delta"
    xia = {**wim, "id": "x" * 36, "name": "Xia", "places": 1}
    assert tickets.post(tickets.desk, **xia) == (
        409, "<!doctype html><title>The theatre</title>Others hold these places.")
    buy(tickets, ana)
    assert "This evening is sold out." in tickets.post(tickets.desk, **xia)[1]
    assert bo.do("wait", keys=[evening(1)])["type"] == "delta"

    assert tickets.post(tickets.desk, id="<Wim> " + "w" * 36)[0] == 200

    hold(bo, "offered")
    buy(tickets, bo)
    settled(tickets)
    assert tickets.post("/desk/guessed", **xia)[0] == 404


def test_places_that_are_not_paid_go_to_the_waiting_list(tickets):
    ana, bo = come(tickets, "Ana", "Bo")
    assert tickets.post(tickets.desk, id="w" * 36, name="Wim", evening=evening(2), places=3)[0] == 200
    choose(ana, evening(2), 3).confirm()
    bo.do("units", units=2)
    assert bo.do("wait", keys=[evening(2)])["type"] == "delta"

    assert ana.cancel()["changes"][0]["status"] == "open"

    buy(tickets, hold(bo, "offered"))
    assert tickets.post(ana.path, id="pay") == (303, ana.path)
    assert tickets.status(ana.session) == "open", "nothing waits for a payment"
    settled(tickets)


def test_what_was_paid_while_the_shop_died_is_written_down_at_its_start(tickets):
    ana, = come(tickets, "Ana")
    choose(ana, evening(3), 2).confirm()
    tickets.kill("tickets")
    op = tickets.api("GET", f"/v1/sessions/{ana.session}").json["op"]
    body = json.dumps({"op": op, "granted": True, "data": {"euros": 80}}).encode()
    assert tickets.api("POST", f"/v1/sessions/{ana.session}/settle", body).status == 200
    assert tickets.sales() == set()

    tickets.start("tickets")

    settled(tickets)
    assert tickets.sales() == {(ana.session, evening(3), 2)}
    assert tickets.letters() == [("ana@example.org", f"You have paid 80 EUR for 2 x {evening(3)}.")]


def test_after_a_restored_backup_no_offer_is_missed_and_lost_sales_are_booked_over(tickets):
    ana, bo, cem = come(tickets, "Ana", "Bo", "Cem")
    buy(tickets, choose(ana, evening(4), 4))
    settled(tickets)
    tickets.kill("serve")
    tickets.copy_store()
    tickets.start("serve")
    bo = tickets.member(bo.path)
    buy(tickets, choose(bo, evening(4), 2))
    settled(tickets)
    lost = next(sale for sale in tickets.sales() if sale[0] == bo.session)
    tickets.kill("serve", "tickets")
    tickets.restore_store()
    tickets.start("serve")
    body = {"booking": f"lost {lost[0]}", "keys": [lost[1]], "units": lost[2], "over": True}
    path = "/v1/definitions/evenings/bookings"
    assert tickets.api("POST", path, json.dumps(body).encode()).status == 201
    cem = tickets.joined(cem.session, cem.path, cem.token)
    assert cem.do("wait", keys=[evening(4)])["type"] == "delta"
    assert tickets.api("DELETE", f"{path}/{urllib.parse.quote(body['booking'])}").status == 204
    hold(cem, "offered")

    tickets.start("tickets")

    wait_until(lambda: "cem@example.org" in dict(tickets.letters()), what="the letter")
    assert Counter(to for to, _ in tickets.letters())["ana@example.org"] == 1


def test_nothing_is_sold_twice_after_kills_in_the_middle_of_sales(tickets):
    choice = random.Random(1)
    for number in range(3):
        day = evening(10 + number)
        members = come(tickets, "Ana", "Bo", "Cem", "Dora")
        for member in members:
            choose(member, day, choice.randrange(1, 5))
            if choice.randrange(2):
                member.ask("hold")
        asked = [(member, member.ask("confirm")) for member in members]
        for member, ref in choice.sample(asked, choice.randrange(5) if number else 4):
            member.answer(ref)
        phone = {"id": f"{number}" + "w" * 35, "name": "Wim", "evening": day, "places": 2}
        begun = [begin(tickets, tickets.desk, phone)]
        begun += [begin(tickets, member.path, {"id": "pay"}) for member in choice.sample(members, 2)]
        tickets.again(*choice.sample(["tickets", "serve"], choice.randrange(1, 3)))
        for connection in begun:
            connection.close()

        wait_until(lambda: tickets.post(tickets.desk, **phone)[0] in (200, 409), what="the desk")
        for member in members:
            wait_until(lambda: tickets.post(member.path, id="pay")[0] == 303, what="the payment")
            assert tickets.status(member.session) in ("confirmed", "open")
            member.drop()
        settled(tickets)
    assert tickets.sales()


def begin(tickets, path, fields):
    """Sends a form, and does not wait for the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", tickets.port)
    connection.request("POST", path, urllib.parse.urlencode(fields))
    return connection
