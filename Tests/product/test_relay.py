"""Two servers on one PostgreSQL: what arrives at the one that does not own a session is relayed to
the other, whatever it is."""

import signal
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.definitions import LISTS
from harness.member import Member
from harness.patience import PATIENCE
from harness.pickerd import Pickerd, wait_until
from harness.store import Nodes
from harness.rawmember import RawMember
from rawsocket import Raw, problem
from test_event_streams import Watcher


class Pair(Nodes):
    """The owner of all sessions, and a server that relays to it."""

    def __init__(self, folder, store, *options, **rest):
        self.streams = []
        super().__init__(folder, store, 2, *options, **rest)
        self.owner, self.other = self

    def session(self, definition=LISTS):
        """A session with an event stream at its owner: otherwise the first that is asked claims it."""
        session = self.owner.session(definition, now=None)
        self.streams.append(Watcher(session))
        return session

    def stop(self):
        for stream in self.streams:
            stream.connection.close()
        super().stop()


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


def test_relays_to_an_owner_that_hangs_end_when_its_sessions_can_be_claimed(pair):
    """Regression: its sockets stay open, and relayed members received nothing."""
    session = pair.session()
    bo = joined(session, pair.other, "Bo")
    pair.owner.process.send_signal(signal.SIGSTOP)
    try:
        bo.closed(None)
        wait_until(lambda: pair.other.get(session.path).status == 200, what="the next owner")
        session.server = pair.other
        assert session.track(bo.come_back()).select(0, 1)["type"] == "delta"
    finally:
        pair.owner.process.send_signal(signal.SIGCONT)


def test_the_admin_listener_of_another_server_names_the_owner(pair):
    session = pair.session()
    for method in ("GET", "DELETE"):
        answer = pair.other.request(
            method, f"/v1/admin/sessions/{session.id}", port=pair.other.admin_port)
        assert (answer.status, answer.code) == (503, "unavailable")
        assert f"at {pair.addresses[0]} has" in answer.json["detail"]
    ended = pair.owner.request(
        "DELETE", f"/v1/admin/sessions/{session.id}", port=pair.owner.admin_port)
    assert ended.status == 204


def test_requests_for_sessions_of_others_wait_while_the_database_is_away(
        tmp_path, own_postgres):
    """Regression: they were answered 503 at once."""
    pair = Pair(tmp_path, own_postgres.database())
    try:
        session = pair.session()
        own_postgres.crash()
        with ThreadPoolExecutor() as pool:
            answer = pool.submit(pair.other.get, session.path)
            own_postgres.start()
            assert answer.result(PATIENCE).status == 200
    finally:
        pair.stop()


def test_a_shared_address_needs_a_shared_store(tmp_path):
    with pytest.raises(AssertionError, match="--store is not a PostgreSQL database"):
        Pickerd(tmp_path / "log", options=("--node-listen", "127.0.0.1:7683"))


def test_an_owner_that_drains_gives_its_sessions_up_while_a_client_does_not_read(start):
    """Regression: nobody could have them until the last connection had ended."""
    pair = start(drainMilliseconds=60_000)
    session, theirs = pair.session(), pair.other.session(LISTS, now=None)
    ana, bo = joined(session, pair.owner, "Ana"), joined(session, pair.other, "Bo")
    slow = RawMember(pair.owner, session)
    # It relays a busy session of the other server, too.
    joined(theirs, pair.other, "Cleo")
    busy = joined(theirs, pair.owner, "Dan")
    pair.owner.terminate()
    for member in (ana, bo):
        member.expect("draining")
        member.closed(1001)

    def is_back():
        if busy.is_open:
            busy.send({"type": "undo", "ref": busy.next_ref()})
        return pair.other.get(session.path).status == 200 or not pair.owner.is_alive

    wait_until(is_back, what="the session at the other server")
    assert pair.owner.is_alive, "it still waits for the slow client"
    session.server = pair.other
    assert session.track(bo.come_back()).select(0, 1)["type"] == "delta"
    slow.socket.close()
    busy.drop()
