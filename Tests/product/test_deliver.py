"""`pickerd deliver`: every event at the endpoint at least once, in order, signed, and nowhere else."""

import http.server
import json
import os
import random
import socket
import subprocess
import threading
import time

import pytest

from harness.definitions import LISTS
from harness.delivery import OTHER, SECRET, Deliver, Endpoint, cursor
from harness.pickerd import Pickerd, wait_until
from harness.ports import free_port
from harness.store import again, stored


@pytest.fixture
def running():
    """Processes and endpoints that are ended after the test."""
    started = []
    yield lambda thing: started.append(thing) or thing
    for thing in reversed(started):
        thing.kill() if isinstance(thing, Deliver) else thing.close()


@pytest.fixture
def fed(tmp_path):
    server = Pickerd(tmp_path / "log", clock=None)
    yield server
    server.stop()


def test_events_are_posted_signed_and_the_cursor_follows(fed, tmp_path, running):
    endpoint = running(Endpoint())
    running(Deliver(fed, tmp_path, endpoint.url))
    session = fed.session(LISTS, external="order-1", meta={"n": 1.5})
    session.join("Ana").confirm()

    wait_until(lambda: endpoint.positions() == [1, 2])
    confirmed = endpoint.received[1]
    assert confirmed["type"] == "session.confirmed" and confirmed["watermark"] == 1
    assert confirmed["data"]["external"] == "order-1" and confirmed["data"]["meta"] == {"n": 1.5}
    event = json.loads(fed.get("/v1/feed?after=1", port=fed.admin_port).body)
    assert event["id"] == confirmed["id"] and event["data"] == confirmed["data"]
    wait_until(lambda: cursor(fed) == 2)


def test_an_endpoint_has_its_types_only(fed, tmp_path, running):
    endpoint = running(Endpoint())
    running(Deliver(fed, tmp_path, endpoint.url, types=["session.ended"]))
    assert fed.delete(fed.session(LISTS).path).status == 204
    wait_until(lambda: endpoint.positions() == [2])
    wait_until(lambda: cursor(fed) == 2)


def test_a_failed_event_is_sent_again_with_the_same_id_and_holds_back_its_session(
        fed, tmp_path, running):
    failures = iter([500])
    endpoint = running(Endpoint(answer=lambda _, event: (
        next(failures, 204) if event["type"] == "session.confirmed" else 204)))
    running(Deliver(fed, tmp_path, endpoint.url))
    session = fed.session(LISTS)
    ana = session.join("Ana")
    ana.confirm()
    ana.reopen()
    fed.session(LISTS)

    wait_until(lambda: len(endpoint.received) == 5, timeout=120)

    assert [(event["type"], event["status"]) for event in endpoint.received
            if event["data"]["session"] == session.id] == [
        ("session.created", 204), ("session.confirmed", 500), ("session.confirmed", 204),
        ("session.reopened", 204)]
    assert len({event["id"] for event in endpoint.received}) == 4


def test_confirmations_arrive_soon_and_first_after_an_outage(fed, tmp_path, running):
    """Regression: after nine seconds without an answer, events waited for five minutes."""
    port = free_port()
    deliver = running(Deliver(fed, tmp_path, f"http://127.0.0.1:{port}/hook"))
    others = {fed.session(LISTS).id for _ in range(30)}
    begin = time.monotonic()
    wait_until(lambda: "shop is paused: attempt 1 at " in deliver.says())
    sessions = [fed.session(LISTS, decide={"by": "host", "seconds": 300}) for _ in range(4)]
    for session in sessions:
        session.join("Ana").confirm()
    # The duration of the outage: attempts after 0 and 5 s would have failed by now.
    time.sleep(max(0, begin + 9 - time.monotonic()))
    are_confirming, first = threading.Event(), iter([True])

    def answer(endpoint, event):
        """Answers the probe, and then other sessions only after the confirmations."""
        if event["data"]["session"] in others and not next(first, False):
            are_confirming.wait(60)
        next(first, False)
        return 204

    endpoint = running(Endpoint(port, answer=answer))

    def of(session):
        with endpoint.lock:
            return [event["type"] for event in endpoint.received
                    if event["data"]["session"] == session.id]

    wait_until(lambda: all(len(of(session)) == 2 for session in sessions), timeout=120)
    assert len(endpoint.received) <= 1 + 2 * 4, "the probe and the confirmations"
    are_confirming.set()
    wait_until(lambda: cursor(fed) == 30 + 2 * 4, timeout=120)

    for session in sessions:
        assert of(session) == ["session.created", "session.confirming"]
        assert session.get()["status"] == "confirming"
    ids = [event["id"] for event in endpoint.received]
    assert len(ids) == len(set(ids)) == 38, "each was received once"
    lines = [line for line in deliver.says().splitlines() if "shop" in line]
    assert len(lines) == 2, lines
    assert "shop is paused" in lines[0] and "shop has answered" in lines[1]


@pytest.mark.parametrize("status", [502, 503, 504])
def test_an_endpoint_behind_a_gateway_that_answers_for_it_gets_one_event_at_a_time(
        fed, tmp_path, running, status):
    seen, probes, most = [], [], [0]
    is_up = threading.Event()

    def answer(endpoint, event):
        position = event["position"]
        with endpoint.lock:
            # The first 8 are sent together.
            is_probe = not is_up.is_set() and (position > 8 or position in seen)
            seen.append(position)
            probes.extend([position] if is_probe else [])
            most[0] = max(most[0], len(probes))
        # Two that are sent together are here together.
        time.sleep(0.1)
        with endpoint.lock:
            probes.remove(position) if is_probe else None
        return 204 if is_up.is_set() else status

    for _ in range(12):
        fed.session(LISTS)
    endpoint = running(Endpoint(answer=answer))
    deliver = running(Deliver(fed, tmp_path, endpoint.url))
    wait_until(lambda: len(seen) >= 8 + 3)
    is_up.set()

    wait_until(lambda: cursor(fed) == 12, timeout=120)

    assert most == [1], "no two probes at once"
    assert deliver.says().count("shop is paused") == 1
    assert "attempt 2" not in deliver.says() and "stopped" not in deliver.says()


def test_an_event_is_given_up_by_setting_the_cursor_after_it(fed, tmp_path, running):
    """An endpoint that has stopped goes on with the event that has failed, or after its cursor."""
    status = [410]
    endpoint = running(Endpoint(answer=lambda *_: status[0]))
    deliver = running(Deliver(fed, tmp_path, endpoint.url))
    session = fed.session(LISTS)
    session.join("Ana").confirm()
    wait_until(lambda: cursor(fed, "shop.stopped") == 0)
    deliver.kill()
    status[0] = 204
    put = fed.request("PUT", "/v1/feed/cursors/shop", {"position": 1}, port=fed.admin_port)
    assert put.status == 200, put
    assert subprocess.run(deliver.command("--resume", "shop"), timeout=120).returncode == 0
    deliver.start()

    wait_until(lambda: cursor(fed) == 2)

    assert endpoint.positions() == [1, 2] and endpoint.received[1]["watermark"] == 1


def test_an_endpoint_that_is_gone_stops_until_it_is_resumed(fed, tmp_path, running):
    status = [410]
    endpoint = running(Endpoint(answer=lambda *_: status[0]))
    deliver = running(Deliver(fed, tmp_path, endpoint.url))
    fed.session(LISTS)
    wait_until(lambda: cursor(fed, "shop.stopped") == 0)
    wait_until(lambda: "shop has stopped: it answered 410" in deliver.says())
    deliver.kill()
    deliver.start()
    time.sleep(1)
    assert endpoint.positions() == [1], "a restart does not forget it"

    status[0] = 204
    assert subprocess.run(deliver.command("--resume", "shop"), timeout=120).returncode == 0

    wait_until(lambda: endpoint.positions() == [1, 1])
    wait_until(lambda: cursor(fed) == 1)


def test_of_two_processes_under_one_name_the_second_waits_until_the_first_has_ended(
        fed, tmp_path, running):
    """Regression: both delivered, and the order of a session's events was lost."""
    endpoint = running(Endpoint())
    first = running(Deliver(fed, tmp_path, endpoint.url))
    member = fed.session(LISTS).join("Ana")
    wait_until(lambda: endpoint.positions() == [1])
    second = running(Deliver(fed, tmp_path, endpoint.url))
    wait_until(lambda: "another process delivers with" in second.says())
    for _ in range(5):
        member.confirm()
        member.reopen()
    wait_until(lambda: cursor(fed) == 11)
    assert endpoint.positions() == list(range(1, 12))

    first.kill()
    member.confirm()

    wait_until(lambda: cursor(fed) == 12)
    assert endpoint.positions() == list(range(1, 13))
    assert "the other process has ended; this one goes on" in second.says()


def test_a_test_event_is_signed_and_its_answer_is_printed(fed, tmp_path, running):
    endpoint = running(Endpoint(answer=lambda *_: 204 if not endpoint.received else 401))
    deliver = running(Deliver(fed, tmp_path, endpoint.url))

    def sent(name="shop"):
        return subprocess.run(
            deliver.command(*deliver.options, "--test", name), capture_output=True, text=True,
            timeout=60, check=False)

    taken, refused, unknown = sent(), sent(), sent("shops")

    assert (taken.returncode, taken.stdout) == (0, "shop answered 204\n")
    event = endpoint.received[0]
    assert (event["type"], event["data"], event["position"]) == ("test", {}, 0)
    assert refused.returncode == 1 and "shop: it answered 401" in refused.stderr
    assert unknown.returncode == 65 and "has no endpoint shops" in unknown.stderr
    assert cursor(fed) in (None, 0)


def test_a_part_of_the_feed_is_sent_again(fed, tmp_path, running):
    endpoint = running(Endpoint())
    deliver = running(Deliver(fed, tmp_path, endpoint.url))
    for _ in range(5):
        fed.session(LISTS)
    wait_until(lambda: cursor(fed) == 5)

    again = subprocess.run(deliver.command(*deliver.options, "--replay", "2..4"), timeout=120)

    assert again.returncode == 0
    assert sorted(endpoint.positions()[5:]) == [2, 3, 4]
    assert cursor(fed) == 5


def test_only_the_request_that_stops_an_endpoint_is_named(fed, tmp_path, running):
    together = threading.Barrier(3)

    def gone(*_):
        together.wait(60)
        return 410

    for _ in range(3):
        fed.session(LISTS)
    endpoint = running(Endpoint(answer=gone))
    deliver = running(Deliver(fed, tmp_path, endpoint.url))

    wait_until(lambda: deliver.says().count("attempt 1 at") == 3)

    assert deliver.says().count("shop has stopped") == 1


def test_a_replay_of_events_that_the_feed_has_no_longer_fails(tmp_path, running):
    server = Pickerd(tmp_path / "log", clock=None, limits={"feedEvents": 3})
    try:
        endpoint = running(Endpoint())
        deliver = running(Deliver(server, tmp_path, endpoint.url))
        for _ in range(5):
            server.session(LISTS)
        wait_until(lambda: cursor(server) == 5)
        count = len(endpoint.positions())

        again = subprocess.run(deliver.command(*deliver.options, "--replay", "2..5"), timeout=120)

        assert again.returncode == 1
        assert sorted(endpoint.positions()[count:]) == [3, 4, 5], "what it has is sent"
    finally:
        server.stop()


@pytest.mark.parametrize("is_there", [True, False], ids=["refused", "unreachable"])
def test_a_replay_ends_if_the_feed_cannot_be_read(fed, tmp_path, running, is_there):
    deliver = running(Deliver(fed, tmp_path, "http://127.0.0.1:9/"))
    feed = f"http://127.0.0.1:{fed.port if is_there else 9}"

    done = subprocess.run(
        deliver.command(*deliver.options, "--replay", "1..2", "--feed", feed),
        capture_output=True, text=True, timeout=60)

    assert done.returncode == 1 and "the replay ends here" in done.stderr, done


@pytest.mark.parametrize("part, succeeds, positions", [
    ("1..99999", True, [1, 1]), ("50..60", False, [1])])
def test_a_replay_ends_with_the_last_event(fed, tmp_path, running, part, succeeds, positions):
    endpoint = running(Endpoint())
    deliver = running(Deliver(fed, tmp_path, endpoint.url))
    fed.session(LISTS)
    wait_until(lambda: cursor(fed) == 1)

    again = subprocess.run(deliver.command(*deliver.options, "--replay", part), timeout=120)

    assert (again.returncode == 0) == succeeds
    assert endpoint.positions() == positions


class LineFeed(http.server.ThreadingHTTPServer):
    """A server whose feed has these lines."""

    daemon_threads = True

    def __init__(self, lines):
        self.lines, self.asked, self.stored = lines, [], []
        super().__init__(("127.0.0.1", 0), LineHandler)
        self.admin_port = self.server_port
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class LineHandler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if "/cursors/" in self.path:
            return self.answer(404, b"{}")
        after = int(self.path.split("after=")[1].split("&")[0])
        self.server.asked.append(after)
        page = self.server.lines[after:after + 50]
        if not page:
            # The long poll.
            time.sleep(1)
        self.answer(200, b"".join(line + b"\n" for line in page))

    def do_PUT(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.stored.append(body["position"])
        self.answer(200, b"{}")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def feed_line(position, session, data=b""):
    return (b'{"id":"e%d","position":%d,"type":"session.created","timestamp":"t",'
            b'"data":{"session":"%s"%s}}' % (position, position, session.encode(), data))


def test_nothing_after_a_line_that_is_not_an_event_is_sent(tmp_path, running):
    """A line that cannot be read is never skipped without a word."""
    feed = running(LineFeed([
        feed_line(n, f"s{n}", b',"x":inf' if n == 2 else b"") for n in (1, 2, 3)]))
    endpoint = running(Endpoint())
    deliver = running(Deliver(feed, tmp_path, endpoint.url))

    wait_until(lambda: "the line of the feed after position 1 is not an event" in deliver.says())
    wait_until(lambda: endpoint.positions() == [1])
    replay = subprocess.run(deliver.command(*deliver.options, "--replay", "1..3"), timeout=120)

    assert replay.returncode == 1
    assert endpoint.positions() == [1], "nothing after the line is sent"


def test_a_session_whose_events_fail_does_not_stop_the_others_until_16_mib_wait(tmp_path, running):
    """At the maximum no more of the feed is read, and one line says so."""
    data = b',"x":"%s"' % (b"x" * 19_000)
    feed = running(LineFeed([
        feed_line(n, "good" if n == 700 else "bad", data) for n in range(1, 1001)]))
    is_good = threading.Event()
    endpoint = running(Endpoint(answer=lambda _, event: (
        204 if is_good.is_set() or event["data"]["session"] == "good" else 500)))
    deliver = running(Deliver(feed, tmp_path, endpoint.url))

    wait_until(lambda: 700 in endpoint.positions(), timeout=120)
    line = "shop: no more of the feed is read"
    wait_until(lambda: line in deliver.says(), timeout=120)
    wait_until(lambda: endpoint.positions().count(1) >= 3, timeout=120)
    assert max(feed.asked) < 900, "16 MiB are 880 events, read in pages of 50"
    assert deliver.says().count(line) == 1
    assert set(endpoint.positions()) == {1, 700}
    is_good.set()

    wait_until(lambda: 10 in endpoint.positions(), timeout=120)

    bad = list(dict.fromkeys(n for n in endpoint.positions() if n != 700))
    assert bad == list(range(1, len(bad) + 1)), "in order"


def odd_endpoint(answer):
    """A server that does `answer(connection)` with each connection."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener


def receive(connection):
    """Receives a request: an end of the connection before would be a reset."""
    with connection.makefile("rb") as request:
        headers = {}
        while line := request.readline().strip():
            name, _, value = line.partition(b":")
            headers[name.lower()] = value
        request.read(int(headers.get(b"content-length", 0)))


def redirect(to):
    def answer(connection):
        receive(connection)
        connection.sendall(f"HTTP/1.1 307 Elsewhere\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n".encode())
        connection.close()
    return answer


def gigabyte(connection):
    receive(connection)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
    sent = 0
    try:
        while sent < 1 << 30:
            sent += connection.send(b"x" * 65_536)
    except OSError:
        pass
    gigabyte.sent = sent


def test_a_redirect_is_a_failure(fed, tmp_path, running):
    target = running(Endpoint())
    listener = running(odd_endpoint(redirect(target.url)))
    deliver = running(Deliver(fed, tmp_path, f"http://127.0.0.1:{listener.getsockname()[1]}/"))
    fed.session(LISTS)
    wait_until(lambda: "attempt 1 at 1: 307" in deliver.says())
    assert target.received == [] and cursor(fed) in (None, 0)


def test_an_answer_of_a_gigabyte_is_not_read(fed, tmp_path, running):
    listener = running(odd_endpoint(gigabyte))
    running(Deliver(fed, tmp_path, f"http://127.0.0.1:{listener.getsockname()[1]}/"))
    fed.session(LISTS)
    wait_until(lambda: cursor(fed) == 1)
    wait_until(lambda: hasattr(gigabyte, "sent"))
    assert gigabyte.sent < 32 << 20, "no more than the kernel's buffers"


def test_an_endpoint_that_hangs_is_given_up_after_15_s(fed, tmp_path, running):
    listener = running(odd_endpoint(lambda connection: time.sleep(300)))
    deliver = running(Deliver(fed, tmp_path, f"http://127.0.0.1:{listener.getsockname()[1]}/"))
    begin = time.monotonic()
    fed.session(LISTS)
    wait_until(lambda: "attempt 1 at 1: " in deliver.says(), timeout=120)
    assert 14 < time.monotonic() - begin


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:10.0.0.1]",
                                  "10.0.0.1", "169.254.169.254", "0.0.0.0", "2130706433"])
def test_addresses_that_are_not_public_are_refused(fed, tmp_path, running, host):
    target = running(Endpoint())
    deliver = running(
        Deliver(fed, tmp_path, f"http://{host}:{target.server_port}/", allow=None))
    fed.session(LISTS)
    wait_until(lambda: "attempt 1 at 1: the address is refused" in deliver.says())
    assert target.received == []


def test_settings_in_yaml_are_read_and_their_errors_have_a_position(fed, tmp_path, running):
    endpoint = running(Endpoint())
    deliver = running(Deliver(fed, tmp_path, "http://127.0.0.1:9/"))
    deliver.kill()
    text = f"""# The shop.
endpoints:
  - name: shop
    url: {endpoint.url}
    types: [session.created]   # nothing else
    secrets:
      - {SECRET}
      - {OTHER}
"""
    deliver.config.write_text(text)
    deliver.start()
    fed.session(LISTS)
    wait_until(lambda: endpoint.positions() == [1])

    deliver.config.write_text(text.replace("session.created", "session.made"))
    done = subprocess.run(deliver.command(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 65
    assert f"{deliver.config}:5:12: the types of shop must be a list of session.created" in done.stderr


@pytest.mark.parametrize("options, text", [
    ((), "has no https: URL"),
    (("--replay", "9..1"), "--replay must be two positions"),
    (("--replay", "1..2", "--resume", "shop"), "give one of them"),
    *((("--feed", feed), "--feed must be a URL with a host") for feed in (
        "http://", "http://127.0.0.1:99999", "http://a b", "ftp://127.0.0.1", "x")),
    (("--allow-net", "x"), "is not an address or a range"),
    (("--resume", "none"), "has no endpoint none"),
])
def test_settings_that_cannot_be_used_are_refused(fed, tmp_path, running, options, text):
    deliver = running(Deliver(fed, tmp_path, "http://127.0.0.1:9/"))
    done = subprocess.run(deliver.command(*options), capture_output=True, text=True, timeout=120)
    assert done.returncode in (64, 65) and text in done.stderr
    os.chmod(deliver.config, 0o644)
    done = subprocess.run(deliver.command(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 65 and "chmod 600" in done.stderr


def test_after_a_restored_backup_new_events_are_delivered_from_the_cursor(tmp_path, running):
    store = tmp_path / "store.sqlite"
    # Always the same port, so that the running process finds the restored server.
    server = stored(tmp_path / "log", store, clock=None, admin=f"127.0.0.1:{free_port()}")
    endpoint = running(Endpoint())
    try:
        deliver = running(Deliver(server, tmp_path, endpoint.url))
        server.session(LISTS)
        wait_until(lambda: cursor(server) == 1)
        server.terminate(), server.exited()
        backup = {path: path.read_bytes() for path in tmp_path.glob("store.sqlite*")
                  if path.suffix != ".lock"}
        server.start()
        deliver.kill(), deliver.start()
        for _ in range(2):
            server.session(LISTS)
        wait_until(lambda: cursor(server) == 3)
        server.kill()
        for path in tmp_path.glob("store.sqlite*"):
            if path.suffix != ".lock":
                path.unlink()
        for path, content in backup.items():
            path.write_bytes(content)
        server.start()
        made = {server.session(LISTS).id for _ in range(4)}

        wait_until(lambda: cursor(server) == 5, timeout=120)
        wait_until(lambda: "shop: the feed has the new epoch" in deliver.says())
        assert made <= {event["data"]["session"] for event in endpoint.received}
        assert len({event["id"] for event in endpoint.received}) == 7, "3 before, 4 after"
    finally:
        server.stop()


def test_a_libcurl_that_cannot_be_loaded_is_reported(fed, tmp_path, running):
    deliver = running(Deliver(fed, tmp_path, "http://127.0.0.1:9/"))
    (tmp_path / "libcurl.so.4").touch()
    done = subprocess.run(
        deliver.command("--allow-http"), capture_output=True, text=True, timeout=120,
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert done.returncode == 1 and done.stderr.endswith("install libcurl4\n"), done.stderr


def test_kills_of_server_deliver_and_endpoint_lose_no_event(tmp_path, running):
    """Every event reaches the endpoint at least once, and each session's in order."""
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", clock=None,
                    options=("--limit", "createsPerSecond=10000"))
    random_source = random.Random(11)
    endpoints = [Endpoint(free_port())]
    endpoint = endpoints[0]
    deliver = running(Deliver(server, tmp_path, endpoint.url))
    try:
        for step in range(8):
            sessions = [server.session(LISTS) for _ in range(3)]
            for session in sessions:
                member = server.post(f"{session.path}/members", {"name": "Ana"}).json["member"]
                for ref, command in enumerate(("confirm", "reopen", "cancel"), 1):
                    server.post(f"{session.path}/commands", {
                        "member": member["id"], "secret": member["secret"], "ref": ref,
                        "type": command})
            time.sleep(random_source.uniform(0, 0.3))
            victim = step % 3
            if victim == 0:
                again(server)
                deliver.kill()
                deliver.start()
            elif victim == 1:
                deliver.kill()
                deliver.start()
            else:
                endpoint.close()
                time.sleep(0.2)
                endpoints.append(Endpoint(endpoint.server_port))
                endpoint = endpoints[-1]
        newest = 8 * 3 * 4
        wait_until(lambda: cursor(server) == newest, timeout=120)
        answer = server.get("/v1/feed?after=0&limit=1000", port=server.admin_port)
        assert int(answer.headers["feed-position"]) == newest
        received = [event for each in endpoints for event in each.received]
        assert {event["position"] for event in received} == set(range(1, newest + 1))
        first = {}
        for event in received:
            seen = first.setdefault(event["data"]["session"], [])
            if event["position"] not in seen:
                seen.append(event["position"])
        assert all(seen == sorted(seen) for seen in first.values())
    finally:
        endpoint.close()
        server.stop()
