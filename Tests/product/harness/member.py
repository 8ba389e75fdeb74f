"""A synchronous member of a session over a real WebSocket, with its folded state."""

import json
import time
from copy import deepcopy

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from .listener import Listener
from .patience import PATIENCE

ANSWERS = ("delta", "reply", "refused")
SUBPROTOCOL = "pickerd.v1"


class Hung(AssertionError):
    """The connection closed while a test expected a message."""


def dial(url, *, subprotocols=(SUBPROTOCOL,), headers=None, origin=None, patience=PATIENCE,
         **rest):
    """Opens a WebSocket without compression and without size limits."""
    return connect(
        url, subprotocols=list(subprotocols) or None, additional_headers=headers, origin=origin,
        compression=None, proxy=None, max_size=None, max_queue=None, ping_interval=None,
        open_timeout=patience, close_timeout=patience, legacy=True, **rest)


class Member(Listener):
    """Sends commands, folds what it receives and asserts the contract on every message.

    `url` is the session's socket. With `join=False` it only opens the connection.
    """

    def __init__(self, url, name=None, *, join=True, headers=None, origin=None, **fields):
        self.begin(name)
        self.url = url
        self.greatest = 0
        self.joined_with = {}
        self.web = dial(url, headers=headers, origin=origin)
        if join:
            self.join(**fields)

    # Sending

    def send(self, message):
        """Sends one message; the `ref` of a command becomes pending."""
        if "ref" in message:
            ref = message["ref"]
            self.pending.append(ref)
            (self.repeated if ref in self.sent else self.sent).add(ref)
        self.send_text(json.dumps(message, ensure_ascii=False))

    def send_text(self, text):
        """Sends a text message unchanged: str, or bytes that may be invalid UTF-8."""
        try:
            self.web.send(text, text=True)
        except ConnectionClosed:
            pass

    def next_ref(self):
        self.greatest += 1
        return self.greatest

    def ask(self, type, **fields):
        """Sends a command with a new or the given `ref` and returns the ref."""
        ref = fields.pop("ref", None) or self.next_ref()
        self.greatest = max(self.greatest, ref)
        self.send({"type": type, "ref": ref, **fields})
        return ref

    def do(self, type, **fields):
        """Sends a command and returns its answer."""
        return self.answer(self.ask(type, **fields))

    def join(self, **fields):
        """Joins and waits for `welcome`, and for `months` if `months` is given."""
        message = {"type": "join", **fields}
        self.joined_with = fields
        self.is_catching_up = "resume" in fields and "months" in fields
        if self.name is not None:
            message["name"] = self.name
        self.send(message)
        welcome = self.expect("welcome")
        if "months" in fields and "resume" not in fields:
            self.expect("months")
        return welcome

    def select(self, column, row, **fields):
        """Selects, by default with the generation that the member currently sees."""
        return self.answer(self.ask_select(column, row, **fields))

    def ask_select(self, column, row, **fields):
        if "generation" not in fields:
            shown = self.screen.columns
            fields["generation"] = shown[column]["generation"] if 0 <= column < len(shown) else 1
        return self.ask("select", column=column, row=row, **fields)

    def tap(self, date=None, **where):
        return self.do("tap", **({"date": date} if date else where))

    def mark(self, grade, *cells, **fields):
        """Marks runs of cells, by default with the generation that the member sees."""
        generation = fields.pop("generation", self.screen.availability.fields["generation"])
        return self.do("mark", grade=grade, cells=[list(run) for run in cells],
                       generation=generation, **fields)

    def clear(self):
        return self.do("clear")

    def undo(self):
        return self.do("undo")

    def redo(self):
        return self.do("redo")

    def confirm(self, cell=None):
        if cell is None:
            return self.do("confirm")
        generation = self.screen.availability.fields["generation"]
        return self.do("confirm", cell=cell, generation=generation)

    def cancel(self):
        return self.do("cancel")

    def reopen(self):
        return self.do("reopen")

    def look(self, month, count=1):
        """Subscribes to `count` months starting with `month`; returns the `months` message."""
        self.send({"type": "months", "from": month, "count": count})
        return self.expect("months")

    def rows(self, column, start, count):
        self.send({"type": "rows", "column": column, "from": start, "count": count})
        return self.expect("rows")

    def touch(self, **where):
        self.send({"type": "touch", **where})

    # Receiving

    def receive(self, timeout=PATIENCE):
        """The next message, validated and folded; raises TimeoutError or Hung."""
        try:
            text = self.web.recv(timeout=max(timeout, 0), decode=True)
        except ConnectionClosed as closed:
            self.hung = closed
            raise Hung(f"{self}'s connection is closed: {closed}") from None
        return self.take(json.loads(text))

    def expect(self, *types, passing=("presence",), timeout=PATIENCE):
        """The next message, which must be of `types`; skips messages of `passing`."""
        for message in self._messages(timeout):
            if message["type"] in types:
                return message
            assert message["type"] in passing, f"{self} expected {types}, received {message}"
        raise AssertionError(f"{self} expected {types}, received nothing for {timeout} s")

    def answer(self, ref, timeout=PATIENCE):
        """The answer to `ref`; skips messages that precede it."""
        for message in self._messages(timeout):
            if message.get("ref") == ref:
                return message
        raise AssertionError(f"{self}: no answer to ref {ref} in {timeout} s")

    def until(self, holds, timeout=PATIENCE, what="the expected state"):
        """Receives until `holds(self)`."""
        if holds(self):
            return self
        for _ in self._messages(timeout):
            if holds(self):
                return self
        raise AssertionError(f"{self}: {what} did not come in {timeout} s")

    def reach(self, revision):
        """Receives until the member is at `revision`."""
        return self.until(lambda m: m.screen.revision >= revision, what=f"revision {revision}")

    def receives_nothing(self):
        """Asserts that no message but presence is in flight to this member."""
        ref = self.ask("areYouStillThere")
        answer = self.expect(*ANSWERS)
        assert answer["ref"] == ref and answer["code"] == "unknownType", answer

    def closed(self, code, timeout=PATIENCE):
        """Receives until the connection closes with `code`; returns the `error` before it.

        None is the code of a connection that ends without a close frame.
        """
        codes = code if isinstance(code, tuple) else (code,)
        before = None
        try:
            for message in self._messages(timeout):
                before = message
        except Hung:
            got = self.hung.rcvd.code if self.hung.rcvd else None
            assert got in codes, f"{self} is closed with {got}, not {code}: {self.hung}"
            if got is not None and got >= 4300:
                assert before and before["type"] == "error", f"error precedes {got}: {before}"
            return before
        raise AssertionError(f"{self} is not closed after {timeout} s, last received {before}")

    def drain(self, timeout=0):
        """Receives until no message arrives for `timeout` seconds."""
        while self.is_open:
            try:
                self.receive(timeout)
            except (TimeoutError, Hung):
                return

    def _messages(self, timeout):
        while self.received:
            yield self.received.popleft()
        until = time.monotonic() + timeout
        while True:
            try:
                self.receive(until - time.monotonic())
            except TimeoutError:
                return
            yield self.received.popleft()

    # Leaving

    @property
    def is_open(self):
        return self.hung is None and not self.is_dropped

    is_dropped = False

    def drop(self):
        """Closes the socket without a leave and without a close frame."""
        self.is_dropped = True
        self.web.close_socket()

    def come_back(self, revision=None, epoch=None, **fields):
        """Resumes on a new connection, starting from the state of this one."""
        back = Member(self.url, self.name, join=False)
        back.screen = deepcopy(self.screen)
        back.sent, back.greatest = set(self.sent), self.greatest
        back.owed = set(self.pending)
        back.screen.has_other_texts = "locale" in fields
        back.screen.views = {}
        back.join(resume=self.resume(revision, **({"epoch": epoch} if epoch else {})), **fields)
        return back

    def leave(self):
        self.send({"type": "leave"})

    # Resuming

    def resume(self, revision=None, **changed):
        """The `resume` field of a join as this member."""
        at = self.screen.revision if revision is None else revision
        return {"member": self.id, "secret": self.welcome["member"]["secret"],
                "epoch": self.welcome["epoch"], "revision": at, **changed}
