"""A pickerd process and an HTTP client for it."""

import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from . import contract, secrets
from .patience import PATIENCE
from .session import Session

REPOSITORY = Path(__file__).resolve().parents[3]
SERVES = re.compile(r"pickerd (serves|api|admin|redirects) (?:https?://\S+:(\d+)|unix:)")
#: The default time of sessions: a Friday morning in Shanghai.
NOON = "2018-11-23T10:00:00+08:00"


def binary():
    """The server's binary: $PICKERD, or the build's, release before debug."""
    places = [Path(os.environ["PICKERD"])] if "PICKERD" in os.environ else [
        REPOSITORY / ".build" / kind / "pickerd" for kind in ("release", "debug")]
    for place in places:
        if place.exists():
            return place
    raise FileNotFoundError(f"no pickerd at {places}: build it, or set PICKERD to its path")


def run(*arguments, **rest):
    """Runs a command of pickerd to its end."""
    return subprocess.run(
        [str(binary()), *map(str, arguments)], capture_output=True, text=True, timeout=PATIENCE,
        **rest)


@dataclass
class Answer:
    """An HTTP response."""

    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def type(self):
        return self.headers.get("content-type", "").split(";")[0].strip().lower()

    @property
    def code(self):
        return self.json["code"]


class Pickerd:
    """One server. `options` are further command line arguments."""

    def __init__(self, log, *, auth="open", clock="manual", limits=None, origins=(), options=(),
                 listen="127.0.0.1:0", admin="127.0.0.1:0", environment=None, popen=None):
        self.log = Path(log)
        arguments = ["serve", "--listen", listen]
        arguments += ["--admin-listen", admin] if admin else []
        arguments += ["--auth", auth] if auth else []
        arguments += ["--clock", clock] if clock else []
        arguments += ["--store", "memory:"]
        for origin in origins:
            arguments += ["--origin", origin]
        for name, value in (limits or {}).items():
            arguments += ["--limit", f"{name}={value}"]
        self.arguments = [str(binary()), *arguments, *options]
        self.auth = auth
        self.has_manual_clock = clock == "manual"
        self.environment = {**os.environ, **(environment or {})}
        #: Further arguments of subprocess.Popen.
        self.popen = popen or {}
        self.sessions = []
        self.port = self.admin_port = self.api_port = None
        self.process = None
        self.start()

    def start(self):
        """Starts the process and waits until it prints its address."""
        self.process = subprocess.Popen(
            self.arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment,
            **self.popen)
        started = threading.Event()

        def read(output):
            with self.log.open("ab", buffering=0) as log:
                for line in output:
                    log.write(line)
                    found = SERVES.search(line.decode(errors="replace"))
                    if not found:
                        continue
                    port = int(found[2]) if found[2] else None
                    if found[1] == "admin":
                        self.admin_port = self.admin_port or port
                    elif found[1] == "api":
                        self.api_port = self.api_port or port
                    elif found[1] == "redirects":
                        self.redirect_port = port
                    else:
                        self.port = self.port or port
                        self.is_serving = True
                        started.set()
            started.set()

        self.port = self.admin_port = self.api_port = None
        self.is_serving = False
        self.reader = threading.Thread(target=read, args=(self.process.stdout,), daemon=True)
        self.reader.start()
        started.wait(PATIENCE)
        if not self.is_serving:
            self.kill()
        assert self.is_serving, f"{self.arguments} did not start:\n{self.log_tail()}"

    @property
    def is_alive(self):
        return self.process.poll() is None

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def kill(self):
        """Sends SIGKILL."""
        self.process.kill()
        self.exited()

    def exited(self, timeout=PATIENCE):
        """Waits for the exit, and until the log is complete; the exit status."""
        status = self.process.wait(timeout)
        self.reader.join(timeout)
        return status

    def stop(self):
        """Stops the process; asserts that it exits on SIGTERM."""
        for session in self.sessions:
            session.forget()
        if self.is_alive:
            self.terminate()
            try:
                self.exited()
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError("pickerd did not exit on SIGTERM") from None
        leaked = secrets.leaked(self.log.read_text(errors="replace"))
        assert not leaked, f"the log of {self.log} has secrets: {leaked}"

    def resident_bytes(self):
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def logged(self, *texts):
        """Waits until the log has all the texts; the log."""
        wait_until(lambda: all(text in self.log.read_text() for text in texts), what=f"{texts}")
        return self.log.read_text()

    def complete_log(self):
        """Stops the process; all that it has written to its log."""
        self.stop()
        return self.log.read_text(errors="replace")

    def log_tail(self, lines=40):
        """The log's last lines, or the first lines of a crash report."""
        if not self.log.exists():
            return ""
        texts = self.log.read_text(errors="replace").splitlines()
        crash = [n for n, line in enumerate(texts) if "Fatal error" in line or "crashed" in line]
        begin = max(crash[-1] - 3, 0) if crash else max(len(texts) - lines, 0)
        return "\n".join(texts[begin:begin + lines])

    # HTTP

    def connection(self, port=None, timeout=PATIENCE):
        """A new HTTP connection to the public listener, or to `port`."""
        return http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=timeout)

    def request(self, method, path, body=None, *, token=None, headers=None, port=None):
        """Sends a request on a new connection; `body` is encoded as JSON unless it is bytes."""
        sent = dict(headers or {})
        if token:
            sent["Authorization"] = f"Bearer {token}"
            secrets.note_text(token)
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body, ensure_ascii=False).encode()
            sent.setdefault("Content-Type", "application/json")
        connection = self.connection(port)
        try:
            try:
                connection.request(method, path, body=body, headers=sent)
            except (BrokenPipeError, ConnectionResetError):
                # A server that refuses a body may close the connection before it has received all
                # of it. Its answer is read below, or there is none. One that was killed while it
                # accepted the connection has no answer.
                if body is None or connection.sock is None:
                    raise
            response = connection.getresponse()
            pairs = {name.lower(): value for name, value in response.getheaders()}
            answer = Answer(response.status, pairs, response.read())
            secrets.note(answer.body)
        finally:
            connection.close()
        if answer.status >= 400 and method != "HEAD":
            check_problem(answer)
        return answer

    def get(self, path, **rest):
        return self.request("GET", path, **rest)

    def metrics(self):
        """The admin listener's `GET /metrics`."""
        return self.get("/metrics", port=self.admin_port)

    def post(self, path, body=None, **rest):
        return self.request("POST", path, body, **rest)

    def delete(self, path, **rest):
        return self.request("DELETE", path, **rest)

    def clock(self, now):
        """Sets the manual clock to `now` (RFC 3339)."""
        answer = self.post("/v1/clock", {"now": now})
        assert answer.status in (200, 204), answer

    def create(self, definition, **rest):
        """`POST /v1/sessions`."""
        return self.post("/v1/sessions", {"definition": definition, **rest})

    def check(self, definition):
        """`POST /v1/definitions/check`."""
        return self.post("/v1/definitions/check", {"definition": definition})

    def session(self, definition, *, now=NOON, **rest):
        """Creates a session of `definition`, with the manual clock at `now`."""
        if self.has_manual_clock and now:
            self.clock(now)
        answer = self.create(definition, **rest)
        assert answer.status == 201, f"{answer.status}: {answer.body.decode(errors='replace')}"
        session = Session(self, contract.fits("created", answer.json))
        self.sessions.append(session)
        return session

    def socket(self, path):
        return f"ws://127.0.0.1:{self.port}{path}"


def check_problem(answer):
    """Asserts a valid problem document (RFC 9457) with a `code`."""
    assert answer.type == "application/problem+json", f"not a problem document: {answer}"
    contract.fits("problem", answer.json)
    assert answer.json.get("status", answer.status) == answer.status, f"wrong status: {answer}"
    if answer.json["code"] == "badDefinition":
        assert "pointer" in answer.json and answer.json.get("detail"), answer
    if answer.status == 401:
        assert "www-authenticate" in answer.headers, "RFC 9110, 15.5.2: a challenge"
    if answer.status == 429:
        assert int(answer.headers["retry-after"]) >= 1, "RFC 6585, 4: when to come back"
    if answer.status == 405:
        assert "allow" in answer.headers, "RFC 9110, 15.5.6: what is allowed"


def wait_until(holds, timeout=PATIENCE, what="the expected state"):
    """Polls `holds()` until it is true, for state that no message reports; every 20 to 100 ms."""
    until = time.monotonic() + timeout
    pause = 0.02
    while True:
        value = holds()
        if value:
            return value
        assert time.monotonic() < until, f"{what} did not happen in {timeout} s"
        time.sleep(pause)
        pause = min(pause * 1.2, 0.1)
