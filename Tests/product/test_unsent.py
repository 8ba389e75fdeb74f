"""Clients that do not read share a limit of memory, and affect only long responses and messages."""

import pytest

from harness.definitions import LISTS
from harness.metrics import samples
from harness.pickerd import wait_until
from harness.rawmember import RawMember
from rawsocket import Raw

MIB = 1024 * 1024
#: For two long responses or one long welcome.
ROOM = {"bufferBytes": 2 * MIB, "pingMilliseconds": 600_000, "joinsPerSecond": 10_000}
#: A definition whose welcome has about 1.4 MB.
WIDE = {"kind": "columns", "columns": [
    [f"row {n}".ljust(200, "x") for n in range(200)] for _ in range(32)]}


def long(text):
    """A definition of about 900 KB; the line of the log with it has about 1.7 MB."""
    rows = [f"row {n}".ljust(40, "x") for n in range(20_000)]
    return {"kind": "columns", "columns": [[text, *rows[1:]]]}


def unsent(server):
    return samples(server, "pickerd_buffer_bytes")[("unsent",)]


def asked(server, path, source="127.0.0.1"):
    """A connection that requests `path` and does not read the response."""
    raw = Raw(("127.0.0.1", server.port), receive_buffer=4096, source=source)
    raw.request("GET", path)
    return raw.socket


@pytest.mark.parametrize("place, count", [("/definition", 2), ("/log", 1)])
def test_responses_that_are_not_read_share_one_limit(start, place, count):
    server = start(limits=ROOM)
    session = server.session(long("first"))
    for text in ("second", "third"):
        answer = server.request("PUT", session.path + "/definition", long(text))
        assert answer.status == 200
    whole = server.get(session.path + place)
    assert whole.status == 200

    held = []
    try:
        for number in range(count):
            held.append(asked(server, session.path + place))
            wait_until(lambda: unsent(server) > (number + 1) * 700_000, what="unread bytes")
        answer = server.get(session.path + place)
        assert (answer.status, answer.code) == (503, "full")
        assert int(answer.headers["retry-after"]) >= 1
        assert server.get(session.path).status == 200, "short responses do not count"
        assert server.session(LISTS).join("Ana").select(0, 1)
    finally:
        for there in held:
            there.close()
    wait_until(lambda: unsent(server) == 0, what="no unread bytes")
    assert server.get(session.path + place).body == whole.body


def test_a_change_is_answered_as_done_without_memory_for_what_it_has_changed(start):
    server = start(limits=ROOM)
    session, wide = server.session(long("first")), server.session(WIDE)
    held = []
    try:
        for number in range(2):
            held.append(asked(server, session.path + "/definition"))
            wait_until(lambda: unsent(server) > (number + 1) * 700_000, what="unread bytes")
        other = [[text.replace("row", "own") for text in rows] for rows in WIDE["columns"]]
        answer = server.request(
            "PUT", wide.path + "/definition", {"kind": "columns", "columns": other})
        assert (answer.status, answer.json) == (200, {"revision": 1, "version": 2})
        assert answer.headers["etag"] == '"2"'
    finally:
        for there in held:
            there.close()
    assert wide.get()["version"] == 2


def test_one_address_may_leave_a_quarter_of_the_memory_unread(start):
    """Connections of proxies have no share."""
    server = start(
        options=("--trusted-proxy", "127.0.0.1"), limits={**ROOM, "bufferBytes": 8 * MIB})
    session = server.session(long("first"))
    path = session.path + "/definition"
    whole = server.get(path)
    held = []
    try:
        for number in range(2):
            held.append(asked(server, path, "127.0.0.2"))
            wait_until(lambda: unsent(server) > (number + 1) * 700_000, what="unread bytes")
        with asked(server, path, "127.0.0.2") as there:
            assert there.recv(1000).startswith(b"HTTP/1.1 503 Service Unavailable")
        with asked(server, session.path, "127.0.0.2") as there:
            assert there.recv(1000).startswith(b"HTTP/1.1 200"), "short responses do not count"
        for source in ("127.0.0.1", "127.0.0.3"):
            with asked(server, path, source) as there:
                assert there.recv(1000).startswith(b"HTTP/1.1 200"), "it has a share of its own"
    finally:
        for there in held:
            there.close()
    wait_until(lambda: unsent(server) == 0, what="no unread bytes")
    with asked(server, path, "127.0.0.2") as there:
        assert there.recv(1000).startswith(b"HTTP/1.1 200")
    assert server.get(path).body == whole.body


def test_a_connection_with_a_long_message_over_the_limit_is_dropped(start):
    server = start(limits=ROOM)
    session = server.session(WIDE)
    members = []
    try:
        members.append(RawMember(server, session, receive_buffer=4096, join=False))
        members[0].send({"type": "join"})
        wait_until(lambda: unsent(server) > 500_000, what="an unread welcome")
        members.append(RawMember(server, session, receive_buffer=4096, join=False))
        members[1].send({"type": "join"})

        wait_until(lambda: samples(server, "pickerd_connections") == {(): 1},
                   what="the end of the second connection")
        assert server.session(LISTS).join("Ana").select(0, 1)
        assert members[0].until_type("welcome")["snapshot"]["columns"][31]["count"] == 200
    finally:
        for member in members:
            member.close()
