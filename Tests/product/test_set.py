"""A whole value at once: the command `set`, and the first value of a session."""

import pytest

from harness import contract
from harness.definitions import CALENDAR, SLOT, TREE
from harness.host import Host
from test_host_commands import Booking

#: A value of a picker with columns and of a calendar, its result, and one that is refused.
VALUES = {
    "slot": (SLOT, {"local": "2018-11-24T14:20", "instant": "2018-11-24T06:20:00Z"},
             {"local": "2018-11-24T14:25"}, "noSuchRow"),
    "nights": ({**CALENDAR, "unit": "nights", "maxNights": 7},
               {"start": "2018-12-03", "end": "2018-12-05", "nights": 2},
               {"start": "2018-12-03", "end": "2018-12-11"}, "maxNights"),
}


@pytest.mark.parametrize("result", [
    None, {"date": "2018-02-30"}, {"start": "2018-12-24", "end": 1}])
def test_an_ill_typed_set_closes_the_connection_and_is_a_bad_request(server, result):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    ana.ask("set", result=result)
    ana.closed(4400)
    body = {"definition": CALENDAR, "result": result}
    problem = contract.fits("problem", server.post("/v1/sessions", body).json)
    assert (problem["status"], problem["code"]) == (400, "badRequest")
    assert problem["pointer"].startswith("/result"), problem


@pytest.mark.parametrize("kind", VALUES)
def test_a_session_begins_with_a_given_value(server, kind):
    definition, value, refused, code = VALUES[kind]
    session = server.session(definition, result=value)
    state = session.get()
    assert state["revision"] == 0 and state["snapshot"]["result"] == value
    ana = session.join("Ana")
    assert {column["generation"] for column in ana.screen.columns or []} <= {1}
    assert ana.do("undo")["code"] == "nothingToUndo"
    if "range" in state["snapshot"].get("calendar", {}):
        assert "by" not in state["snapshot"]["calendar"]["range"]

    answer = server.post("/v1/sessions", {"definition": definition, "result": refused})
    problem = contract.fits("problem", answer.json)
    assert (problem["status"], problem["code"], problem["pointer"], problem["reason"]) == (
        422, "badDefinition", "/result", code)
    assert problem["params"]


def test_the_host_sets_a_value_and_selects_by_key(start, tmp_path):
    host = Host(tmp_path)
    server = start(auth=f"keys:{host.file}")
    booking = Booking(server, host, TREE)
    ana = booking.join("Ana")
    delta = booking.send("set", result={"keys": ["Sichuan", "Leshan"]}, at=0)
    assert delta["host"] is True and "by" not in delta
    delta = booking.send("select", column=1, key="Chengdu")
    assert delta["changes"][-1]["result"] == {"keys": ["Sichuan", "Chengdu", "Pixian"]}
    assert booking.send("select", column=1, key="Guangzhou")["code"] == "noSuchRow"
    assert booking.send("select", column=7, key="Guangzhou")["code"] == "noSuchColumn"
    for fields in ({"column": 1}, {"key": "Leshan"}, {"column": 1, "key": None},
                   {"column": 1, "key": "Leshan", "row": 0}):
        assert booking.post("commands", {"type": "select", **fields}).status == 400, fields
    row = {"column": 1, "row": 1, "generation": ana.reach(2).screen.columns[1]["generation"]}
    assert booking.send("select", **row)["changes"][-1]["result"] == {"keys": ["Sichuan", "Leshan"]}
    assert [line["command"] for line in booking.log()] == [
        {"type": "set", "result": {"keys": ["Sichuan", "Leshan"]}, "at": 0},
        {"type": "select", "column": 1, "key": "Chengdu"}, {"type": "select", **row}]
    viewer = booking.join("Vic", role="viewer")
    refused = viewer.do("set", result={"keys": ["Sichuan", "Leshan"]})
    assert (refused["code"], refused["params"]) == ("notAllowed", {"role": "editor"})
