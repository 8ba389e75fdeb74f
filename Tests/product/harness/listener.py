"""The receiving half of a member: validates every message and folds it."""

from collections import deque

from . import secrets
from .contract import message_fits
from .screen import Screen


class Listener:
    """The messages that a member has received, its pending refs and its folded state."""

    #: Skips validation against the schemas; messages are still folded.
    is_trusted = False

    def begin(self, name):
        """Resets to the state before the first message."""
        self.name = name
        self.screen = Screen()
        self.received = deque()
        self.record = []
        self.pending = deque()
        self.sent = set()
        self.repeated = set()
        self.hung = None
        self.last = None
        self.welcome = None
        self.is_catching_up = False
        #: Refs sent on an earlier connection; missed deltas may answer them.
        self.owed = set()

    def __repr__(self):
        return self.name or "somebody"

    @property
    def id(self):
        return self.welcome["member"]["id"]

    @property
    def role(self):
        """The member's current role."""
        return self.screen.members[self.id]["role"]

    def take(self, message):
        """Validates and folds one message."""
        if not self.is_trusted:
            message_fits(message)
        assert self.welcome or message["type"] in ("welcome", "error", "draining"), (
            f"welcome is the first message: {message}")
        assert self.last != "error", f"nothing follows an error: {message}"
        self.last = message["type"]
        getattr(self, "_on_" + message["type"])(message)
        self.received.append(message)
        self.record.append(message)
        return message

    def _on_welcome(self, message):
        assert self.welcome is None, "a connection has one welcome"
        self.welcome = message
        secrets.note_text(message["member"].get("secret"))
        screen = self.screen
        if message["resumed"]:
            assert message["revision"] == screen.revision, "resumed at the client's own revision"
        screen.revision, screen.epoch = message["revision"], message["epoch"]
        screen.window = message["limits"]["windowRows"]
        screen.members = {member["id"]: member for member in message["members"]}
        assert self.id in screen.members, "members includes the member itself"
        assert len(screen.members) == len(message["members"]), "members has no duplicates"
        if "snapshot" in message:
            screen.show(message["snapshot"])

    def _on_snapshot(self, message):
        screen = self.screen
        assert message["revision"] >= screen.revision, "a snapshot is not older than the screen"
        assert message["status"] == message["snapshot"]["status"]
        screen.revision = message["revision"]
        screen.members = {member["id"]: member for member in message["members"]}
        screen.show(message["snapshot"])

    def _on_delta(self, message):
        assert message["changes"] or "by" not in message, "a member's command changes something"
        screen = self.screen
        assert message["revision"] == screen.revision + 1, (
            f"{self} at revision {screen.revision} received {message['revision']}: a gap")
        screen.revision = message["revision"]
        if "ref" in message:
            assert message.get("by") == self.id, f"only the author's copy carries ref: {message}"
            self._answered(message["ref"])
        if screen.definition is not None:
            screen.apply(message, with_bands=not self.is_catching_up)

    def _on_reply(self, message):
        repeated = message["ref"] in self.repeated
        self._answered(message["ref"])
        now = self.screen.revision
        assert message["revision"] == now or (repeated and message["revision"] <= now), (
            f"{self} at revision {now}: all deltas up to a reply's were sent before: {message}")

    def _on_refused(self, message):
        if "ref" in message:
            self._answered(message["ref"])
        self._is_now(message)
        for change in message["changes"]:
            self.screen.check_current(change)

    def _on_months(self, message):
        self._is_now(message)
        assert len(message["months"]) <= self.welcome["limits"]["months"], "too many months"
        self.is_catching_up = False
        if self.screen.definition is not None:
            self.screen.show_months(message)

    def _on_rows(self, message):
        assert len(message["rows"]) <= self.welcome["limits"]["rows"], "too many rows"
        if self.screen.columns:
            column = self.screen.columns[message["column"]]
            assert message["generation"] == column["generation"], "rows of a stale generation"
            assert message["from"] + len(message["rows"]) <= column["count"] or not message["rows"]

    def _on_found(self, message):
        assert [row["row"] for row in message["rows"]] == list(dict.fromkeys(
            row["row"] for row in message["rows"])), "a row is found once"

    def _on_presence(self, message):
        people = message.get("joined", []) + message.get("changed", [])
        about = [p["id"] for p in people if not self._is_new_role(p)] + message.get("left", [])
        about += [touch["member"] for touch in message.get("touching", [])]
        assert self.id not in about, (
            f"presence of the member itself only changes its role: {message}")
        self.screen.people(message)

    def _is_new_role(self, member):
        """Whether a presence entry changes this member's own role."""
        return member["id"] == self.id and member["role"] != self.screen.members[self.id]["role"]

    def _on_draining(self, message):
        pass

    def _on_token(self, message):
        pass

    def _on_error(self, message):
        pass

    def _is_now(self, message):
        assert message["revision"] == self.screen.revision, (
            f"{self} at revision {self.screen.revision}: all deltas up to it were sent before, "
            f"none after: {message}")

    def _answered(self, ref):
        if ref in self.owed:
            self.owed.discard(ref)
            return
        assert self.pending and self.pending[0] == ref, (
            f"{self}: commands are answered in order, once: waiting for {list(self.pending)[:5]}, "
            f"received the answer to {ref}")
        self.pending.popleft()
