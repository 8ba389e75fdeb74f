"""Makes what a release stores and its client, with which every later version is tested.

    .venv/bin/python Tests/product/releases/make.py 1.0.0

Only for a new release: the files of an old one are not made again.
"""

import gzip
import json
import posixpath
import random
import re
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timedelta
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from harness import contract
from harness.host import Host
from harness.pickerd import REPOSITORY, wait_until
from harness.postgres import Postgres
from harness.session import Session
from harness.store import stored, stored_at

#: The sessions' clock at first.
FIRST = "2026-11-30T09:00:00Z"
#: The revisions of each session.
COUNT = 200
MONTHS = {"months": {"from": "2026-12", "through": "2027-01"}}
#: The shared definitions that have an inventory, with its settings.
SOLD = {
    "evening": ({"kind": "calendar", **MONTHS, "selection": "single"},
                {"capacity": 2, "few": 2, "units": {"min": 1, "max": 2}}),
    "rooms": ({"kind": "calendar", **MONTHS, "unit": "nights"}, {"capacity": 3}),
    "visits": ({"kind": "slot", "timeZone": "Europe/Berlin", "days": 14}, {"capacity": 1}),
    "seats": ({"kind": "cascade", "nodes": [
        {"key": hall, "text": hall.title(), "children": [
            {"key": f"row {row}", "text": f"Row {row}"} for row in range(1, 9)]}
        for hall in ("stalls", "balcony")]}, {"capacity": 4, "few": 3}),
}
#: The definitions of sessions that have one of their own.
OWN = {
    "date": {"kind": "date", "timeZone": "Asia/Shanghai"},
    "columns": {"kind": "columns", "columns": [["S", "M", "L"], ["red", "green", "blue"]]},
    "calendar": {"kind": "calendar", **MONTHS, "maxDays": 20},
    "availability": {"kind": "availability",
                     "dates": {"from": "2026-12-01", "through": "2026-12-20"}},
}
#: Days of `evening` for which one can only wait.
SOLD_OUT = ["2026-12-24", "2026-12-25"]
#: The last command of a session.
ENDINGS = {
    "evening 0": ("wait", {"keys": [SOLD_OUT[1]]}), "evening 1": ("wait", {"keys": [SOLD_OUT[0]]}),
    "rooms 0": ("hold", {}), "rooms 1": ("confirm", {}), "visits 0": ("hold", {}),
    "visits 1": ("confirm", {}), "seats 0": ("hold", {}), "seats 1": ("confirm", {}),
    "date": ("confirm", {}), "columns": ("cancel", {}),
}
COMMANDS = ["undo", "redo", "clear", "confirm", "reopen", "cancel", "units", "hold", "release",
            "wait", "rename"]


class Maker:
    """The host of a server, and two members of each of its sessions."""

    def __init__(self, server, host, seed):
        self.server, self.host, self.random = server, host, random.Random(seed)
        self.decides = host.decide
        self.now = datetime.fromisoformat(FIRST)
        self.sessions, self.members = {}, {}

    def request(self, method, path, body=None, token=None):
        headers = {"Content-Type": "application/merge-patch+json"} if method == "PATCH" else None
        answer = self.server.request(
            method, path, body, token=token or self.host.api, headers=headers)
        assert answer.status < 300, answer
        return answer.json if answer.body else None

    def pass_time(self):
        self.now += timedelta(minutes=5)
        self.server.clock(self.now.isoformat())

    def create(self):
        for name, (definition, inventory) in SOLD.items():
            inventory = {
                "waiting": True, "holdSeconds": 86_400, "offerSeconds": 604_800, **inventory}
            body = {"definition": definition, "inventory": inventory}
            self.request("PUT", f"/v1/definitions/{name}", body)
            for number in range(2):
                self.add(f"{name} {number}", {"uses": name, "definition": {}})
        for number, day in enumerate(SOLD_OUT):
            booking = {"booking": f"phone{number}", "keys": [day], "units": 3, "over": True}
            self.request("POST", "/v1/definitions/evening/bookings", booking)
        for name, definition in OWN.items():
            self.add(name, {"definition": definition})

    def add(self, name, body):
        decide = {"decide": {"by": "host", "seconds": 3600}} if name == "evening 1" else {}
        session = Session(self.server, self.request("POST", "/v1/sessions", {
            "title": name, "external": name, "ttlSeconds": 31_536_000,
            "watch": ["holds", "members"], **decide, **body}))
        self.sessions[name] = session
        self.members[name] = []
        for person in ("Ana", "Bo"):
            role = "owner" if person == "Ana" else "editor"
            fields = {"token": self.host.token(session.id, role, sub=person)}
            if self.is_calendar(session):
                fields["months"] = {"from": "2026-12", "count": 2}
            self.members[name].append(session.join(person, **fields))

    def state(self, session):
        return session.get(token=self.host.api)

    def kind(self, session):
        return self.state(session)["snapshot"]["definition"]["kind"]

    def is_calendar(self, session):
        return self.kind(session) == "calendar"

    def day(self):
        return f"2026-12-{self.random.randrange(1, 32):02}"

    def choose(self, member):
        """Selects something, or tries."""
        screen = member.screen
        if screen.result and self.random.random() < 0.1:
            return member.do("set", result=screen.result)
        if screen.availability:
            first = self.random.randrange(15)
            cells = (first, first + self.random.randrange(1, 5))
            return member.mark(self.random.choice(["yes", "no"]), cells)
        if screen.columns:
            column = self.random.randrange(len(screen.columns))
            row = self.random.randrange(max(1, screen.columns[column]["count"]))
            return member.select(column, row)
        return member.tap(self.day())

    def act(self, member):
        """A command of another type, which may be refused."""
        type = self.random.choice(COMMANDS)
        fields = {"units": {"units": self.random.choice([1, 2])}, "wait": {"keys": [SOLD_OUT[0]]},
                  "rename": {"name": f"name {self.random.random():.3f}"}}
        answer = member.do(type, **fields.get(type, {}))
        then = {"undo": "redo", "hold": "release"}.get(type)
        if then and self.random.random() < 0.5:
            member.do(then)
        return answer

    def change(self, name, session):
        """A change by the host: of notes, a definition, or imported marks."""
        if name == "availability":
            marks = {"free": [{"from": "2026-12-01", "through": self.day()}]}
            member = self.members[name][0].id
            return self.request("PUT", f"{session.path}/members/{member}/marks", marks)
        if name == "calendar":
            patch = {"maxDays": self.random.randrange(10, 30)}
            return self.request("PATCH", f"{session.path}/definition", patch)
        note = {"text": f"€ {self.random.randrange(99)}"}
        notes = {"days": {self.day(): note}} if self.is_calendar(session) else {
            "columns": {"0": {"0": note}}}
        return self.request("PATCH", f"{session.path}/notes", notes)

    def step(self, name):
        """Something happens in a session."""
        session, member = self.sessions[name], self.random.choice(self.members[name])
        state = self.state(session)
        if state["status"] == "confirming":
            body = {"op": state["op"], "granted": False}
            self.request("POST", f"{session.path}/settle", body, token=self.decides)
        elif state["status"] != "open":
            member.do("reopen")
        elif self.random.random() < 0.7:
            self.choose(member)
        elif self.random.random() < 0.9:
            self.act(member)
        else:
            self.change(name, session)

    def run(self):
        """Until each session has enough revisions, and each type of entry is there."""
        self.create()
        while behind := [name for name, session in self.sessions.items()
                         if self.state(session)["revision"] < COUNT]:
            self.pass_time()
            for name in behind:
                self.step(name)
        for name, (type, fields) in ENDINGS.items():
            self.end(name, type, fields)
        # Its units go to the first in the line.
        self.request("DELETE", "/v1/definitions/evening/bookings/phone1")
        session = self.sessions["evening 0"]
        wait_until(lambda: self.state(session)["snapshot"]["hold"]["state"] == "offered",
                   what="the offer")
        wanted = set(contract.document("openapi")["components"]["schemas"]["logLine"][
            "properties"]["command"]["properties"]["type"]["enum"])
        assert not (missing := wanted - self.types()), f"no entry has one of {missing}"

    def end(self, name, type, fields):
        """Brings a session to the state in which it stays."""
        ana, bo = self.members[name]
        for member in (ana, bo):
            member.drain(0.1)
        while self.state(self.sessions[name])["status"] != "open":
            self.step(name)
            ana.drain(0.1)
        while ana.do(type, **fields)["type"] == "refused":
            self.choose(ana)

    def types(self):
        """The types of the entries."""
        found = set()
        for session in self.sessions.values():
            log = self.server.get(f"{session.path}/log", token=self.host.api).body
            found |= {json.loads(line)["command"]["type"] for line in log.splitlines()}
        return found


def shown(get, paths=()):
    """What a server says of its sessions, definitions and inventories.

    `get` returns the document at a path.
    """
    paths = list(paths) or [
        f"/v1/sessions/{entry['session']}" for entry in get("/v1/sessions?limit=500")["sessions"]]
    documents = {path: get(path) for path in paths}
    for document in documents.values():
        # They have the server's address.
        document.pop("links", None)
        for member in document.get("members", []):
            # Nobody is there after a restart.
            member["online"] = False
    for name in SOLD:
        for part in ("", "/inventory?limit=1000", "/bookings?limit=1000"):
            documents[f"/v1/definitions/{name}{part}"] = get(f"/v1/definitions/{name}{part}")
    return documents


def make(server, host, seed):
    """Fills a store and stops its server; what it showed."""
    maker = Maker(server, host, seed)
    try:
        maker.run()
        for session in maker.sessions.values():
            session.forget()
        return {"madeAt": int(time.time()), "now": maker.now.isoformat(),
                "shown": shown(lambda path: maker.request("GET", path))}
    finally:
        server.stop()


def client(folder):
    """The texts of the modules that a page with the elements can load, by path."""
    found, wanted = {}, ["elements.js"]
    while wanted:
        path = wanted.pop()
        if path in found:
            continue
        found[path] = (folder / path).read_text()
        for name in re.findall(r"""["']((?:\./)[-\w./]+\.js)["']""", found[path]):
            wanted.append(posixpath.normpath(posixpath.join(posixpath.dirname(path), name)))
    return found


def main(version):
    target = HERE / version
    target.mkdir()

    def write(name, content):
        (target / name).write_bytes(gzip.compress(content, 9, mtime=0))

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        host = Host(folder)
        host.decide = host.add("decide", "decide")
        auth = f"keys:{host.file}"
        found = make(stored(folder / "log", folder / "store.sqlite", auth=auth), host, 1)
        write("sqlite.json.gz", json.dumps(found, sort_keys=True).encode())
        write("store.sqlite.gz", (folder / "store.sqlite").read_bytes())
        postgres = Postgres()
        store = postgres.database()
        found = make(stored_at(folder / "log2", store, auth=auth), host, 2)
        write("postgres.json.gz", json.dumps(found, sort_keys=True).encode())
        name = store.split("/")[3].split("?")[0]
        write("postgres.sql.gz", postgres.run("pg_dump", "--no-owner", name).encode())
        postgres.stop()
        subprocess.run([REPOSITORY / "web/bundle.py", folder / "web"], check=True)
        write("client.json.gz", json.dumps(client(folder / "web/client")).encode())
    for file in sorted(target.iterdir()):
        print(file.name, file.stat().st_size, "bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
