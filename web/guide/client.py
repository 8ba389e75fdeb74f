"""A complete pickerd client: joins, selects, taps, and survives lost connections and restarts.

    python client.py ws://127.0.0.1:7681/v1/sessions/ID             shows the picker as it changes
    python client.py ws://… tap 2026-11-20                          taps a day of a calendar
    python client.py ws://… select 0 3                              selects row 3 of column 0
    python client.py ws://… set '{"local": "2026-12-03T14:20"}'     chooses a whole value
    python client.py ws://… mark yes 12 20                          marks cells 12 to 19
    python client.py ws://… hold                                    also: units 2, release
    python client.py ws://… wait 2026-12-24                         joins the waiting list
    python client.py --state me.json ws://… tap 2026-11-20          as the member in me.json
    python client.py --state me.json ws://… rename Mia              changes the name of that member
"""

import json
import math
import os
import random
import sys
import time

from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus
from websockets.sync.client import connect

ANSWERS = ("delta", "reply", "refused")
#: Commands that are refused if somebody else has changed what their author saw.
LATE = ("set", "clear", "undo", "redo", "confirm", "cancel", "reopen", "hold")


class NoToken(Exception):
    """The function `token` has returned None: the user has no access any more."""


class Picker:
    """A member of a session. `state` is the snapshot with all deltas applied."""

    #: Stored in the file: the identity, the position in the revisions, and unanswered commands.
    STORED = ("me", "epoch", "revision", "state", "ref", "sent", "queue")

    def __init__(self, url, name="Python", locale=None, token=None, file=None):
        """`token`: a text, or a function that returns a current one, for tokens that expire.

        If the function returns None, the next connection raises NoToken."""
        self.url, self.file, self.wait, self.drain = url, file, 1, None
        self.hello = {"type": "join", "name": name, "locale": locale}
        self.token, self.renew_at = token, math.inf
        self.is_rejected = self.joins_as_new = False
        self.me = self.epoch = self.state = self.socket = None
        self.revision, self.queue = 0, []
        self.ref = self.sent = 0  # The greatest ref; the greatest one that was sent.
        if file and os.path.exists(file):
            with open(file, encoding="utf-8") as text:
                self.__dict__.update(json.load(text))

    def save(self):
        """Writes the stored values to the file atomically."""
        if self.file:
            with open(self.file + ".new", "w", encoding="utf-8") as text:
                json.dump({name: getattr(self, name) for name in self.STORED}, text)
            os.replace(self.file + ".new", self.file)

    # The connection.

    def connect(self):
        """Joins, or resumes as the same member; returns the welcome."""
        if not self.joins_as_new:
            self.current = self.token() if callable(self.token) else self.token
        if callable(self.token) and self.current is None:
            raise NoToken
        self.socket = connect(self.url, subprotocols=["pickerd.v1"], proxy=None).__enter__()
        join = {**self.hello, "token": self.current}
        join = {key: value for key, value in join.items() if value is not None}
        if self.me:
            join["name"] = self.me["name"]  # Used if the server has to create a new member.
        if self.me and not self.joins_as_new:
            join["resume"] = {"member": self.me["id"], "secret": self.me["secret"],
                              "epoch": self.epoch, "revision": self.revision}
        self.socket.send(json.dumps(join))
        return self.receive()

    def receive(self, timeout=None):
        """Waits for a message, applies it, and returns it."""
        message = json.loads(self.socket.recv(timeout))
        fold = getattr(self, "on_" + message["type"], None)
        if fold:  # An unknown type, from a newer server, is ignored.
            fold(message)
        if "ref" in message and message["type"] in ANSWERS and message.get("code") != "tooMany":
            self.queue = [sent for sent in self.queue if sent["ref"] != message["ref"]]
        self.save()
        return message

    def next(self, timeout=None):
        """The next message, reconnecting if needed; None if there is none in time."""
        while True:
            left = self.renew_at - time.monotonic()
            waits = [wait for wait in (timeout, left) if wait is not None and wait < math.inf]
            try:
                if self.socket and left <= 0:
                    self.renew_at = math.inf  # Set again by the answer.
                    if token := self.token():
                        self.socket.send(json.dumps({"type": "token", "token": token}))
                    continue
                message = self.receive(min(waits, default=None)) if self.socket else self.connect()
                if message["type"] not in ("error", "draining"):
                    self.wait = 1
                return message
            except (ConnectionClosed, InvalidMessage, InvalidStatus, OSError) as lost:
                if self.socket and isinstance(lost, TimeoutError):
                    if timeout is None or left < timeout:
                        continue  # Time for a new token.
                    return None
                self.socket, self.renew_at = None, math.inf
                code = getattr(getattr(lost, "rcvd", None), "code", 0)
                status = lost.response.status_code if isinstance(lost, InvalidStatus) else 0
                # A second 4301: the member's secret may be wrong. Tries the token once without it.
                self.joins_as_new = (code == 4301 and self.is_rejected and not self.joins_as_new
                                     and self.me is not None)
                self.is_rejected = code == 4301
                if code in (4301, 4302, 4403) and callable(self.token):
                    if self.joins_as_new:
                        continue  # Immediately; otherwise with back-off and a new token.
                elif code in (1002, 1003, 1007, 1009) or 4300 <= code < 4500 or 400 <= status < 429:
                    raise  # 43xx needs new credentials, 44xx and protocol errors are final.
            time.sleep(random.uniform(0, self.wait) if self.drain is None else self.drain)
            self.wait, self.drain = min(2 * self.wait, 30), None

    # The messages of the server that change the state, one method for each.

    def on_welcome(self, message):
        known, self.is_rejected = message.get("ref", 0), False
        if self.me and self.me["id"] != message["member"]["id"]:
            self.queue = []  # Another member: the outcome of the old one's commands is unknown.
        elif known > self.sent:  # Another device of this member may have used the refs of ours.
            self.queue = [sent for sent in self.queue if sent["ref"] > self.sent]
        if self.epoch != message["epoch"]:  # Then `at` is a revision of other history.
            self.queue = [sent for sent in self.queue if "at" not in sent]
        self.me, self.epoch = message["member"], message["epoch"]
        self.ref = max(self.ref, known)
        if self.queue and self.sent < self.queue[0]["ref"] <= known:
            for unsent in self.queue:
                unsent["ref"] = self.ref = self.ref + 1
        self.revision = message["revision"]
        self.state = message.get("snapshot", self.state)  # Not when resumed: deltas follow.
        self.on_token(message.get("token", {}))
        for sent in self.queue:  # Each is done only once.
            self.give(sent)

    def on_token(self, message):
        if callable(self.token) and "expiresInSeconds" in message:
            left = message["expiresInSeconds"]
            self.renew_at = time.monotonic() + max(5, left - min(60, left / 2))

    def on_snapshot(self, message):
        self.revision, self.state = message["revision"], message["snapshot"]
        self.update_role(message["members"])

    def on_presence(self, message):
        self.update_role(message.get("changed", []))

    def update_role(self, members):
        self.me["role"] = {m["id"]: m["role"] for m in members}.get(self.me["id"], self.me["role"])

    def on_delta(self, message):
        if message["revision"] > self.revision + 1:
            self.socket.close()  # A gap: resuming sends the missing deltas.
        elif message["revision"] == self.revision + 1:  # Otherwise a duplicate.
            self.revision = message["revision"]
            for change in message["changes"]:
                self.fold(change)

    def on_reply(self, message):
        for sent in self.queue:
            if sent["ref"] == message["ref"] and sent["type"] == "rename":
                self.me["name"] = sent["name"]  # Only the others receive `changed`.

    def on_refused(self, message):
        refused = [sent for sent in self.queue if sent["ref"] == message.get("ref")]
        if refused and message["code"] == "tooMany":  # Not done; a later command may have been.
            time.sleep(1)
            self.queue.remove(refused[0])
            refused[0]["ref"] = self.ref = self.ref + 1
            self.queue.append(refused[0])
            self.give(refused[0])
        for change in message["changes"]:
            self.fold(change)

    def on_draining(self, message):
        self.drain = message["reconnectAfterMs"] / 1000

    def fold(self, change):
        kind, state = change["change"], self.state
        if kind == "reload":  # The rows of a column are replaced.
            at, names = change["column"], ("generation", "count", "from", "rows", "row")
            gone = change.get("removed")  # With all columns after it. A new index adds a column.
            column = [] if gone else [{key: change[key] for key in names}]
            state["columns"][at:None if gone else at + 1] = column
        elif kind == "row":  # Another row is selected.
            state["columns"][change["column"]]["row"] = change["row"]
        elif kind == "notes":  # Notes of days are in the cells of `months`, not stored here.
            for row in state["columns"][change["column"]]["rows"] if "rows" in change else []:
                row["note"] = change["rows"].get(row["key"], row.get("note"))
        elif kind == "range":
            names = ("start", "end", "hits", "by", "reach")
            range = {key: change[key] for key in names if key in change}
            state["calendar"]["range"] = range if range["start"] else None
        elif kind == "months":
            state["calendar"]["months"] = {key: change[key] for key in ("first", "last", "count")}
        elif kind in ("cells", "past", "closed", "marks", "heat", "best"):
            self.fold_availability(kind, state["availability"], change)
        elif kind == "definition":
            state["definition"] = change["definition"]
        elif kind == "status":
            state["status"] = change["status"]
        elif kind in ("inventory", "units"):
            state[kind] = change[kind]
        elif kind == "hold":  # Until when it lasts, or the place in the line.
            hold = {key: change[key] for key in change if key != "change"}
            state["hold"] = None if hold["state"] == "none" else hold
        elif kind == "result":  # Computed by the server only.
            state["result"] = change["result"]

    def fold_availability(self, kind, cells, change):
        if kind == "cells":  # Numbered anew: all marks follow.
            cells.update({key: change[key] for key in change if key != "change"}, marks=[])
            if "heat" in cells:
                cells["heat"] = []
        elif kind == "marks":
            names = ("member", "name", "color")
            of = {marks["member"]: marks for marks in cells["marks"]}
            marks = of.setdefault(change["member"], {name: change[name] for name in names})
            marks["runs"] = painted(marks.get("runs", []), change["runs"])
            cells["marks"] = [marks for marks in of.values() if marks["runs"]]
        elif kind == "heat":
            cells["respondents"] = change["respondents"]
            cells["heat"] = painted(cells["heat"], change["runs"])
        else:
            cells[kind] = change["windows" if kind == "best" else kind]

    # Commands.

    def begin(self, type, **fields):
        """Sends a command and returns it, with its ref; the answer comes later."""
        while self.state is None:  # The user has seen nothing yet.
            self.next()
        self.ref += 1  # A welcome may change the ref of the command.
        command = {"type": type, "ref": self.ref, **self.seen(type), **fields}
        self.queue.append(command)
        self.save()
        try:
            if self.socket:  # A tap that is sent at once needs no hits.
                self.give({key: value for key, value in command.items() if key != "hits"})
        except ConnectionClosed:
            pass  # The next welcome sends it.
        return command

    def ask(self, type, **fields):
        """Sends a command and returns its answer: a delta, a reply or a refusal."""
        command = self.begin(type, **fields)
        while True:
            message = self.next()
            if all(sent is not command for sent in self.queue):
                if message.get("ref") == command["ref"] and message["type"] in ANSWERS:
                    return message
                raise LookupError("the outcome is unknown: see the state")

    def seen(self, type):
        """What a command says about the state that its user sees."""
        if type == "mark":
            return {"generation": self.state["availability"]["generation"]}
        if type in LATE:
            return {"at": self.revision}
        if type != "tap" or "calendar" not in self.state:
            return {}
        hits = (self.state["calendar"]["range"] or {"hits": 0})["hits"]
        for sent in self.queue:
            if sent["type"] == "set":
                hits = 1 if "date" in sent["result"] else 2
            else:
                hits = 0 if sent["type"] == "clear" else hits + (sent["type"] == "tap")
        return {"hits": hits}

    def give(self, command):
        """Sends a command of the queue."""
        before, self.sent = self.sent, max(self.sent, command["ref"])
        self.save()  # Before sending: after a crash it counts as sent, and its ref as used.
        try:
            self.socket.send(json.dumps(command))
        except ConnectionClosed:
            self.sent = before
            raise

    def tap(self, date):
        return self.ask("tap", date=date)

    def set(self, result):
        """Chooses a whole value, in the form of results, such as {"date": "2026-11-20"}."""
        return self.ask("set", result=result)

    def mark(self, grade, *runs):
        """Marks runs of cells, such as [12, 20], with yes, maybe or no; None removes marks."""
        return self.ask("mark", grade=grade, cells=runs)

    def rename(self, name):
        if not name.strip() or len(name) > 64:  # The connection would be closed with 4400.
            raise ValueError("a name has 1 to 64 characters, not only spaces")
        return self.ask("rename", name=name)

    def select(self, column, row):
        """Selects a row as shown; `generation` and `key` identify it."""
        shown = self.state["columns"][column]
        at = row - shown["from"]
        key = {"key": shown["rows"][at]["key"]} if 0 <= at < len(shown["rows"]) else {}
        return self.ask("select", column=column, row=row, generation=shown["generation"], **key)


def painted(runs, changed):
    """Runs [from, until, …] after some cells have got another value: null or zeros for none."""
    cells = {cell: value for start, end, *value in [*runs, *changed] for cell in range(start, end)}
    return [[cell, cell + 1, *value] for cell, value in sorted(cells.items()) if any(value)]


def show(picker):
    """Prints revision, status and result, or the open range, and a hold, on one line."""
    shown = picker.state["result"] or picker.state.get("calendar", {}).get("range")
    hold = picker.state.get("hold") or {}
    print(picker.revision, picker.state["status"], json.dumps(shown, ensure_ascii=False),
          *(f"{key}={hold[key]}" for key in ("state", "until", "place") if key in hold), flush=True)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if not arguments:
        sys.exit(__doc__)
    file = arguments[1] if arguments[0] == "--state" else None
    url, *command = arguments[2:] if file else arguments
    me = Picker(url, file=file)
    while me.state is None:  # The first message may be an error, such as one with 4503.
        me.next()
    while not command:
        show(me)
        me.next()
    do = {"tap": me.tap, "rename": me.rename, "select": lambda *at: me.select(*map(int, at)),
          "wait": lambda *keys: me.ask("wait", keys=keys), "hold": lambda: me.ask("hold"),
          "units": lambda n: me.ask("units", units=int(n)), "release": lambda: me.ask("release"),
          "set": lambda result: me.set(json.loads(result)),
          "mark": lambda grade, start, end: me.mark(
              None if grade == "none" else grade, [int(start), int(end)])}
    answer = do[command[0]](*command[1:])
    if answer["type"] == "refused":
        print("refused:", answer["code"], answer["params"], answer["detail"], file=sys.stderr)
    show(me)
