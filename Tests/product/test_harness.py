"""Tests of the test client: it folds valid messages and rejects invalid ones. No server."""

import json
from collections import deque
from copy import deepcopy

import pytest

from harness import secrets
from harness.calendar import bands
from harness.member import Member

LIMITS = dict.fromkeys((
    "messageBytes", "months", "rows", "windowRows", "joinMilliseconds", "memberMilliseconds",
    "refs", "undo", "history", "members", "messagesPerSecond", "runs"), 2)
WELCOME = {
    "type": "welcome", "member": {
        "id": "m_1", "secret": "s", "name": "Ana", "role": "owner", "color": "#aabbcc"},
    "ref": 6, "locale": "en", "epoch": "e", "revision": 4, "resumed": False, "now": "2018-11-23T02:00:00.000Z",
    "limits": LIMITS, "members": [
        {"id": "m_1", "name": "Ana", "role": "owner", "color": "#aabbcc", "online": True}],
    "snapshot": {
        "definition": {"kind": "cascade", "timeZone": "UTC", "locale": "en"}, "version": 1,
        "status": "open", "result": {"keys": ["a", "x"]}, "columns": [
            {"generation": 1, "count": 2, "from": 0, "row": 0, "rows": [
                {"key": "a", "text": "A"}, {"key": "b", "text": "B"}]},
            {"generation": 3, "count": 1, "from": 0, "row": 0, "rows": [
                {"key": "x", "text": "X"}]}]}}
RELOAD = {"change": "reload", "column": 1, "generation": 4, "count": 1, "from": 0, "row": 0,
          "rows": [{"key": "y", "text": "Y"}]}
MOVED = {"change": "row", "column": 0, "row": 1, "key": "b", "text": "B", "cause": "select"}
RESET = {"change": "row", "column": 1, "row": 0, "key": "y", "text": "Y", "cause": "reset"}
DELTA = {"type": "delta", "revision": 5, "by": "m_1", "ref": 7, "at": "2018-11-23T02:00:00.000Z",
         "changes": [RELOAD, MOVED, RESET]}


class Wire:
    """A connection that delivers the given messages."""

    def __init__(self, *messages):
        self.messages = deque(messages)

    def recv(self, timeout=None, decode=True):
        if not self.messages:
            raise TimeoutError
        return json.dumps(self.messages.popleft())


@pytest.fixture
def listener_of():
    def begin(*messages, pending=(7,)):
        member = object.__new__(Member)
        member.begin("Ana")
        member.web = Wire(*deepcopy(messages))
        member.pending.extend(pending)
        member.drain()
        return member
    return begin


def changed(message, **fields):
    return {**deepcopy(message), **fields}


def test_a_valid_delta_is_folded(listener_of):
    ana = listener_of(WELCOME, DELTA)

    assert ana.screen.revision == 5
    assert [column["key"] for column in ana.screen.columns] == ["b", "y"]
    assert not ana.pending


WRONG = {
    "a gap": changed(DELTA, revision=6),
    "a revision twice": changed(DELTA, revision=4),
    "an answer to an unknown ref": changed(DELTA, ref=8),
    "another member's ref": changed(DELTA, by="m_2"),
    "rows before reloads": changed(DELTA, changes=[MOVED, RELOAD, RESET]),
    "columns in descending order": changed(DELTA, changes=[RELOAD, RESET, MOVED]),
    "a column twice": changed(DELTA, changes=[RELOAD, MOVED, RESET, RESET]),
    "a skipped generation": changed(DELTA, changes=[{**RELOAD, "generation": 5}, MOVED, RESET]),
    "a moved key without a row": changed(DELTA, changes=[RELOAD, MOVED]),
    "a row that has not moved": changed(DELTA, changes=[
        {**MOVED, "row": 0, "key": "a", "text": "A"}]),
    "a key of another row": changed(DELTA, changes=[RELOAD, {**MOVED, "row": 0}, RESET]),
    "an incomplete window": changed(DELTA, changes=[{**RELOAD, "count": 2}, MOVED, RESET]),
    "a clamp without a reason": changed(DELTA, changes=[
        RELOAD, {**MOVED, "cause": "clamp"}, RESET]),
    "an unknown field": changed(DELTA, colour="red"),
    "an empty delta": changed(DELTA, changes=[]),
    "a time without milliseconds": changed(DELTA, at="2018-11-23T02:00:00Z"),
    "bands of an unsubscribed month": changed(DELTA, changes=[
        {"change": "bands", "month": "2018-11", "bands": []}]),
    "a reply too late": {"type": "reply", "ref": 7, "revision": 3},
    "a refusal too early": {
        "type": "refused", "ref": 7, "code": "noSuchRow", "detail": "x", "params": {}, "revision": 5,
        "changes": []},
    "an unknown refusal code": {
        "type": "refused", "ref": 7, "code": "no", "detail": "x", "params": {}, "revision": 4, "changes": []},
    "a row other than the selected one": {
        "type": "refused", "ref": 7, "code": "noSuchRow", "detail": "x", "params": {}, "revision": 4, "changes": [
            {"change": "row", "column": 0, "row": 1, "key": "b", "text": "B"}]},
    "presence of the member itself": {"type": "presence", "left": ["m_1"]},
    "empty presence": {"type": "presence"},
    "a second welcome": WELCOME,
    "an unknown type": {"type": "hello"},
}


@pytest.mark.parametrize("message", WRONG.values(), ids=WRONG)
def test_invalid_messages_are_detected(listener_of, message):
    with pytest.raises(AssertionError):
        listener_of(WELCOME, message)
    with pytest.raises(AssertionError):
        listener_of({"type": "presence", "left": ["m_2"]})  # before the welcome


def test_bands_are_computed_by_the_rules():
    assert bands("2016-07", {"start": "2016-07-30", "end": "2016-08-02"}) == [
        {"row": 4, "from": 6, "to": 6, "shape": "circle", "head": True, "tail": False},
        {"row": 5, "from": 0, "to": 0, "shape": "circle", "head": False, "tail": False}]


def test_a_secret_in_the_log_of_a_server_is_found(monkeypatch):
    monkeypatch.setattr(secrets, "used", set())
    secrets.note(b'{"tokens":{"owner":"0123456789abcdefghijkl","viewer":"short"}}')
    secrets.note_text("Bearer-0123456789.abcdefghi")

    assert secrets.leaked("no secret 0123456789abcdefghijk") == set()
    assert secrets.leaked("a=0123456789abcdefghijkl b") == {"0123456789abcdefghijkl"}
    assert secrets.leaked("(Bearer-0123456789.abcdefghi)") == {"Bearer-0123456789.abcdefghi"}
