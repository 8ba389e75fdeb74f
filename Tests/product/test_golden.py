"""Runs golden vectors over real WebSockets: one session and its members, a manual clock.

GoldenTests and AvailabilityGoldenTests run all of them, and compare every change. Here the three
longest of each file show that what members, `GET` and the log receive says the same.
"""

import json
from pathlib import Path

import pytest

from harness.screen import selected

GOLDEN = Path(__file__).resolve().parent.parent / "golden"


def vectors():
    for path in sorted(GOLDEN.glob("*.json")):
        longest = sorted(json.loads(path.read_text()), key=lambda vector: len(vector["steps"]))
        for vector in longest[-3:]:
            yield pytest.param(vector, id=f"{path.stem}: {vector['name']}")


@pytest.mark.parametrize("vector", vectors())
def test_the_server_reproduces_the_vector(server, vector):
    steps = vector["steps"]
    server.clock(steps[0]["now"])
    session = server.session(vector["definition"], now=steps[0]["now"])
    members = {None: session.join("owner")}
    for number, step in enumerate(steps):
        where = f"step {number} {step['do']}"
        server.clock(step["now"])
        name = step.get("by")
        if name not in members:
            members[name] = session.join(name)
        before = session.revision()
        answer = act(session, members[name], step["do"], step["expect"])
        for member in members.values():
            member.reach(session.revision())
        is_refused = "rejected" in step["expect"]
        assert session.revision() - before <= (not is_refused), f"{where}: one step, one revision"
        compare_answer(where, answer, step["expect"])
        compare_state(where, session, members[None].screen, step["expect"])
    deltas = [message for message in members[None].record if message["type"] == "delta"]
    shown = [[change for change in delta["changes"] if change["change"] != "bands"]
             for delta in deltas]
    assert [line["changes"] for line in session.log()] == shown


def act(session, member, do, expect):
    (verb, fields), = do.items()
    availability = member.screen.availability
    generation = {"generation": availability.fields["generation"]} if availability else {}
    if verb == "define":
        answer = session.server.request("PUT", session.path + "/definition", fields)
        assert (answer.status, answer.code if answer.status != 200 else None) == (
            (422, expect["error"]) if "error" in expect else (200, None)), answer
        return None
    if verb == "select":
        return member.select(fields["column"], fields["row"])
    if verb == "set":
        return member.do("set", result=fields)
    if verb == "look" and "month" in fields:
        answer = member.look(fields["month"])
        # Before it a tick can send the months in view again.
        while answer["months"][0]["month"] != fields["month"]:
            answer = member.expect("months")
        return answer
    if verb in ("mark", "confirm"):
        return member.do(verb, **fields, **(generation if fields else {}))
    if verb in ("tap", "clear", "undo", "redo", "reopen"):
        return member.do(verb, **(fields if isinstance(fields, dict) else {}))
    return None


def compare_answer(where, answer, expect):
    if "month" in expect:
        view, = answer["months"]
        cells = view["cells"]
        found = view["month"], len(cells), cells[0]["date"], cells[-1]["date"], view["bands"]
        assert found == tuple(expect["month"][name] for name in (
            "month", "cells", "firstCell", "lastCell", "bands")), where
    elif "rejected" in expect:
        assert (answer["type"], answer["code"]) == ("refused", expect["rejected"]), where
        assert answer["params"] == expect.get("params", answer["params"]), f"{where}: {answer}"
    elif answer is not None:
        assert answer["type"] in ("delta", "reply"), f"{where}: {answer}"


def compare_state(where, session, screen, expect):
    got = session.get()
    snapshot = got["snapshot"]
    assert screen.differs_from(got) is None, where
    if "result" in expect:
        assert snapshot["result"] == expect["result"], where
    if "columns" in expect:
        assert [shown_fields(column) for column in snapshot["columns"]] == expect["columns"], where
    if "calendar" in expect:
        months = snapshot["calendar"]["months"]
        shown = {"start": None, "end": None, "hits": 0} | (snapshot["calendar"]["range"] or {})
        shown |= {"months": months["count"], "first": months["first"], "last": months["last"]}
        assert {name: shown.get(name) for name in expect["calendar"]} == expect["calendar"], where
    if "availability" in expect:
        shown = snapshot["availability"]
        best = [[each["cell"], each["yes"], each["maybe"], each["no"]] for each in shown["best"]]
        wanted = {name: value for name, value in expect["availability"].items()
                  if name not in ("first", "last")}
        assert wanted == {"cells": shown["count"], "best": best} | {
            name: shown[name] for name in ("past", "closed", "respondents", "heat")}, where


def shown_fields(column):
    """A column in the notation of the vectors; all their columns fit into one window."""
    rows = column["rows"]
    return {
        "count": column["count"], "first": rows[0]["key"] if rows else None,
        "last": rows[-1]["key"] if rows else None, "selected": selected(column)[0]}
