"""What the others wait while the cells of an availability with many marks are numbered anew.

MEMBERS members mark 384 runs each and listen; one PATCH changes the time zone. Measured: the
longest wait of a tap of another session, and the growth of the resident memory.
Usage: PICKERD=.build/release/pickerd python3 Tests/bench/cells.py [MEMBERS] [everyone|counts|owner]
"""

import json
import multiprocessing
import selectors
import sys
import time
from pathlib import Path

from direct import frame, join, joining, request, serve

MEMBERS = int(sys.argv[1]) if len(sys.argv) > 1 else 480
RESULTS = sys.argv[2] if len(sys.argv) > 2 else "everyone"


def tapper(session, found, ready, stop):
    """Taps every 10 ms from another address, and measures the time until the delta."""
    there = join(session, "127.0.0.2")
    ready.set()
    ref, waits = 0, []
    while not stop.is_set():
        ref += 1
        begin = time.monotonic()
        there.sendall(frame(json.dumps({"type": "select", "ref": ref, "column": 0, "row": ref % 3,
                                        "generation": 1})))
        data = b""
        while f'"ref":{ref}'.encode() not in data:
            data = data[-64:] + there.recv(1 << 16)
        waits.append((begin, time.monotonic() - begin))
        time.sleep(0.01)
    found.put(waits)


def reader(sockets, received):
    """Discards what members receive, and counts it."""
    chooser, buffer = selectors.DefaultSelector(), bytearray(1 << 20)
    for there in sockets:
        there.setblocking(False)
        chooser.register(there, selectors.EVENT_READ)
    while True:
        for key, _ in chooser.select():
            try:
                received.value += key.fileobj.recv_into(buffer)
            except OSError:
                pass


def status(server, name):
    for line in Path(f"/proc/{server.pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024


server = serve("memory:", "--limit", "joinsPerSecond=100000", "--limit", "createsPerSecond=1000",
               "--limit", "messagesPerSecond=1000")
try:
    days = {"from": "2030-01-07", "through": "2030-01-18"}
    code, body = request("POST", "/v1/sessions", {"definition": {
        "kind": "availability", "timeZone": "UTC", "dates": days, "stepMinutes": 15, "length": 2,
        "hours": [{"from": "00:00", "until": "24:00"}], "results": RESULTS}})
    assert code == 201, body
    session = json.loads(body)["session"]
    other = json.loads(request("POST", "/v1/sessions", {"definition": {
        "kind": "columns", "columns": [["a", "b", "c"]]}})[1])["session"]
    received = multiprocessing.Value("Q", 0, lock=False)
    members = []
    runs = [[cell, cell + 1] for cell in range(0, 768, 2)]
    for _ in range(MEMBERS):
        there = joining(session)
        members.append(there)
        there.recv(1 << 16)
    process = multiprocessing.Process(target=reader, args=(members, received), daemon=True)
    process.start()
    for index, there in enumerate(members):
        there.setblocking(True)
        for part in range(6):
            there.sendall(frame(json.dumps(
                {"type": "mark", "ref": part + 1, "grade": "yes",
                 "cells": runs[64 * part:64 * part + 64], "generation": 1})))
        if index % 8 == 7:
            time.sleep(0.1)
    def quiet():
        last = -1
        while received.value != last:
            last = received.value
            time.sleep(1)
    quiet()
    size = len(request("GET", f"/v1/sessions/{session}")[1])
    print(f"{MEMBERS} members, snapshot {size / 2**20:.1f} MiB, results {RESULTS}")
    found, ready, stop = multiprocessing.Queue(), multiprocessing.Event(), multiprocessing.Event()
    taps = multiprocessing.Process(target=tapper, args=(other, found, ready, stop))
    taps.start()
    ready.wait()
    time.sleep(2)
    before, count = status(server, "VmRSS"), received.value
    Path(f"/proc/{server.pid}/clear_refs").write_text("5")
    begin = time.monotonic()
    code, body = request("PATCH", f"/v1/sessions/{session}/definition", {"timeZone": "Asia/Tokyo"})
    answered = time.monotonic()
    print("PATCH", code, f"{1000 * (answered - begin):.0f} ms, {len(body) / 2**20:.2f} MiB")
    quiet()
    end = time.monotonic()
    time.sleep(1)
    peak = status(server, "VmHWM")
    stop.set()
    waits = found.get()
    taps.join()
    under = [wait for at, wait in waits if begin <= at + wait and at <= end - 1]
    calm = [wait for at, wait in waits if at < begin]
    print(f"received {(received.value - count) / 2**20:.0f} MiB in {end - begin - 1:.1f} s")
    print(f"tap of the other session: longest {1000 * max(under):.1f} ms, before "
          f"{1000 * max(calm):.1f} ms, of {len(under)}")
    print(f"resident memory: {before:.0f} MiB, peak {peak:.0f}: +{peak - before:.0f} MiB")
    code, body = request("GET", f"/v1/sessions/{session}")
    print("connections", len(json.loads(body)["members"]), "online",
          sum(member["online"] for member in json.loads(body)["members"]))
finally:
    server.kill()
