"""A practice's appointment book with pickerd: two rooms, holds, a line, closed days, a desk.

appointments_pages.py has its pages and starts it. appointments.md explains it.
"""

import contextlib, json, os, sqlite3, sys, time

from pickerd import Pickerd

PORT, PICKERD, FILE = sys.argv[1:]
pickerd = Pickerd(PICKERD, os.environ["PRACTICE_KEY"], retry_seconds=5)
EMPTY = '{"patients": {}, "visits": {}, "closed": {}, "cursor": ""}'
PICKER = {"kind": "slot", "timeZone": "Europe/Berlin", "stepMinutes": 20, "minutes": 20, "days": 10,
          "hours": [{"weekdays": [2, 3, 4, 5, 6], "from": "08:00", "until": "12:00"}]}
INVENTORY = {"capacity": 2, "holdSeconds": 600, "waiting": True, "offerSeconds": 3600}
SESSION = {"uses": "practice", "title": "Your appointment", "reopen": "host", "cancel": "host",
           "ttlSeconds": 30 * 86_400}


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


def session_of(id):
    """The session of a patient's present visit. It is made once."""
    return pickerd.create_by(f"{id}.{read()['patients'][id]['number']}", SESSION)["session"]


def give(id, result=None):
    """Chooses a time, by default the one that is selected, and confirms it: what is held, what a
    caller wants, what a backup has lost. Whether that is confirmed; a second time is the same."""
    session = session_of(id)
    choice = [{"type": "set", "result": result}] if result else []
    for command in [*choice, {"type": "confirm"}]:
        if pickerd.command(session, command)["type"] == "refused":
            break
    return pickerd.session(session)["status"] == "confirmed"


def wait(id, start):
    """Joins the waiting list for a time of which all rooms are taken."""
    return pickerd.command(session_of(id), {"type": "wait", "keys": [start]})["type"] != "refused"


def cancel(session, reason):
    """The time is free in the same transaction, or offered to the first who waits for it."""
    pickerd.command(session, {"type": "cancel", "reason": reason})


def call(id, name, wanted=None):
    """Somebody calls: the wanted time, or the first free one, is booked. Whether it was free."""
    with book() as data:
        data["patients"].setdefault(id, {"name": name, "number": 0})
    return give(id, wanted and {"local": wanted})


def close(day, reason):
    with book() as data:
        data["closed"][day] = reason
    close_days()


# The work. Every step can be repeated: the next round does what an error or a crash has left.


def follow():
    """Writes into the book what was confirmed and cancelled, together with the cursor."""
    types = ["session.confirmed", "session.cancelled"]
    for event in pickerd.feed(read()["cursor"], types=types):
        found = [event["data"]] if "data" in event else repair()
        with book() as data:
            for one in found:
                note(data, one)
            data["cursor"] = event["cursor"]


def note(data, found):
    external = found.get("external", "")
    id, _, number = external.rpartition(".")
    patient, result = data["patients"].get(id), found.get("result")
    if patient and found["status"] == "confirmed":
        data["visits"][external] = {"patient": id, "session": found["session"],
                                    "start": result["instant"], "local": result["local"]}
    elif patient and found["status"] == "cancelled" and number == str(patient["number"]):
        patient.update(number=patient["number"] + 1, reason=found.get("reason"))
        data["visits"].pop(external, None)


def repair():
    """All sessions, after events were missed: what a restored backup has lost is confirmed again,
    and booked in any case, because somebody may have this time now."""
    for external, visit in read()["visits"].items():
        is_ahead = visit["start"] > time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        if is_ahead and not give(visit["patient"], {"instant": visit["start"]}):
            pickerd.book("practice", f"lost {external}", [visit["start"]], over=True)
    return list(pickerd.sessions(uses="practice", include="result"))


def close_days():
    """Closed days are in no picker, and what is confirmed on them is cancelled, with the reason."""
    closed = read()["closed"]
    pickerd.put_shared("practice", {"inventory": INVENTORY, "definition": {
        **PICKER, "dates": {day: [] for day in closed}}})
    for one in pickerd.sessions(uses="practice", status="confirmed", include="result"):
        if reason := closed.get(one["result"]["local"][:10]):
            cancel(one["session"], reason)


def forever(step):
    while True:
        try:
            step()
        except Exception as error:
            print(f"{step.__name__}: {error!r}", file=sys.stderr, flush=True)
        time.sleep(2)
