"""Sessions that take from one inventory: holds, bookings, levels and the waiting list."""

import json

import pytest

from harness.store import MANY

MONTH = {"from": "2037-12", "count": 1}
NOW = "2037-12-01T12:00:00Z"
DAYS = {"kind": "calendar", "months": {"from": "2037-12", "through": "2038-01"}, "min": "today",
        "selection": "single"}
NIGHTS = {"kind": "calendar", "months": {"from": "2037-12", "through": "2038-01"}, "min": "today",
          "unit": "nights"}
SLOT = {"kind": "slot", "days": 2, "stepMinutes": 30, "minutes": 60, "leadMinutes": 0,
        "hours": [{"from": "14:00", "until": "17:00"}]}
TABLES = {"kind": "cascade", "nodes": [
    {"key": "hall", "text": "Hall", "children": [{"key": "a/b", "text": "A"}, {"key": "b", "text": "B"}]},
    {"key": "garden", "text": "Garden"}]}


@pytest.fixture
def site(start, tmp_path):
    """A server with a clock of its own. InventoryWalkTests compare the logs with a model."""
    return start(options=["--store", f"sqlite:{tmp_path}/store"], limits=MANY)


def sell(server, definition, **inventory):
    """Stores a shared definition with an inventory."""
    server.clock(NOW)
    answer = server.request(
        "PUT", "/v1/definitions/evening",
        {"definition": definition, "inventory": {"capacity": 1, **inventory}})
    assert answer.status == 201, answer


def guest(server, name="Ana", **fields):
    """A member of a new session that takes from the inventory."""
    session = server.session({}, uses="evening", now=None, **fields)
    has_months = "calendar" in session.get()["snapshot"]
    member = session.join(name, **({"months": MONTH} if has_months else {}))
    member.session = session
    return member


def counts(server, key):
    answer = server.get(f"/v1/definitions/evening/inventory?key={key}")
    assert answer.status == 200, answer
    return answer.json["keys"][key]


def hold(delta):
    """The change of a hold in a delta."""
    assert delta["type"] == "delta", delta
    found = [c for c in delta["changes"] if c["change"] == "hold"]
    assert len(found) == 1, delta
    return {k: v for k, v in found[0].items() if k != "change"}


def cell(member, date):
    """A day as a member sees it."""
    found = [c for view in member.screen.views.values() for c in view["cells"]
             if c["date"] == date and not c.get("outside")]
    return {k: found[0][k] for k in ("level", "left", "disabled") if k in found[0]}


def sees(member, date, wanted):
    member.until(lambda m: cell(m, date) == wanted, what=f"{date} is {wanted}")


def test_what_one_holds_nobody_else_can_take(site):
    sell(site, DAYS)
    ana, bo = guest(site), guest(site, "Bo")
    assert ana.welcome["snapshot"]["inventory"] == {
        "units": {"min": 1, "max": 1}, "few": 0, "holdSeconds": 300, "waiting": False,
        "offerSeconds": 900}
    refused = ana.do("hold")
    assert (refused["type"], refused["code"]) == ("refused", "notComplete"), refused
    ana.tap("2037-12-24")
    bo.tap("2037-12-24")
    assert hold(ana.do("hold")) == {
        "state": "held", "keys": ["2037-12-24"], "units": 1, "until": "2037-12-01T12:05:00.000Z"}
    refused = bo.do("hold")
    assert (refused["code"], refused["params"]) == (
        "held", {"keys": ["2037-12-24"], "until": "2037-12-01T12:05:00.000Z"}), refused
    assert bo.confirm()["code"] == "held"
    sees(bo, "2037-12-24", {"level": "held", "disabled": True})
    bo.until(lambda m: m.screen.range is None, what="the value is gone")
    assert cell(ana, "2037-12-24") == {}
    refused = bo.tap("2037-12-24")
    assert (refused["code"], refused["params"]) == ("held", {"date": "2037-12-24"}), refused
    assert counts(site, "2037-12-24") == {
        "capacity": 1, "booked": 0, "held": 1, "offered": 0, "waiting": 0, "free": 0}


def test_a_hold_is_booked_and_a_cancel_of_the_host_frees_it(site):
    sell(site, DAYS)
    ana, bo = guest(site), guest(site, "Bo")
    ana.tap("2037-12-24")
    ana.do("hold")
    assert hold(ana.confirm()) == {"state": "none", "reason": "booked"}
    sees(bo, "2037-12-24", {"level": "gone", "disabled": True})
    assert counts(site, "2037-12-24")["booked"] == 1
    refused = bo.tap("2037-12-24")
    assert refused["code"] == "soldOut", refused
    assert hold(ana.do("reopen"))["state"] == "held"
    sees(bo, "2037-12-24", {"level": "held", "disabled": True})
    assert hold(ana.do("cancel")) == {"state": "none", "reason": "released"}
    sees(bo, "2037-12-24", {})
    assert bo.tap("2037-12-24")["type"] == "delta"


def test_another_value_ends_the_hold_in_its_revision(site):
    sell(site, DAYS)
    ana = guest(site)
    ana.tap("2037-12-24")
    ana.do("hold")
    moved = ana.tap("2037-12-25")
    assert hold(moved) == {"state": "none", "reason": "moved"}
    assert [c["change"] for c in moved["changes"]][-2:] == ["hold", "result"], moved
    assert counts(site, "2037-12-24")["held"] == 0
    assert ana.do("release")["type"] == "reply"
    ana.do("hold")
    assert hold(ana.do("release")) == {"state": "none", "reason": "released"}


def test_a_hold_ends_with_its_time(site):
    sell(site, DAYS, holdSeconds=60, maxHoldSeconds=90)
    ana, bo = guest(site), guest(site, "Bo")
    ana.tap("2037-12-24")
    ana.do("hold")
    sees(bo, "2037-12-24", {"level": "held", "disabled": True})
    site.clock("2037-12-01T12:00:40Z")
    assert hold(ana.do("hold"))["until"] == "2037-12-01T12:01:30.000Z"
    assert ana.do("hold")["code"] == "holdLimit"
    site.clock("2037-12-01T12:01:31Z")
    assert bo.tap("2037-12-24")["code"] == "held", "a click in the last second counts"
    site.clock("2037-12-01T12:01:33Z")
    ended = ana.until(lambda m: "hold" not in m.screen.taking, what="the end of the hold")
    sees(bo, "2037-12-24", {})
    assert ana.screen.range["start"] == "2037-12-24", "the value stays"


def test_the_value_of_a_hold_that_ends_stays(site):
    sell(site, DAYS, capacity=2, units={"min": 1, "max": 2}, few=2)
    ana, bo = guest(site), guest(site, "Bo")
    ana.tap("2037-12-24")
    ana.do("units", units=2)
    ana.do("hold")
    sees(bo, "2037-12-24", {"level": "held", "disabled": True})
    ana.do("release")
    sees(bo, "2037-12-24", {"level": "few", "left": 2})
    ana.do("hold")
    sees(bo, "2037-12-24", {"level": "held", "disabled": True})
    ana.do("units", units=1)
    sees(bo, "2037-12-24", {"level": "few", "left": 2})
    sees(ana, "2037-12-24", {"level": "few", "left": 2})
    assert ana.screen.range["start"] == "2037-12-24"


def test_units_and_few(site):
    sell(site, DAYS, capacity=5, units={"min": 1, "max": 4}, few=3)
    ana, bo = guest(site), guest(site, "Bo")
    ana.tap("2037-12-24")
    assert ana.screen.result == {"date": "2037-12-24", "units": 1}
    refused = ana.do("units", units=5)
    assert (refused["code"], refused["params"]) == ("wrongUnits", {"min": 1, "max": 4}), refused
    changed = ana.do("units", units=3)
    assert changed["changes"] == [
        {"change": "units", "units": 3},
        {"change": "result", "result": {"date": "2037-12-24", "units": 3}}], changed
    ana.do("hold")
    sees(bo, "2037-12-24", {"level": "few", "left": 2})
    assert cell(ana, "2037-12-24") == {}
    ana.undo()
    assert ana.screen.taking["units"] == 1
    ana.do("redo")
    assert ana.screen.taking["units"] == 3


def test_nights_are_taken_by_the_dates_on_which_they_begin(site):
    sell(site, NIGHTS)
    ana, bo = guest(site), guest(site, "Bo")
    ana.tap("2037-12-24")
    ana.tap("2037-12-26")
    assert hold(ana.do("hold"))["keys"] == ["2037-12-24", "2037-12-25"]
    sees(bo, "2037-12-25", {"level": "held", "disabled": True})
    assert cell(bo, "2037-12-26") == {}
    bo.tap("2037-12-23")
    clamped = bo.tap("2037-12-27")
    assert (clamped["changes"][0]["end"], clamped["changes"][0]["reason"]) == (
        "2037-12-24", "held"), clamped


def test_a_slot_takes_its_steps(site):
    sell(site, SLOT)
    ana, bo = guest(site), guest(site, "Bo")
    assert ana.screen.result["instant"] == "2037-12-01T14:00:00Z"
    assert hold(ana.do("hold"))["keys"] == ["2037-12-01T14:00:00Z", "2037-12-01T14:30:00Z"]
    bo.until(lambda m: m.screen.result["instant"] == "2037-12-01T15:00:00Z",
             what="the first time that nobody holds")
    last = bo.session.log()[-1]
    assert last["command"]["type"] == "inventory", last
    moved = [c for c in last["changes"] if c["change"] == "row"]
    assert {(c["cause"], c["reason"]) for c in moved} == {("inventory", "held")}, moved
    assert bo.confirm()["type"] == "delta"


def test_rows_of_a_cascade_can_be_selected_although_they_are_gone(site):
    sell(site, TABLES, few=1)
    ana, bo = guest(site), guest(site, "Bo")
    assert hold(ana.do("hold"))["keys"] == ["hall/a~1b"]
    bo.until(lambda m: m.screen.columns[1]["rows"][0].get("level") == "held", what="the level")
    assert bo.screen.result == {"keys": ["hall", "a/b"], "open": False}
    assert bo.screen.columns[1]["rows"][1] == {"key": "b", "text": "B", "level": "few", "left": 1}
    assert bo.confirm()["code"] == "held"
    bo.select(1, 1)
    assert bo.screen.result == {"keys": ["hall", "b"]}
    bo.select(1, 0)
    assert bo.screen.result == {"keys": ["hall", "a/b"], "open": False}


def test_the_first_in_the_line_is_offered_what_is_free(site):
    sell(site, DAYS, waiting=True)
    ana, bo, cem = guest(site), guest(site, "Bo"), guest(site, "Cem")
    ana.tap("2037-12-24")
    ana.confirm()
    assert bo.do("wait", keys=["2037-12-25"])["code"] == "free"
    assert bo.do("wait", keys=["2037-02-30"])["code"] == "notComplete"
    waits = hold(bo.do("wait", keys=["2037-12-24"]))
    assert waits == {"state": "waiting", "keys": ["2037-12-24"], "units": 1, "place": 1}
    assert hold(cem.do("wait", keys=["2037-12-24"]))["place"] == 2
    bo.tap("2037-12-28")
    ana.do("reopen")
    ana.do("release")
    bo.until(lambda m: m.screen.taking["hold"]["state"] == "offered", what="the offer")
    assert bo.screen.taking["hold"]["until"] == "2037-12-01T12:15:00.000Z"
    assert bo.screen.result == {"date": "2037-12-24"}
    cem.until(lambda m: m.screen.taking["hold"]["place"] == 1, what="the place")
    # It would go to Cem, who waits for it, too.
    sees(ana, "2037-12-24", {"level": "gone", "disabled": True})
    assert ana.tap("2037-12-24")["code"] == "soldOut"
    assert hold(bo.confirm()) == {"state": "none", "reason": "booked"}
    offered = [e for e in events(site) if e["type"] == "session.offered"]
    assert [e["data"]["keys"] for e in offered] == [["2037-12-24"]], offered


def events(server):
    answer = server.get("/v1/feed?limit=1000", port=server.admin_port)
    assert answer.status == 200, answer
    return [json.loads(line) for line in answer.body.splitlines()]


def test_the_last_member_who_leaves_gives_the_hold_back(site):
    sell(site, DAYS)
    ana, bo = guest(site), guest(site, "Bo")
    ana.tap("2037-12-24")
    ana.do("hold")
    sees(bo, "2037-12-24", {"level": "held", "disabled": True})
    ana.leave()
    sees(bo, "2037-12-24", {})


def test_a_decided_confirmation_books_when_it_begins(site):
    sell(site, DAYS)
    ana = guest(site, decide={"by": "host", "seconds": 60})
    ana.tap("2037-12-24")
    ana.confirm()
    assert counts(site, "2037-12-24")["booked"] == 1
    answer = site.post(
        ana.session.path + "/settle", {"op": ana.session.get()["op"], "granted": False})
    assert answer.status == 200, answer
    assert counts(site, "2037-12-24")["booked"] == 0


def test_without_inventory_nothing_can_be_held(server):
    member = server.session({"kind": "date"}).join("Ana")
    for type, fields in [("hold", {}), ("release", {}), ("units", {"units": 1}),
                         ("wait", {"keys": ["2037-12-24"]})]:
        assert member.do(type, **fields)["code"] == "wrongKind", type
