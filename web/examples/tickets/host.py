"""The box office: three shows with the places that they have. pickerd counts them."""

PLACES = {"Friday, 8 pm": 2, "Saturday, 8 pm": 40, "Sunday, 3 pm": 12}


def prepare(api):
    shows = [{"key": show, "text": show} for show in PLACES]
    api.put_shared("hamlet", {
        "definition": {"kind": "cascade", "nodes": shows},
        "inventory": {"capacity": 0, "keys": PLACES, "units": {"max": 4}, "few": 20, "waiting": True}})
