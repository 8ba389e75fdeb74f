"""Validation of definitions over HTTP: `badDefinition` and its JSON Pointer.

DefinitionTests has the problems of every field, and each maximum.
"""

import pytest


def date(**options):
    return {"kind": "date", **options}


def slot(**options):
    return {"kind": "slot", **options}


def tree(*nodes, **options):
    return {"kind": "cascade", "nodes": list(nodes), **options}


def lists(*columns, **options):
    return {"kind": "columns", "columns": list(columns), **options}


def months(**options):
    return {"kind": "calendar", "months": {"from": "2018-01", "through": "2018-12"}, **options}


def deep(levels):
    node = {"text": "leaf"}
    for level in range(levels - 1):
        node = {"text": f"level {level}", "children": [node]}
    return tree(node)


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


A, B = {"text": "a"}, {"text": "b"}

#: A definition of each kind with problems at several depths, and what a parser's limits must not
#: hide: from 64 levels on the body exceeds the depth that it reads.
BAD = [
    (5, ""), ({}, "/kind"), (date(colour=1), "/colour"), (date(**{"a/b~c": 1}), "/a~1b~0c"),
    (slot(stepMinutes=7, days=0), "/stepMinutes"), (date(timeZone="../../etc/passwd"), "/timeZone"),
    (date(timeZone="Asia/Shanghai\u0000"), "/timeZone"), (slot(leadMinutes=10**30), "/leadMinutes"),
    (tree(A, {"text": "b", "children": [A, B, B]}), "/nodes/1/children/2"),
    (lists(["a"], ["b", "c", {"text": "d", "key": "b"}]), "/columns/1/2"),
    (months(blocked=[{"weekdays": [1]}, {"weekdays": ["1"]}]), "/blocked/1/weekdays/0"),
    ({"kind": "cascade", "nodes": [nested_text(64, "x" * 70_000)]},
     "/nodes/0" + "/children/0" * 32),
    ("x" * 70_000, ""), (lists(["a", "x" * 70_000]), "/columns/0/1"), (date(min=[[0]]), "/min"),
    (date(min=nested(500)), "/min"),
    *((deep(levels), "/nodes/0" + "/children/0" * 32) for levels in (33, 34, 63, 64, 65, 200)),
]


def short(value):
    text = str(value)
    return text if len(text) < 70 else text[:67] + "…"


@pytest.mark.parametrize("definition, pointer", BAD, ids=short)
def test_an_invalid_definition_is_rejected_with_a_pointer(server, definition, pointer):
    server.clock("2018-11-23T10:00:00Z")

    answer = server.check(definition)

    assert (answer.status, answer.code) == (422, "badDefinition"), answer.body[:300]
    assert answer.json["pointer"] == pointer, answer.body[:300]


@pytest.mark.parametrize("definition, pointer", BAD[::3], ids=short)
def test_create_and_check_report_the_same_problem(server, definition, pointer):
    server.clock("2018-11-23T10:00:00Z")

    created, checked = server.create(definition), server.check(definition)

    assert (created.status, created.json["pointer"]) == (422, pointer)
    assert (created.json["code"], created.json["detail"]) == (
        checked.json["code"], checked.json["detail"])


def test_definitions_require_json_integers(server):
    for text in (b"20.0", b"2e1"):
        body = b'{"definition":{"kind":"slot","leadMinutes":' + text + b"}}"
        answer = server.post("/v1/definitions/check", body)
        assert (answer.status, answer.json.get("pointer")) == (422, "/leadMinutes")
