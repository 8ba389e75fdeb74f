"""What strangers do to the server during a soak: floods, garbage, idle connections, slow readers.

Each attacker counts what it did and what the server did about it. An outcome that is not listed is
a failure. Floods claim addresses of their own by X-Forwarded-For, so that they use up the rate
limits of these addresses and not those of the members.
"""

import collections
import contextlib
import dataclasses
import http.client
import json
import random
import socket
import threading

from harness.definitions import heavy
from harness.rawmember import TEXT, RawMember

#: The outcomes that the server may have, by attack.
ALLOWED = {
    "bursts of creations": {201, 429, 503},
    "garbage requests": {400, 404, 405, 413, 421, 426, 429, 431, 501, "closed"},
    "garbage messages": {"closed"},
    "idle connections": {"closed"},
    "slow readers": {"snapshot", "closed"},
}
GARBAGE_REQUESTS = [
    b"GET /../../etc/passwd HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"BREW /v1/sessions HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"GET /v1/sessions/" + b"x" * 9000 + b" HTTP/1.1\r\nHost: HOST\r\n\r\n",
    b"POST /v1/sessions HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99999999999\r\n\r\n",
    b"POST /v1/sessions HTTP/1.1\r\nHost: HOST\r\nContent-Length: 5\r\n\r\n{\"a\":",
    b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
]
GARBAGE_MESSAGES = [
    b"no JSON", b'{"type":"join","name":', b"[" * 40_000, b'{"type":"select","ref":1e999}',
    b"\xff\xfe", b"x" * 65_000,
]


class Attackers:
    """Threads that attack a server until they are stopped."""

    def __init__(self, server, seed):
        self.server, self.seed = server, seed
        self.is_over = threading.Event()
        self.done = collections.Counter()
        self.failures = []
        self.threads = [
            threading.Thread(target=self.run, args=(name, body), daemon=True) for name, body in (
                ("bursts of creations", self.create), ("garbage requests", self.send_garbage_request),
                ("garbage messages", self.send_garbage_message),
                ("idle connections", self.stay_idle), ("slow readers", self.read_slowly))]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join(60)
            if thread.is_alive():
                self.failures.append("an attacker hangs")

    def run(self, name, body):
        rng = random.Random(f"{self.seed}-{name}")
        while not self.is_over.is_set():
            try:
                outcome = body(rng)
            except Exception as failure:  # noqa: BLE001 - reported
                outcome = repr(failure)
            self.done[name, outcome] += 1
            if outcome not in ALLOWED[name]:
                self.failures.append(f"{name}: {outcome}")
            self.is_over.wait(rng.uniform(0, 0.05))

    def create(self, rng):
        """Creates sessions from one of a few addresses; returns the last status, 429 if limited."""
        address = f"203.0.113.{rng.randrange(4)}"
        for _ in range(rng.randint(1, 40)):
            status, _ = self.created({"kind": "date", "timeZone": "UTC"}, address,
                                     ttlSeconds=rng.randint(5, 60))
            if status != 201:
                break
        return status

    def created(self, definition, address, **fields):
        """The status of a creation from an address, and the session."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        try:
            connection.request(
                "POST", "/v1/sessions", json.dumps({"definition": definition, **fields}),
                {"Content-Type": "application/json", "X-Forwarded-For": address})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()

    @contextlib.contextmanager
    def session(self, definition, rng):
        """A session created from an address of its own, for the time of an attack."""
        address = f"198.18.{rng.randrange(256)}.{rng.randrange(256)}"
        status, created = self.created(definition, address)
        assert status == 201, created
        path = f"/v1/sessions/{created['session']}"
        try:
            yield Link(path)
        finally:
            self.server.delete(path)

    def send_garbage_request(self, rng):
        request = rng.choice(GARBAGE_REQUESTS)
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as peer:
            with contextlib.suppress(OSError):  # It may be refused before all of it is sent.
                peer.sendall(request.replace(b"HOST", f"127.0.0.1:{self.server.port}".encode()))
                peer.shutdown(socket.SHUT_WR)
            try:
                answer = peer.recv(1 << 16)
            except ConnectionResetError:
                return "closed"
        return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else "closed"

    def send_garbage_message(self, rng):
        with self.session({"kind": "date", "timeZone": "UTC"}, rng) as link:
            member = RawMember(self.server, link, name="Mallory")
            try:
                member.send_frame(TEXT, rng.choice(GARBAGE_MESSAGES))
                while member.message() is not None:
                    pass
            except ConnectionError:
                pass
            finally:
                member.close()
        return "closed"

    def stay_idle(self, rng):
        """Sends half a request and waits until the server closes the connection."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as peer:
            peer.sendall(b"GET / HTTP/1.1\r\nHost: "[:rng.randrange(24)])
            try:
                while peer.recv(4096):
                    pass
            except ConnectionResetError:
                pass
        return "closed"

    def read_slowly(self, rng):
        """Does not read while another member changes large columns, then reads everything."""
        with self.session(heavy(), rng) as link:
            busy = RawMember(self.server, link, name="Busy")
            slow = RawMember(self.server, link, receive_buffer=4096, name="Slow")
            try:
                for ref in range(1, 121):
                    busy.send({"type": "select", "ref": ref, "column": 0, "row": ref % 2,
                               "generation": 1})
                    busy.until_type("delta", timeout=60)
                while True:
                    message = slow.message(timeout=60)
                    if message is None:
                        return "closed"
                    if message["type"] == "snapshot":
                        return "snapshot"
            finally:
                busy.close()
                slow.close()


@dataclasses.dataclass
class Link:
    """What a raw member needs of a session."""

    path: str
