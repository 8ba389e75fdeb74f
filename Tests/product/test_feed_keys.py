"""The feed with `--auth keys`: who may read it, and every change of the status by every path."""

import json

import jwt
import pytest

from harness.definitions import LISTS
from harness.host import Host
from harness.member import Member
from harness.pickerd import wait_until
from harness.store import stored

ROUTES = [("GET", "/v1/feed", None), ("GET", "/v1/feed/cursors/me", None),
          ("PUT", "/v1/feed/cursors/me", {"position": 0}), ("DELETE", "/v1/feed/cursors/me", None)]


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    host = Host(tmp_path_factory.mktemp("host"))
    host.feed = host.add("feed", "feed")
    host.other_feed = host.add("other-feed", "feed")
    host.decide = host.add("decide", "decide")
    host.other = host.add("other", "sessions")
    host.past = host.add("past", "feed", "--not-after", "2020-01-01T00:00:00Z")
    return host


@pytest.fixture
def keyed(host, tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", auth=f"keys:{host.file}",
                    clock=None, options=("--loops", "2"), limits={"createsPerSecond": 1_000_000})
    yield server
    server.stop()


def create(server, host, *, token=None, **fields):
    answer = server.post("/v1/sessions", {"definition": LISTS, **fields}, token=token or host.api)
    assert answer.status == 201, answer
    return answer.json["session"]


def events(server, host, token=None):
    answer = server.get("/v1/feed?limit=1000", token=token or host.feed)
    assert answer.status == 200, answer
    return [json.loads(line) for line in answer.body.splitlines()]


def of(server, host, session):
    return [event for event in events(server, host) if event["data"]["session"] == session]


def kinds(found):
    return [event["type"].split(".")[1] for event in found]


def test_only_a_key_with_the_scope_feed_reads_the_feed(keyed, host):
    session = create(keyed, host)
    owner = host.token(session, "owner")
    for method, path, body in ROUTES:
        for port in (keyed.port, keyed.admin_port):
            for token, wanted in ((None, (401, "noToken")), ("pk_feed.wrong", (401, "badToken")),
                                  (host.past, (401, "badToken")), (host.api, (403, "notAllowed")),
                                  (host.decide, (403, "notAllowed")), (owner, (403, "notAllowed"))):
                answer = keyed.request(method, path, body, token=token, port=port)
                assert (answer.status, answer.code) == wanted, (method, path, port, token)
    stream = keyed.get("/v1/feed", token=host.api, headers={"Accept": "text/event-stream"})
    assert stream.status == 403


def test_all_feed_keys_read_all_sessions_and_share_the_cursors(keyed, host):
    """Isolated customers have a server each, because a feed key reads the whole feed."""
    made = [create(keyed, host), create(keyed, host, token=host.other)]
    wait_until(lambda: len(events(keyed, host)) == 2)
    for token in (host.feed, host.other_feed):
        assert {event["data"]["session"] for event in events(keyed, host, token)} == set(made)

    put = keyed.request("PUT", "/v1/feed/cursors/me", {"position": 2}, token=host.feed)
    assert put.status == 200
    assert keyed.get("/v1/feed/cursors/me", token=host.other_feed).json == put.json


def test_a_revoked_key_gets_no_event_of_a_stream_or_a_poll_that_is_open(keyed, host):
    brief = host.add("brief", "feed")
    wait_until(lambda: keyed.get("/v1/feed", token=brief).status == 200, what="the key")
    headers = {"Authorization": f"Bearer {brief}"}
    connections = [keyed.connection() for _ in range(2)]
    connections[0].request(
        "GET", "/v1/feed", headers={**headers, "Accept": "text/event-stream"})
    stream = connections[0].getresponse()
    connections[1].request("GET", "/v1/feed?waitSeconds=30", headers=headers)
    host.revoke_key("brief")
    wait_until(lambda: keyed.get("/v1/feed", token=brief).status == 401, what="the revocation")
    create(keyed, host)
    assert b"data:" not in stream.read(), "the stream ends"
    poll = connections[1].getresponse()
    assert poll.status == 401 and b"session.created" not in poll.read()


def test_member_events_have_the_facts_of_the_token(keyed, host):
    session = create(keyed, host, watch=["members"])
    token = host.token(session, "editor", sub="u-7", info={"seat": 4}, meta={"case": [1, 2]})
    joined = keyed.post(f"/v1/sessions/{session}/members", {"name": "Ana"}, token=token)
    assert joined.status == 201 and "case" not in json.dumps(joined.json)

    found = wait_until(lambda: len(of(keyed, host, session)) == 2 and of(keyed, host, session))

    member = found[1]["data"]["member"]
    assert (found[1]["type"], member["subject"]) == ("member.joined", "u-7")
    assert (member["info"], member["meta"]) == ({"seat": 4}, {"case": [1, 2]})


class Socket:
    """Commands over a WebSocket."""

    def __init__(self, server, host, session):
        self.member = Member(server.socket(f"/v1/sessions/{session}"),
                             token=host.token(session, "owner", sub="17", name="Ana"))

    def do(self, command):
        answer = getattr(self.member, command)()
        assert answer["type"] == "delta", answer

    def close(self):
        self.member.leave()


class Post:
    """Commands over HTTP."""

    def __init__(self, server, host, session):
        self.server, self.path, self.ref = server, f"/v1/sessions/{session}", 0
        self.token = host.token(session, "owner", sub="17", name="Ana")
        self.member = server.post(f"{self.path}/members", {}, token=self.token).json["member"]

    def do(self, command):
        self.ref += 1
        answer = self.server.post(f"{self.path}/commands", {
            "member": self.member["id"], "secret": self.member["secret"], "ref": self.ref,
            "type": command}, token=self.token)
        assert answer.status == 200, answer

    def close(self):
        pass


def test_info_and_meta_of_a_token_have_every_digit_everywhere(keyed, host):
    session = create(keyed, host, watch=["members"])
    value = '{"b":12345678901234567890,"c":1.10,"d":1E5,"h":1e400,"k":1e-400,"l":[' + "[" * 125 \
        + "]" * 125 + "]}"
    claims = json.dumps(host.claims(session, sub="17"))[:-1]
    claims = f'{claims}, "info": {value}, "meta": {value}}}'.encode()
    token = jwt.api_jws.encode(claims, host.secret, headers={"kid": "signing"})

    welcome = keyed.post(f"/v1/sessions/{session}/members", {}, token=token)
    assert welcome.status == 201, welcome
    wait_until(lambda: len(of(keyed, host, session)) == 2)

    assert f'"info":{value}'.encode() in keyed.get(f"/v1/sessions/{session}", token=host.api).body
    feed = keyed.get("/v1/feed?types=member.joined&limit=1000", token=host.feed).body
    assert f'"info":{value},"meta":{value}'.encode() in feed
    deeper = host.token(session, sub="18", info=json.loads("[" * 128 + "]" * 128))
    refused = keyed.post(f"/v1/sessions/{session}/members", {}, token=deeper)
    assert (refused.status, refused.code) == (401, "badToken")
    assert "128 levels" in refused.json["detail"], refused


def payload(event):
    """What is the same for every session and path."""
    data = {name: value for name, value in event["data"].items()
            if name not in ("session", "epoch", "external", "op", "until")}
    if "by" in data:
        assert data["by"].pop("member").startswith("m_")
    return event["type"], data


def settle(server, host, session, granted, **fields):
    op = server.get(f"/v1/sessions/{session}", token=host.api).json["op"]
    answer = server.post(f"/v1/sessions/{session}/settle", {"op": op, "granted": granted, **fields},
                         token=host.decide)
    assert answer.status == 200, answer


def changed_by_members(server, host, path, name):
    """confirm, reopen, cancel by a member; then the host deletes the session."""
    session = create(server, host, external=name, title="Lunch", meta={"table": 4})
    member = path(server, host, session)
    for command in ("confirm", "reopen", "cancel"):
        member.do(command)
    assert server.delete(f"/v1/sessions/{session}", token=host.api).status == 204
    member.close()
    return session, ["created", "confirmed", "reopened", "cancelled", "ended"]


def decided_by_the_host(server, host, path, name):
    """Two confirmations: denied, and granted."""
    session = create(server, host, external=name, decide={"by": "host", "seconds": 300})
    member = path(server, host, session)
    member.do("confirm")
    settle(server, host, session, False, reason="taken")
    member.do("confirm")
    settle(server, host, session, True, data={"booking": 7})
    member.close()
    return session, ["created", "confirming", "reopened", "confirming", "confirmed"]


def ended_by_a_tick(server, host, path, name):
    """A confirmation that the host does not decide in time."""
    session = create(server, host, external=name, decide={"by": "host", "seconds": 1})
    member = path(server, host, session)
    member.do("confirm")
    wait_until(lambda: len(of(server, host, session)) == 3)
    member.close()
    return session, ["created", "confirming", "reopened"]


def expired(server, host, path, name):
    # Time for a slow machine to join.
    session = create(server, host, external=name, ttlSeconds=5)
    path(server, host, session).close()
    return session, ["created", "ended"]


@pytest.mark.parametrize(
    "story", [changed_by_members, decided_by_the_host, ended_by_a_tick, expired])
def test_every_change_by_every_path_is_one_event_with_one_payload(keyed, host, story):
    found = []
    for number, path in enumerate((Socket, Post)):
        session, wanted = story(keyed, host, path, f"order-{number}")
        wait_until(lambda: len(of(keyed, host, session)) == len(wanted))
        found.append(of(keyed, host, session))
        assert kinds(found[-1]) == wanted
        assert {event["data"]["external"] for event in found[-1]} == {f"order-{number}"}

    assert [payload(event) for event in found[0]] == [payload(event) for event in found[1]]
    for event in found[0]:
        if event["type"] in ("session.confirming", "session.cancelled"):
            assert event["data"]["by"] == {"subject": "17"}
    later = create(keyed, host)
    wait_until(lambda: of(keyed, host, later), what="a later event")
    everything = events(keyed, host)
    assert [event["position"] for event in everything] == list(range(1, len(everything) + 1))
    assert len(everything) == sum(map(len, found)) + 1 == len({event["id"] for event in everything})
