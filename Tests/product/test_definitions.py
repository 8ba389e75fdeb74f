"""Validation of definitions: `badDefinition` and its JSON Pointer."""

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

BAD = [
    # anything but an object: the empty pointer
    (5, ""), (None, ""), ("date", ""), ([], ""), (True, ""),
    # a missing or unknown kind is reported first
    ({}, "/kind"), ({"kind": "wheel"}, "/kind"), ({"kind": "Date"}, "/kind"),
    ({"kind": 5}, "/kind"),
    ({"kind": None}, "/kind"), ({"colour": 1}, "/kind"), ({"kind": "wheel", "colour": 1}, "/kind"),
    ({"days": 0, "kind": ""}, "/kind"),
    # then unknown fields, outer before inner
    (date(colour=1), "/colour"), (slot(stepMinutes=7, colour=1), "/colour"),
    (months(blocked=[{"weekday": [1]}], colour=1), "/colour"),
    (months(firstWeekday=9, blocked=[{"weekday": [1]}]), "/blocked/0/weekday"),
    ({"kind": "calendar", "months": {"form": "2018-01", "through": "2018-12"}}, "/months/form"),
    (tree({"txt": "a"}), "/nodes/0/txt"), (tree(A, {"text": "", "tex": 1}), "/nodes/1/tex"),
    (tree({"text": "", "children": [{"text": "x", "id": 1}]}), "/nodes/0/children/0/id"),
    (lists([{"text": "a", "children": []}]), "/columns/0/0/children"),
    (date(**{"a/b~c": 1}), "/a~1b~0c"), (date(**{"": 1}), "/"), (date(**{"日": 1}), "/日"),
    # an option of another kind is an unknown field
    (date(days=3), "/days"), (date(onParentChange="keep"), "/onParentChange"),
    (slot(min="today"), "/min"), (lists(["a"], onParentChange="first"), "/onParentChange"),
    (tree(A, columns=[["a"]]), "/columns"), (months(onParentChange="keep"), "/onParentChange"),
    (months(initial="today"), "/initial"), (lists(["a"], nodes=[A]), "/nodes"),
    # then the first problem in document order
    (slot(days=0, stepMinutes=7), "/days"), (slot(stepMinutes=7, days=0), "/stepMinutes"),
    (slot(timeZone="Mars/Base", days=0), "/timeZone"),
    (slot(days=0, timeZone="Mars/Base"), "/days"),
    # every kind
    (date(timeZone="Mars/Base"), "/timeZone"), (date(timeZone=""), "/timeZone"),
    (date(timeZone=8), "/timeZone"), (date(timeZone="../../etc/passwd"), "/timeZone"),
    (date(timeZone="/etc/localtime"), "/timeZone"), (date(timeZone="Asia"), "/timeZone"),
    (date(timeZone="Asia/Shanghai\u0000"), "/timeZone"), (date(timeZone=None), "/timeZone"),
    (date(locale=5), "/locale"), (date(locale=None), "/locale"),
    # date
    (date(min="2018-02-30"), "/min"), (date(min="2018-2-3"), "/min"), (date(min=20180203), "/min"),
    (date(min="tomorrow"), "/min"), (date(min="today-"), "/min"), (date(min="today-P"), "/min"),
    (date(min="today+PT5H"), "/min"), (date(min="today+P1D2M"), "/min"), (date(min=""), "/min"),
    (date(min="today P1D"), "/min"), (date(min="Today"), "/min"), (date(min="today-P1"), "/min"),
    (date(max="today+P1.5D"), "/max"), (date(max="2018-02-29"), "/max"),
    (date(max="today+P9999Y"), "/max"), (date(min="today-P9999Y"), "/min"),
    (date(initial="today-P99999Y"), "/initial"), (date(initial="never"), "/initial"),
    (date(max="today+P99999999999999999999Y"), "/max"), (date(min="0000-01-01"), "/min"),
    (date(min="2019-01-01"), "/min"), (date(max="1949-12-31"), "/max"),
    (date(max="2018-01-01", min="2018-01-02"), "/min"), (date(min="today+P1D"), "/min"),
    # slot
    (slot(leadMinutes=-1), "/leadMinutes"), (slot(leadMinutes=525_601), "/leadMinutes"),
    (slot(leadMinutes=1.5), "/leadMinutes"), (slot(leadMinutes="20"), "/leadMinutes"),
    (slot(leadMinutes=10**30), "/leadMinutes"), (slot(leadMinutes=None), "/leadMinutes"),
    *((slot(stepMinutes=step), "/stepMinutes")
      for step in (0, -10, 7, 8, 25, 40, 61, 120, "10", 10.5)),
    (slot(days=0), "/days"), (slot(days=-1), "/days"), (slot(days=367), "/days"),
    (slot(days="3"), "/days"), (slot(onParentChange="maybe"), "/onParentChange"),
    (slot(onParentChange=True), "/onParentChange"),
    # cascade
    ({"kind": "cascade"}, "/nodes"), (tree(), "/nodes"),
    ({"kind": "cascade", "nodes": {}}, "/nodes"),
    ({"kind": "cascade", "nodes": "a"}, "/nodes"), (tree("a"), "/nodes/0"),
    (tree(A, 5), "/nodes/1"),
    (tree({}), "/nodes/0/text"), (tree({"key": "a"}), "/nodes/0/text"),
    (tree({"text": ""}), "/nodes/0/text"), (tree({"text": 5}), "/nodes/0/text"),
    (tree({"text": "x" * 201}), "/nodes/0/text"), (tree({"text": "日" * 201}), "/nodes/0/text"),
    (tree({"text": "a", "key": ""}), "/nodes/0/key"),
    (tree({"text": "a", "key": 7}), "/nodes/0/key"),
    (tree({"text": "a", "key": "x" * 201}), "/nodes/0/key"),
    (tree(A, A), "/nodes/1"), (tree(A, B, A), "/nodes/2"),
    (tree(A, {"text": "b", "key": "a"}), "/nodes/1"),
    (tree({"text": "b", "key": "a"}, A), "/nodes/1"),
    (tree(A, {"text": "b", "children": [A, B, B]}), "/nodes/1/children/2"),
    (tree({"text": "a", "children": "b"}), "/nodes/0/children"),
    (tree({"text": "a", "children": [A, {"text": ""}]}), "/nodes/0/children/1/text"),
    ({"kind": "cascade", "nodes": [nested_text(64, "x" * 70_000)]},
     "/nodes/0" + "/children/0" * 32),
    ("x" * 70_000, ""),
    # from 64 levels on, the body exceeds the depth that the parser reads
    *((deep(levels), "/nodes/0" + "/children/0" * 32) for levels in (33, 34, 63, 64, 65, 200)),
    (tree(A, onParentChange="last"), "/onParentChange"),
    # columns
    ({"kind": "columns"}, "/columns"), (lists(), "/columns"), (lists([]), "/columns/0"),
    (lists(["a"], []), "/columns/1"), ({"kind": "columns", "columns": {}}, "/columns"),
    (lists("a"), "/columns/0"), (lists(["a"], 5), "/columns/1"), (lists([5]), "/columns/0/0"),
    (lists(["a", ""]), "/columns/0/1"), (lists(["a", "x" * 201]), "/columns/0/1"),
    (lists(["a", "x" * 70_000]), "/columns/0/1"), (date(min=[[0]]), "/min"),
    (date(min=nested(500)), "/min"),
    (lists([{"key": "a"}]), "/columns/0/0/text"), (lists([{"text": ""}]), "/columns/0/0/text"),
    (lists([{"text": "a", "key": ""}]), "/columns/0/0/key"), (lists(["a", "a"]), "/columns/0/1"),
    (lists(["a"], ["b", "c", {"text": "d", "key": "b"}]), "/columns/1/2"),
    # calendar
    (months(firstWeekday=0), "/firstWeekday"), (months(firstWeekday=8), "/firstWeekday"),
    (months(firstWeekday="1"), "/firstWeekday"), (months(weeks="seven"), "/weeks"),
    (months(weeks=6), "/weeks"), (months(selection="multiple"), "/selection"),
    (months(minDays=0), "/minDays"), (months(minDays=-1), "/minDays"),
    (months(minDays="1"), "/minDays"),
    (months(maxDays=0), "/maxDays"), (months(maxDays=2.5), "/maxDays"),
    (months(minDays=5, maxDays=4), "/minDays"), (months(min="2018-13-01"), "/min"),
    (months(max="someday"), "/max"), (months(min="2018-06-02", max="2018-06-01"), "/min"),
    (months(max="2017-12-31"), "/max"), (months(min="2019-01-01"), "/min"),
    (months(allowBlockedInside="yes"), "/allowBlockedInside"),
    (months(allowBlockedInside=1), "/allowBlockedInside"),
    ({"kind": "calendar", "months": 5}, "/months"), ({"kind": "calendar", "months": []}, "/months"),
    ({"kind": "calendar", "months": {"from": "2018-13", "through": "2018-12"}}, "/months/from"),
    ({"kind": "calendar", "months": {"from": "2018-1", "through": "2018-12"}}, "/months/from"),
    ({"kind": "calendar", "months": {"from": "today", "through": "thisMonth"}}, "/months/from"),
    ({"kind": "calendar", "months": {"from": "thisMonth-P1D", "through": "thisMonth"}},
     "/months/from"),
    ({"kind": "calendar", "months": {"from": "thisYear-P3M", "through": "thisMonth"}},
     "/months/from"),
    ({"kind": "calendar", "months": {"from": "2018-01", "through": "never"}}, "/months/through"),
    ({"kind": "calendar", "months": {"from": "2018-01", "through": 5}}, "/months/through"),
    ({"kind": "calendar", "months": {"from": "0001-01", "through": "0001-12"}}, "/months/from"),
    ({"kind": "calendar", "months": {"from": "9999-01", "through": "9999-12"}}, "/months/through"),
    ({"kind": "calendar", "months": {"from": "thisMonth", "through": "thisMonth+P8000Y"}},
     "/months/through"),
    (months(blocked={}), "/blocked"), (months(blocked=["Sunday"]), "/blocked/0"),
    (months(blocked=[{"weekdays": 1}]), "/blocked/0/weekdays"),
    (months(blocked=[{"weekdays": [0]}]), "/blocked/0/weekdays/0"),
    (months(blocked=[{"weekdays": [1, 8]}]), "/blocked/0/weekdays/1"),
    (months(blocked=[{"weekdays": [1]}, {"weekdays": ["1"]}]), "/blocked/1/weekdays/0"),
    (months(blocked=[{"from": "today"}]), "/blocked/0/from"),
    (months(blocked=[{"from": "2018-02-30"}]), "/blocked/0/from"),
    (months(blocked=[{"from": "2018-06-02", "through": "2018-06-01"}]), "/blocked/0/through"),
    (months(blocked=[{"from": "2018-06-02", "through": "today"}]), "/blocked/0/through"),
    (months(blocked=[{"through": "2018-06-01"}]), "/blocked/0/from"),
]

#: Exceeded counts: the contract only requires a pointer to the list or to something in it.
TOO_MANY = [
    (lists(*[["a"]] * 33), "/columns"), (lists([f"{n}" for n in range(20_001)]), "/columns"),
    (lists(*[[f"{n}" for n in range(10_001)]] * 2), "/columns"),
    (tree(*({"text": f"{n}"} for n in range(20_001))), "/nodes"),
    (tree(*({"text": f"{n}", "children": [{"text": f"{m}"} for m in range(200)]}
            for n in range(100))), "/nodes"),
    (months(blocked=[{"from": "2018-06-01"}] * 1001), "/blocked"),
    ({"kind": "calendar", "months": {"from": "2018-02", "through": "2018-01"}}, "/months"),
    ({"kind": "calendar", "months": {"from": "1001-01", "through": "2001-01"}}, "/months"),
]

GOOD = [
    date(), date(min="2018-11-23"), date(min="2018-11-23", max="2018-11-23"),
    date(initial="1900-01-01"), date(initial="today+P1Y"), date(max="today+P1Y2M3W4D"),
    date(min="0001-01-01", max="9999-12-31"), date(max="today-P18Y"), date(min="today-P0D"),
    date(timeZone="America/Argentina/Buenos_Aires"), date(timeZone="Etc/GMT+12"), date(locale="xx"),
    *(slot(stepMinutes=n) for n in (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60)),
    slot(leadMinutes=0), slot(leadMinutes=525_600), slot(days=1), slot(days=366),
    slot(onParentChange="keep"), tree(A), deep(32), tree({"text": "x" * 200, "key": "日" * 200}),
    tree(A, {"text": "a", "key": "b"}), tree({"text": "a", "children": [A]}, B),
    tree(*({"text": f"{n}"} for n in range(20_000))), tree({"text": "a/b~c"}),
    lists(["a"], ["a"]), lists(*[["a"]] * 32),
    lists([{"text": "a", "key": "1"}, {"text": "a", "key": "2"}]),
    lists([f"{n}" for n in range(20_000)]), lists([{"text": "a"}, "b"]),
    {"kind": "calendar"}, months(minDays=3, maxDays=3), months(selection="single"),
    months(min="2018-06-01", max="2018-06-01"), months(firstWeekday=7, weeks="fit"),
    months(blocked=[{"weekdays": [1, 2, 3, 4, 5, 6, 7]}]), months(blocked=[]),
    months(blocked=[{"from": "2018-06-01"}] * 1000), months(allowBlockedInside=True),
    {"kind": "calendar", "months": {"from": "0001-02", "through": "0001-12"}},
    {"kind": "calendar", "months": {"from": "9999-01", "through": "9999-11"}},
    {"kind": "calendar", "months": {"from": "1001-01", "through": "2000-12"}},
    {"kind": "calendar", "months": {"from": "thisMonth-P1Y2M", "through": "thisYear+P2Y"}},
    {"kind": "calendar", "months": {"from": "thisMonth", "through": "thisMonth"}},
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


@pytest.mark.parametrize("definition, pointer", TOO_MANY, ids=short)
def test_exceeded_counts_are_rejected_with_a_pointer(server, definition, pointer):
    server.clock("2018-11-23T10:00:00Z")

    answer = server.check(definition)

    assert (answer.status, answer.code) == (422, "badDefinition"), answer.body[:300]
    assert answer.json["pointer"].startswith(pointer), answer.body[:300]


@pytest.mark.parametrize("definition", GOOD, ids=short)
def test_definitions_at_their_limits_are_accepted(server, definition):
    server.clock("2018-11-23T10:00:00Z")

    answer = server.check(definition)

    assert answer.status == 200, answer.body[:300]


@pytest.mark.parametrize("definition, pointer", BAD[::7], ids=short)
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


@pytest.mark.parametrize("definition, result", [
    (date(max="today-P18Y", initial="today"), "2000-11-23"),
    (date(initial="today-P1Y2M3W4D"), "2017-08-29"), (date(initial="1900-01-01"), "1950-01-01"),
    (date(initial="today+P1Y"), "2018-11-23"), (date(initial="2018-11-22"), "2018-11-22")])
def test_the_initial_date_is_clamped_to_min_and_max(server, definition, result):
    server.clock("2018-11-23T10:00:00Z")

    assert server.check(definition).json["snapshot"]["result"] == {"date": result}


@pytest.mark.parametrize("now, expression, result", [
    ("2020-03-31T00:00:00Z", "today-P1M", "2020-02-29"),
    ("2019-03-31T00:00:00Z", "today-P1M", "2019-02-28"),
    ("2020-02-29T00:00:00Z", "today-P1Y", "2019-02-28"),
    ("2020-02-29T00:00:00Z", "today-P4Y", "2016-02-29"),
    ("2020-03-31T00:00:00Z", "today-P1M1D", "2020-02-28"),
    ("2020-03-31T00:00:00Z", "today-P1W", "2020-03-24"),
    ("2020-01-01T00:00:00Z", "today-P1D", "2019-12-31")])
def test_month_steps_clamp_the_day_before_weeks_and_days_are_added(
        server, now, expression, result):
    server.clock(now)

    assert server.check(date(initial=expression)).json["snapshot"]["result"] == {"date": result}


@pytest.mark.parametrize("months_, first, last", [
    ({"from": "thisYear-P3Y", "through": "thisMonth"}, "2015-01", "2018-11"),
    ({"from": "thisYear", "through": "thisYear+P1Y"}, "2018-01", "2019-01"),
    ({"from": "thisMonth-P1Y2M", "through": "thisMonth+P14M"}, "2017-09", "2020-01"),
    ({"from": "2018-02", "through": "2018-02"}, "2018-02", "2018-02")])
def test_month_expressions_are_evaluated(server, months_, first, last):
    server.clock("2018-11-23T10:00:00Z")

    snapshot = server.check({"kind": "calendar", "months": months_}).json["snapshot"]

    assert snapshot["calendar"]["months"]["first"] == first
    assert snapshot["calendar"]["months"]["last"] == last
