"""Synchronizes a picker with a host's table of bookings. Needs only Python's standard library."""

import json, sqlite3, sys, time, urllib.error, urllib.request


def ask(url, token, patch=None):
    headers = {"Content-Type": "application/merge-patch+json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    body = None if patch is None else json.dumps(patch).encode()
    request = urllib.request.Request(url, body, headers, method="PATCH" if body else "GET")
    try:
        return json.load(urllib.request.urlopen(request, timeout=10))
    except urllib.error.HTTPError as error:
        error.msg = f"{request.method} {url}: {error.read().decode()}"  # Says what is wrong.
        raise


def step(session, bookings, token=""):
    """Sends the differences to the picker; null removes a booking. Entries of others stay."""
    taken = ask(f"{session}/definition", token).get("taken", {})
    patch = {id: None for id in taken if id.startswith("booking-") and id not in bookings}
    patch |= {id: stay for id, stay in bookings.items() if taken.get(id) != stay}
    while patch:
        try:
            return ask(f"{session}/definition", token, {"taken": patch})
        except urllib.error.HTTPError as error:
            wrong = [id for id in patch for end in '/"' if f'"pointer":"/taken/{id}{end}' in error.msg]
            if not wrong:
                raise
            print(f"left out {wrong[0]}: {error}", file=sys.stderr)
            del patch[wrong[0]]
            time.sleep(0.1)  # At most 20 changes a second.


if __name__ == "__main__":
    database, session, token, done = sqlite3.connect(sys.argv[1]), sys.argv[2], "".join(sys.argv[3:]), None
    while True:
        try:
            rows = database.execute("SELECT id, first_day, last_day FROM bookings")
            bookings = {f"booking-{id}": {"from": first, "through": last}
                        for id, first, last in rows}
            if bookings != done:
                step(session, bookings, token)
                done = bookings
        except (OSError, sqlite3.Error) as error:
            print(f"not synchronized yet: {error}", file=sys.stderr)  # Tried again in a second.
        time.sleep(1)
