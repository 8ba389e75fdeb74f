"""Runs golden vectors of `availability` over real WebSockets: one session, several members.

AvailabilityGoldenTests runs all of them on the session.
"""

import json
from copy import deepcopy
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "availability.json"


def vectors():
    longest = sorted(json.loads(GOLDEN.read_text()), key=lambda vector: len(vector["steps"]))
    for vector in longest[-3:]:
        yield pytest.param(vector, id=vector["name"])


@pytest.mark.parametrize("vector", vectors())
def test_the_server_reproduces_the_vector(server, vector):
    definition, steps = vector["definition"], vector["steps"]
    server.clock(steps[0]["now"])
    session = server.session(definition, now=steps[0]["now"])
    members = {None: session.join("owner")}
    for number, step in enumerate(steps):
        where = f"step {number} {step['do']}"
        owner = members[None]
        server.clock(step["now"])
        if step.get("by") not in members:
            members[step["by"]] = session.join(step["by"])
        owner.reach(session.revision())
        before = owner.screen.availability
        state = before.fields["generation"], deepcopy(before.marks)
        if "tick" in step["do"]:
            state = last
        answer = act(session, members[step.get("by")], step["do"], step["expect"])
        for member in members.values():
            member.reach(session.revision())
        zone = step["do"].get("look", {}).get("timeZone")
        compare(where, session, members, answer, state, step["expect"], zone)
        shown = owner.screen.availability
        last = shown.fields["generation"], deepcopy(shown.marks)


def act(session, member, do, expect):
    (verb, fields), = do.items()
    generation = member.screen.availability.fields["generation"]
    if verb == "define":
        answer = session.server.request("PUT", session.path + "/definition", fields)
        assert (answer.status, answer.code if answer.status != 200 else None) == (
            (422, expect["error"]) if "error" in expect else (200, None)), answer
        return None
    if verb == "mark":
        return member.do("mark", **fields, generation=generation)
    if verb == "confirm":
        return member.do("confirm", **fields, **({"generation": generation} if fields else {}))
    if verb in ("clear", "reopen"):
        return member.do(verb)
    return None


def starts(availability, session):
    """The first and the last cell: dates, or the instants that UTC shows."""
    if not availability["count"]:
        return None, None
    if "months" in availability:
        return availability["days"][0]["date"], availability["days"][-1]["date"]
    view = session.get(timeZone="UTC")["snapshot"]["availability"]
    instants = {}
    for day in view["days"]:
        for first, count, row in day["cells"]:
            for offset in range(count):
                time = view["rows"][row + offset]["time"]
                instants[first + offset] = f"{day['date']}T{time}:00Z"
    return instants[0], instants[availability["count"] - 1]


def as_runs(cells):
    runs = []
    for cell in sorted(cells):
        if runs and runs[-1][1] == cell and runs[-1][2] == cells[cell]:
            runs[-1][1] = cell + 1
        else:
            runs.append([cell, cell + 1, cells[cell]])
    return runs


def compare(where, session, members, answer, before, expect, zone):
    got = session.get()
    owner = members[None]
    assert owner.screen.differs_from(got) is None, where
    snapshot = got["snapshot"]["availability"]
    if "rejected" in expect:
        assert (answer["type"], answer["code"]) == ("refused", expect["rejected"]), where
    elif answer is not None:
        assert answer["type"] == ("reply" if expect.get("unchanged") else "delta"), where
    if "result" in expect:
        assert got["snapshot"]["result"] == expect["result"], where
    if "availability" in expect:
        first, last = starts(snapshot, session)
        wanted = expect["availability"]
        assert wanted == {
            "cells": snapshot["count"], "first": first, "last": last, "past": snapshot["past"],
            "closed": snapshot["closed"], "respondents": snapshot["respondents"],
            "heat": snapshot["heat"],
            "best": [[w["cell"], w["yes"], w["maybe"], w["no"]] for w in snapshot["best"]],
        } | {name: wanted[name] for name in ("first", "last") if name not in wanted}, where
    generation, marks = before
    shown = owner.screen.availability
    assert (shown.fields["generation"] != generation) == expect.get("renumbered", False), where
    if "marks" in expect:
        ids = {m.id: name or "owner" for name, m in members.items()}
        changed = {id for id in marks.keys() | shown.marks.keys()
                   if marks.get(id) != shown.marks.get(id) or "renumbered" in expect}
        found = {ids[id]: as_runs(shown.marks.get(id, {})) for id in changed}
        assert found == expect["marks"], where
    if "layout" in expect:
        compare_layout(where, session, zone, expect["layout"])


def compare_layout(where, session, zone, layout):
    if "months" in layout:
        view = session.get()["snapshot"]["availability"]
        assert [[m["month"], m["cells"]] for m in view["months"]] == layout["months"], where
        return
    view = session.get(timeZone=zone)["snapshot"]["availability"]
    rows = view["rows"]
    assert layout == {
        "days": [[day["date"], day["cells"]] for day in view["days"]],
        "rows": [row["time"] for row in rows],
        "again": [n for n, row in enumerate(rows) if row.get("again")],
        "gap": [n for n, row in enumerate(rows) if row.get("gap")]}, where
