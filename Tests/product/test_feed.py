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
from harness.pickerd import Pickerd, wait_until
from harness.store import again, stored, stored_at


@pytest.fixture(params=["memory", "store", "postgres"])
def fed(request, tmp_path):
    """A server with its admin listener, in memory and with each kind of store."""
    if request.param == "memory":
        server = Pickerd(tmp_path / "log", clock=None, options=("--loops", "2"))
    else:
        store = f"sqlite:{tmp_path / 'store.sqlite'}"
        if request.param == "postgres":
            store = request.getfixturevalue("postgres").database()
        server = stored_at(tmp_path / "log", store, clock=None, options=("--loops", "2"))
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
            contract.fits("feed-event", event)
    return found


def types(found):
    return [event["type"] for event in found]


def test_a_confirmation_is_the_same_event_by_every_path(fed):
    by_socket, by_post = fed.session(LISTS, external="a"), fed.session(LISTS, external="b")
    by_socket.join("Ana").confirm()
    kiosk = by_post.server.post(f"{by_post.path}/members", {"name": "Ana"}).json["member"]
    answer = fed.post(f"{by_post.path}/commands", {
        "member": kiosk["id"], "secret": kiosk["secret"], "ref": 1, "type": "confirm"})
    assert answer.status == 200, answer
    wait_until(lambda: len(events(fed)) == 4)

    found = [event for event in events(fed) if event["type"] == "session.confirmed"]

    assert len(found) == 2
    left, right = ({name: value for name, value in event["data"].items()
                    if name not in ("session", "epoch", "external", "by")} for event in found)
    assert left == right
    assert left["result"] == by_socket.result() and left["status"] == "confirmed"
    assert all(event["data"]["by"]["member"].startswith("m_") for event in found)


def test_every_change_of_the_status_is_an_event(fed):
    session = fed.session(LISTS, title="Lunch", meta={"table": 4})
    ana = session.join("Ana")
    ana.confirm()
    ana.reopen()
    ana.cancel()
    ana.reach(3)
    changed = fed.request("PUT", f"{session.path}/definition",
                          {"kind": "columns", "columns": [["x"], ["y"], ["z"]]})
    assert changed.status == 200, changed
    assert fed.delete(session.path).status == 204

    found = wait_until(lambda: len(events(fed)) == 6 and events(fed))

    assert types(found) == ["session.created", "session.confirmed", "session.reopened",
                            "session.cancelled", "definition.changed", "session.ended"]
    assert [event["position"] for event in found] == [1, 2, 3, 4, 5, 6]
    assert {event["data"]["title"] for event in found} == {"Lunch"}
    assert all(event["data"]["meta"] == {"table": 4} for event in found)
    assert found[-1]["data"]["reason"] == "deleted"


def test_a_session_that_expires_is_an_event(fed):
    fed.session(LISTS, ttlSeconds=1)
    found = wait_until(lambda: len(events(fed)) == 2 and events(fed))
    assert found[1]["type"] == "session.ended" and found[1]["data"]["reason"] == "expired"
    assert found[1]["data"]["result"] == found[0]["data"]["result"]


def test_a_watched_result_is_reported_once_after_2_seconds_without_a_change(fed):
    for attempt in range(10):
        session = fed.session(LISTS, watch=["result", "members"])
        ana = session.join("Ana")
        first = time.monotonic()
        for row in (1, 2):
            ana.select(0, row)
        last = time.monotonic()
        ana.select(0, 1)
        ana.reach(3)
        if time.monotonic() - first < 1.5:
            break  # Otherwise a slow machine may report a result in between, rightly.

    def reported():
        found = [event for event in events(fed) if event["data"]["session"] == session.id]
        return found if "result.changed" in types(found) else None

    found = wait_until(reported)

    assert 1 < time.monotonic() - last
    assert types(found) == ["session.created", "member.joined", "result.changed"]
    assert found[2]["data"]["revision"] == 3 and found[2]["data"]["result"] == session.result()
    assert found[1]["data"]["member"]["name"] == "Ana"


def test_a_result_that_is_confirmed_at_once_is_reported_before(fed):
    session = fed.session(LISTS, watch=["result"])
    ana = session.join("Ana")
    ana.select(0, 1)
    ana.confirm()

    found = wait_until(lambda: len(events(fed)) == 3 and events(fed))

    assert types(found) == ["session.created", "result.changed", "session.confirmed"]
    assert [(e["data"]["revision"], e["data"]["status"]) for e in found[1:]] == [
        (1, "open"), (2, "confirmed")]
    assert found[1]["data"]["result"] == found[2]["data"]["result"] == session.result()


def test_a_denial_has_its_reason_and_data_and_the_result_of_its_revision(fed):
    session = fed.session(LISTS, decide={"by": "host", "seconds": 60})
    session.join("Ana").confirm()
    op, before = session.get()["op"], session.result()
    waiting = {"kind": "columns", "columns": [["q"], ["x"], ["y"]]}
    assert fed.request("PUT", f"{session.path}/definition", waiting).status == 200
    settled = fed.post(f"{session.path}/settle", {
        "op": op, "granted": False, "reason": {"en": "full"}, "data": {"hold": 7}})
    assert settled.status == 200, settled

    found = wait_until(lambda: len(events(fed)) == 4 and events(fed))

    data = found[3]["data"]
    assert (found[3]["type"], data["revision"]) == ("session.reopened", settled.json["revision"])
    assert (data["op"], data["reason"]) == (op, "denied")
    assert (data["detail"], data["data"], data["result"]) == ({"en": "full"}, {"hold": 7}, before)
    assert session.result() != before


def test_a_late_grant_is_reported_once_with_its_data(fed):
    session = fed.session(LISTS, decide={"by": "host", "seconds": 60})
    ana = session.join("Ana")
    ana.confirm()
    op = session.get()["op"]
    ana.cancel()
    grant = {"op": op, "granted": True, "data": {"booking": 4711, "exact": 1.50}}
    answers = [fed.post(f"{session.path}/settle", grant) for _ in range(2)]
    assert [(late.status, late.code) for late in answers] == [(409, "tooLate")] * 2

    found = wait_until(lambda: len(events(fed)) == 4 and events(fed))

    data = found[3]["data"]
    assert (found[3]["type"], data["op"], data["status"]) == ("session.confirming.late", op, "open")
    assert data["data"] == grant["data"]


def test_a_grant_of_an_unknown_op_is_not_reported(fed):
    session = fed.session(LISTS, decide={"by": "host", "seconds": 60})
    ana = session.join("Ana")
    ana.confirm()
    answer = fed.post(f"{session.path}/settle", {"op": "x", "granted": True})
    assert (answer.status, answer.code) == (404, "noSuchOp")
    ana.cancel()

    found = wait_until(lambda: len(events(fed)) == 3 and events(fed))

    assert [event["type"] for event in found][1:] == ["session.confirming", "session.reopened"]


def test_deleting_a_session_that_is_confirming_denies_it_first(fed):
    session = fed.session(LISTS, decide={"by": "host", "seconds": 60})
    session.join("Ana").confirm()
    assert session.delete().status == 204

    found = wait_until(lambda: "session.ended" in types(events(fed)) and events(fed))

    assert types(found) == [
        "session.created", "session.confirming", "session.reopened", "session.ended"]
    assert found[2]["data"]["reason"] == "denied"
    assert (found[3]["data"]["status"], found[3]["data"]["revision"]) == ("open", 2)


def test_a_reader_waits_for_the_next_event(fed):
    fed.session(LISTS)
    wait_until(lambda: len(events(fed)) == 1)
    answers = []
    reader = threading.Thread(target=lambda: answers.append(ask(fed, "?after=1&waitSeconds=55")))
    reader.start()
    time.sleep(0.3)
    assert not answers

    fed.session(LISTS)
    reader.join(30)

    assert answers, "the reader still waits"
    assert [json.loads(line)["position"] for line in answers[0].body.splitlines()] == [2]
    begin = time.monotonic()
    empty = ask(fed, "?after=2&waitSeconds=1")
    assert empty.body == b"" and empty.headers["feed-position"] == "2"
    assert 0.9 < time.monotonic() - begin


def test_types_and_limits_choose_events(fed):
    for _ in range(3):
        session = fed.session(LISTS)
        assert fed.delete(session.path).status == 204
    wait_until(lambda: len(events(fed)) == 6)

    ended = events(fed, types="session.ended", limit=2)

    assert types(ended) == ["session.ended"] * 3
    answer = ask(fed, "?limit=2")
    assert len(answer.body.splitlines()) == 2 and answer.headers["feed-position"] == "2"
    for query in ("?limit=0", "?limit=1001", "?after=-1", "?after=x", "?waitSeconds=61",
                  "?types=session.opened", "?types="):
        assert ask(fed, query).code == "badRequest", query


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


def test_no_position_ends_the_server(fed):
    for number in (2**63 - 1, 2**63 - 2, 2**63, 10**40):
        for query in (f"?after={number}", f"?after={number}&waitSeconds=1"):
            assert ask(fed, query).status in (400, 410), query
        with stream(fed, last=number) as response:
            assert response.status == (400 if number >= 2**63 else 200), number
    assert fed.get("/healthz").status == 200


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


def test_a_server_without_a_store_has_another_epoch_after_each_start(tmp_path):
    server = Pickerd(tmp_path / "log", clock=None)
    try:
        epoch = ask(server).headers["feed-epoch"]
        again(server)
        assert ask(server, f"?epoch={epoch}").status == 410
        bad = server.request("PUT", "/v1/feed/cursors/me", {"position": 0, "epoch": 1},
                             port=server.admin_port)
        assert bad.code == "badRequest"
    finally:
        server.stop()


def stream(server, last=None, query=""):
    connection = http.client.HTTPConnection("127.0.0.1", server.admin_port, timeout=60)
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
    contract.fits("feed-event", event)
    response.close()

    assert next_position(stream(fed, last=1)) == next_position(stream(fed, last=name[:-1] + "1")) == 2


def test_an_empty_last_event_id_is_none(fed):
    fed.session(LISTS)

    assert next_position(stream(fed, last="")) == 1


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
                time.sleep(0.05)

    try:
        for _ in range(6):
            stop.clear()
            threads = [threading.Thread(target=work, args=pair) for pair in zip(sessions, members)]
            for thread in threads:
                thread.start()
            before = len(done)
            wait_until(lambda: len(done) >= before + 5, what="commands")
            time.sleep(random_source.uniform(0, 0.5))
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
