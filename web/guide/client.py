"""A whole pickerd client: joins, folds, selects and taps, and comes back after a lost connection.

    python client.py ws://127.0.0.1:7681/v1/sessions/ID          shows the picker as it changes
    python client.py ws://… tap 2026-11-20                       taps a day of a calendar
    python client.py ws://… select 0 3                           selects row 3 of column 0
"""

import json
import random
import sys
import time

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


class Picker:
    """One member of one session. `state` is what everybody sees."""

    def __init__(self, url, name="Python", locale=None, token=None):
        self.url = url
        self.hello = {"type": "join", "name": name, "locale": locale, "token": token}
        self.me = self.epoch = self.state = self.socket = None
        self.revision = self.ref = 0

    def connect(self):
        """Joins, or comes back as the same member to where it was."""
        self.socket = connect(self.url, subprotocols=["pickerd.v1"], proxy=None).__enter__()
        join = {key: value for key, value in self.hello.items() if value is not None}
        if self.me:
            join["resume"] = {"member": self.me["id"], "secret": self.me["secret"],
                              "epoch": self.epoch, "revision": self.revision}
        self.socket.send(json.dumps(join))
        self.hear()

    def hear(self, timeout=None):
        """Waits for one message, folds it, and returns it."""
        message = json.loads(self.socket.recv(timeout))
        fold = getattr(self, "on_" + message["type"], None)
        if fold:  # Types that are not known, of a newer server, are left aside.
            fold(message)
        return message

    # What the server says: one function for each message that moves the picker.

    def on_welcome(self, message):
        self.me, self.epoch = message["member"], message["epoch"]
        self.revision = message["revision"]
        self.state = message.get("snapshot", self.state)  # None of it when resumed: deltas follow.

    def on_snapshot(self, message):
        self.revision, self.state = message["revision"], message["snapshot"]

    def on_delta(self, message):
        if message["revision"] != self.revision + 1:
            self.socket.close()  # A gap. Coming back resumes from before it.
            return
        self.revision = message["revision"]
        for change in message["changes"]:
            self.fold(change)

    def on_refused(self, message):
        print("refused:", message["code"], message["detail"], file=sys.stderr)

    def fold(self, change):
        kind = change["change"]
        if kind == "reload":  # A column has other rows.
            self.state["columns"][change["column"]] = {
                key: change[key] for key in ("generation", "count", "from", "rows", "row")}
        elif kind == "row":  # Another row of it is selected.
            self.state["columns"][change["column"]]["row"] = change["row"]
        elif kind == "range":
            kept = ("start", "end", "hits", "by", "reach")
            range = {key: change[key] for key in kept if key in change}
            self.state["calendar"]["range"] = range if range["start"] else None
        elif kind == "months":
            self.state["calendar"]["months"] = {
                key: change[key] for key in ("first", "last", "count")}
        elif kind == "status":
            self.state["status"] = change["status"]

    # What we say.

    def ask(self, type, **fields):
        """Gives a command and returns its one answer: a delta, a reply or a refusal."""
        self.ref += 1
        self.socket.send(json.dumps({"type": type, "ref": self.ref, **fields}))
        while True:
            message = self.hear()
            if message.get("ref") == self.ref:
                return message

    def tap(self, date):
        return self.ask("tap", date=date)

    def select(self, column, row):
        """Selects what is shown: the generation says which rows that are."""
        shown = self.state["columns"][column]
        at = row - shown["from"]
        key = {"key": shown["rows"][at]["key"]} if 0 <= at < len(shown["rows"]) else {}
        return self.ask("select", column=column, row=row, generation=shown["generation"], **key)

    def follow(self, changed):
        """Calls `changed(self)` after every message, for ever, whatever the network does."""
        wait = 1
        while True:
            try:
                self.connect()
                changed(self)
                while True:
                    self.hear()
                    wait = 1
                    changed(self)
            except (ConnectionClosed, OSError) as lost:
                code = getattr(getattr(lost, "rcvd", None), "code", 0)
                if code in (1002, 1003, 1007, 1009) or 4300 <= code < 4500:
                    raise  # 43xx wants other credentials, 44xx and protocol errors are final.
            time.sleep(random.uniform(0, wait))
            wait = min(2 * wait, 30)


def show(picker):
    """The picker on one line."""
    selected = [
        column["rows"][column["row"] - column["from"]]["text"]
        if column["row"] is not None
        and 0 <= column["row"] - column["from"] < len(column["rows"]) else "–"
        for column in picker.state.get("columns", [])]
    print(picker.revision, picker.state["status"],
          " | ".join(selected) or json.dumps(picker.state["calendar"]["range"]), flush=True)


if __name__ == "__main__":
    me = Picker(sys.argv[1])
    if len(sys.argv) == 2:
        me.follow(show)
    me.connect()
    if sys.argv[2] == "tap":
        me.tap(sys.argv[3])
    else:
        me.select(int(sys.argv[3]), int(sys.argv[4]))
    show(me)
