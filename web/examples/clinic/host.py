"""The clinic: one calendar for all patients. It grants a time once, and closes it for the others."""

import time

HOURS = {"kind": "slot", "timeZone": "Europe/Berlin", "days": 7, "stepMinutes": 20, "minutes": 20,
         "leadMinutes": 60, "onParentChange": "keep",
         "hours": [{"from": "08:00", "until": "12:00"}, {"from": "14:00", "until": "18:00"}]}
TAKEN = {"en": "Somebody else has just booked this time. Please choose another one."}


def prepare(api):
    api.put_shared("dr-lin", {"definition": HOURS})


def work(api, admin):
    booked = {}
    while True:
        for waiting in admin.sessions(status="confirming"):
            session = api.session(waiting["session"])
            op, result = session["op"], session["snapshot"]["result"]
            times = {"from": result["instant"], "until": result["until"]}
            is_free = times not in booked.values()
            outcome = api.settle(waiting["session"], op, is_free, reason=None if is_free else TAKEN)
            if is_free and outcome == "granted":
                booked[op] = times
                api.patch_shared("dr-lin", {"definition": {"taken": booked}})
        time.sleep(.2)
