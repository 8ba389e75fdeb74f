"""Sessions over HTTP: GET, DELETE and expiry."""

import time

import pytest

from harness.definitions import CALENDAR, DATE, LISTS, LONG, SLOT, TREE


# GET /v1/sessions/{id}


@pytest.mark.parametrize("definition", [DATE, SLOT, TREE, LISTS, CALENDAR, LONG],
                         ids=["date", "slot", "cascade", "columns", "calendar", "long"])
def test_get_returns_a_new_session(server, definition):
    session = server.session(definition)

    got = session.get()

    assert (got["revision"], got["status"], got["members"]) == (0, "open", [])
    assert got["snapshot"]["definition"]["kind"] == definition["kind"]


FILLED = {
    "date": ({"kind": "date"}, {"timeZone": "UTC", "locale": "en", "min": "1950-01-01",
                                "max": "today", "initial": "today"}),
    "slot": ({"kind": "slot", "days": 5}, {
        "timeZone": "UTC", "locale": "en", "leadMinutes": 20, "stepMinutes": 10, "days": 5,
        "onParentChange": "first"}),
    "cascade": (TREE, {"timeZone": "UTC", "locale": "en", "onParentChange": "first"}),
    "columns": (LISTS, {"timeZone": "UTC", "locale": "en"}),
    "calendar": ({"kind": "calendar", "locale": "zh-Hans"}, {
        "timeZone": "UTC", "locale": "zh-Hans", "firstWeekday": 1, "weeks": "six",
        "months": {"from": "thisYear-P3Y", "through": "thisMonth"}, "selection": "range",
        "unit": "days", "minDays": 1, "allowBlockedInside": False})}


@pytest.mark.parametrize("given, filled", FILLED.values(), ids=FILLED)
def test_get_fills_in_the_defaults_of_the_definition(server, given, filled):
    session = server.session(given)

    definition = session.get()["snapshot"]["definition"]

    assert definition == {**definition, "kind": given["kind"], **filled}
    assert "nodes" not in definition and "columns" not in definition
    assert not {"maxDays"} & definition.keys(), "maxDays has no default"
    assert not [name for name, value in definition.items() if value is None]


def test_full_returns_nodes_and_columns(server):
    tree = server.session(TREE).get(full=True)["snapshot"]["definition"]
    lists = server.session(LISTS).get(full=True)["snapshot"]["definition"]

    assert [node["text"] for node in tree["nodes"]] == ["Guangdong", "Sichuan"]
    assert tree["nodes"][0]["children"][0]["children"][1]["text"] == "Yuexiu"
    assert len(lists["columns"]) == 2 and len(lists["columns"][0]) == 4


def test_a_full_definition_recreates_the_same_picker(server):
    for definition in (DATE, SLOT, TREE, LISTS, CALENDAR):
        first = server.session(definition)
        again = server.session(first.get(full=True)["snapshot"]["definition"])
        assert again.get(full=True)["snapshot"] == first.get(full=True)["snapshot"]


def test_get_returns_the_current_revision_and_state(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1)

    got = session.get()

    assert got["revision"] == 1
    assert got["snapshot"]["result"] == {"keys": ["Windows", "Xcode"]}
    assert [(m["id"], m["role"], m["online"]) for m in got["members"]] == [(ana.id, "owner", True)]


@pytest.mark.parametrize("path", [
    "/v1/sessions/nobody", "/v1/sessions/nobody/log", "/v1/sessions/" + "a" * 300])
def test_a_missing_session_is_404(server, path):
    answer = server.get(path)

    assert (answer.status, answer.code) == (404, "noSuchSession")


@pytest.mark.parametrize("path", [
    "/nothing", "/v1", "/v1/", "/v2/sessions", "/v1/sessions/", "/v1/definitions", "/HEALTHZ",
    "/v1/sessions/x/y/z", "//healthy", "/%2e%2e/%2e%2e/etc/passwd",
    "/../../etc/passwd", "/client/../../../etc/passwd", "/client/%2e%2e/%2e%2e/etc/passwd",
    "/client/..%2f..%2f..%2fetc%2fpasswd", "/client/nothing.js", "/client/"])
def test_any_other_path_is_404(server, path):
    answer = server.get(path)

    assert answer.status == 404
    assert b"root:" not in answer.body


# DELETE


def test_delete_closes_all_members_with_4410(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    waiting = session.connect()

    answer = session.delete()

    assert (answer.status, answer.body) == (204, b"")
    ana.closed(4410)
    bo.closed(4410)
    waiting.send({"type": "join"})
    waiting.closed((4404, 4410))
    for gone in (server.get(session.path), server.get(session.path + "/log"), session.delete()):
        assert (gone.status, gone.code) == (404, "noSuchSession")


def test_a_deleted_session_cannot_be_joined_or_resumed(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    session.delete()
    ana.closed(4410)

    for join in ({"type": "join"}, {"type": "join", "resume": ana.resume()}):
        nobody = session.connect()
        nobody.send(join)
        nobody.closed((4404, 4410))


def test_commands_after_delete_are_not_answered(server):
    """"nothing of that session is done or answered; its members receive only 4410"."""
    session = server.session(LISTS)
    ana = session.join("Ana")
    session.delete()

    for n in range(50):
        ana.ask("select", column=0, row=n % 4, generation=1)

    ana.closed(4410)
    assert [m["type"] for m in ana.record if m["type"] != "presence"] == ["welcome", "error"]


def test_delete_does_not_affect_other_sessions(server):
    session, other = server.session(LISTS), server.session(LISTS)
    ana, bo = session.join("Ana"), other.join("Bo")

    session.delete()

    ana.closed(4410)
    assert bo.select(0, 1)["type"] == "delta"


def test_a_session_expires_after_ttl_seconds(server):
    session = server.session(LISTS, ttlSeconds=6)
    begun = time.monotonic()
    ana = session.join("Ana")

    ana.closed(4410, timeout=60)

    assert time.monotonic() - begun >= 5.8
    assert server.get(session.path).code == "noSuchSession"


def test_a_revision_restarts_the_ttl(server):
    """"counted from the last revision or join"."""
    session = server.session(LISTS, ttlSeconds=7)
    ana = session.join("Ana")
    begun = time.monotonic()

    for n in range(5):
        ana.drain(1.8)
        assert ana.select(0, n % 2 + 1)["type"] == "delta"

    assert time.monotonic() - begun > 8
    ana.closed(4410, timeout=60)


def test_the_ttl_uses_the_system_clock(server):
    session = server.session(LISTS, ttlSeconds=60)

    server.clock("2019-11-23T10:00:00+08:00")

    assert session.get()["revision"] == 0
