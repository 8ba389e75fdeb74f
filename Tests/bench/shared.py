"""The memory of 100 sessions that use one definition, and of 100 changes of it.

Prints by how much pickerd_sessions_bytes and the resident memory have grown, and the first divided
by the second. Then the server is killed, and all sessions are opened again.
Usage: PICKERD=.build/release/pickerd python3 Tests/bench/shared.py [sqlite | memory]
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from direct import PORT, join, request, serve

COUNT = CHANGES = 100
BOOKINGS = 130
LIMIT = ("--limit", "sessionsBytes=16777216")


def counted():
    for line in request("GET", "/metrics", port=PORT + 1)[1].decode().splitlines():
        if line.startswith("pickerd_sessions_bytes "):
            return float(line.split()[1])


def resident(server):
    for line in Path(f"/proc/{server.pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Anonymous"):
            return int(line.split()[1]) * 1024


def definition(last):
    days = [f"2026-12-{day:02}" for day in range(1, 31)]
    taken = {f"booking-{number}": {"from": f"{days[number % 30]}T{8 + number // 30:02}:20",
                                   "until": f"{days[number % 30]}T{8 + number // 30:02}:40"}
             for number in range(BOOKINGS)}
    taken["booking-0"] = {"from": f"2026-12-{last % 28 + 1:02}T15:00", "until":
                          f"2026-12-{last % 28 + 1:02}T15:{last % 30 + 20}"}
    return {"kind": "slot", "timeZone": "UTC", "minutes": 20, "stepMinutes": 20, "days": 30,
            "taken": taken}


def settled(values):
    """The value when it has been the same three times."""
    last = []
    while len(last) < 4 or len(set(last[-4:])) > 1:
        last.append(values())
        time.sleep(0.3)
    return last[-1]


def drained(members):
    for there in members:
        there.setblocking(False)
        try:
            while there.recv(1 << 20):
                pass
        except BlockingIOError:
            pass


with tempfile.TemporaryDirectory() as folder:
    durable = "memory" not in sys.argv
    store = f"sqlite:{folder}/store.sqlite" if durable else "memory:"
    server = serve(store, *LIMIT)
    try:
        # One session first, so that what is allocated once does not count.
        assert request("PUT", "/v1/definitions/first", {"definition": definition(0)})[0] == 201
        created = json.loads(request("POST", "/v1/sessions", {"uses": "first"})[1])
        first = join(created["session"])
        request("PATCH", "/v1/definitions/first", {"definition": {"taken": {"x": {
            "from": "2026-12-01T16:00", "until": "2026-12-01T17:00"}}}})
        time.sleep(1)
        before = settled(lambda: (counted(), resident(server) >> 18))[0], resident(server)
        assert request("PUT", "/v1/definitions/weber", {"definition": definition(0)})[0] == 201
        sessions, members = [], []
        for _ in range(COUNT):
            status, body = request("POST", "/v1/sessions", {"uses": "weber"})
            assert status == 201, body
            sessions.append(json.loads(body)["session"])
            members.append(join(sessions[-1]))
        for number in range(1, CHANGES + 1):
            status, body = request("PATCH", "/v1/definitions/weber", {"definition": {
                "taken": {"booking-0": definition(number)["taken"]["booking-0"]}}})
            assert status == 200, body
            time.sleep(0.1)
            drained(members)
        after = settled(counted), resident(server)
        print(f"counted +{(after[0] - before[0]) / 2**20:.2f} MiB, resident "
              f"+{(after[1] - before[1]) / 2**20:.2f} MiB: "
              f"{(after[0] - before[0]) / (after[1] - before[1]):.2f}")
        print("create:", request("POST", "/v1/sessions", {"uses": "weber"})[0],
              "readyz:", request("GET", "/readyz")[0])
        if durable:
            server.kill()
            server.wait()
            server = serve(store, *LIMIT)
            statuses = [request("GET", f"/v1/sessions/{session}")[0] for session in sessions]
            print("opened after kill -9:", statuses.count(200), "of", COUNT)
            print(f"counted after it {counted() / 2**20:.2f} MiB")
    finally:
        server.kill()
