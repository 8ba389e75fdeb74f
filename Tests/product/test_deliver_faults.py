"""`pickerd deliver` with kills at each step, and names that change."""

import json
import re
import shutil
import subprocess
import sys
import threading

import pytest

from harness.between import Between
from harness.definitions import LISTS
from harness.delivery import Deliver, Endpoint, cursor, running  # noqa: F401
from harness.patience import PATIENCE
from harness.pickerd import Pickerd, wait_until
from harness.ports import free_port
from harness.store import stored

RESOLVER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* rebind.test is 127.0.0.2 at the first look-up and 127.0.0.1 at all others. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **result) {
  int (*next)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
      dlsym(RTLD_NEXT, "getaddrinfo");
  if (!node || strcmp(node, "rebind.test") != 0) return next(node, service, hints, result);
  int count = open(getenv("LOOKUPS"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  int is_first = lseek(count, 0, SEEK_END) == 0;
  if (write(count, "x", 1) != 1) abort();
  close(count);
  return next(is_first ? "127.0.0.2" : "127.0.0.1", service, hints, result);
}
"""

#: Receives events, and dies at the first one before or after it has stored it.
ENDPOINT = """
import http.server, os, signal, sys
port, path, death = int(sys.argv[1]), sys.argv[2], sys.argv[3]
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if death == "before": os.kill(os.getpid(), signal.SIGKILL)
        with open(path, "ab", buffering=0) as file: file.write(body + b"\\n")
        if death == "after": os.kill(os.getpid(), signal.SIGKILL)
        self.send_response(204)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
print(server.server_port, flush=True)
server.serve_forever()
"""


def test_a_name_that_changes_between_look_ups_is_refused(tmp_path, running):
    """The address that was checked is the one that is connected to: one look-up per attempt."""
    (tmp_path / "resolver.c").write_text(RESOLVER)
    library, lookups = tmp_path / "resolver.so", tmp_path / "lookups"
    compiler = shutil.which("clang") or shutil.which("cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, tmp_path / "resolver.c", "-ldl"],
                   check=True)
    server = Pickerd(tmp_path / "log", clock=None)
    try:
        counts = []

        def answer(*_):
            counts.append(len(lookups.read_text()))
            return 500

        endpoint = running(Endpoint(host="0.0.0.0", answer=answer))
        deliver = running(Deliver(
            server, tmp_path, f"http://rebind.test:{endpoint.server_port}/", allow="127.0.0.2",
            environment={"LD_PRELOAD": str(library), "LOOKUPS": str(lookups)}))
        server.session(LISTS)

        wait_until(lambda: "attempt 2 at 1: the address is refused" in deliver.says())
        deliver.kill()

        assert "attempt 1 at 1: 500" in deliver.says()
        assert [event["address"] for event in endpoint.received] == ["127.0.0.2"]
        assert counts == [1], "one for the attempt"
    finally:
        server.stop()


class Once:
    """Calls `action` when it is first armed and reached, and never again."""

    def __init__(self, action):
        self.action, self.lock, self.done = action, threading.Lock(), threading.Event()
        self.is_over = False

    def reached(self):
        with self.lock:
            if self.is_over:
                return False
            self.is_over = True
        self.action()
        self.done.set()
        return True


#: Who is killed, at which request, before or after it has taken effect.
STEPS = [
    ("deliver", "GET /v1/feed?", "after"), ("deliver", "POST", "before"),
    ("deliver", "POST", "after"), ("deliver", "PUT /v1/feed/cursors/shop", "after"),
    ("server", "GET /v1/feed?", "after"), ("server", "PUT /v1/feed/cursors/shop", "before"),
    ("server", "PUT /v1/feed/cursors/shop", "after"),
]


def fill(server):
    """Two sessions with four events each."""
    for _ in range(2):
        session = server.session(LISTS)
        member = server.post(f"{session.path}/members", {"name": "Ana"}).json["member"]
        for ref, command in enumerate(("confirm", "reopen", "cancel"), 1):
            answer = server.post(f"{session.path}/commands", {
                "member": member["id"], "secret": member["secret"], "ref": ref, "type": command})
            assert answer.status == 200, answer


def check(server, received):
    """Exactly once in the feed, at least once at the endpoint, in order for each session."""
    lines = server.get("/v1/feed", port=server.admin_port).body.splitlines()
    feed = [json.loads(line) for line in lines]
    assert [event["position"] for event in feed] == list(range(1, 9))
    assert len({event["id"] for event in feed}) == 8
    kinds = ["session.created", "session.confirmed", "session.reopened", "session.cancelled"]
    for session in {event["data"]["session"] for event in feed}:
        assert [event["type"] for event in feed if event["data"]["session"] == session] == kinds
        first = dict.fromkeys(
            event["type"] for event in received if event["data"]["session"] == session)
        assert list(first) == kinds
    assert {event["position"] for event in received} == set(range(1, 9))
    for event in received:
        assert event["data"] == feed[event["position"] - 1]["data"]


@pytest.mark.parametrize("victim, request_line, phase", STEPS)
def test_a_kill_at_a_step_loses_no_event(tmp_path, running, victim, request_line, phase):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", clock=None)
    is_ready, victims = threading.Event(), {"server": server}

    def end():
        assert is_ready.wait(PATIENCE)
        victims[victim].kill()

    kill = Once(end)

    def at_request(method, path, now):
        return f"{method} {path}".startswith(request_line) and now == phase and kill.reached()

    def at_post(endpoint, event):
        if request_line == "POST" and phase == "before" and kill.reached():
            return None
        if request_line == "POST" and phase == "after":
            with endpoint.lock:
                endpoint.received.append(event)
            if kill.reached():
                return None
        return 204

    endpoint = running(Endpoint(answer=at_post))
    between = running(Between(server, at_request))
    try:
        fill(server)
        victims["deliver"] = running(
            Deliver(server, tmp_path, endpoint.url, feed_port=between.server_port))
        is_ready.set()
        assert kill.done.wait(PATIENCE)
        victims[victim].start()
        wait_until(lambda: cursor(server) == 8)
        check(server, endpoint.received)
    finally:
        server.stop()


@pytest.mark.parametrize("death", ["before", "after"])
def test_a_killed_endpoint_gets_the_event_again(tmp_path, running, death):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", clock=None)
    received = tmp_path / "received"

    def start(port, death):
        process = running(subprocess.Popen(
            [sys.executable, "-c", ENDPOINT, str(port), str(received), death],
            stdout=subprocess.PIPE, text=True))
        return process, int(process.stdout.readline())

    try:
        fill(server)
        process, port = start(free_port(), death)
        deliver = running(Deliver(server, tmp_path, f"http://127.0.0.1:{port}/"))
        assert process.wait(PATIENCE) == -9
        start(port, "never")
        wait_until(lambda: cursor(server) == 8)
        events = [json.loads(line) for line in received.read_text().splitlines()]
        check(server, events)
        # The first events of both sessions are sent together: which one begins the pause is open.
        firsts = {event["position"] for event in events if event["type"] == "session.created"}
        failed = re.search(r"shop is paused: attempt 1 at (\d+): ", deliver.says())
        assert failed and int(failed[1]) in firsts, deliver.says()
        if death == "after":
            # It was stored by the process that died, and not answered.
            ids = [event["position"] for event in events]
            assert ids[0] in firsts and ids.count(ids[0]) > 1, ids
    finally:
        server.stop()
