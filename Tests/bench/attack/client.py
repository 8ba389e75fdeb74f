"""The HTTP client of an attacker."""

import http.client
import json
import time

from scenarios import LISTS

from .answers import note

#: Peer addresses of attackers, which differ from those of the measured members.
SOURCE = "127.0.0.2"


class Client:
    """An HTTP client with one connection, which it reopens if the server closes it."""

    def __init__(self, port):
        self.port = port
        self.connection = None

    def request(self, method, path, body=None, kind="application/json"):
        """Sends a request; status and body of the response."""
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection(
                    "127.0.0.1", self.port, timeout=30, source_address=(SOURCE, 0))
            headers = {"Content-Type": kind} if body else {}
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            note(answer.status)
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as failure:
            note(type(failure).__name__)
            self.connection = None
            return 0, b""

    def create(self, definition=LISTS):
        """Creates a session, retrying while the server refuses; its path."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            status, body = self.request(
                "POST", "/v1/sessions", json.dumps({"definition": definition}).encode())
            if status == 201:
                return f"/v1/sessions/{json.loads(body)['session']}"
            time.sleep(0.2)
        raise TimeoutError(f"no session: {status} {body[:200]}")
