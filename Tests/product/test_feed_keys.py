"""The feed with `--auth keys`: who may read it, and every change of the status."""

import json

import jwt
import pytest

from harness.definitions import LISTS
from harness.host import Host
from harness.member import Member
from harness.pickerd import wait_until
from harness.store import stored


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    host = Host(tmp_path_factory.mktemp("host"))
    host.feed = host.add("feed", "feed")
    host.other_feed = host.add("other-feed", "feed")
    host.decide = host.add("decide", "decide")
    host.other = host.add("other", "sessions")
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


def settle(server, host, session, granted, **fields):
    op = server.get(f"/v1/sessions/{session}", token=host.api).json["op"]
    answer = server.post(f"/v1/sessions/{session}/settle", {"op": op, "granted": granted, **fields},
                         token=host.decide)
    assert answer.status == 200, answer


class Owner:
    """An owner over a WebSocket. What is posted makes the same events: FeedTests of PickerHub."""

    def __init__(self, server, host, session):
        self.member = Member(server.socket(f"/v1/sessions/{session}"),
                             token=host.token(session, "owner", sub="17", name="Ana"))

    def do(self, command):
        answer = getattr(self.member, command)()
        assert answer["type"] == "delta", answer


def changed_by_members(server, host):
    """confirm, reopen, cancel by a member; then the host deletes the session."""
    session = create(server, host, external="order", title="Lunch", meta={"table": 4})
    owner = Owner(server, host, session)
    for command in ("confirm", "reopen", "cancel"):
        owner.do(command)
    assert server.delete(f"/v1/sessions/{session}", token=host.api).status == 204
    return session, ["created", "confirmed", "reopened", "cancelled", "ended"]


def decided_by_the_host(server, host):
    """Confirmations that end by their time, are denied, and are granted."""
    session = create(server, host, external="order", decide={"by": "host", "seconds": 1})
    owner = Owner(server, host, session)
    owner.do("confirm")
    wait_until(lambda: len(of(server, host, session)) == 3, what="the end of its time")
    patient = create(server, host, external="order-2", decide={"by": "host", "seconds": 300})
    owner = Owner(server, host, patient)
    owner.do("confirm")
    settle(server, host, patient, False, reason="taken")
    owner.do("confirm")
    settle(server, host, patient, True, data={"booking": 7})
    assert kinds(of(server, host, session)) == ["created", "confirming", "reopened"]
    return patient, ["created", "confirming", "reopened", "confirming", "confirmed"]


def expired(server, host):
    # Time for a slow machine to join.
    session = create(server, host, external="order", ttlSeconds=5)
    member = Owner(server, host, session).member
    member.closed(4410)
    assert server.get(f"/v1/sessions/{session}", token=host.api).code == "noSuchSession"
    return session, ["created", "ended"]


@pytest.mark.parametrize("story", [changed_by_members, decided_by_the_host, expired])
def test_every_change_is_one_event(keyed, host, story):
    session, wanted = story(keyed, host)
    found = wait_until(lambda: len(of(keyed, host, session)) == len(wanted)
                       and of(keyed, host, session))
    assert kinds(found) == wanted
    for event in found:
        if event["type"] in ("session.confirming", "session.cancelled"):
            assert event["data"]["by"]["subject"] == "17"
    later = create(keyed, host)
    wait_until(lambda: of(keyed, host, later), what="a later event")
    everything = events(keyed, host)
    assert [event["position"] for event in everything] == list(range(1, len(everything) + 1))
    assert len({event["id"] for event in everything}) == len(everything)
