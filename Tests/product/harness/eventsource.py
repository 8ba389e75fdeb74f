"""A reader of the feed's server-sent events that parses and reconnects as `EventSource` does."""

import http.client
import json
import socket
import threading

from .patience import PATIENCE


class EventSource:
    """Reads until it is closed, or until a response that is not a stream.

    - Source: HTML, section 9.2, "Server-sent events".
    """

    def __init__(self, server, query=""):
        self.server, self.path = server, f"/v1/feed{query}"
        #: (type, id, data) of every event.
        self.events = []
        self.last_id = ""
        self.socket = None
        #: The status that ended it for good.
        self.refused = None
        self.is_closed = False
        self.may_dial = threading.Event()
        self.may_dial.set()
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def read(self):
        while not self.is_closed and self.refused is None:
            self.may_dial.wait()
            try:
                self.dial()
            except (OSError, http.client.HTTPException):
                # The server is being restarted: it dials again.
                threading.Event().wait(0.05)

    def dial(self):
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.server.admin_port or 9, timeout=PATIENCE)
        connection.connect()
        self.socket = connection.sock
        headers = {"Accept": "text/event-stream"}
        if self.last_id:
            headers["Last-Event-ID"] = self.last_id
        connection.request("GET", self.path, headers=headers)
        response = connection.getresponse()
        if response.status != 200:
            self.refused = response.status
            return
        kind, data, last = "", [], self.last_id
        for line in response:
            name, _, value = line.decode().rstrip("\n").partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                kind = value
            elif name == "data":
                data.append(value)
            elif name == "id":
                last = value
            elif line == b"\n":
                self.last_id = last
                if data:
                    self.events.append((kind or "message", last, json.loads("\n".join(data))))
                kind, data = "", []

    def hold(self):
        """Disconnects, and lets it not connect again until `go`."""
        self.may_dial.clear()
        self.drop()

    def go(self):
        self.may_dial.set()

    def drop(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    def close(self):
        self.is_closed = True
        self.may_dial.set()
        self.drop()
        self.thread.join(PATIENCE)

    def sessions(self, after=0):
        """The sessions of the events after the first few."""
        return [data["data"]["session"] for kind, _, data in self.events[after:]
                if kind == "message"]
