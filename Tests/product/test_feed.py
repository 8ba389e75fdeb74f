"""The feed: every event once, in order, for readers of every kind."""

import http.client
import itertools
import json
import random
import shutil
import socket
import threading
import time

import pytest

from harness import contract
from harness.definitions import LISTS
from harness.patience import PATIENCE
from harness.metrics import samples
from harness.pickerd import Pickerd, wait_until
from harness.store import again, stored, stored_at


@pytest.fixture
def fed(tmp_path):
    """A server with its admin listener and a store; FeedStoreTests run on each kind of store."""
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", clock=None,
                    options=("--loops", "2"))
    yield server
    server.stop()


def ask(server, query=""):
    return server.get(f"/v1/feed{query}", port=server.admin_port)


def events(server, after=0, **query):
    """All events after a position; each is valid, and the positions have no gaps."""
    found = []
    while True:
        fields = "".join(f"&{name}={value}" for name, value in query.items())
        answer = ask(server, f"?after={after}{fields}")
        assert answer.status == 200, answer
        lines = [json.loads(line) for line in answer.body.splitlines()]
        found += lines
        if not lines:
            break
        after = lines[-1]["position"]
    for event in found:
        if event["data"].get("reason") != "expired":
            contract.fits("feedEvent", event)
    return found


def test_a_reader_waits_for_the_next_event(fed):
    fed.session(LISTS)
    wait_until(lambda: len(events(fed)) == 1)
    answers = []
    reader = threading.Thread(target=lambda: answers.append(ask(fed, "?after=1&waitSeconds=55")))
    reader.start()
    wait_until(lambda: samples(fed, "pickerd_feed_readers")[()] == 1, what="the reader")
    assert not answers

    fed.session(LISTS)
    reader.join(PATIENCE)

    assert answers, "the reader still waits"
    assert [json.loads(line)["position"] for line in answers[0].body.splitlines()] == [2]
    begin = time.monotonic()
    empty = ask(fed, "?after=2&waitSeconds=1")
    assert empty.body == b"" and empty.headers["feed-position"] == "2"
    assert 0.9 < time.monotonic() - begin


def test_a_position_that_the_feed_does_not_have_is_gone(tmp_path):
    server = Pickerd(tmp_path / "log", clock=None, limits={"feedEvents": 3})
    try:
        for _ in range(5):
            server.session(LISTS)
        wait_until(lambda: ask(server, "?after=5").status == 200, what="all events")
        answer = ask(server, "?after=1")
        assert (answer.status, answer.code) == (410, "gone")
        assert (answer.json["oldest"], answer.json["newest"]) == (3, 5)
        assert ask(server, "?after=0").status == 410
        lines = [json.loads(line) for line in ask(server).body.splitlines()]
        assert [line["position"] for line in lines] == [3, 4, 5], "without a position: what there is"
        assert [event["position"] for event in events(server, 2)] == [3, 4, 5]
        assert ask(server, "?after=6").status == 410
    finally:
        server.stop()


def copied(store, folder):
    """Copies a store that no server uses, without the record of how far it was written."""
    folder.mkdir()
    for path in store.parent.glob(f"{store.name}*"):
        if not path.name.endswith(".lock"):
            shutil.copy(path, folder / path.name)


def test_a_restored_backup_has_another_epoch(tmp_path):
    """Its positions are given again to other events, so that readers must not go on."""
    store = tmp_path / "store.sqlite"
    server = stored(tmp_path / "log", store, clock=None)
    try:
        server.session(LISTS)
        wait_until(lambda: len(events(server)) == 1)
        epoch = ask(server).headers["feed-epoch"]
        assert stream(server).headers["Feed-Epoch"] == epoch
        server.terminate(), server.exited()
        copied(store, tmp_path / "backup")
        server.start()
        assert ask(server).headers["feed-epoch"] == epoch, "a restart is none"
        server.session(LISTS), server.session(LISTS)
        wait_until(lambda: len(events(server)) == 3)
        put = server.request("PUT", "/v1/feed/cursors/me", {"position": 3, "epoch": epoch},
                             port=server.admin_port)
        assert put.json == {"name": "me", "position": 3, "epoch": epoch}

        server.kill()
        for path in tmp_path.glob("store.sqlite*"):
            if not path.name.endswith(".lock"):
                path.unlink()
        for path in (tmp_path / "backup").iterdir():
            shutil.copy(path, tmp_path / path.name)
        server.start()
        for _ in range(3):
            server.session(LISTS)
        wait_until(lambda: len(events(server)) == 4)

        assert ask(server, "?after=3").status == 200, "position 3 is another event"
        gone = ask(server, f"?after=3&epoch={epoch}")
        assert (gone.status, gone.code) == (410, "gone") and "backup" in gone.json["detail"]
        renewed = gone.json["epoch"]
        assert renewed == ask(server).headers["feed-epoch"] != epoch
        assert (gone.json["oldest"], gone.json["newest"]) == (1, 4)
        assert stream(server, query=f"?epoch={epoch}").status == 410
        put = server.request("PUT", "/v1/feed/cursors/me", {"position": 3, "epoch": epoch},
                             port=server.admin_port)
        assert (put.status, put.code) == (410, "gone")
        assert put.json.items() >= {"epoch": renewed, "oldest": 1, "newest": 4}.items()
        assert ask(server, f"?after=3&epoch={renewed}").status == 200
        absent = server.get("/v1/feed/cursors/me", port=server.admin_port)
        assert (absent.status, absent.json["epoch"]) == (404, renewed)
    finally:
        server.stop()


def stream(server, last=None, query=""):
    connection = http.client.HTTPConnection("127.0.0.1", server.admin_port, timeout=PATIENCE)
    headers = {"Accept": "text/event-stream", "Accept-Encoding": "gzip"}
    if last is not None:
        headers["Last-Event-ID"] = str(last)
    connection.request("GET", f"/v1/feed{query}", headers=headers)
    return connection.getresponse()


def next_event(response):
    """The next event of a stream, without comments: its type, id and data."""
    fields = {}
    while True:
        line = response.readline().decode()
        assert line, "the stream has ended"
        line = line.rstrip("\n")
        if line == "":
            if "data" in fields:
                return fields.get("event", "message"), fields["id"], json.loads(fields["data"])
            fields = {}
        elif not line.startswith(":"):
            name, value = line.split(": ", 1)
            fields[name] = value


def next_position(response):
    kind, name, event = next_event(response)
    assert kind == "message" and name.endswith(f":{event['position']}")
    return event["position"]


def test_a_stream_has_every_event_and_continues_after_the_last_one(fed):
    fed.session(LISTS)
    response = stream(fed)
    assert response.status == 200 and response.headers["content-type"] == "text/event-stream"
    assert next_position(response) == 1
    fed.session(LISTS)
    kind, name, event = next_event(response)
    assert (kind, name) == ("message", f"{response.headers['feed-epoch']}:2")
    contract.fits("feedEvent", event)
    response.close()

    assert next_position(stream(fed, last=1)) == next_position(stream(fed, last=name[:-1] + "1")) == 2


def test_a_stream_that_is_not_read_does_not_stop_others(fed):
    meta = "m" * 4000
    slow = socket.create_connection(("127.0.0.1", fed.admin_port))
    slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.sendall(b"GET /v1/feed HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n")
    for _ in range(600):
        assert fed.create(LISTS, meta=meta).status == 201

    wait_until(lambda: ask(fed, "?after=600").status == 200, what="all events")
    found = events(fed, limit=1000)

    assert [event["position"] for event in found] == list(range(1, 601))
    slow.close()


def test_the_number_of_readers_has_a_maximum(tmp_path):
    server = Pickerd(tmp_path / "log", clock=None)
    try:
        streams = [stream(server) for _ in range(64)]
        assert ask(server).status == 503
        for response in streams:
            response.close()
        server.session(LISTS)
        wait_until(lambda: ask(server).status == 200)
    finally:
        server.stop()


def test_cursors_are_stored_and_have_a_maximum(tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", clock=None)

    def cursor(method, name, body=None):
        return server.request(method, f"/v1/feed/cursors/{name}", body, port=server.admin_port)

    try:
        server.session(LISTS)
        wait_until(lambda: len(events(server)) == 1)
        assert cursor("GET", "me").code == "noSuchCursor"
        assert cursor("PUT", "me", {"position": 1}).json == {
            "name": "me", "position": 1, "epoch": ask(server).headers["feed-epoch"]}
        assert cursor("PUT", "me", {"position": 2}).code == "badRequest"
        for name in ("a%20b", "%2e", "%2e%2e"):
            assert cursor("PUT", name, {"position": 1}).code == "badRequest", name
        assert cursor("PUT", "me", {"place": 1}).code == "badRequest"
        again(server)
        assert cursor("GET", "me").json["position"] == 1
        for number in range(99):
            assert cursor("PUT", f"c{number}", {"position": 0}).status == 200
        assert cursor("PUT", "more", {"position": 0}).code == "tooManyCursors"
        assert cursor("DELETE", "c7").status == 204
        assert cursor("PUT", "more", {"position": 0}).status == 200
        lag = 'pickerd_feed_lag_events{cursor="more"} 1'
        wait_until(lambda: lag in server.metrics().body.decode(), what=lag)
    finally:
        server.stop()


@pytest.mark.parametrize("auth", ["open", "token"])
def test_without_keys_the_feed_is_not_public(tmp_path, auth):
    server = Pickerd(tmp_path / "log", auth=auth)
    try:
        for method, path in (("GET", "/v1/feed"), ("GET", "/v1/feed/cursors/me"),
                             ("PUT", "/v1/feed/cursors/me"), ("DELETE", "/v1/feed/cursors/me")):
            answer = server.request(method, path)
            assert (answer.status, answer.code) == (403, "notAllowed")
        assert ask(server).status == 200
    finally:
        server.stop()


def test_kill_9_neither_loses_nor_doubles_an_event(tmp_path):
    """Members confirm and reopen while the server is killed; what the log has is in the feed."""
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", clock=None,
                    limits={"commandsPerSecond": 100_000})
    random_source = random.Random(7)
    sessions = [server.session(LISTS) for _ in range(4)]
    members = [server.post(f"{s.path}/members", {"name": "Ana"}).json["member"] for s in sessions]
    stop, done = threading.Event(), []
    refs = {session.id: itertools.count(1) for session in sessions}

    def work(session, member):
        while not stop.is_set():
            ref = next(refs[session.id])
            body = {"member": member["id"], "secret": member["secret"], "ref": ref,
                    "type": "confirm" if ref % 2 else "reopen"}
            try:
                answer = server.post(f"{session.path}/commands", body)
                if answer.json.get("type") == "delta":
                    done.append(answer)
            except (OSError, http.client.HTTPException):
                stop.wait(0.05)

    try:
        for _ in range(4):
            stop.clear()
            threads = [threading.Thread(target=work, args=pair) for pair in zip(sessions, members)]
            for thread in threads:
                thread.start()
            before = len(done)
            count = random_source.randint(5, 100)
            wait_until(lambda: len(done) >= before + count, what="commands")
            server.kill()
            stop.set()
            for thread in threads:
                thread.join()
            server.environment["PICKERD_LOOPS"] = str(random_source.randint(1, 3))
            server.start()
        for session in sessions:
            check_against_log(server, session)
        found = events(server, limit=1000)
        assert [event["position"] for event in found] == list(range(1, len(found) + 1))
        assert len({event["id"] for event in found}) == len(found) > 20
    finally:
        server.stop()


def check_against_log(server, session):
    """The feed has the changes of status that the session's log has, in its order."""
    lines = [json.loads(line) for line in server.get(f"{session.path}/log").body.splitlines()]
    logged = [(line["revision"], change["status"]) for line in lines
              for change in line["changes"] if change["change"] == "status"]

    def same():
        found = [event for event in events(server, limit=1000)
                 if event["data"]["session"] == session.id and event["type"] != "session.created"]
        return [(event["data"]["revision"], event["data"]["status"]) for event in found] == logged

    wait_until(same, what=f"the feed of {session.id}")


def test_an_open_stream_or_poll_gets_nothing_of_another_epoch(tmp_path, postgres):
    """Regression: readers of a feed whose positions are given again missed the events there."""
    store = postgres.database()
    server = stored_at(tmp_path / "log", store, clock=None)
    for _ in range(2):
        server.session(LISTS)
    wait_until(lambda: len(events(server)) == 2)
    response = stream(server)
    epoch = response.headers["feed-epoch"]
    assert [next_position(response) for _ in range(2)] == [1, 2]
    polls = [server.connection(server.admin_port) for _ in range(2)]
    for poll, named in zip(polls, (f"&epoch={epoch}", "")):
        poll.request("GET", f"/v1/feed?after=2&waitSeconds=55{named}")

    # As another node does after a restore to the time before the second event.
    postgres.sql(store, "DELETE FROM event WHERE position = 2;"
                        "UPDATE feed SET newest = 1, epoch = 'another'")
    for _ in range(2):
        server.session(LISTS)

    while line := response.readline():
        assert not line.startswith(b"data:"), line
    restarted = stream(server, last=f"{epoch}:2")
    assert next_event(restarted) == ("restarted", "another:0", {
        "reason": "epoch", "epoch": "another", "oldest": 1})
    assert [next_position(restarted) for _ in range(3)] == [1, 2, 3]
    gone, other = (poll.getresponse() for poll in polls)
    assert gone.status == 410 and json.loads(gone.read())["epoch"] == "another"
    assert other.status == 200 and other.headers["feed-epoch"] == "another"
    assert len(events(server)) == 3
    server.stop()
