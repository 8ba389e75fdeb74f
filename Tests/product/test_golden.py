"""Runs golden vectors over a real WebSocket: one session, one member, a manual clock.

GoldenTests runs all of them on the model. Here the three longest of each file show that what the
server sends says the same.
"""

import json
from pathlib import Path

import pytest

from harness.screen import selected

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


def length(vector):
    return len(vector["steps"])


def vectors():
    for path in sorted(GOLDEN.glob("*.json")):
        if path.stem == "availability":  # Of several members: test_golden_availability.py.
            continue
        for vector in sorted(json.loads(path.read_text()), key=length)[-3:]:
            yield pytest.param(vector, id=f"{path.stem}: {vector['name']}")


@pytest.mark.parametrize("vector", vectors())
def test_the_server_reproduces_the_vector(server, vector):
    definition, steps = vector["definition"], vector["steps"]
    server.clock(steps[0]["now"])
    session = server.session(definition, now=steps[0]["now"])
    ana = session.join("Ana")
    for number, step in enumerate(steps):
        before = ana.screen.revision
        server.clock(step["now"])
        ticked = session.revision()
        answer = act(session, ana, step["do"], step["expect"])
        if "define" in step["do"]:
            before = ticked
        ana.reach(session.revision())
        compare(f"step {number} {step['do']}", session, ana, answer, before, step["expect"])
    log = session.log()
    assert len(log) == ana.screen.revision
    assert [line["changes"] for line in log] == [without_bands(d) for d in deltas(ana, 0)]


def act(session, ana, do, expect):
    (verb, fields), = do.items()
    if verb == "define":
        answer = session.server.request("PUT", session.path + "/definition", fields)
        if "error" in expect:
            assert (answer.status, answer.code) == (422, expect["error"]), answer
        else:
            assert answer.status == 200, answer
        return None
    if verb == "select":
        return ana.select(fields["column"], fields["row"])
    if verb == "tap":
        return ana.do("tap", **fields)
    if verb == "set":
        return ana.do("set", result=fields)
    if verb == "look":
        answer = ana.look(fields["month"])
        # Before it a tick can send the months in view again.
        while answer["months"][0]["month"] != fields["month"]:
            answer = ana.expect("months")
        return answer
    if verb in ("clear", "undo", "redo"):
        return ana.do(verb)
    return None


def deltas(ana, after):
    return [m for m in ana.record if m["type"] == "delta" and m["revision"] > after]


def without_bands(delta):
    return [change for change in delta["changes"] if change["change"] != "bands"]


def compare(where, session, ana, answer, before, expect):
    """Asserts that an answer is exactly what a step expects."""
    got = session.get()
    received = deltas(ana, before)
    changes = [change for delta in received for change in delta["changes"]]
    assert len(received) <= 1, f"{where}: one step, one revision: {received}"
    assert ana.screen.differs_from(got) is None, where

    if "rejected" in expect:
        assert answer["type"] == "refused", f"{where}: {answer}"
        assert answer["code"] == expect["rejected"], f"{where}: {answer}"
        assert answer["params"] == expect.get("params", answer["params"]), f"{where}: {answer}"
        assert not received, f"{where}: nothing else changed"
    elif answer is not None and answer["type"] != "months":
        assert answer["type"] in ("delta", "reply"), f"{where}: {answer}"
    if "columns" in expect:
        assert got["snapshot"]["result"] == expect["result"], where
        for columns in (got["snapshot"]["columns"], ana.screen.columns):
            assert [shown_fields(column) for column in columns] == expect["columns"], where
    if "reloaded" in expect:
        assert [c["column"] for c in changes if c["change"] == "reload"] == expect["reloaded"]
    moved = [c for c in changes if c["change"] == "row"]
    if "sets" in expect:
        assert [c["column"] for c in moved if c["cause"] == "set"] == expect["sets"], where
    if "clamps" in expect:
        clamps = [
            {"column": c["column"], "from": c["wanted"], "to": c["key"], "reason": c["reason"]}
            for c in moved if c["cause"] == "clamp"]
        assert clamps == expect["clamps"], where
        reset = {c["column"] for c in moved if c["cause"] == "reset"}
        emptied = {
            c["column"] for c in changes if c["change"] == "reload" and c["row"] is None}
        assert reset <= set(expect["resets"]) <= reset | emptied, where
    if "calendar" in expect:
        calendar = got["snapshot"]["calendar"]
        selected_range = calendar["range"] or {"start": None, "end": None, "hits": 0}
        reach = {"reach": selected_range.get("reach")} if "reach" in expect["calendar"] else {}
        assert expect["calendar"] == reach | {
            "months": calendar["months"]["count"], "first": calendar["months"]["first"],
            "last": calendar["months"]["last"], "start": selected_range["start"],
            "end": selected_range["end"], "hits": selected_range["hits"]}, where
    if "result" in expect:
        assert got["snapshot"]["result"] == expect["result"], where
        assert ana.screen.result == expect["result"], where
    if "range" in expect:
        ranges = [change for change in changes if change["change"] == "range"]
        if expect["range"] is None:
            assert not ranges, f"{where}: {ranges}"
        else:
            found, = ranges
            assert {k: found.get(k) for k in expect["range"]} == expect["range"], where
    if "clamp" in expect:
        compare_clamp(where, changes, expect["clamp"])
    if "month" in expect:
        compare_month(where, answer, expect["month"])


def compare_clamp(where, changes, clamp):
    change, = [change for change in changes if change["change"] == "range"]
    if clamp is None:
        assert change["cause"] == "tap" and "reason" not in change, where
        return
    assert (change["cause"], change["reason"], change["wanted"]) == (
        "clamp", clamp["reason"], clamp["from"]), where
    assert clamp["to"] in (change["start"], change["end"]), where


def compare_month(where, answer, expected):
    view, = answer["months"]
    cells = view["cells"]
    assert view["bands"] == expected["bands"], where
    assert view["month"] == expected["month"], where
    assert len(cells) == expected["cells"], where
    assert (cells[0]["date"], cells[-1]["date"]) == (expected["firstCell"], expected["lastCell"])
    lead = next(n for n, cell in enumerate(cells) if not cell.get("outside"))
    assert lead == expected["lead"], where
    if "disabled" in expected:
        inside = [(n, cell) for n, cell in enumerate(cells) if not cell.get("outside")]
        assert [n for n, cell in inside if cell.get("disabled")] == expected["disabled"], where
        for only in ("arrival", "departure"):
            found = [n for n, cell in inside if cell.get("only") == only]
            assert found == expected[f"only{only.capitalize()}"], where
        assert not [cell for cell in cells if cell.get("outside") and "only" in cell], where


def shown_fields(column):
    """A column in the notation of the vectors; all their columns fit into one window."""
    rows = column["rows"]
    return {
        "count": column["count"], "first": rows[0]["key"] if rows else None,
        "last": rows[-1]["key"] if rows else None, "selected": selected(column)[0]}
