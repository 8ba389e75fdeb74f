"""Two servers on one PostgreSQL: what arrives at the one that does not own a session is relayed to
the other, whatever it is."""

import json

import pytest

from harness.definitions import CALENDAR, LISTS, heavy
from harness.member import Member
from harness.metrics import samples
from harness.pickerd import Pickerd, wait_until
from harness.ports import free_ports
from harness.rawmember import RawMember
from harness.store import MANY
from rawsocket import Raw, problem
from test_event_streams import Watcher
from test_proxy_protocol import PROXY, header, ipv4


class Pair:
    """The owner of all sessions, and a server that relays to it."""

    def __init__(self, folder, store, *options, listens=True, **limits):
        ports = free_ports(2)
        self.owner_node = ("127.0.0.1", ports[0])
        self.owner, self.other = [
            Pickerd(folder / f"node{port}.log", clock="system", limits={**MANY, **limits},
                    options=("--store", store, *options,
                             *(("--node-listen", f"127.0.0.1:{port}") if listens else ())))
            for port in ports]

    def session(self, definition=LISTS):
        return self.owner.session(definition, now=None)

    def relayed(self):
        return self.count("pickerd_relays_total")

    def open_relays(self):
        return self.count("pickerd_relays")

    def count(self, name):
        return sum(samples(self.other, name).values())

    def stop(self):
        for node in (self.owner, self.other):
            node.stop()


@pytest.fixture
def start(tmp_path, postgres):
    """Starts pairs that are stopped at the end."""
    pairs = []

    def begin(*options, **rest):
        pairs.append(Pair(tmp_path, postgres.database(), *options, **rest))
        return pairs[-1]

    yield begin
    for pair in pairs:
        pair.stop()


@pytest.fixture
def pair(start):
    return start()


def joined(session, node, name):
    """A member at a node."""
    return session.track(Member(node.socket(session.path), name))


def test_members_at_both_servers_share_a_session(pair):
    session = pair.session()
    ana, bo = joined(session, pair.owner, "Ana"), joined(session, pair.other, "Bo")
    for number in range(6):
        assert (ana, bo)[number % 2].select(0, number % 2 + 1)["type"] == "delta"
    for member in (ana, bo):
        member.reach(6)
        member.until(lambda m: len([x for x in m.screen.members.values() if x["online"]]) == 2,
                     what="both members")
    assert pair.open_relays() == 1 and pair.count("pickerd_connections") == 0
    assert samples(pair.other, "pickerd_relayed_bytes_total").keys() == {("client",), ("node",)}


def test_plain_requests_are_relayed_with_their_bodies(pair):
    session = pair.session()
    assert pair.other.get(session.path).json["session"] == session.id
    joined_at_other = pair.other.post(f"{session.path}/members", {"name": "Bo"})
    assert joined_at_other.status == 201, joined_at_other
    member = joined_at_other.json["member"]
    for number in range(3):
        answer = pair.other.post(f"{session.path}/commands", {
            "member": member["id"], "secret": member["secret"], "type": "select", "column": 0,
            "row": (number + 1) % 2, "ref": number + 1, "generation": 1})
        assert answer.status == 200, answer
    assert pair.owner.get(session.path).json["revision"] >= 3
    assert pair.relayed() >= 5


def test_requests_for_no_session_are_served_by_any_server(pair):
    assert pair.other.get("/").status in (200, 404)
    assert pair.other.get("/readyz", port=pair.other.admin_port).status == 200
    created = pair.other.create(LISTS)
    assert created.status == 201
    assert pair.other.delete(f"/v1/sessions/{created.json['session']}").status in (200, 204)
    assert pair.relayed() == 0


def test_an_event_stream_is_relayed(pair):
    session = pair.session()
    ana = joined(session, pair.owner, "Ana")
    stream = Watcher.__new__(Watcher)
    session.server = pair.other
    stream.__init__(session)
    session.server = pair.owner
    ana.select(0, 1)
    assert stream.next("delta")["revision"] == 1
    stream.connection.close()


def test_a_download_is_relayed(pair):
    session = pair.session(CALENDAR)
    mine, theirs = [node.get(f"{session.path}/log") for node in (pair.owner, pair.other)]
    assert mine.status == theirs.status == 200 and mine.body == theirs.body


def test_a_later_request_of_a_connection_is_relayed_to_the_same_server(pair):
    session = pair.session()
    with Raw(("127.0.0.1", pair.other.port)) as raw:
        for _ in range(3):
            status, _, body = raw.exchange("GET", session.path)
            assert status == 200 and json.loads(body)["session"] == session.id
    assert pair.relayed() == 1


def test_a_later_request_for_a_session_of_another_server_gets_503_and_dials_again(pair):
    session = pair.session()
    with Raw(("127.0.0.1", pair.other.port)) as raw:
        assert raw.exchange("GET", "/v1/locales")[0] in (200, 404)
        status, headers, body = raw.exchange("GET", session.path)
        assert status == 503 and problem((status, headers, body))["code"] == "unavailable"
        assert headers["connection"] == "close" and headers["retry-after"]
        assert raw.read_to_end() == b""
    assert pair.other.get(session.path).status == 200


def test_the_address_of_a_client_survives(start):
    pair = start("--log-level", "info", "--trusted-proxy", "none", connectionsPerAddress=3)
    session = pair.session()
    at = ("127.0.0.1", pair.other.port)
    held = [Raw(at, source="127.0.0.9") for _ in range(3)]
    for raw in held:
        assert raw.upgrade(session.path, Sec_WebSocket_Protocol="pickerd.v1")[0] == 101
    for port in (pair.other.port, pair.owner.port):
        with Raw(("127.0.0.1", port), source="127.0.0.9") as raw:
            assert problem(raw.response())["code"] == "tooMany"
    assert "127.0.0.9" in pair.owner.logged("127.0.0.9")
    for raw in held:
        raw.socket.close()


def test_without_an_address_for_other_servers_the_answer_is_503(start):
    pair = start(listens=False)
    session = pair.session()
    answer = pair.other.get(session.path)
    assert answer.status == 503 and answer.code == "unavailable"
    assert answer.headers["retry-after"] and answer.headers["connection"] == "close"
    with Raw(("127.0.0.1", pair.other.port)) as raw:
        upgraded = raw.upgrade(session.path, Sec_WebSocket_Protocol="pickerd.v1")
        assert problem(upgraded)["code"] == "unavailable"
    assert pair.owner.get(session.path).status == 200


def test_a_relayed_connection_is_not_relayed_again(pair):
    """It came from a server that took this one for the owner."""
    theirs = pair.other.session(LISTS, now=None)
    first = header(PROXY, rest=ipv4("192.0.2.7"))
    with Raw(pair.owner_node, first=first) as raw:
        status, headers, body = raw.exchange("GET", theirs.path)
        assert status == 503 and problem((status, headers, body))["code"] == "unavailable"
    with Raw(pair.owner_node, first=first) as raw:
        raw.request("GET", pair.session().path)
        assert raw.response()[0] == 200
    assert pair.other.get(theirs.path).status == 200


def test_a_killed_owner_is_replaced_by_the_server_that_relayed(pair):
    session = pair.session()
    bo = joined(session, pair.other, "Bo")
    bo.select(0, 1)
    pair.owner.kill()
    bo.closed(None)

    def is_back():
        return pair.other.get(session.path).status == 200

    wait_until(is_back, what="the session at the other server")
    session.server = pair.other
    back = session.track(bo.come_back())
    assert back.select(0, 2)["type"] == "delta"
    assert pair.open_relays() == 0


def test_an_owner_that_drains_asks_its_relayed_members_to_come_back(pair):
    session = pair.session()
    bo = joined(session, pair.other, "Bo")
    pair.owner.terminate()
    bo.expect("draining")
    bo.closed(1001)
    pair.owner.exited()
    wait_until(lambda: pair.other.get(session.path).status == 200, what="the session again")


def test_a_slow_reader_takes_bounded_memory_of_the_server_that_relays(start):
    pair = start(messagesPerSecond=100_000, stalledMilliseconds=300_000)
    session = pair.session(heavy())
    ana = joined(session, pair.owner, "Ana")
    ana.is_trusted = True
    session.server = pair.other
    slow = RawMember(pair.other, session, receive_buffer=4096)
    session.server = pair.owner
    before = pair.other.resident_bytes()
    for number in range(300):
        ana.ask("select", column=0, row=(number + 1) % 2, generation=1)
    ana.until(lambda m: not m.pending, timeout=120, what="all answers")
    assert pair.other.resident_bytes() - before < 16_000_000
    assert pair.other.get(session.path).status == 200, "others are served"
    slow.close()
    wait_until(lambda: pair.open_relays() == 0, what="the end of the relay")


def test_a_shared_address_needs_a_shared_store(tmp_path):
    with pytest.raises(AssertionError, match="--store is not a PostgreSQL database"):
        Pickerd(tmp_path / "log", options=("--node-listen", "127.0.0.1:7683"))
