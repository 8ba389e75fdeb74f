"""The box office: it counts the places itself, because pickerd has no count of places. Every order
waits for its decision, and the places that are left are notes beside the shows."""

import time

LEFT = {"Friday, 8 pm": 2, "Saturday, 8 pm": 40, "Sunday, 3 pm": 12}


def shown():
    notes = {show: {"text": f"{left} left"} if left else {"text": "sold out", "tone": "bad"}
             for show, left in LEFT.items()}
    return {"definition": {"kind": "columns", "columns": [list(LEFT), ["1", "2", "3", "4"]]},
            "notes": {"columns": {"0": notes}}}


def prepare(api):
    api.put_shared("hamlet", shown())


def work(api, admin):
    while True:
        for waiting in admin.sessions(status="confirming"):
            session = api.session(waiting["session"])
            show, count = session["snapshot"]["result"]["keys"]
            is_free = int(count) <= LEFT[show]
            reason = None if is_free else {"en": f"Only {LEFT[show]} left for {show}."}
            outcome = api.settle(waiting["session"], session["op"], is_free, reason=reason)
            if is_free and outcome == "granted":
                LEFT[show] -= int(count)
                api.put_shared("hamlet", shown())
        time.sleep(.2)
