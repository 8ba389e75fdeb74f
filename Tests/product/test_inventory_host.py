"""The host's side of inventories: settings, counts, bookings from elsewhere, and what a kill leaves."""

import json

import pytest

from harness.loops import metric
from harness.pickerd import wait_until
from harness.store import again, stored_at

DAYS = {"kind": "calendar", "months": {"from": "2037-12", "through": "2038-01"},
        "selection": "single"}
NOW = "2037-12-01T12:00:00Z"
MONTH = {"from": "2037-12", "count": 1}
PATH = "/v1/definitions/evening"
MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture
def shop(request, tmp_path):
    """A server with SQLite, or with the store that a test names."""
    store = f"sqlite:{tmp_path / 'store.sqlite'}"
    if getattr(request, "param", None) == "postgres":
        store = request.getfixturevalue("postgres").database()
    server = stored_at(tmp_path / "log", store)
    server.clock(NOW)
    yield server
    server.stop()


def put(server, definition=DAYS, path=PATH, **inventory):
    return server.request("PUT", path, {"definition": definition, "inventory": inventory})


def patch(server, inventory, **headers):
    return server.request("PATCH", PATH, {"inventory": inventory}, headers={**MERGE, **headers})


def book(server, booking, keys, **rest):
    return server.post(f"{PATH}/bookings", {"booking": booking, "keys": keys, **rest})


def count(server, key):
    return server.get(f"{PATH}/inventory?key={key}").json["keys"][key]


def problem(answer):
    return answer.status, answer.code


def pages(server, path, field):
    """The entries of all pages."""
    found, after = [], ""
    while True:
        answer = server.get(f"{path}{after}").json
        found += answer[field] if isinstance(answer[field], list) else list(answer[field].items())
        if "next" not in answer:
            return found
        after = f"&after={answer['next']}"


def events(server, type):
    lines = server.get(f"/v1/feed?types={type}&limit=1000", port=server.admin_port).body.splitlines()
    return [json.loads(line)["data"] for line in lines]


def guest(server, date, name="Ana"):
    """A member of a session that has selected a day."""
    session = server.session({}, uses="evening", now=None)
    member = session.join(name, months=MONTH)
    member.session = session
    assert member.tap(date)["type"] == "delta"
    return member


def test_the_settings_are_shown_with_their_defaults_and_changed_by_patches(shop):
    made = put(shop, capacity=3, keys={"2037-12-24": 1})
    assert made.status == 201 and "over" not in made.json, made
    shown = shop.get(PATH).json["inventory"]
    assert shown == {
        "capacity": 3, "keys": {"2037-12-24": 1}, "units": {"min": 1, "max": 1}, "few": 0,
        "holdSeconds": 300, "waiting": False, "offerSeconds": 900}
    assert put(shop, capacity=3, keys={"2037-12-24": 1}).json == made.json, "nothing has changed"
    answer = patch(shop, {"keys": {"2037-12-24": None, "2037-12-31": 5}, "waiting": True,
                          "maxHoldSeconds": 600, "perHolder": 4})
    assert answer.status == 200 and answer.json["version"] > made.json["version"], answer
    shown = shop.get(PATH).json["inventory"]
    assert shown["keys"] == {"2037-12-31": 5} and shown["waiting"] and shown["perHolder"] == 4
    assert patch(shop, {"maxHoldSeconds": None}).status == 200
    assert "maxHoldSeconds" not in shop.get(PATH).json["inventory"]
    assert problem(patch(shop, {"few": 2}, **{"If-Match": '"0"'})) == (412, "versionMismatch")


def test_wrong_settings_are_refused_with_their_place(server):
    for inventory, pointer in [
            ({}, "/inventory/capacity"), ({"capacity": 1_000_001}, "/inventory/capacity"),
            ({"capacity": 1, "keys": {"24.12.": 1}}, "/inventory/keys/24.12."),
            ({"capacity": 1, "keys": {"2037-12-24": -1}}, "/inventory/keys/2037-12-24"),
            ({"capacity": 1, "units": {"min": 3, "max": 2}}, "/inventory/units/min"),
            ({"capacity": 1, "units": {"max": 1001}}, "/inventory/units/max"),
            ({"capacity": 1, "few": 1001}, "/inventory/few"),
            ({"capacity": 1, "holdSeconds": 4}, "/inventory/holdSeconds"),
            ({"capacity": 1, "maxHoldSeconds": 299}, "/inventory/maxHoldSeconds"),
            ({"capacity": 1, "perHolder": 0}, "/inventory/perHolder"),
            ({"capacity": 1, "waiting": 1}, "/inventory/waiting"),
            ({"capacity": 1, "offerSeconds": 604_801}, "/inventory/offerSeconds"),
            ({"capacity": 1, "colour": 1}, "/inventory/colour")]:
        answer = put(server, path="/v1/definitions/wrong", **inventory)
        assert problem(answer) == (422, "badDefinition"), answer
        assert answer.json["pointer"] == pointer, answer


def test_only_some_kinds_have_an_inventory(server):
    for kind in ({"kind": "columns", "columns": [["a"]]}, {"kind": "date"}):
        answer = put(server, kind, path="/v1/definitions/wrong", capacity=1)
        assert answer.status == 422 and answer.json["pointer"] == "/inventory", answer
    answer = server.post("/v1/sessions", {"definition": DAYS, "inventory": {"capacity": 1}})
    assert answer.status == 400, answer


def test_bookings_from_elsewhere_are_counted_once(shop):
    assert put(shop, capacity=2).status == 201
    body = {"booking": "order-17", "keys": ["2037-12-24", "2037-12-25"], "units": 2}
    made = shop.post(f"{PATH}/bookings", body)
    assert (made.status, made.json) == (201, body), made
    same = shop.post(f"{PATH}/bookings", body)
    assert (same.status, same.json) == (200, body), same
    assert problem(book(shop, "order-17", ["2037-12-24"])) == (422, "keyReused")
    assert count(shop, "2037-12-24") == {
        "capacity": 2, "booked": 2, "held": 0, "offered": 0, "waiting": 0, "free": 0}
    refused = book(shop, "order-18", ["2037-12-23", "2037-12-24"])
    assert problem(refused) == (409, "soldOut") and refused.json["keys"] == ["2037-12-24"], refused

    over = book(shop, "order-18", ["2037-12-24"], over=True)
    assert over.status == 201, over
    assert events(shop, "inventory.over") == [{"name": "evening", "keys": ["2037-12-24"]}]
    assert patch(shop, {"few": 1}).json["over"] == ["2037-12-24"]
    assert len(events(shop, "inventory.over")) == 2

    assert shop.get(f"{PATH}/bookings/order-17").json == body
    assert problem(shop.get(f"{PATH}/bookings/none")) == (404, "noSuchBooking")
    for _ in range(2):
        assert shop.delete(f"{PATH}/bookings/order-17").status == 204
    assert count(shop, "2037-12-25")["free"] == 2
    assert [b["booking"] for b in pages(shop, f"{PATH}/bookings?limit=1", "bookings")] == ["order-18"]


def test_pages_are_in_order_and_complete(shop):
    assert put(shop, capacity=9, keys={"2037-12-31": 1, "2037-12-01": 0}).status == 201
    for number in range(7):
        made = book(shop, f"b{number}", [f"2037-12-1{number % 3}"])
        assert made.status == 201, made
    assert [b["booking"] for b in pages(shop, f"{PATH}/bookings?limit=2", "bookings")] == [
        f"b{number}" for number in range(7)]
    assert [b["booking"] for b in pages(
        shop, f"{PATH}/bookings?key=2037-12-10&limit=2", "bookings")] == ["b0", "b3", "b6"]
    keys = ["2037-12-01", "2037-12-10", "2037-12-11", "2037-12-12", "2037-12-31"]
    found = pages(shop, f"{PATH}/inventory?limit=2", "keys")
    assert [key for key, _ in found] == keys and found[1][1]["booked"] == 3, found
    found = pages(shop, f"{PATH}/inventory?from=2037-12-11&through=2037-12-30&limit=1", "keys")
    assert [key for key, _ in found] == keys[2:4]
    both = shop.get(f"{PATH}/inventory?key=2037-12-12&key=2038-01-01").json["keys"]
    assert [both[key]["free"] for key in ("2037-12-12", "2038-01-01")] == [7, 9]


def test_the_problems_of_bookings(start):
    server = start()
    assert put(server, capacity=1).status == 201
    for body, pointer in [
            ({"booking": "x", "keys": ["24.12."]}, "/keys/0"), ({"booking": "x", "keys": []}, "/keys"),
            ({"booking": "x", "keys": ["2037-12-24"] * 2}, "/keys/1"),
            ({"booking": "x" * 65, "keys": ["2037-12-24"]}, "/booking"),
            ({"booking": "x", "keys": ["2037-12-24"], "units": 0}, "/units"),
            ({"booking": "x", "keys": ["2037-12-24"], "over": 1}, "/over")]:
        answer = server.post(f"{PATH}/bookings", body)
        assert problem(answer) == (400, "badRequest") and answer.json["pointer"] == pointer, answer
    assert server.post(f"{PATH}/bookings", {"booking": "x", "day": 1}).status == 400
    for query in ("limit=0", "limit=1001", "day=1", "key=2037-12-24&limit=1"):
        assert server.get(f"{PATH}/inventory?{query}").status == 400, query
    plain = "/v1/definitions/plain"
    assert server.request("PUT", plain, {"definition": DAYS}).status == 201
    for path, code in [(plain, "noSuchInventory"), ("/v1/definitions/none", "noSuchDefinition")]:
        body = {"booking": "x", "keys": ["2037-12-24"]}
        for answer in (server.get(f"{path}/inventory"), server.get(f"{path}/bookings"),
                       server.get(f"{path}/bookings/x"), server.delete(f"{path}/bookings/x"),
                       server.post(f"{path}/bookings", body)):
            assert problem(answer) == (404, code), (path, answer)


def test_an_inventory_is_added_and_taken_away_while_nothing_is_taken(shop):
    assert shop.request("PUT", PATH, {"definition": DAYS}).status == 201
    session = shop.session({}, uses="evening", now=None)
    assert problem(patch(shop, {"capacity": 1})) == (409, "inUse")
    assert shop.delete(session.path).status == 204
    assert patch(shop, {"capacity": 1}).status == 200
    assert book(shop, "x", ["2037-12-24"]).status == 201
    assert problem(patch(shop, None)) == (409, "inUse")
    assert problem(shop.request("PUT", PATH, {"definition": DAYS})) == (409, "inUse")
    assert problem(shop.delete(PATH)) == (409, "inUse")
    assert shop.delete(f"{PATH}/bookings/x").status == 204
    assert patch(shop, None).status == 200
    assert "inventory" not in shop.get(PATH).json
    assert problem(shop.get(f"{PATH}/inventory")) == (404, "noSuchInventory")
    assert shop.delete(PATH).status == 204


def test_a_session_keeps_its_booking_unless_it_is_released(shop):
    assert put(shop, capacity=1).status == 201
    ana, bob = guest(shop, "2037-12-24"), guest(shop, "2037-12-25", "Bob")
    for member in (ana, bob):
        assert member.confirm()["type"] == "delta"
    id = ana.session.id
    booking = {"booking": id, "keys": ["2037-12-24"], "units": 1, "session": id}
    assert shop.get(f"{PATH}/bookings/{id}").json == booking
    assert problem(shop.delete(f"{PATH}/bookings/{id}")) == (409, "inUse")
    assert shop.delete(ana.session.path).status == 204
    assert shop.get(f"{PATH}/bookings/{id}").json == booking, "an ended session keeps it"
    assert shop.delete(f"{PATH}/bookings/{id}").status == 204
    assert count(shop, "2037-12-24")["free"] == 1
    assert shop.delete(f"{bob.session.path}?release=maybe").status == 400
    assert shop.delete(f"{bob.session.path}?release=true").status == 204
    assert count(shop, "2037-12-25")["free"] == 1


def test_a_hold_ends_with_its_session(shop):
    assert put(shop, capacity=1, holdSeconds=60).status == 201
    ana = guest(shop, "2037-12-24")
    assert ana.do("hold")["type"] == "delta"
    assert count(shop, "2037-12-24")["held"] == 1
    assert problem(book(shop, "x", ["2037-12-24"])) == (409, "held")
    assert shop.delete(ana.session.path).status == 204
    assert count(shop, "2037-12-24")["held"] == 0
    assert book(shop, "x", ["2037-12-24"]).status == 201


def test_a_first_value_that_cannot_be_had_is_refused(shop):
    nights = {"kind": "calendar", "months": {"from": "2037-12", "through": "2038-01"},
              "unit": "nights"}
    assert put(shop, definition=nights, capacity=1).status == 201
    assert book(shop, "x", ["2037-12-05"]).status == 201
    for start, end in (("2037-12-04", "2037-12-06"), ("2037-12-05", "2037-12-06")):
        answer = shop.create({}, uses="evening", result={"start": start, "end": end})
        assert problem(answer) == (422, "badDefinition"), answer
        assert (answer.json["pointer"], answer.json["reason"]) == ("/result", "soldOut"), answer
    result = {"start": "2037-12-03", "end": "2037-12-05"}
    made = shop.create({}, uses="evening", result=result)
    assert made.status == 201, made
    shown = shop.get(f"/v1/sessions/{made.json['session']}").json["snapshot"]["result"]
    assert shown == {**result, "nights": 2}


def test_a_booking_cannot_have_the_id_of_a_session_that_has_something(shop):
    assert put(shop, capacity=1).status == 201
    ana = guest(shop, "2037-12-24")
    ana.confirm()
    answer = book(shop, ana.session.id, ["2037-12-26"])
    assert problem(answer) == (422, "keyReused"), answer
    assert [booking["booking"] for booking in pages(
        shop, f"{PATH}/bookings?limit=1", "bookings")] == [ana.session.id]


def waiting_alone(shop):
    """The id of a session in the line for a day that is booked, which nobody looks at any more."""
    assert put(shop, capacity=1, waiting=True).status == 201
    assert book(shop, "phone", ["2037-12-24"]).status == 201
    session = shop.session({}, uses="evening", now=None)
    ana = session.join("Ana")
    assert ana.do("wait", keys=["2037-12-24"])["type"] == "delta"
    ana.leave()
    wait_until(lambda: metric(shop, "pickerd_sessions_resident") == 0, what="eviction")
    return session.id


@pytest.mark.parametrize("shop", ["sqlite", "postgres"], indirect=True)
def test_an_offer_is_in_the_feed_once_also_after_a_kill(shop):
    session = waiting_alone(shop)
    assert shop.delete(f"{PATH}/bookings/phone").status == 204
    again(shop)
    shop.clock(NOW)
    wait_until(lambda: events(shop, "session.offered"), what="the offer")
    wait_until(lambda: metric(shop, "pickerd_sessions_resident") == 0, what="eviction")
    event, = events(shop, "session.offered")
    assert (event["session"], event["keys"], event["units"]) == (session, ["2037-12-24"], 1)
    assert event["until"] == "2037-12-01T12:15:00.000Z"


def test_the_feed_has_the_beginning_and_end_of_each_watched_hold(shop):
    assert put(shop, capacity=1).status == 201
    first, second = [
        shop.session({}, uses="evening", watch=["holds"], now=None) for _ in range(2)]
    ana, bob = first.join("Ana"), second.join("Bob")
    ana.tap("2037-12-24")
    for command in ("hold", "confirm", "reopen", "cancel"):
        assert ana.do(command)["type"] == "delta"
    bob.tap("2037-12-26")
    assert bob.do("hold")["type"] == "delta"
    taken = {"taken": {"closed": {"from": "2037-12-26"}}}
    changed = shop.request("PATCH", PATH, {"definition": taken}, headers=MERGE)
    assert changed.status == 200, changed

    def reported(session):
        return [event.get("reason") for event in events(shop, "session.held,session.holdEnded")
                if event["session"] == session.id]

    wait_until(lambda: len(reported(second)) == 2, what="the end of the second hold")
    assert reported(first) == [None, "booked", None, "released"]
    assert reported(second) == [None, "moved"]


@pytest.mark.parametrize("shop", ["sqlite", "postgres"], indirect=True)
def test_what_is_taken_survives_a_kill(shop):
    assert put(shop, capacity=1, holdSeconds=600).status == 201
    ana, bob = guest(shop, "2037-12-24"), guest(shop, "2037-12-25", "Bob")
    assert ana.do("hold")["type"] == "delta"
    assert bob.confirm()["type"] == "delta"
    assert book(shop, "x", ["2037-12-26"]).status == 201
    before = shop.get(f"{PATH}/inventory").json
    bookings = shop.get(f"{PATH}/bookings").json
    again(shop)
    shop.clock(NOW)
    assert shop.get(f"{PATH}/inventory").json == before
    assert shop.get(f"{PATH}/bookings").json == bookings
    assert book(shop, "x", ["2037-12-26"]).status == 200
    assert problem(book(shop, "y", ["2037-12-24"])) == (409, "held")
    assert problem(book(shop, "y", ["2037-12-25"])) == (409, "soldOut")
