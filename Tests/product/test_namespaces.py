"""Keys with a namespace: what the keys of one host see of the sessions of another."""

import json

import pytest

from harness.definitions import LISTS
from harness.host import Host, pickerd
from harness.member import Member
from harness.pickerd import wait_until
from harness.store import again, stored_at


@pytest.fixture(params=["sqlite", "postgres", "memory"])
def server(request, tmp_path):
    host = Host(tmp_path)
    store = {"sqlite": f"sqlite:{tmp_path}/store.sqlite", "memory": "memory:"}.get(request.param)
    server = stored_at(tmp_path / "log", store or request.getfixturevalue("postgres").database(),
                       auth=f"keys:{host.file}", options=("--loops", "2"))
    server.host = host
    server.survives = request.param != "memory"
    yield server
    server.stop()


class Shop:
    """The keys of a namespace; `None`: of none."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        more = ("--namespace", name) if name else ()
        self.api, self.feed, self.decide = (
            server.host.add(f"{name}-{scope}", scope, *more)
            for scope in ("sessions", "feed", "decide"))
        self.signing = f"{name}-signing"
        secret = server.host.add(self.signing, "tokens", "--alg", "HS256", *more)
        server.host.private[self.signing] = secret.split(".", 1)[1]

    def ask(self, method, path, body=None, key=None, **rest):
        return self.server.request(method, path, body, token=key or self.api, **rest)

    def create(self, method="POST", path="/v1/sessions", **fields):
        body = {"definition": LISTS, **fields}
        headers = {"Idempotency-Key": "first"} if method == "POST" else None
        return self.ask(method, path, body, headers=headers)

    def listed(self, **query):
        text = "&".join(f"{name}={value}" for name, value in query.items())
        answer = self.ask("GET", f"/v1/sessions?{text}")
        assert answer.status == 200, answer
        return {entry["session"] for entry in answer.json["sessions"]}

    def events_of(self, query=""):
        answer = self.ask("GET", f"/v1/feed?limit=1000{query}", key=self.feed)
        assert answer.status == 200, answer
        return [json.loads(line) for line in answer.body.splitlines()]

    def token(self, session, role="owner"):
        return self.server.host.token(session, role, kid=self.signing, sub="17")


def test_a_namespace_sees_and_changes_only_what_its_keys_have_created(server):
    red, blue, all = Shop(server, "red"), Shop(server, "blue"), Shop(server, None)
    wait_until(lambda: all.ask("GET", "/v1/sessions").status == 200, what="the keys")

    # The same names in each, and the same idempotency key.
    sessions = {}
    for shop in (red, blue, all):
        made = shop.create(external="order-1")
        assert made.status == 201, made
        sessions[shop] = made.json["session"]
        assert shop.create(external="order-1").status == 200
        assert shop.create("PUT", "/v1/sessions/by/order-1").json["session"] == sessions[shop]
        assert shop.ask("GET", "/v1/sessions/by/order-1").json["session"] == sessions[shop]
    assert len(set(sessions.values())) == 3
    assert red.listed() == red.listed(external="order-1") == {sessions[red]}
    assert all.listed() == all.listed(external="order-1") == set(sessions.values())
    assert red.listed(status="open") == {sessions[red]} and red.listed(status="confirmed") == set()

    # Nothing of another one's, whatever the request.
    other = f"/v1/sessions/{sessions[blue]}"
    for method, path, body in [
            ("GET", "", None), ("GET", "/log", None), ("GET", "/definition", None),
            ("PATCH", "/notes", {"columns": {}}), ("PUT", "/definition", LISTS),
            ("POST", "/revoke", {"subject": "17"}), ("POST", "/commands", {"type": "confirm"}),
            ("POST", "/role", {"subject": "17", "role": "viewer"}),
            ("POST", "/tickets", {"for": "events"}), ("DELETE", "", None)]:
        answer = red.ask(method, other + path, body)
        assert (answer.status, answer.code) == (404, "noSuchSession"), (method, path, answer)
    settle = red.ask("POST", other + "/settle", {"op": "x", "granted": True}, key=red.decide)
    assert settle.code == "noSuchSession"
    assert all.ask("GET", other).status == 200 and blue.ask("GET", other).status == 200

    # A token admits where its key may.
    for shop, session, is_admitted in [
            (red, sessions[red], True), (red, sessions[blue], False), (all, sessions[blue], True),
            (red, sessions[all], False)]:
        path = f"/v1/sessions/{session}"
        answer = server.get(path, token=shop.token(session))
        assert (answer.status == 200) == is_admitted, (shop.name, answer)
        if is_admitted:
            member = Member(server.socket(path), "Ana", token=shop.token(session))
            assert member.confirm()["type"] == "delta"
            member.drop()
        else:
            with pytest.raises(AssertionError, match="noSuchSession"):
                Member(server.socket(path), "Ana", token=shop.token(session))

    # The feed, with its positions, and cursors.
    def events(shop, query=""):
        return [(event["type"], event["data"]["session"]) for event in shop.events_of(query)]

    wait_until(lambda: len(events(all)) == 5, what="the events")
    assert events(red) == [("session.created", sessions[red]), ("session.confirmed", sessions[red])]
    assert events(red, "&types=session.confirmed") == [("session.confirmed", sessions[red])]
    last = max(event["position"] for event in all.events_of())
    answer = red.ask("GET", f"/v1/feed?after=0&types=session.ended", key=red.feed)
    assert answer.headers["feed-position"] == str(last)
    for shop, position in ((red, 1), (blue, 2), (all, 3)):
        put = shop.ask("PUT", "/v1/feed/cursors/me", {"position": position}, key=shop.feed)
        assert (put.status, put.json["name"]) == (200, "me"), put
    for shop, position in ((red, 1), (blue, 2), (all, 3)):
        got = shop.ask("GET", "/v1/feed/cursors/me", key=shop.feed)
        assert got.json["position"] == position
    assert red.ask("DELETE", "/v1/feed/cursors/me", key=red.feed).status == 204
    assert blue.ask("GET", "/v1/feed/cursors/me", key=blue.feed).json["position"] == 2

    if server.survives:
        again(server)
        assert red.listed() == {sessions[red]}
        assert red.ask("GET", "/v1/sessions/by/order-1").json["session"] == sessions[red]
        assert len(events(red)) == 2 and red.create(external="order-1").status == 200
        assert red.ask("GET", other).code == "noSuchSession"
    # The name is free again in this namespace only.
    assert red.ask("DELETE", f"/v1/sessions/{sessions[red]}").status == 204
    made = red.create("PUT", "/v1/sessions/by/order-1")
    assert (made.status, blue.create("PUT", "/v1/sessions/by/order-1").status) == (201, 200)


def test_the_namespace_of_a_key_is_in_its_file_and_list(tmp_path):
    host = Host(tmp_path)
    host.add("red", "sessions", "--namespace", "red-1_A")
    listed = pickerd("key", "list", host.file).stdout
    assert "red  sessions  namespace red-1_A" in listed
    assert json.loads(host.file.read_text())["keys"][-1]["namespace"] == "red-1_A"
    refused = pickerd("key", "add", host.file, "x", "--scope", "feed", "--namespace", "a/b")
    assert refused.returncode == 65 and "namespace" in refused.stderr


def test_a_shared_definition_belongs_to_the_namespace_that_has_created_it(server):
    red, blue = Shop(server, "red"), Shop(server, "blue")
    wait_until(lambda: blue.ask("GET", "/v1/sessions").status == 200, what="the keys")
    path, rows = "/v1/definitions/room-12", {"red": ["S", "M"], "blue": ["1", "2"]}

    for shop in (red, blue):
        assert shop.ask("GET", path).code == "noSuchDefinition"
        made = shop.ask("PUT", path, {"definition": {"kind": "columns", "columns": [rows[shop.name]]}})
        assert (made.status, made.json["name"]) == (201, "room-12"), made

    for shop in (red, blue):
        made = shop.create(path="/v1/sessions", definition={}, uses="room-12")
        assert made.status == 201, made
        read = shop.ask("GET", f"/v1/sessions/{made.json['session']}?definition=full").json
        assert read["uses"]["name"] == "room-12"
        assert [row["text"] for row in read["snapshot"]["columns"][0]["rows"]] == rows[shop.name]
    assert blue.ask("DELETE", path).code == "inUse"
