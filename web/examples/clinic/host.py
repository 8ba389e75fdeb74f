"""The clinic: one calendar for all patients. pickerd gives each time to one of them."""

HOURS = {"kind": "slot", "timeZone": "Europe/Berlin", "days": 7, "stepMinutes": 20, "minutes": 20,
         "leadMinutes": 60, "onParentChange": "keep",
         "hours": [{"from": "08:00", "until": "12:00"}, {"from": "14:00", "until": "18:00"}]}


def prepare(api):
    inventory = {"capacity": 1, "holdSeconds": 120, "waiting": True}
    api.put_shared("dr-lin", {"definition": HOURS, "inventory": inventory})
