"""Changing the definition of a live session: PUT, PATCH and If-Match."""

import json

import pytest

SIZES = {"kind": "columns", "columns": [["S", "M", {"text": "L", "key": "l"}]]}
MERGE = "application/merge-patch+json"
PATCH = "application/json-patch+json"


def put(session, definition, **headers):
    return session.server.request(
        "PUT", session.path + "/definition", definition,
        headers={name.replace("_", "-"): value for name, value in headers.items()})


def patch(session, body, type=MERGE, **rest):
    return session.server.request(
        "PATCH", session.path + "/definition", body, headers={"Content-Type": type}, **rest)


def definition(session):
    answer = session.server.get(session.path + "/definition")
    assert answer.status == 200, answer
    return answer


def test_get_returns_the_definition_with_defaults_filled_in(server):
    session = server.session(SIZES)
    answer = definition(session)
    assert answer.headers["etag"] == '"1"'
    assert answer.json == {**SIZES, "timeZone": "UTC", "locale": "en"}
    slot = server.session({"kind": "slot", "stepMinutes": 30})
    assert "minutes" not in definition(slot).json
    assert "minutes" in definition(server.session({"kind": "slot", "minutes": 30})).json


def test_a_field_that_a_json_patch_sets_to_null_has_its_default_again(server):
    session = server.session({**SIZES, "locale": "de"})
    answer = patch(session, [{"op": "replace", "path": "/locale", "value": None}], PATCH)
    assert answer.status == 200, answer
    assert definition(session).json["locale"] == "en"


@pytest.mark.parametrize("body, type, status, code", [
    (b"{", MERGE, 400, "badRequest"), (b"{}", "text/plain", 400, "badRequest"),
    ({"op": "add"}, PATCH, 400, "badRequest"), ([{"op": "put", "path": ""}], PATCH, 400, "badRequest"),
    ([{"op": "remove", "path": "/nothing"}], PATCH, 409, "patchFailed"),
    ([{"op": "test", "path": "/kind", "value": "slot"}], PATCH, 409, "patchFailed"),
    ({"kind": "slot"}, MERGE, 422, "badDefinition"), ({"columns": []}, MERGE, 422, "badDefinition"),
    ([{"op": "add", "path": "/columns/0/-", "value": "S"}], PATCH, 422, "badDefinition"),
    ([], MERGE, 422, "badDefinition"), (b" " * 262_145, MERGE, 413, "tooLarge"),
    ([{"op": "copy", "from": "/columns", "path": "/columns/-"}] * 60, PATCH, 422, "badDefinition"),
])
def test_a_rejected_change_has_no_effect(server, body, type, status, code):
    session = server.session(SIZES)
    answer = patch(session, body, type)
    assert (answer.status, answer.code) == (status, code), answer
    assert session.get()["version"] == 1 and session.revision() == 0


def test_if_match_compares_the_version(server):
    session = server.session(SIZES)
    other = {"kind": "columns", "columns": [["S"]]}
    mismatch = put(session, {"kind": "x"}, If_Match='"2"')
    assert (mismatch.status, mismatch.code) == (412, "versionMismatch"), mismatch
    assert put(session, b"{", If_Match='"2"').status == 400, "the body is read before"
    assert put(session, other, If_Match='W/"1"').status == 412
    assert put(session, other, If_Match='"7", "1"').status == 200
    assert put(session, SIZES, If_Match='"1"').status == 412
    assert put(session, SIZES, If_Match="").status == 412, "an empty list has no version"
    assert put(session, SIZES, If_Match="*").json["version"] == 3


def test_a_client_that_has_the_current_version_gets_no_body(server):
    session = server.session(SIZES)

    def read(tags):
        return server.get(session.path + "/definition", headers={"If-None-Match": tags})

    for tags in ('"1"', '"7", W/"1"', "*"):
        answer = read(tags)
        assert (answer.status, answer.headers["etag"], answer.body) == (304, '"1"', b""), tags
    put(session, {"kind": "columns", "columns": [["S"]]})
    assert read('"1"').status == 200 and read('"2"').status == 304


def test_only_the_owner_may_change_the_definition(guarded):
    session = guarded.session(SIZES)
    path = session.path + "/definition"
    for token, status in ((None, 401), ("x", 401), (session.tokens["editor"], 403)):
        assert guarded.request("PUT", path, SIZES, token=token).status == status
    assert guarded.request("PUT", path, SIZES, token=session.tokens["owner"]).status == 200
    assert guarded.request("GET", path, token=session.tokens["viewer"]).status == 200
    assert guarded.request("GET", path).status == 401
    missing = guarded.request("PATCH", "/v1/sessions/none/definition", json.dumps({}).encode())
    assert missing.status == 404
