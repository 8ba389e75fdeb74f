"""Writes walks.json: random walks of model.py, which the Swift tests replay.

    python3 Tests/golden/inventory/walks.py > Tests/golden/inventory/walks.json
"""
import copy
import json
import random

import model

KEYS = ["a", "b", "c", "d"]
SESSIONS = [f"s{number}" for number in range(8)]
WALKS, STEPS = 120, 50


def settings(random):
    least = random.choice([1, 1, 1, 2])
    hold = random.choice([0, 5, 20, 20, 60])
    made = {
        "capacity": random.choice([0, 1, 1, 2, 3, 4]),
        "keys": {key: random.randint(0, 4) for key in KEYS if random.random() < 0.2},
        "units": {"min": least, "max": random.choice([least, least + 2])},
        "few": random.choice([0, 1, 2]),
        "holdSeconds": hold,
        "maxHoldSeconds": random.choice([hold, 2 * hold, 6 * hold]),
        "waiting": True,
        "offerSeconds": random.choice([5, 30]),
    }
    if random.random() < 0.3:
        made["perHolder"] = random.choice([1, 2, 4, 6])
    return made


def span(random):
    start = random.randrange(len(KEYS))
    return KEYS[start:start + random.choice([1, 1, 1, 2, 2, 3])]


def entry(random, table):
    me = random.choice(SESSIONS)
    mine = table["claims"].get(me)
    units = random.randint(1, 3) if random.random() < 0.4 else 1
    wish = {"id": me, "keys": span(random), "units": units, "holder": random.choice(["", "", "h"]) or me}
    if mine and random.random() < 0.5:
        wish |= {"keys": mine["keys"], "units": mine["units"]}
    chance = random.random()
    if chance < 0.28:
        return {"do": "hold"} | wish
    if chance < 0.50:
        return {"do": "wait"} | wish
    if chance < 0.64:
        return {"do": "book"} | wish
    if chance < 0.76:
        return {"do": "free", "id": me} | ({"unless": "booked"} if random.random() < 0.3 else {})
    if chance < 0.80 and mine and mine["state"] == "booked":
        return {"do": "reopen", "id": me, "holder": mine["holder"]}
    if chance < 0.88:
        id = f"b{random.randrange(3)}"
        if random.random() < 0.4:
            return {"do": "free", "id": id}
        more = {"over": True} if random.random() < 0.2 else {}
        body = {"keys": wish["keys"], "units": units} | more
        return {"do": "book", "id": id, "body": body} | body
    if chance < 0.93:
        return {"do": "change", "settings": settings(random)}
    return {"do": "time"}


def kept(table, key):
    """the order of the first in the line who wants more of a key than is free"""
    line = model.earlier(table, None)
    return next((w["order"] for w in line if key in w["keys"] and w["units"] > model.free(table, key)), None)


def shown(table, id):
    """what a table has of a claim"""
    claim = table["claims"].get(id)
    if claim is None:
        return None
    place = model.place(table, id) if claim["state"] == "waiting" else None
    return [claim["state"], claim["keys"], claim["units"], claim.get("until"), claim.get("order"), place]


def counts(table, key):
    of = lambda state: model.taken(table, key, (state,))
    waiting = sum(1 for c in table["claims"].values() if c["state"] == "waiting" and key in c["keys"])
    return [model.capacity(table, key), of("booked"), of("held"), of("offered"), waiting, kept(table, key)]


def walk(random):
    table = {"settings": settings(random), "now": 0, "order": 0, "claims": {}}
    made, now = {"settings": copy.deepcopy(table["settings"]), "steps": []}, 1_000_000
    known, known_counts = {}, {}
    for _ in range(STEPS):
        now += random.choice([-500, 0, 1, 300, 1000, 1999, 2000, 4000, 9000, 31000])
        do = entry(random, table)
        outcome = model.decide(table, copy.deepcopy(do), now)
        step = {"now": now, "entry": do}
        if "code" in outcome:
            step["refused"] = outcome
        if "over" in outcome:
            step["over"] = outcome["over"]
        if "again" in outcome:
            step["again"] = True
        after = {id: shown(table, id) for id in SESSIONS + ["b0", "b1", "b2"]}
        step["claims"] = {id: claim for id, claim in after.items() if claim != known.get(id)}
        known = after
        after = {key: counts(table, key) for key in KEYS}
        step["counts"] = {key: count for key, count in after.items() if count != known_counts.get(key)}
        known_counts = after
        me, key, units = random.choice(SESSIONS + [None]), random.choice(KEYS), random.randint(1, 3)
        level = model.level(table, key, units, me)
        step["level"] = [me, key, units, level.get("level"), level.get("left")]
        made["steps"].append(step)
    return made


if __name__ == "__main__":
    lines = [json.dumps(walk(random.Random(seed)), separators=(",", ":")) for seed in range(WALKS)]
    print("[" + ",\n".join(lines) + "]")
