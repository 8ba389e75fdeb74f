"""Streams of the feed that reconnect: no event is skipped without a word."""

import pytest

from harness import contract
from harness.definitions import LISTS
from harness.eventsource import EventSource
from harness.pickerd import Pickerd, wait_until
from harness.store import again
from test_feed import ask, next_event, stream


@pytest.fixture
def source():
    """Starts a stream that is closed after the test, with its server."""
    opened = []
    yield lambda *arguments: opened.append(EventSource(*arguments)) or opened[-1]
    for stream in opened:
        stream.close()
        stream.server.stop()


def create(server, count):
    """The ids of new sessions, whose events are in the feed."""
    newest = int(ask(server).headers["feed-position"])
    made = [server.session(LISTS).id for _ in range(count)]
    wait_until(lambda: ask(server, f"?after={newest + count}").status == 200, what="the events")
    return made


def restart(source, reason):
    """The data of the only event that says that the stream begins again."""
    found = [(name, data) for kind, name, data in source.events if kind == "restarted"]
    assert len(found) == 1, source.events
    name, data = found[0]
    contract.fits("feedRestarted", data)
    assert data["reason"] == reason and name == f"{data['epoch']}:{data['oldest'] - 1}"
    return data


def test_a_reader_learns_that_a_server_without_a_store_was_restarted(tmp_path, source):
    """Regression: it went on after its position, and never saw the first events."""
    reader = source(Pickerd(tmp_path / "log", clock=None))
    before = create(reader.server, 3)
    wait_until(lambda: reader.sessions() == before)
    epoch = ask(reader.server).headers["feed-epoch"]
    assert reader.last_id == f"{epoch}:3"
    reader.hold()
    again(reader.server)
    after = create(reader.server, 5)
    reader.go()

    wait_until(lambda: reader.sessions(3) == after, what="all events of the new feed")

    data = restart(reader, "epoch")
    assert (data["epoch"], data["oldest"]) == (ask(reader.server).headers["feed-epoch"], 1)
    assert data["epoch"] != epoch and reader.events[3][0] == "restarted"
    assert reader.last_id == f"{data['epoch']}:5"
    more = create(reader.server, 1)
    wait_until(lambda: reader.sessions(3) == after + more)
    assert [kind for kind, _, _ in reader.events].count("restarted") == 1


def test_a_reader_learns_that_events_were_deleted(tmp_path, source):
    """Regression: it was answered 410, after which an EventSource does not connect again."""
    reader = source(Pickerd(tmp_path / "log", clock=None, limits={"feedEvents": 3}))
    first = create(reader.server, 1)
    wait_until(lambda: reader.sessions() == first)
    epoch = ask(reader.server, "?after=1").headers["feed-epoch"]
    reader.hold()
    newest = create(reader.server, 5)[-3:]
    reader.go()

    wait_until(lambda: reader.sessions(1) == newest)

    data = restart(reader, "gone")
    assert (data["epoch"], data["oldest"]) == (epoch, 4)
    assert reader.refused is None


def test_a_stream_without_events_of_its_types_has_the_id_of_the_newest_one(tmp_path, source):
    """Otherwise its reader would reconnect after a position that was deleted long ago."""
    server = Pickerd(tmp_path / "log", clock=None)
    epoch = ask(server).headers["feed-epoch"]
    create(server, 2)
    reader = source(server, "?types=session.ended")
    wait_until(lambda: reader.last_id == f"{epoch}:2")
    assert reader.events == []


def test_a_stream_without_a_position_begins_with_the_oldest_event(tmp_path):
    """Regression: once events were deleted, it was answered 410, and an EventSource stopped."""
    server = Pickerd(tmp_path / "log", clock=None, limits={"feedEvents": 3})
    try:
        create(server, 5)
        wait_until(lambda: ask(server, "?after=5").status == 200, what="all events")
        for query in ("", "?types=session.created"):
            kind, _, event = next_event(stream(server, query=query))
            assert (kind, event["position"]) == ("message", 3)
    finally:
        server.stop()
