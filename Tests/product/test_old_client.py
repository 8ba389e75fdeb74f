"""The browser client of commit e842581 works while the host changes the picker, because it
ignores unknown fields and changes."""

import json
import queue
import subprocess
import threading
from pathlib import Path

import pytest

CLIENT = Path(__file__).parent / "clients/old_client.mjs"
MERGE = {"Content-Type": "application/merge-patch+json"}
CALENDAR = {"kind": "calendar", "months": {"from": "2026-11", "through": "2027-01"}}
LISTS = {"kind": "columns", "columns": [["S", "M", "L"], ["red", "blue"]]}


class OldClient:
    """A node process that runs the old client."""

    def __init__(self, session):
        has = subprocess.run(["node", "-p", "typeof WebSocket"], capture_output=True, text=True, check=True)
        flags = ["--experimental-websocket"] if "undefined" in has.stdout else []
        self.process = subprocess.Popen(
            ["node", *flags, str(CLIENT), session.url], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.lines = queue.Queue()
        self.shown = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def reach(self, revision):
        """The client's state once it is connected and at a revision."""
        while not self.shown or self.shown["revision"] < revision or self.shown["connection"] != "live":
            self.shown = self.lines.get(timeout=60)
        return self.shown

    def do(self, type, **fields):
        self.process.stdin.write(json.dumps({"type": type, **fields}) + "\n")
        self.process.stdin.flush()

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


@pytest.fixture
def old(server):
    clients = []

    def joins(definition, **fields):
        session = server.session(definition, **fields)
        clients.append(OldClient(session))
        clients[-1].reach(0)
        return session, clients[-1]

    yield joins
    for client in clients:
        client.close()


def change(session, what, patch):
    answer = session.server.request("PATCH", f"{session.path}/{what}", patch, headers=MERGE)
    assert answer.status == 200, answer
    return answer.json["revision"]


def agrees(session, client, revision):
    """Asserts that the client has the server's state."""
    shown = client.reach(revision)
    truth = session.get()
    assert truth["revision"] == shown["revision"] == revision
    snapshot = truth["snapshot"]
    assert (shown["status"], shown["result"]) == (truth["status"], snapshot["result"])
    if "columns" in snapshot:
        columns, texts = snapshot["columns"], shown["texts"]
        assert shown["columns"][:len(columns)] == [{k: c[k] for k in ("generation", "count", "row")} for c in columns]
        assert texts[:len(columns)] == [c["rows"][c["row"] - c["from"]]["text"] for c in columns]
        assert not any(texts[len(columns):])
    else:
        theirs = snapshot["calendar"]["range"]
        assert shown["calendar"]["range"] == (theirs if theirs and theirs["start"] else None)
    return shown


def test_the_old_client_folds_a_stay_that_the_host_shortens_and_clears(old):
    session, client = old(CALENDAR)
    client.do("months", **{"from": "2026-12", "count": 1})
    for revision, date in enumerate(["2026-12-20", "2026-12-27"], start=1):
        client.do("tap", date=date)
        client.reach(revision)

    taken = {"from": "2026-12-24", "through": "2026-12-24"}
    agrees(session, client, change(session, "definition", {"taken": {"booking-1": taken}}))
    agrees(session, client, change(session, "definition", {"maxDays": 2, "taken": {"booking-1": None}}))
    agrees(session, client, change(session, "definition", {"min": "2026-12-25"}))
    client.do("tap", date="2026-12-28")
    shown = agrees(session, client, 6)

    assert shown["dials"] == 1, "every message was folded on the first connection"


def test_the_old_client_folds_renamed_removed_and_added_rows(old):
    session, client = old(LISTS)
    client.do("select", column=0, row=1, generation=1, key="M")
    client.reach(1)

    agrees(session, client, change(session, "definition", {"columns": [["S", {"text": "Medium", "key": "M"}, "L"], ["red", "blue"]]}))
    agrees(session, client, change(session, "definition", {"columns": [["S", "L", "XL"], ["blue"]]}))
    shown = agrees(session, client, change(session, "definition", {"locale": "de"}))
    assert shown["dials"] == 1 and shown["texts"] == ["L", "blue"]
    client.do("select", column=0, row=2, generation=3, key="XL")
    agrees(session, client, 5)


def test_the_old_client_folds_added_and_removed_columns(old):
    session, client = old(LISTS)

    agrees(session, client, change(session, "definition", {"columns": [["S", "M"], ["red"], ["cotton", "wool"]]}))
    shown = agrees(session, client, change(session, "definition", {"columns": [["S", "M"]]}))
    assert shown["dials"] == 1
    assert [column["count"] for column in shown["columns"]] == [2, 0, 0], "removed columns remain without rows"
    client.do("select", column=0, row=1, generation=2, key="M")
    agrees(session, client, 3)


def test_the_old_client_folds_a_change_that_is_applied_at_reopen(old):
    session, client = old(LISTS)
    client.do("confirm")
    agrees(session, client, 1)
    change(session, "definition", {"columns": [["M", "L"], ["red"]]})
    client.do("reopen")
    agrees(session, client, 4)


def test_the_old_client_folds_a_confirmation_that_the_host_decides(old):
    session, client = old(LISTS, decide={"by": "host", "seconds": 300})
    for revision, granted in ((1, False), (3, True)):
        client.do("confirm")
        shown = agrees(session, client, revision)
        assert shown["status"] == "confirming"
        answer = session.server.post(session.path + "/settle", {
            "op": session.get()["op"], "granted": granted, "data": {"booking": 1}})
        assert answer.status == 200, answer
        shown = agrees(session, client, revision + 1)
    assert (shown["status"], shown["dials"]) == ("confirmed", 1)


def test_notes_are_ignored(old):
    session, client = old(LISTS)
    sold_out = {"S": {"text": "sold out", "tone": "bad"}}
    agrees(session, client, change(session, "notes", {"columns": {"0": sold_out}}))
    session, client = old(CALENDAR)
    client.do("months", **{"from": "2026-12", "count": 1})
    client.do("tap", date="2026-12-20")
    client.reach(1)
    agrees(session, client, change(session, "notes", {"days": {"2026-12-20": {"text": "€ 120"}}}))
    client.do("tap", date="2026-12-22")
    assert agrees(session, client, 3)["dials"] == 1
