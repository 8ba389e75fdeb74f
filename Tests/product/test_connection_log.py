"""The log lines about connections, at the level `info`."""

import json

import pytest

from harness.definitions import LISTS
from harness.member import Member
from harness.pickerd import wait_until


def lines(server, **wanted):
    """The JSON log lines that have the wanted values."""
    entries = [json.loads(line) for line in server.log.read_text().split("\n")[:-1]
               if line.startswith("{")]
    return [entry for entry in entries if all(entry.get(k) == v for k, v in wanted.items())]


@pytest.fixture(name="logging")
def _logging(start):
    return start(options=("--log-level", "info", "--log-format", "json"))


def test_every_line_about_a_connection_has_its_id(logging):
    session = logging.session(LISTS)
    first, second = Member(session.url), Member(session.url)
    first.leave()
    wait_until(lambda: lines(logging, message="connection closed"), what="the line about the close")

    opened = lines(logging, message="WebSocket opened")
    assert [entry["address"] for entry in opened] == ["127.0.0.1"] * 2
    assert {entry["session"] for entry in opened} == {session.id[:8] + "…"}
    assert len({entry["connection"] for entry in opened}) == 2
    joined = lines(logging, message="member joined", member=first.id)
    assert len(joined) == 1
    story = [entry["message"] for entry in lines(logging, connection=joined[0]["connection"])]
    assert story == [
        "WebSocket opened", "member joined", "closing the connection", "connection closed"]
    assert lines(logging, message="closing the connection")[0]["code"] == "1000"
    assert second.is_open


def test_a_refused_join_is_logged_with_its_close_code_and_without_the_token(start):
    server = start(auth="token", options=("--log-level", "info", "--log-format", "json"))
    session = server.session(LISTS)
    member = Member(session.url, join=False)
    member.send({"type": "join", "token": "not-the-token-1234", "name": "Mallory"})
    member.closed(4301)
    wait_until(lambda: lines(server, message="connection closed"), what="the line about the close")

    closing = lines(server, message="closing the connection")
    assert [(entry["code"], entry["reason"]) for entry in closing] == [("4301", "badToken")]
    text = server.log.read_text()
    assert "not-the-token" not in text and "Mallory" not in text and session.id not in text


def test_the_default_level_has_no_lines_about_connections(start):
    server = start(options=("--log-format", "json"))
    session = server.session(LISTS)
    Member(session.url).leave()
    server.stop()

    assert not lines(server, message="WebSocket opened")
    assert "member joined" not in server.log.read_text()
