"""The HTTP side: every route, every problem, with status, type and code."""

import http.client
import json
import re
import socket
import time
from datetime import datetime, timezone

import pytest

from harness import contract
from harness.definitions import CALENDAR, DATE, LISTS, LONG, SLOT, TREE
from harness.member import Member
from harness.pickerd import Answer, check_problem


# POST /v1/sessions


def test_a_session_is_created(server):
    answer = server.create(DATE)

    created = contract.fits("http-created", answer.json)
    assert (answer.status, answer.type, created["revision"]) == (201, "application/json", 0)
    path = f"/v1/sessions/{created['session']}"
    assert answer.headers["location"] in (path, f"http://127.0.0.1:{server.port}{path}")
    assert created["socket"] == f"ws://127.0.0.1:{server.port}{path}"


def test_the_socket_of_the_answer_can_be_joined(server):
    session = server.session(DATE)
    answer = server.create(DATE)

    ana = session.keep(Member(answer.json["socket"], "Ana"))

    assert ana.welcome["revision"] == 0
    server.delete(f"/v1/sessions/{answer.json['session']}")


def test_ids_are_not_guessed_and_epochs_are_their_own(server):
    created = [server.create(LISTS).json for _ in range(50)]

    ids = {session["session"] for session in created}
    assert len(ids) == 50
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{16,}", id) for id in ids), ids
    assert len({id[:8] for id in ids}) == 50, "random from the start"


def test_title_ttl_and_open_tap_are_taken(server):
    session = server.session(
        CALENDAR, title="Holidays 2018 🏖", ttlSeconds=31_536_000, openTap="owner")

    assert session.get()["title"] == "Holidays 2018 🏖"


def test_a_session_without_a_title_has_none(server):
    assert "title" not in server.session(DATE).get()


@pytest.mark.parametrize("fields", [
    {"title": "x" * 200}, {"title": "日" * 200}, {"ttlSeconds": 1}, {"ttlSeconds": 31_536_000},
    {"openTap": "shared"}, {"openTap": "owner"}], ids=str)
def test_what_is_at_its_limit_is_taken(server, fields):
    answer = server.create(DATE, **fields)

    assert answer.status == 201
    server.delete(f"/v1/sessions/{answer.json['session']}")


@pytest.mark.parametrize("fields", [
    {"title": "x" * 201}, {"title": 5}, {"ttlSeconds": 0}, {"ttlSeconds": -1},
    {"ttlSeconds": 31_536_001}, {"ttlSeconds": 1.5}, {"ttlSeconds": "60"}, {"ttlSeconds": 10**30},
    {"openTap": "nobody"}, {"openTap": True}, {"titel": "misspelt"}, {"definitions": {}},
    {"Title": "x"}], ids=str)
def test_what_is_beyond_or_misspelt_is_a_bad_request(server, fields):
    """"Unknown fields from a client are refused in definitions and HTTP bodies"."""
    answer = server.create(DATE, **fields)

    assert (answer.status, answer.code) == (400, "badRequest")
    assert answer.json["detail"]


BAD_BODIES = {
    "nothing": b"", "blanks": b"  ", "no JSON": b"hello", "half": b'{"definition":',
    "an array": b"[]", "a string": b'"x"', "null": b"null", "two values": b"{} {}",
    "no definition": b"{}", "bad UTF-8": b'{"definition":{"kind":"date"},"title":"\xff"}',
    "a lone surrogate": b'{"definition":{"kind":"date"},"title":"\\ud800"}',
    "a key twice": b'{"definition":{"kind":"date"},"title":"a","title":"b"}',
    "a key twice inside": b'{"definition":{"kind":"date","kind":"slot"}}',
    "too deep": b'{"definition":' + b"[" * 70 + b"]" * 70 + b"}",
    "without an end": b"[" * 1_000_000}


@pytest.mark.parametrize("path", ["/v1/sessions", "/v1/definitions/check"])
@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
def test_a_body_that_is_none_is_a_bad_request(server, path, body):
    answer = server.post(path, body, headers={"Content-Type": "application/json"})

    assert (answer.status, answer.code) == (400, "badRequest")


def test_a_definition_that_is_wrong_says_where(server):
    answer = server.create({"kind": "slot", "stepMinutes": 7})

    assert (answer.status, answer.type) == (422, "application/problem+json")
    assert (answer.code, answer.json["pointer"]) == ("badDefinition", "/stepMinutes")
    assert "7" in answer.json["detail"]


def padded(size):
    body = json.dumps({"definition": LISTS}).encode()
    return body + b" " * (size - len(body))


@pytest.mark.parametrize("path", ["/v1/sessions", "/v1/definitions/check"])
def test_a_body_of_4_mib_is_read(server, path):
    answer = server.post(path, padded(4 * 1024 * 1024))

    assert answer.status in (200, 201)


@pytest.mark.parametrize("size", [4 * 1024 * 1024 + 1, 10**12])
def test_a_longer_body_is_too_large(server, size):
    """Answered by its announced length: a client need not send it all to hear that."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as there:
        there.sendall(
            b"POST /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n{" % (server.port, size))
        response = http.client.HTTPResponse(there)
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
        answer = Answer(response.status, headers, response.read())

    check_problem(answer)
    assert (answer.status, answer.code) == (413, "tooLarge")
    assert server.get("/healthz").status == 200


# GET /v1/sessions/{id}


@pytest.mark.parametrize("definition", [DATE, SLOT, TREE, LISTS, CALENDAR, LONG],
                         ids=["date", "slot", "cascade", "columns", "calendar", "long"])
def test_a_session_is_read(server, definition):
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
        "minDays": 1, "allowBlockedInside": False})}


@pytest.mark.parametrize("given, filled", FILLED.values(), ids=FILLED)
def test_a_definition_has_its_defaults_filled_in(server, given, filled):
    session = server.session(given)

    definition = session.get()["snapshot"]["definition"]

    assert definition == {**definition, "kind": given["kind"], **filled}
    assert "nodes" not in definition and "columns" not in definition
    assert not {"maxDays"} & definition.keys(), "no default to write"
    assert not [name for name, value in definition.items() if value is None]


def test_the_full_definition_has_nodes_and_columns(server):
    tree = server.session(TREE).get(full=True)["snapshot"]["definition"]
    lists = server.session(LISTS).get(full=True)["snapshot"]["definition"]

    assert [node["text"] for node in tree["nodes"]] == ["Guangdong", "Sichuan"]
    assert tree["nodes"][0]["children"][0]["children"][1]["text"] == "Yuexiu"
    assert len(lists["columns"]) == 2 and len(lists["columns"][0]) == 4


def test_a_full_definition_makes_the_same_picker_again(server):
    for definition in (DATE, SLOT, TREE, LISTS, CALENDAR):
        first = server.session(definition)
        again = server.session(first.get(full=True)["snapshot"]["definition"])
        assert again.get(full=True)["snapshot"] == first.get(full=True)["snapshot"]


def test_get_carries_the_revision_at_which_it_is_true(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1)

    got = session.get()

    assert got["revision"] == 1
    assert got["snapshot"]["result"] == {"keys": ["Windows", "Xcode"]}
    assert [(m["id"], m["role"], m["online"]) for m in got["members"]] == [(ana.id, "owner", True)]


@pytest.mark.parametrize("path", [
    "/v1/sessions/nobody", "/v1/sessions/nobody/log", "/v1/sessions/" + "a" * 300])
def test_a_session_that_does_not_exist_is_404(server, path):
    answer = server.get(path)

    assert (answer.status, answer.code) == (404, "noSuchSession")


@pytest.mark.parametrize("path", [
    "/nothing", "/v1", "/v1/", "/v2/sessions", "/v1/sessions/", "/v1/definitions", "/HEALTHZ",
    "/v1/sessions/x/y/z", "//v1/sessions", "/v1//sessions", "/%2e%2e/%2e%2e/etc/passwd",
    "/../../etc/passwd", "/client/../../../etc/passwd", "/client/%2e%2e/%2e%2e/etc/passwd",
    "/client/..%2f..%2f..%2fetc%2fpasswd", "/client/nothing.js", "/client/"])
def test_any_other_path_is_404(server, path):
    answer = server.get(path)

    assert answer.status == 404
    assert b"root:" not in answer.body


# DELETE


def test_delete_ends_a_session_for_everybody(server):
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


def test_nobody_joins_or_resumes_what_has_ended(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    session.delete()
    ana.closed(4410)

    for join in ({"type": "join"}, {"type": "join", "resume": ana.resume()}):
        nobody = session.connect()
        nobody.send(join)
        nobody.closed((4404, 4410))


def test_from_delete_on_nothing_is_answered(server):
    """"nothing of that session is done or answered; its members hear only 4410"."""
    session = server.session(LISTS)
    ana = session.join("Ana")
    session.delete()

    for n in range(50):
        ana.ask("select", column=0, row=n % 4, generation=1)

    ana.closed(4410)
    assert [m["type"] for m in ana.record if m["type"] != "presence"] == ["welcome", "error"]


def test_other_sessions_go_on(server):
    session, other = server.session(LISTS), server.session(LISTS)
    ana, bo = session.join("Ana"), other.join("Bo")

    session.delete()

    ana.closed(4410)
    assert bo.select(0, 1)["type"] == "delta"


def test_a_session_ends_when_its_time_is_over(server):
    session = server.session(LISTS, ttlSeconds=1)
    ana = session.join("Ana")
    begun = time.monotonic()

    ana.closed(4410)

    assert 0.8 <= time.monotonic() - begun < 3
    assert server.get(session.path).code == "noSuchSession"


def test_a_revision_gives_a_session_its_time_again(server):
    """"counted from the last revision or join"."""
    session = server.session(LISTS, ttlSeconds=1)
    ana = session.join("Ana")
    begun = time.monotonic()

    for n in range(4):
        ana.drain(0.4)
        assert ana.select(0, n % 2 + 1)["type"] == "delta"

    assert time.monotonic() - begun > 1.5
    ana.closed(4410)


def test_the_time_of_a_session_is_the_machines(server):
    session = server.session(LISTS, ttlSeconds=60)

    server.clock("2019-11-23T10:00:00+08:00")

    assert session.get()["revision"] == 0


# The log


def test_the_log_has_every_revision(server):
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1, ref=3)
    bo.reach(1)
    bo.select(1, 1, ref=9)
    bo.select(1, 7)
    bo.undo()
    ana.reach(3)
    ana.confirm()

    log = session.log()

    told = [(l["revision"], l["by"], l["ref"], l["command"]["type"]) for l in log]
    assert told == [
        (1, ana.id, 3, "select"), (2, bo.id, 9, "select"), (3, bo.id, 11, "undo"),
        (4, ana.id, 4, "confirm")]
    deltas = [m["changes"] for m in ana.record if m["type"] == "delta"]
    assert [line["changes"] for line in log] == deltas


def test_the_log_after_a_revision(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    for n in range(1, 11):
        ana.select(0, n % 4)

    assert [line["revision"] for line in session.log(after=7)] == [8, 9, 10]
    assert session.log(after=10) == []
    assert session.log(after=1000) == []
    assert len(session.log(after=0)) == 10


@pytest.mark.parametrize("after", ["x", "1.5", "", "1e1"])
def test_a_log_after_what_is_no_revision_is_a_bad_request(server, after):
    session = server.session(LISTS)

    answer = server.get(f"{session.path}/log?after={after}")

    assert (answer.status, answer.code) == (400, "badRequest")


def test_the_log_is_longer_than_the_history(small):
    session = small.session(LISTS)
    ana = session.join("Ana")
    for n in range(1, 41):
        ana.select(0, n % 4)

    assert len(session.log()) == 40


# Definitions


@pytest.mark.parametrize("definition", [DATE, SLOT, TREE, LISTS, CALENDAR, LONG],
                         ids=["date", "slot", "cascade", "columns", "calendar", "long"])
def test_a_definition_is_checked(server, definition):
    answer = server.check(definition)

    assert (answer.status, answer.type) == (200, "application/json")
    checked = contract.fits("http-checked", answer.json)
    assert checked["snapshot"] == server.session(definition, now=None).get()["snapshot"]


def test_a_check_with_an_unknown_field_is_a_bad_request(server):
    answer = server.post("/v1/definitions/check", {"definition": DATE, "title": "x"})

    assert (answer.status, answer.code) == (400, "badRequest")


# The clock


@pytest.mark.parametrize("body", [
    {}, {"now": 5}, {"now": "yesterday"}, {"now": "2018-11-23"}, {"now": "2018-11-23T10:00:00"},
    {"now": "2018-02-30T10:00:00Z"}, {"now": "2018-11-23T25:00:00Z"}, {"now": None},
    {"now": "2018-11-23T10:00:00Z", "then": 1}, [], "now"], ids=str)
def test_a_clock_is_not_set_to_what_is_no_time(server, body):
    answer = server.post("/v1/clock", body)

    assert (answer.status, answer.code) == (400, "badRequest")


def test_the_machines_clock_cannot_be_set(plain):
    """"only with `--clock manual`": without it there is no such resource."""
    answer = plain.post("/v1/clock", {"now": "2018-11-23T10:00:00Z"})

    assert answer.status == 404


def test_a_manual_clock_starts_at_the_machines_time_and_stands(start):
    server = start()
    session = server.session(DATE, now=None)

    first = session.join("Ana").welcome["now"]
    time.sleep(0.05)
    second = session.join("Bo").welcome["now"]

    assert first == second
    age = datetime.now(timezone.utc) - datetime.fromisoformat(first)
    assert 0 <= age.total_seconds() < 30


def test_the_systems_clock_goes(plain):
    session = plain.session(DATE, now=None)

    first = session.join("Ana").welcome["now"]
    time.sleep(0.05)
    second = session.join("Bo").welcome["now"]

    assert first < second


# Health, metrics, page


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_the_server_is_well(server, path):
    assert server.get(path).status == 200
    head = server.request("HEAD", path)
    assert (head.status, head.body) == (200, b"")


SAMPLE = re.compile(
    r'[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_][a-zA-Z0-9_]*="([^"\\\n]|\\["\\n])*",?)*\})?'
    r' ([0-9.eE+-]+|NaN|[+-]Inf)( [0-9-]+)?')


def test_metrics_are_prometheus_text(server):
    server.session(LISTS).join("Ana").select(0, 1)

    answer = server.get("/metrics")

    assert (answer.status, answer.type) == (200, "text/plain")
    text = answer.body.decode()
    assert text.endswith("\n")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines, "nothing is measured"
    for line in lines:
        assert SAMPLE.fullmatch(line), line
    names = {re.split(r"[{ ]", line)[0] for line in lines}
    assert all(name.startswith(("pickerd_", "process_", "go_")) for name in names), names


def test_metrics_tell_no_names(server):
    session = server.session(LISTS, title="A secret meeting")
    session.join("Ana Unmistakable")

    text = server.get("/metrics").body.decode()

    assert "Unmistakable" not in text and session.id not in text and "secret meeting" not in text


def test_the_page_is_served(server):
    answer = server.get("/")

    assert (answer.status, answer.type) == (200, "text/html")


# Methods and connections


@pytest.mark.parametrize("method, path", [
    ("GET", "/v1/sessions"), ("PUT", "/v1/sessions"), ("DELETE", "/v1/sessions"),
    ("GET", "/v1/definitions/check"), ("GET", "/v1/clock"), ("PUT", "/v1/clock"),
    ("POST", "/healthz"), ("DELETE", "/readyz"), ("POST", "/metrics"), ("POST", "/"),
    ("PUT", "SESSION"), ("PATCH", "SESSION"), ("POST", "SESSION"), ("DELETE", "SESSION/log"),
    ("POST", "SESSION/log")])
def test_a_method_that_a_resource_has_not_is_405(server, method, path):
    session = server.session(LISTS)

    answer = server.request(method, path.replace("SESSION", session.path), body=b"{}")

    assert (answer.status, answer.code) == (405, "methodNotAllowed")
    assert session.get()["revision"] == 0


def test_several_requests_on_one_connection(server):
    session = server.session(LISTS)
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)

    for method, path, status in [
            ("GET", session.path, 200), ("GET", "/v1/sessions/nobody", 404), ("GET", "/healthz", 200),
            ("POST", "/v1/definitions/check", 200), ("GET", session.path + "/log", 200)] * 3:
        body = json.dumps({"definition": LISTS}) if method == "POST" else None
        connection.request(method, path, body)
        response = connection.getresponse()
        assert (response.status, path) == (status, path)
        response.read()
    connection.close()


def test_a_server_that_holds_enough_sessions_answers_503_full(start):
    """"`503 full`": how many it holds is `--limit sessions=N` (this suite's choice of a name)."""
    server = start(limits={"sessions": 2})
    first = server.session(LISTS)
    server.session(LISTS)

    full = server.create(LISTS)
    first.delete()
    again = server.create(LISTS)

    assert (full.status, full.code) == (503, "full")
    assert again.status == 201
