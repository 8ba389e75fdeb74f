"""Validation of definitions over HTTP: `badDefinition` and its JSON Pointer.

DefinitionTests has the problems of every field, and each maximum.
"""

import pytest


def deep(levels):
    node = {"text": "leaf"}
    for level in range(levels - 1):
        node = {"text": f"level {level}", "children": [node]}
    return {"kind": "cascade", "nodes": [node]}


def nested(levels):
    array = []
    for _ in range(levels):
        array = [array]
    return array


def nested_text(levels, text):
    node = {"text": text}
    for _ in range(levels - 3):
        node = {"text": "a", "children": [node]}
    return node


#: What a parser's limits must not hide: from 64 levels on the body exceeds the depth that it reads.
BAD = [
    (5, ""), ({"kind": "date", "a/b~c": 1}, "/a~1b~0c"),
    ({"kind": "date", "timeZone": "../../etc/passwd"}, "/timeZone"),
    ({"kind": "date", "timeZone": "Asia/Shanghai\u0000"}, "/timeZone"),
    ({"kind": "slot", "leadMinutes": 10**30}, "/leadMinutes"),
    ({"kind": "columns", "columns": [["a"], ["b", {"text": "d", "key": "b"}]]}, "/columns/1/1"),
    ({"kind": "cascade", "nodes": [nested_text(64, "x" * 70_000)]},
     "/nodes/0" + "/children/0" * 32),
    ("x" * 70_000, ""), ({"kind": "columns", "columns": [["a", "x" * 70_000]]}, "/columns/0/1"),
    ({"kind": "date", "min": nested(500)}, "/min"),
    *((deep(levels), "/nodes/0" + "/children/0" * 32) for levels in (33, 63, 64, 65, 200)),
]


def short(value):
    return str(value)[:70]


@pytest.mark.parametrize("definition, pointer", BAD, ids=short)
def test_an_invalid_definition_is_rejected_with_a_pointer(server, definition, pointer):
    server.clock("2018-11-23T10:00:00Z")

    for answer in (server.create(definition), server.check(definition)):
        assert (answer.status, answer.code) == (422, "badDefinition"), answer.body[:300]
        assert answer.json["pointer"] == pointer, answer.body[:300]


def test_definitions_require_json_integers(server):
    for text in (b"20.0", b"2e1"):
        body = b'{"definition":{"kind":"slot","leadMinutes":' + text + b"}}"
        answer = server.post("/v1/definitions/check", body)
        assert (answer.status, answer.json.get("pointer")) == (422, "/leadMinutes")
