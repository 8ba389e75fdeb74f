"""`POST /v1/sessions`: accepted and rejected request bodies."""

import http.client
import json
import re
import socket

import pytest

from harness import contract
from harness.definitions import CALENDAR, DATE, LISTS
from harness.member import Member
from harness.patience import PATIENCE
from harness.pickerd import Answer, check_problem


# POST /v1/sessions


def test_post_creates_a_session(server):
    answer = server.create(DATE)

    created = contract.fits("created", answer.json)
    assert (answer.status, answer.type, created["revision"]) == (201, "application/json", 0)
    path = f"/v1/sessions/{created['session']}"
    assert answer.headers["location"] in (path, f"http://127.0.0.1:{server.port}{path}")
    assert created["socket"] == f"ws://127.0.0.1:{server.port}{path}"
    assert Member(created["socket"], "Ana").welcome["revision"] == 0
    server.delete(path)


def test_title_and_open_tap_are_stored_and_owner_is_an_alias_of_opener(server):
    session = server.session(CALENDAR, title="Holidays 2018 🏖", openTap="owner")
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-20")

    assert bo.tap("2018-11-22")["code"] == "tapClaimed"
    assert session.get()["title"] == "Holidays 2018 🏖"
    assert session.log()[0]["session"]["openTap"] == "opener"


# The host's fields


META = b'{"n": 1.10, "big": 12345678901234567890, "far": 1e400, "text": "\\u00e9\\n", "none": null}'
DECIDE = {"by": "host", "seconds": 300}


def test_external_and_meta_are_returned_unchanged(server):
    body = json.dumps({"definition": DATE, "external": "order/4711 é"}).encode()
    created = server.post("/v1/sessions", body[:-1] + b', "meta": ' + META + b"}").json
    answer = server.get(f"/v1/sessions/{created['session']}")

    assert contract.fits("session", answer.json)["external"] == "order/4711 é"
    assert b'"meta":' + re.sub(rb": |, ", lambda m: m[0].strip(), META) in answer.body
    server.delete(f"/v1/sessions/{created['session']}")


@pytest.mark.parametrize("fields", [
    {"title": "日" * 200}, {"ttlSeconds": 1}, {"ttlSeconds": 31_536_000}, {"openTap": "shared"},
    {"openTap": "opener"}, {"external": "日" * 200}, {"meta": None}, {"meta": "x" * 4094},
    {"decide": {"by": "host", "seconds": 3600}}, {"watch": []}, {"watch": ["members", "result"]},
    {"oneMember": True}], ids=lambda fields: str(fields)[:40])
def test_fields_at_their_limits_are_accepted(server, fields):
    answer = server.create(DATE, **fields)

    assert answer.status == 201, answer
    server.delete(f"/v1/sessions/{answer.json['session']}")


@pytest.mark.parametrize("fields, pointer", [
    ({"external": ""}, "/external"), ({"external": "x" * 201}, "/external"),
    ({"external": 5}, "/external"), ({"meta": "x" * 4095}, "/meta"),
    ({"decide": "host"}, "/decide"), ({"decide": {**DECIDE, "who": 1}}, "/decide/who"),
    ({"decide": {"seconds": 5}}, "/decide/by"), ({"decide": {**DECIDE, "by": "me"}}, "/decide/by"),
    ({"decide": {"by": "host"}}, "/decide/seconds"),
    *[({"decide": {**DECIDE, "seconds": bad}}, "/decide/seconds") for bad in [0, 3601, 1.5, "9"]],
    ({"watch": "result"}, "/watch"), ({"watch": ["result", "taps"]}, "/watch/1"),
    ({"watch": ["result", "result"]}, "/watch/1"), ({"oneMember": 1}, "/oneMember"),
    ({"title": "x" * 201}, "/title"), ({"title": 5}, "/title"), ({"title": {}}, "/title"),
    ({"title": {"en": 1}}, "/title"), ({"title": {"x" * 40: "a"}}, "/title"),
    ({"title": {"en": "x" * 201}}, "/title"), ({"Title": "x"}, "/Title"),
    *[({"ttlSeconds": bad}, "/ttlSeconds") for bad in [0, -1, 31_536_001, 1.5, "60", 10**30]],
    ({"openTap": "nobody"}, "/openTap"), ({"openTap": True}, "/openTap"),
    ({"notes": {"days": {"2018-11-24": {"text": ""}}}}, "/notes"), ({"notes": []}, "/notes"),
    ({"location": "x" * 501}, "/location"), ({"description": ""}, "/description"),
    ({"url": "javascript:alert(1)"}, "/url"), ({"url": "https://a.example/\r\nX:1"}, "/url"),
    ({"url": "https://x.example/\"><script>"}, "/url"), ({"url": "https://x.example/{a}"}, "/url"),
    ({"reopen": "nobody"}, "/reopen"), ({"a/b~": 1}, "/a~1b~0")],
    ids=lambda value: str(value)[:40])
def test_invalid_fields_are_rejected_with_a_pointer(server, fields, pointer):
    answer = server.create(CALENDAR, **fields)

    assert (answer.status, answer.code, answer.json["pointer"]) == (400, "badRequest", pointer)
    assert answer.json["detail"]


BAD_BODIES = {
    "nothing": b"", "blanks": b"  ", "no JSON": b"hello", "half": b'{"definition":',
    "an array": b"[]", "a string": b'"x"', "null": b"null", "two values": b"{} {}",
    "no definition": b"{}", "bad UTF-8": b'{"definition":{"kind":"date"},"title":"\xff"}',
    "a lone surrogate": b'{"definition":{"kind":"date"},"title":"\\ud800"}',
    "a key twice": b'{"definition":{"kind":"date"},"title":"a","title":"b"}',
    "a key twice inside": b'{"definition":{"kind":"date","kind":"slot"}}',
    "too deep": b'{"definition":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "without an end": b"[" * 1_000_000}


@pytest.mark.parametrize("path", ["/v1/sessions", "/v1/definitions/check"])
@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
def test_malformed_bodies_are_rejected(server, path, body):
    answer = server.post(path, body, headers={"Content-Type": "application/json"})

    assert (answer.status, answer.code) == (400, "badRequest")


def test_an_invalid_definition_is_rejected_with_a_pointer(server):
    answer = server.create({"kind": "slot", "stepMinutes": 7})

    assert (answer.status, answer.type) == (422, "application/problem+json")
    assert (answer.code, answer.json["pointer"]) == ("badDefinition", "/stepMinutes")
    assert "7" in answer.json["detail"]


def padded(size):
    body = json.dumps({"definition": LISTS}).encode()
    return body + b" " * (size - len(body))


@pytest.mark.parametrize("path", ["/v1/sessions", "/v1/definitions/check"])
def test_a_body_of_4_mib_is_accepted(server, path):
    answer = server.post(path, padded(4 * 1024 * 1024))

    assert answer.status in (200, 201)


@pytest.mark.parametrize("size", [4 * 1024 * 1024 + 1, 10**12])
def test_a_body_over_4_mib_is_rejected(server, size):
    """The server responds to `Content-Length` alone, before the client has sent the body."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as there:
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
