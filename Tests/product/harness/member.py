"""A member of a session over a real WebSocket, synchronous, with a screen of its own."""

import json
import time
from copy import deepcopy

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from .listener import Listener

#: Generous, because several test processes share a small machine.
PATIENCE = 15
ANSWERS = ("delta", "reply", "refused")
SUBPROTOCOL = "pickerd.v1"


class Hung(AssertionError):
    """The connection is closed, where a test expected a message."""


def dial(url, *, subprotocols=(SUBPROTOCOL,), headers=None, origin=None, **rest):
    """A connected WebSocket without compression, unbounded in what it takes."""
    return connect(
        url, subprotocols=list(subprotocols) or None, additional_headers=headers, origin=origin,
        compression=None, proxy=None, max_size=None, max_queue=None, ping_interval=None,
        open_timeout=PATIENCE, close_timeout=PATIENCE, legacy=True, **rest)


class Member(Listener):
    """Ana, Bo or Cem: sends, hears, folds, and asserts the contract on every message.

    `url` is the session's socket. With `join=False` the connection is open and has said nothing.
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
        """Sends one message; a command's `ref` is noted as not answered yet."""
        if "ref" in message:
            ref = message["ref"]
            self.pending.append(ref)
            (self.repeated if ref in self.sent else self.sent).add(ref)
        self.send_text(json.dumps(message, ensure_ascii=False))

    def send_text(self, text):
        """Sends any text as it is (str, or bytes that may be no UTF-8)."""
        try:
            self.web.send(text, text=True)
        except ConnectionClosed:
            pass

    def next_ref(self):
        self.greatest += 1
        return self.greatest

    def ask(self, type, **fields):
        """Sends a command with a new `ref` (or the one given) and returns the ref."""
        ref = fields.pop("ref", None) or self.next_ref()
        self.greatest = max(self.greatest, ref)
        self.send({"type": type, "ref": ref, **fields})
        return ref

    def do(self, type, **fields):
        """Sends a command and returns its answer."""
        return self.answer(self.ask(type, **fields))

    def join(self, **fields):
        """Joins, and waits for `welcome` (and for `months` if some were named)."""
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
        """Selects with the generation that this screen shows, unless told otherwise."""
        return self.answer(self.ask_select(column, row, **fields))

    def ask_select(self, column, row, **fields):
        if "generation" not in fields:
            shown = self.screen.columns
            fields["generation"] = shown[column]["generation"] if 0 <= column < len(shown) else 1
        return self.ask("select", column=column, row=row, **fields)

    def tap(self, date=None, **where):
        return self.do("tap", **({"date": date} if date else where))

    def clear(self):
        return self.do("clear")

    def undo(self):
        return self.do("undo")

    def redo(self):
        return self.do("redo")

    def confirm(self):
        return self.do("confirm")

    def cancel(self):
        return self.do("cancel")

    def reopen(self):
        return self.do("reopen")

    def look(self, month, count=1):
        """Looks at `count` months from `month` on; returns the `months` message."""
        self.send({"type": "months", "from": month, "count": count})
        return self.expect("months")

    def rows(self, column, start, count):
        self.send({"type": "rows", "column": column, "from": start, "count": count})
        return self.expect("rows")

    def touch(self, **where):
        self.send({"type": "touch", **where})

    # Hearing

    def hear(self, timeout=PATIENCE):
        """The next message, folded and checked; raises TimeoutError or Hung."""
        try:
            text = self.web.recv(timeout=max(timeout, 0), decode=True)
        except ConnectionClosed as closed:
            self.hung = closed
            raise Hung(f"{self}'s connection is closed: {closed}") from None
        return self.take(json.loads(text))

    def expect(self, *types, passing=("presence",), timeout=PATIENCE):
        """The next message; it is one of `types`. Those of `passing` may come before."""
        for message in self._messages(timeout):
            if message["type"] in types:
                return message
            assert message["type"] in passing, f"{self} expected {types}, heard {message}"
        raise AssertionError(f"{self} expected {types}, heard nothing for {timeout} s")

    def answer(self, ref, timeout=PATIENCE):
        """The answer to `ref`; what others did may be heard before."""
        for message in self._messages(timeout):
            if message.get("ref") == ref:
                return message
        raise AssertionError(f"{self}: no answer to ref {ref} in {timeout} s")

    def until(self, holds, timeout=PATIENCE, what="what was waited for"):
        """Hears until `holds(self)`."""
        if holds(self):
            return self
        for _ in self._messages(timeout):
            if holds(self):
                return self
        raise AssertionError(f"{self}: {what} did not come in {timeout} s")

    def reach(self, revision):
        """Hears until its screen is at `revision`."""
        return self.until(lambda m: m.screen.revision >= revision, what=f"revision {revision}")

    def hears_nothing(self):
        """Asserts that nothing but presence is on the way to this member."""
        ref = self.ask("areYouStillThere")
        answer = self.expect(*ANSWERS)
        assert answer["ref"] == ref and answer["code"] == "unknownType", answer

    def closed(self, code, timeout=PATIENCE):
        """Hears until the connection is closed, with `code`; returns the `error` before it."""
        codes = code if isinstance(code, tuple) else (code,)
        before = None
        try:
            for message in self._messages(timeout):
                before = message
        except Hung:
            got = self.hung.rcvd.code if self.hung.rcvd else None
            assert got in codes, f"{self} is closed with {got}, not {code}: {self.hung}"
            if got >= 4300:
                assert before and before["type"] == "error", f"error precedes {got}: {before}"
            return before
        raise AssertionError(f"{self} is not closed after {timeout} s, last heard {before}")

    def drain(self, timeout=0):
        """Hears what has arrived, and what arrives in `timeout` seconds each."""
        while self.is_open:
            try:
                self.hear(timeout)
            except (TimeoutError, Hung):
                return

    def _messages(self, timeout):
        while self.heard:
            yield self.heard.popleft()
        until = time.monotonic() + timeout
        while True:
            try:
                self.hear(until - time.monotonic())
            except TimeoutError:
                return
            yield self.heard.popleft()

    # Going

    @property
    def is_open(self):
        return self.hung is None and not self.is_dropped

    is_dropped = False

    def drop(self):
        """The network is gone: no leave, no close frame."""
        self.is_dropped = True
        self.web.close_socket()

    def come_back(self, revision=None, epoch=None, **fields):
        """A new connection of the same member, with the screen as it was left."""
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

    # Coming back

    def resume(self, revision=None, **changed):
        """What `join` says to come back as this member."""
        at = self.screen.revision if revision is None else revision
        return {"member": self.id, "secret": self.welcome["member"]["secret"],
                "epoch": self.welcome["epoch"], "revision": at, **changed}
