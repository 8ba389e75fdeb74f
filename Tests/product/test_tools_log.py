"""`GET …/log` for logs longer than the history in memory: no gaps, and no delays for taps."""

import json
import zlib

import pytest

from harness.definitions import LISTS
from harness.store import log_lines


@pytest.fixture(params=["memory", "sqlite"])
def long(start, request, tmp_path):
    """A server whose history in memory is shorter than the logs of these tests."""
    store = "memory:" if request.param == "memory" else f"sqlite:{tmp_path}/store.sqlite"
    return start(limits={"messagesPerSecond": 1_000_000}, options=["--store", store])


def fill(member, count):
    """Brings the session to `count` revisions in bulk, without validation against the schemas."""
    member.is_trusted = True
    for first in range(1, count + 1, 500):
        for n in range(first, min(first + 500, count + 1)):
            member.ask_select(0, n % 4)
        member.until(
            lambda m: m.screen.revision >= min(first + 499, count), what="the end")


def test_a_log_longer_than_the_history_has_no_gap_and_pages(long):
    session = long.session(LISTS, now="2018-11-23T02:00:00Z", openTap="opener")
    ana = session.join("Ana")
    fill(ana, 2345)

    log = session.log()

    assert [line["ref"] for line in log] == list(range(1, 2346))
    full = session.get(full=True)["snapshot"]["definition"]
    assert log[0].pop("session") == {
        "id": session.id, "epoch": session.epoch, "createdAt": "2018-11-23T02:00:00.000Z",
        "openTap": "opener", "definition": full}
    assert not [line for line in log if "session" in line]
    for after in (1, 700, 1344, 1345, 1346, 2344, 2345, 5000):
        assert list(log_lines(session, after).values()) == log[after:], after
    for after, limit in [(299, 600), (2200, 300), (2345, 5)]:
        answer = long.get(f"{session.path}/log?after={after}&limit={limit}")
        assert [json.loads(line) for line in answer.body.splitlines()] == log[after:after + limit]
    for limit in ["0", "-1", "x", "1000001", ""]:
        answer = long.get(f"{session.path}/log?limit={limit}")
        assert (answer.status, answer.code) == (400, "badRequest"), limit
    check_transfer(session)


def check_transfer(session):
    """A long log is sent in chunks, and compressed if the client accepts gzip."""
    get = session.server.get
    plain, page = (get(f"{session.path}/log{query}") for query in ("", "?after=2335"))
    packed = get(f"{session.path}/log", headers={"Accept-Encoding": "gzip"})

    assert plain.headers["transfer-encoding"] == "chunked"
    assert page.headers["content-length"] == str(len(page.body))
    head = session.server.request("HEAD", f"{session.path}/log")
    assert (head.status, head.body) == (200, b"")
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.headers["vary"] == plain.headers["vary"] == "Accept-Encoding"
    one = zlib.decompressobj(31)
    assert one.decompress(packed.body) == plain.body
    assert one.eof and not one.unused_data, "one gzip file, with its checksum"
    assert len(packed.body) < len(plain.body) / 5
