"""`pickerd deliver` as a process, and a host's endpoint that verifies what it is sent."""

import http.server
import json
import os
import subprocess
import threading

import pytest
from standardwebhooks import Webhook

from .pickerd import binary

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"


class Endpoint(http.server.ThreadingHTTPServer):
    """A host's endpoint that records what it was sent."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port=0, answer=lambda endpoint, event: 204, host="127.0.0.1", verify=None):
        self.answer, self.received, self.lock = answer, [], threading.Lock()
        self.verify = verify or verify_symmetric
        super().__init__((host, port), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/hook"

    def close(self):
        self.shutdown()
        self.server_close()

    def positions(self):
        with self.lock:
            return [event["position"] for event in self.received]


def verify_symmetric(body, headers):
    for secret in (SECRET, OTHER):
        Webhook(secret).verify(body, headers)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.verify(body, {name: self.headers[name] for name in (
            "webhook-id", "webhook-timestamp", "webhook-signature")})
        event = json.loads(body) | {
            "id": self.headers["webhook-id"], "address": self.connection.getsockname()[0]}
        status = self.server.answer(self.server, event)
        if status is None:
            return
        with self.server.lock:
            self.server.received.append(event | {"status": status})
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Deliver:
    """A process of `pickerd deliver`."""

    def __init__(self, server, folder, url, *options, allow="127.0.0.1", environment=None,
                 feed_port=None, **endpoint):
        self.config = folder / "deliver.json"
        self.log = folder / "deliver.log"
        self.server = server
        self.feed_port = feed_port
        self.environment = {**os.environ, **(environment or {})}
        self.options = ("--allow-http", *(("--allow-net", allow) if allow else ()), *options)
        entry = {"name": "shop", "url": url, "secrets": [SECRET, OTHER], **endpoint}
        self.config.write_text(json.dumps({"endpoints": [entry]}))
        self.config.chmod(0o600)
        self.process = None
        self.start()

    def command(self, *options):
        port = self.feed_port or self.server.admin_port
        return [str(binary()), "deliver", "--feed", f"http://127.0.0.1:{port}", "--config",
                str(self.config), *options]

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.command(*self.options), stderr=log, env=self.environment)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def says(self):
        return self.log.read_text()


def cursor(server, name="shop"):
    answer = server.get(f"/v1/feed/cursors/{name}", port=server.admin_port)
    return answer.json["position"] if answer.status == 200 else None


@pytest.fixture
def running():
    """Processes and endpoints that are ended after the test."""
    started = []
    yield lambda thing: started.append(thing) or thing
    for thing in reversed(started):
        thing.kill() if isinstance(thing, (Deliver, subprocess.Popen)) else thing.close()
