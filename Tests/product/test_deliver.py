"""`pickerd deliver`: every event at the endpoint at least once, in order, signed, and nowhere else."""

import json
import os
import re
import socket
import subprocess
import threading

import pytest

from harness.definitions import LISTS
from harness.delivery import OTHER, SECRET, Deliver, Endpoint, cursor, running  # noqa: F401
from harness.patience import PATIENCE
from harness.pickerd import Pickerd, wait_until
from harness.ports import free_port
from harness.store import stored


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

    wait_until(lambda: len(endpoint.received) == 5)

    assert [(event["type"], event["status"]) for event in endpoint.received
            if event["data"]["session"] == session.id] == [
        ("session.created", 204), ("session.confirmed", 500), ("session.confirmed", 204),
        ("session.reopened", 204)]
    assert len({event["id"] for event in endpoint.received}) == 4


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
    assert subprocess.run(deliver.command("--resume", "shop"), timeout=PATIENCE).returncode == 0
    deliver.start()

    wait_until(lambda: cursor(fed) == 2)

    assert endpoint.positions() == [1, 2] and endpoint.received[1]["watermark"] == 1


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


def test_each_line_of_the_log_has_time_and_level_and_says_when_the_feed_is_there(tmp_path, running):
    endpoint, port = running(Endpoint()), free_port()
    deliver = running(Deliver(None, tmp_path, endpoint.url, feed_port=port))
    wait_until(lambda: "cannot read the feed" in deliver.says())
    server = Pickerd(tmp_path / "log", clock=None, admin=f"127.0.0.1:{port}")
    try:
        server.session(LISTS)
        wait_until(lambda: endpoint.positions() == [1])
    finally:
        deliver.kill()
        server.stop()

    lines = deliver.says().splitlines()
    url = f"the feed http://127.0.0.1:{port}/v1/feed"
    assert all(re.match(r"\d{4}-\d\d-\d\dT[\d:]{8}Z (notice|warning) ", line) for line in lines)
    said = [line.split(" ", 2)[1:] for line in lines]
    assert said[0] == ["notice", f"{url} is delivered to shop"]
    assert said[1][0] == "warning" and said[1][1].startswith(f"cannot read {url}: "), said
    assert said[-1] == ["notice", f"{url} can be read again"]


def test_a_test_event_is_signed_and_its_answer_is_printed(fed, tmp_path, running):
    endpoint = running(Endpoint(answer=lambda *_: 204 if not endpoint.received else 401))
    deliver = running(Deliver(fed, tmp_path, endpoint.url))

    def sent(name="shop"):
        return subprocess.run(
            deliver.command(*deliver.options, "--test", name), capture_output=True, text=True,
            timeout=PATIENCE, check=False)

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

    again = subprocess.run(deliver.command(*deliver.options, "--replay", "2..4"), timeout=PATIENCE)

    assert again.returncode == 0
    assert sorted(endpoint.positions()[5:]) == [2, 3, 4]
    assert cursor(fed) == 5


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


@pytest.mark.parametrize("host", ["localhost", "[::ffff:10.0.0.1]"])
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
    done = subprocess.run(deliver.command(), capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 65
    assert f"{deliver.config}:5:12: the types of shop must be a list of session.created" in done.stderr


def test_settings_that_cannot_be_used_are_refused(tmp_path, running):
    deliver = running(Deliver(None, tmp_path, "http://127.0.0.1:9/", feed_port=free_port()))

    def refused(*options):
        done = subprocess.run(
            deliver.command(*options), capture_output=True, text=True, timeout=PATIENCE)
        assert done.returncode in (64, 65)
        return done.stderr

    for options, text in [
            ((), "has no https: URL"), (("--replay", "9..1"), "--replay must be two positions"),
            (("--replay", "1..2", "--resume", "shop"), "give one of them"),
            (("--feed", "http://127.0.0.1:99999"), "--feed must be a URL with a host"),
            (("--feed", "ftp://127.0.0.1"), "--feed must be a URL with a host"),
            (("--allow-net", "x"), "is not an address or a range"),
            (("--resume", "none"), "has no endpoint none")]:
        assert text in refused(*options), options
    os.chmod(deliver.config, 0o644)
    assert "chmod 600" in refused()


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

        wait_until(lambda: cursor(server) == 5)
        wait_until(lambda: "shop: the feed has the new epoch" in deliver.says())
        assert made <= {event["data"]["session"] for event in endpoint.received}
        assert len({event["id"] for event in endpoint.received}) == 7, "3 before, 4 after"
    finally:
        server.stop()


def test_a_libcurl_that_cannot_be_loaded_is_reported(fed, tmp_path, running):
    deliver = running(Deliver(fed, tmp_path, "http://127.0.0.1:9/"))
    (tmp_path / "libcurl.so.4").touch()
    done = subprocess.run(
        deliver.command("--allow-http"), capture_output=True, text=True, timeout=PATIENCE,
        env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)})
    assert done.returncode == 1 and done.stderr.endswith("install libcurl4\n"), done.stderr
