"""`GET …/events`: server-sent events for read-only clients."""

import json

from harness import contract
from harness.definitions import CALENDAR, LISTS
from harness.screen import Screen


class Watcher:
    """Reads a stream like a browser's EventSource and folds it like a member."""

    def __init__(self, session, query="", *, last=None, token=None, screen=None):
        self.screen = screen or Screen()
        self.last_id = last
        self.byte_count = 0
        self.connection = session.server.connection()
        headers = {"Accept": "text/event-stream"}
        if last:
            headers["Last-Event-ID"] = last
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self.connection.request("GET", f"{session.path}/events{query}", headers=headers)
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200, (self.answer.status, self.answer.read())
        assert self.answer.getheader("content-type") == "text/event-stream"
        self.welcome = self.next("welcome")

    def event(self):
        """The next event as `(name, message)`, without comments; None at the end of the stream."""
        fields = {}
        for line in self.answer:
            self.byte_count += len(line)
            line = line.decode().rstrip("\n")
            if line == "" and fields:
                break
            if line and not line.startswith(":"):
                name, value = line.split(": ", 1)
                fields[name] = value
        if not fields:
            return None
        self.last_id = fields.get("id", self.last_id)
        return fields["event"], json.loads(fields["data"])

    def next(self, *wanted):
        """Reads and folds events up to the next of type `wanted`."""
        while True:
            received = self.event()
            assert received, f"the stream ends before {wanted}"
            name, message = received
            self.fold(name, message)
            if name in wanted:
                return message

    def fold(self, name, message):
        assert name == ("end" if message["type"] == "error" else message["type"])
        if name == "welcome":
            contract.fits("welcome", {**message, "ref": 0, "member": {
                "id": "m_", "secret": "-", "name": "", "role": "viewer", "color": "#000000"}})
            assert "member" not in message and "ref" not in message, "an event stream does not join"
            self.screen.revision = message["revision"]
            if not message["resumed"]:
                self.screen.show(message["snapshot"])
            self.screen.members = {m["id"]: m for m in message["members"]}
            return
        contract.message_fits(message)
        if name == "delta":
            assert message["revision"] == self.screen.revision + 1 and "ref" not in message
            self.screen.revision = message["revision"]
            self.screen.apply(message, with_bands=bool(self.screen.views))
        elif name == "snapshot":
            self.screen.revision = message["revision"]
            self.screen.show(message["snapshot"])
        elif name == "months":
            self.screen.show_months(message)
        elif name == "presence":
            self.screen.people(message)

    def reach(self, revision):
        while self.screen.revision < revision:
            self.next("delta", "snapshot")
        return self

    def close(self):
        self.connection.close()
        self.answer.close()


def test_an_event_stream_has_the_members_deltas(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    watcher = Watcher(session, "?months=2018-11&count=2")
    months = watcher.next("months")
    assert [view["month"] for view in months["months"]] == ["2018-11", "2018-12"]

    ana.tap("2018-11-20")
    ana.tap("2018-12-02")
    ana.undo()

    watcher.reach(3)
    assert watcher.screen.differs_from(session.get()) is None
    assert watcher.screen.views["2018-11"]["bands"] == [
        {"row": 3, "from": 2, "to": 2, "shape": "circle", "head": True, "tail": True}]
    watcher.close()


def test_invalid_requests_are_rejected_before_the_stream_starts(guarded):
    session = guarded.session(CALENDAR)
    path = f"{session.path}/events"

    assert guarded.get(path).code == "noToken"
    assert guarded.get(path, token="x").code == "badToken"
    assert guarded.get("/v1/sessions/nobody/events").code == "noSuchSession"
    assert guarded.post(path, {}).status == 405
    for query in ("months=2018-13", "months=2018-11&count=-1", "months=2018-11&count=x"):
        assert guarded.get(f"{path}?{query}", token=session.tokens["viewer"]).status == 400
    watcher = Watcher(session, token=session.tokens["viewer"])
    watcher.close()
    head = guarded.request("HEAD", path, token=session.tokens["viewer"])
    assert (head.status, head.type) == (200, "text/event-stream")


def test_a_draining_server_sends_when_to_reconnect(start):
    server = start()
    session = server.session(LISTS)
    watcher = Watcher(session)

    server.terminate()

    assert watcher.next("draining")["reconnectAfterMs"] >= 500
    assert watcher.event() is None
    session.forget()
    server.exited()


def test_an_idle_stream_sends_a_comment_every_15_seconds(server):
    session = server.session(LISTS)
    watcher = Watcher(session)
    assert watcher.answer.readline() == b":\n"
    watcher.close()
