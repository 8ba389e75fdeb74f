"""Creation that a host can rely on: `Idempotency-Key`, `external`, `PUT …/by/`, the list."""

import threading
from http.client import HTTPException
from urllib.parse import quote, urlencode

import pytest

from harness.definitions import DATE, LISTS
from harness.host import Host
from harness.pickerd import wait_until
from harness.store import again, stored

KEY = {"Idempotency-Key": "order-4711"}


@pytest.fixture
def serve(tmp_path):
    """Starts a server on this test's store."""
    servers = []

    def begin(**rest):
        servers.append(stored(tmp_path / "log", tmp_path / "store.sqlite", **rest))
        return servers[-1]

    yield begin
    for server in servers:
        if server.is_alive:
            server.stop()


def create(server, key=None, **fields):
    headers = {"Idempotency-Key": key} if key else {}
    return server.post("/v1/sessions", {"definition": DATE, **fields}, headers=headers)


def by(server, name, **fields):
    return server.request(
        "PUT", f"/v1/sessions/by/{quote(name, safe='')}", {"definition": DATE, **fields})


def listed(server, **query):
    """The list, page by page."""
    sessions, after = [], "0"
    while after is not None:
        answer = server.get(
            "/v1/sessions?" + urlencode({**query, "after": after}), port=server.admin_port)
        assert answer.status == 200, answer
        sessions += answer.json["sessions"]
        after = answer.json.get("next")
    return sessions


# Idempotency-Key


def test_the_same_key_and_body_answer_the_same_session(serve):
    server = serve()
    first, second = create(server, "k"), create(server, "k")

    assert (first.status, second.status) == (201, 200)
    assert first.body == second.body
    assert second.headers["location"] == first.headers["location"]
    other = create(server, "k", title="another body")
    assert (other.status, other.code) == (422, "keyReused")
    assert create(server, "K").json["session"] != first.json["session"]


def test_the_same_key_gives_the_same_tokens(serve):
    server = serve(auth="token")
    first, second = create(server, "k"), create(server, "k")

    assert first.body == second.body and len(first.json["tokens"]) == 3
    path = f"/v1/sessions/{first.json['session']}"
    assert server.get(path, token=second.json["tokens"]["viewer"]).status == 200
    assert server.delete(path, token=second.json["tokens"]["owner"]).status == 204


# external


def test_an_external_id_is_unique_while_its_session_lives(serve):
    server = serve()
    first = create(server, external="order/1")
    taken = create(server, external="order/1")

    assert (taken.status, taken.code) == (409, "externalTaken")
    assert taken.json["session"] == first.json["session"]
    assert create(server, external="order/2").status == 201
    server.delete(f"/v1/sessions/{first.json['session']}")
    assert create(server, external="order/1").status == 201


# The list


def test_the_list_has_all_sessions_in_order_of_creation(serve):
    server = serve(options=("--loops", "2"))
    ids = [create(server, external=f"x{n}").json["session"] for n in range(7)]
    assert [item["session"] for item in listed(server, limit=3)] == ids
    assert [item["external"] for item in listed(server)] == [f"x{n}" for n in range(7)]
    assert listed(server, external="x4") == [
        {"session": ids[4], "external": "x4", "status": "open"}]
    assert listed(server, external="none") == []
    server.delete(f"/v1/sessions/{ids[2]}")
    assert [item["session"] for item in listed(server, limit=1)] == ids[:2] + ids[3:]


@pytest.mark.parametrize("auth", ["open", "token"])
def test_without_keys_the_list_is_served_by_the_admin_listener_only(serve, auth):
    server = serve(auth=auth)
    session = create(server).json["session"]

    answer = server.get("/v1/sessions")
    assert (answer.status, answer.code) == (403, "notAllowed")
    assert "--admin-listen" in answer.json["detail"] and session not in answer.body.decode()
    assert [item["session"] for item in listed(server)] == [session]


def test_a_key_with_the_scope_sessions_creates_by_name_and_lists(serve, tmp_path):
    host = Host(tmp_path)
    feed = host.add("feed", "feed")
    server = serve(auth=f"keys:{host.file}", clock=None)

    def put(token):
        return server.request(
            "PUT", "/v1/sessions/by/order-1", {"definition": DATE}, token=token)

    assert [put(None).code, put(feed).code, put(host.api).status, put(host.api).status] == [
        "noToken", "notAllowed", 201, 200]
    first, second = (
        server.post("/v1/sessions", {"definition": DATE}, token=host.api, headers=KEY)
        for _ in range(2))
    assert first.body == second.body and "tokens" not in first.json
    for port in (server.port, server.admin_port):
        assert server.get("/v1/sessions", port=port).code == "noToken"
        assert server.get("/v1/sessions", token=feed, port=port).code == "notAllowed"
        answer = server.get("/v1/sessions", token=host.api, port=port)
        assert len(answer.json["sessions"]) == 2


# Restarts


def test_keys_names_and_the_list_survive_a_kill(serve):
    server = serve(options=("--loops", "2"))
    first = create(server, "k", external="a")
    session = server.session(LISTS, now=None, external="b")
    ana = session.join("Ana")
    ana.select(0, 1), ana.confirm()
    before = listed(server)

    again(server)

    second = create(server, "k", external="a")
    assert (second.status, second.json["session"]) == (200, first.json["session"])
    assert create(server, external="b").code == "externalTaken"
    assert by(server, "b").json["session"] == session.id
    assert listed(server) == before
    assert [item["session"] for item in listed(server, status="confirmed")] == [session.id]


@pytest.mark.parametrize("count", [0, 8])
def test_a_kill_during_a_creation_leaves_one_session_or_none(serve, count):
    """The answer may be lost; the same request, sent until it is answered, creates one session."""
    server = serve(options=("--loops", "2"))
    done = {}

    def send(number):
        while number not in done:
            try:
                answer = create(server, f"k{number}", external=f"x{number}")
                if answer.status in (200, 201):
                    done[number] = answer.json["session"]
            except (OSError, HTTPException):
                pass

    threads = [threading.Thread(target=send, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    wait_until(lambda: len(done) >= count, what="creations")
    again(server, kill=True)
    for thread in threads:
        thread.join()

    shown = {item["external"]: item["session"] for item in listed(server)}
    assert shown == {f"x{number}": session for number, session in done.items()}


def test_a_key_of_no_or_too_many_characters_or_not_utf_8_is_refused(serve):
    """Regression: an empty key was no key, and its second request made a second session."""
    # Latin-1 would be the same key as `caf\xe8`.
    server = serve()
    assert create(server, "k" * 64).status == 201
    for key in ("", "   ", "k" * 65, "caf\xe9", "\xe9\xcc\x81"):
        answer = server.post(
            "/v1/sessions", {"definition": DATE}, headers={"Idempotency-Key": key})
        assert (answer.status, answer.code) == (400, "badRequest"), key
