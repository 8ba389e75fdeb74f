"""A practice's appointment book with pickerd: holds, two rooms, a line, closed days, a desk.

appointments_pages.py has its pages and starts it. appointments.md explains it.
"""

import contextlib, json, os, sqlite3, sys, threading, time

from pickerd import Pickerd

PORT, PICKERD, FILE = sys.argv[1:]
ROOMS, HOLD_SECONDS = 2, 600
pickerd = Pickerd(PICKERD, os.environ["PRACTICE_KEY"], retry_seconds=5)
wake = threading.Event()  # Set when there may be something to do.
EMPTY = '{"patients": {}, "visits": [], "answers": {}, "closed": {}}'
PICKER = {"kind": "slot", "timeZone": "Europe/Berlin", "stepMinutes": 20, "minutes": 20, "days": 10,
          "hours": [{"weekdays": [2, 3, 4, 5, 6], "from": "08:00", "until": "12:00"}]}
# pickerd waits longer than a hold lasts: the practice ends it, and frees the time first.
SESSION = {"uses": "practice", "title": "Your appointment", "reopen": "host", "cancel": "host",
           "decide": {"by": "host", "seconds": HOLD_SECONDS + 60}, "ttlSeconds": 30 * 86_400}


@contextlib.contextmanager
def book():
    """The book, in one transaction: an exception or a crash leaves nothing behind."""
    with contextlib.closing(sqlite3.connect(FILE, isolation_level=None, timeout=10)) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("CREATE TABLE IF NOT EXISTS book (id INTEGER PRIMARY KEY, data TEXT)")
        found = db.execute("SELECT data FROM book").fetchone()
        data = json.loads(found[0] if found else EMPTY)
        yield data
        db.execute("REPLACE INTO book VALUES (1, ?)", (json.dumps(data),))
        db.execute("COMMIT")


def read():
    with book() as data:
        return data


def visit_of(data, id):
    return next((visit for visit in data["visits"] if visit["patient"] == id), None)


def is_full(data, start, but=()):
    return sum(one["start"] == start and one not in but for one in data["visits"]) >= ROOMS


def session_of(id, **more):
    """The session of a patient's present visit. It is made once."""
    number = read()["patients"][id]["number"]
    return pickerd.create_by(f"{id}.{number}", {**SESSION, **more})["session"]


def show_taken(but=()):
    """Puts the times without a free room, and the closed days, into the definition of all."""
    data = read()
    taken = {one["start"]: {"from": one["start"], "until": one["until"]}
             for one in data["visits"] if is_full(data, one["start"], but)}
    pickerd.put_shared("practice", {"definition": {
        **PICKER, "taken": taken, "dates": {day: [] for day in data["closed"]}}})


def add(data, id, start, until, local, state, **more):
    """A visit has its room, whatever its state: held, booked or cancelling."""
    data["visits"].append({"patient": id, "start": start, "until": until, "local": local,
                           "state": state, "op": None, "session": None, **more})


def answer(data, op, session, denial=None):
    data["answers"][op] = {"session": session, "granted": not denial, "reason": denial}


def decide(data, found):
    """A time was confirmed: it is held if a room is free, and granted if it is booked already."""
    id, _, number = found.get("external", "").rpartition(".")
    op, session, result = found["op"], found["session"], found["snapshot"]["result"]
    patient, visit, day = data["patients"].get(id), visit_of(data, id), result["local"][:10]
    if op in data["answers"]:
        data["answers"][op].pop("outcome", None)  # It is sent again: pickerd may have lost it.
    elif not patient or visit and visit["op"] == op:
        pass  # Not of this practice, or held already.
    elif visit and visit["state"] == "booked" and visit["start"] == result["instant"]:
        visit.update(session=session, op=op)
        answer(data, op, session)
    elif visit or number != str(patient["number"]):
        answer(data, op, session, "You have another appointment.")
    elif day in data["closed"] or is_full(data, result["instant"]):
        answer(data, op, session, data["closed"].get(day, "This time has just been booked."))
    else:
        add(data, id, result["instant"], result["until"], result["local"], "held", op=op,
            session=session, ends=time.time() + HOLD_SECONDS)


def end(data, visit, reason):
    """Gives a time back: a hold by a denial, a booking by a cancellation, both with the reason."""
    data["patients"][visit["patient"]]["reason"] = reason
    if visit["state"] == "held":
        answer(data, visit["op"], visit["session"], reason)
        free(data, visit)
    else:
        visit.update(state="cancelling", reason=reason)


def free(data, visit):
    """The time is booked for the first in the line, or free for everybody."""
    if visit["state"] != "held":
        data["patients"][visit["patient"]]["number"] += 1  # The next visit: another session.
    data["visits"].remove(visit)
    line = sorted((one["waits"], id) for id, one in data["patients"].items()
                  if one["waits"] and not visit_of(data, id))
    if line and visit["local"][:10] not in data["closed"]:
        data["patients"][line[0][1]]["waits"] = None
        add(data, line[0][1], visit["start"], visit["until"], visit["local"], "booked")


def book_held(data, visit, reason):
    visit.update(state="booked", reason=reason)
    answer(data, visit["op"], visit["session"])


def close(data, day, reason):
    data["closed"][day] = reason
    for visit in [one for one in data["visits"] if one["local"].startswith(day)]:
        end(data, visit, reason)


def call(id, name, **wanted):
    """Somebody calls: the wanted time, or the first free one, is booked. Whether it was free."""
    with book() as data:
        data["patients"].setdefault(id, {"name": name, "number": 0, "waits": None})
    result = pickerd.session(session_of(id, **wanted))["snapshot"]["result"]
    with book() as data:
        if result and not visit_of(data, id) and not is_full(data, result["instant"]):
            add(data, id, result["instant"], result["until"], result["local"], "booked")
        return visit_of(data, id) is not None


# The work. Every step can be repeated: the next round does what an error or a crash has left.


def hold():
    """Holds what is being confirmed, and ends the holds that are over."""
    found = [pickerd.session(one["session"]) for one in pickerd.sessions(status="confirming")]
    found = [one for one in found if one["status"] == "confirming"]
    with book() as data:
        for visit in [one for one in data["visits"] if one["state"] == "held"]:
            if visit["op"] not in [one["op"] for one in found]:
                free(data, visit)  # The patient took it back.
            elif visit["ends"] < time.time():
                end(data, visit, "The time was held for ten minutes.")
        for one in found:
            decide(data, one)


def send():
    """Sends answers and cancellations until pickerd has answered."""
    for op, one in read()["answers"].items():
        if "outcome" not in one:
            outcome = pickerd.settle(one["session"], op, one["granted"], reason=one["reason"])
            with book() as data:
                data["answers"][op]["outcome"] = outcome
    for visit in [one for one in read()["visits"] if one["state"] == "cancelling"]:
        if visit["session"]:  # Otherwise it was not confirmed yet.
            pickerd.command(visit["session"], {"type": "cancel", "reason": visit["reason"]})
        with book() as data:
            free(data, visit)


def confirm():
    """Confirms what the book has and pickerd has not: for the line, for a caller, lost in a backup."""
    data, now = read(), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    confirmed = {one["session"]: one["result"]["instant"]
                 for one in pickerd.sessions(status="confirmed", include="result")}
    missing = [one for one in data["visits"] if one["state"] == "booked" and one["start"] > now
               and confirmed.get(one["session"]) != one["start"]
               and (not one["op"] or "outcome" in data["answers"][one["op"]])]
    if missing:
        show_taken(but=missing)
    for visit in missing:
        for command in {"type": "set", "result": {"instant": visit["start"]}}, {"type": "confirm"}:
            pickerd.command(session_of(visit["patient"]), command)


def work():
    while True:
        wake.clear()
        for step in (hold, show_taken, send, confirm, hold, show_taken, send):
            try:
                step()
            except Exception as error:
                print(f"{step.__name__}: {error!r}", file=sys.stderr, flush=True)
        wake.wait(2)
