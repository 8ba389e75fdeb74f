"""Attacks by a host: it changes the definition of its session as often as it may, and in the most
expensive ways. A session takes 20 changes a second; what is over that is answered 429."""

import json

#: Changes a second that are tried, a few more than a session takes.
RATE = 24
ROWS = 20_000
TAKEN = 5_000
#: As many as a patch of 256 KiB can have.
MOVES = 4_000
JSON_PATCH = "application/json-patch+json"


def columns(generation):
    """20,000 rows in two columns, all of them with another text in each generation."""
    half = ROWS // 2
    return {"kind": "columns", "columns": [
        [{"key": f"k{row}", "text": f"row {row} of {generation}"} for row in range(half)]
        for _ in range(2)]}


def large(version, rows=19_000, length=110):
    """Rows that no other version has; 2 MB if no numbers are given."""
    return {"kind": "columns", "columns": [
        [f"{version:03} {row:05} ".ljust(length, "x") for row in range(rows)]]}


def taken(shift):
    """5,000 bookings, each of which overlaps most of the others."""
    entries = {
        f"booking-{number}": {
            "from": f"2026-11-{1 + number % 20:02d}T{number % 24:02d}:{shift:02d}",
            "until": f"2027-01-{1 + number % 28:02d}T{number % 24:02d}:{shift:02d}"}
        for number in range(TAKEN)}
    return {"kind": "slot", "stepMinutes": 10, "days": 366, "taken": entries}


def changes(client, path, stop, requests):
    """Sends the requests in turn, at RATE; each is (method, body, type)."""
    number = 0
    while not stop.wait(1 / RATE):
        method, body, kind = requests[number % len(requests)]
        client.request(method, path + "/definition", body, kind)
        number += 1


def put(definition):
    return "PUT", json.dumps(definition).encode(), "application/json"


def renames(make, state, stop):
    changes(make(state["port"]), state["path"], stop, [put(columns(0)), put(columns(1))])


def overlapping_bookings(make, state, stop):
    changes(make(state["port"]), state["path"], stop, [put(taken(0)), put(taken(30))])


def moves(make, state, stop):
    """Each operation moves the last row to the front of its column."""
    move = {"op": "move", "from": f"/columns/0/{ROWS // 2 - 1}", "path": "/columns/0/0"}
    body = json.dumps([move] * MOVES, separators=(",", ":")).encode()
    changes(make(state["port"]), state["path"], stop, [("PATCH", body, JSON_PATCH)])


def doubling_patch(make, state, stop):
    steps = [{"op": "add", "path": "/title", "value": ["a" * 1_000]}]
    steps += [{"op": "copy", "from": "/title", "path": "/title/-"}] * 60
    changes(make(state["port"]), state["path"], stop,
            [("PATCH", json.dumps(steps).encode(), JSON_PATCH)])
