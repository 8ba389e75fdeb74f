"""Protocol errors close one connection (4400) and do not affect the other members."""

import json

import pytest

from harness.definitions import CALENDAR, LISTS

SELECT = {"type": "select", "ref": 1, "column": 0, "row": 1, "generation": 1}
TAP = {"type": "tap", "ref": 1, "date": "2018-11-20"}
MONTHS = {"type": "months", "from": "2018-11", "count": 1}
ROWS = {"type": "rows", "column": 0, "from": 0, "count": 10}


def without(message, field):
    return {name: value for name, value in message.items() if name != field}


def changed(message, **fields):
    return {**message, **fields}


NOT_OURS = {
    "nothing": "", "spaces": "  ", "no JSON": "hello", "truncated JSON": '{"type":"touch"',
    "two values": '{"type":"touch"} {"type":"touch"}', "an array": '[{"type":"touch"}]',
    "a string": '"touch"', "a number": "7", "null": "null", "no type": '{"ref":1}',
    "an empty object": "{}", "a type that is a number": '{"type":5}',
    "a type that is null": '{"type":null}', "a type in an array": '{"type":["touch"]}',
    "a comment": '{"type":"touch"/*x*/}', "single quotes": "{'type':'touch'}",
    "a trailing comma": '{"type":"touch",}', "NaN": '{"type":"touch","x":NaN}',
    "a bare control character": '{"type":"touch","x":"\n"}', "a bad escape": '{"type":"\\x74"}',
    "a leading zero": '{"type":"touch","x":01}', "a byte order mark": '\ufeff{"type":"touch"}',
    "a lone high surrogate": '{"type":"touch","x":"\\ud800"}',
    "a lone low surrogate": '{"type":"touch","x":"\\udc00 "}',
    "swapped surrogates": '{"type":"touch","x":"\\udc00\\ud800"}',
    "a lone surrogate as a key": '{"type":"touch","\\ud800":1}',
    "nesting of 65": '{"type":"touch","x":' + "[" * 64 + "]" * 64 + "}",
    "nesting of 10,000": '{"type":"touch","x":' + "[" * 10_000 + "]" * 10_000 + "}",
    "unclosed nesting": "[" * 60_000, "a key twice": '{"type":"touch","type":"touch"}',
    "a field twice": '{"type":"touch","ref":1,"ref":2}',
}

ILL_TYPED = {
    "no ref": without(SELECT, "ref"), "ref is a string": changed(SELECT, ref="1"),
    "ref is a fraction": changed(SELECT, ref=1.5), "ref is null": changed(SELECT, ref=None),
    "ref is true": changed(SELECT, ref=True), "ref is an array": changed(SELECT, ref=[1]),
    "no column": without(SELECT, "column"), "column is a string": changed(SELECT, column="0"),
    "column is a fraction": changed(SELECT, column=0.5),
    "column is null": changed(SELECT, column=None),
    "no row": without(SELECT, "row"), "row is a string": changed(SELECT, row="1"),
    "row is a fraction": changed(SELECT, row=1.5), "row is true": changed(SELECT, row=True),
    "no generation": without(SELECT, "generation"),
    "generation is a string": changed(SELECT, generation="1"),
    "generation is null": changed(SELECT, generation=None),
    "key is a number, and is read": changed(SELECT, generation=99, key=5),
    "undo without ref": {"type": "undo"}, "redo without ref": {"type": "redo"},
    "clear without ref": {"type": "clear"}, "confirm without ref": {"type": "confirm"},
    "cancel without ref": {"type": "cancel"}, "reopen without ref": {"type": "reopen"},
    "undo with a ref that is a string": {"type": "undo", "ref": "one"},
    "rows without column": without(ROWS, "column"), "rows without from": without(ROWS, "from"),
    "rows without count": without(ROWS, "count"),
    "rows with a fractional count": changed(ROWS, count=0.5),
    "rows from a string": changed(ROWS, **{"from": "0"}),
    "a touched column that is a string": {"type": "touch", "column": "one", "row": 1},
    "a touched row that is a string": {"type": "touch", "column": 1, "row": "one"},
}

ILL_DATED = {
    "tap without ref": without(TAP, "ref"), "tap on nothing": without(TAP, "date"),
    "a date that is a number": changed(TAP, date=20181120),
    "a 30th of February": changed(TAP, date="2018-02-30"),
    "a 29th of February": changed(TAP, date="2018-02-29"),
    "a month 13": changed(TAP, date="2018-13-01"), "a day 0": changed(TAP, date="2018-11-00"),
    "a year 0": changed(TAP, date="0000-11-20"),
    "a date without zeros": changed(TAP, date="2018-1-2"),
    "a date with a time": changed(TAP, date="2018-11-20T00:00:00Z"),
    "a date with a space": changed(TAP, date=" 2018-11-20"),
    "a date with a sign": changed(TAP, date="+018-11-20"),
    "a year of five digits": changed(TAP, date="02018-11-20"),
    "a date in full-width digits": changed(TAP, date="２０１８-11-20"),
    "a date in Arabic digits": changed(TAP, date="٢٠١٨-١١-٢٠"),
    "a date with long dashes": changed(TAP, date="2018‐11‐20"),
    "an expression": changed(TAP, date="today"), "no date at all": changed(TAP, date=""),
    "a month without cell or point": {"type": "tap", "ref": 1, "month": "2018-11"},
    "a cell without month": {"type": "tap", "ref": 1, "cell": 10},
    "a cell that is a string": {"type": "tap", "ref": 1, "month": "2018-11", "cell": "10"},
    "a fractional cell": {"type": "tap", "ref": 1, "month": "2018-11", "cell": 10.5},
    "x without y": {"type": "tap", "ref": 1, "month": "2018-11", "x": 0.5},
    "y without x": {"type": "tap", "ref": 1, "month": "2018-11", "y": 0.5},
    "a point of strings": {"type": "tap", "ref": 1, "month": "2018-11", "x": "0.5", "y": 0.5},
    "an invalid month": {"type": "tap", "ref": 1, "month": "2018-00", "cell": 10},
    "a month that is a date": {"type": "tap", "ref": 1, "month": "2018-11-01", "cell": 10},
    "months without from": without(MONTHS, "from"),
    "months without count": without(MONTHS, "count"),
    "months from an invalid month": changed(MONTHS, **{"from": "2018-13"}),
    "months from a number": changed(MONTHS, **{"from": 201811}),
    "months without zeros": changed(MONTHS, **{"from": "2018-1"}),
    "a fractional count": changed(MONTHS, count=1.5),
    "a count that is a string": changed(MONTHS, count="1"),
    "an invalid touched date": {"type": "touch", "date": "2018-02-30"},
    "a touched date that is a number": {"type": "touch", "date": 5},
}

ILL_JOINED = {
    "name": {"name": 5}, "locale": {"locale": 5}, "token": {"token": 5}, "months": {"months": 5},
    "months without from": {"months": {"count": 3}},
    "months from an invalid month": {"months": {"from": "2018-13", "count": 3}},
    "a count of months that is a string": {"months": {"from": "2018-11", "count": "3"}},
    "resume": {"resume": "me"}, "resume of a number": {"resume": {
        "member": 5, "secret": "x", "epoch": "x", "revision": 0}},
    "resume from a fraction": {"resume": {
        "member": "m_x", "secret": "x", "epoch": "x", "revision": 0.5}},
    "resume without a secret": {"resume": {"member": "m_x", "epoch": "x", "revision": 0}},
}


def closes_ana_alone(session, text, code=4400):
    """Ana sends `text` and is closed; Bo sees her offline, and the session works on."""
    ana, bo = session.together("Ana", "Bo")
    state = session.get()["snapshot"]

    ana.send_text(text)

    error = ana.closed(code)
    bo.until(lambda m: not m.screen.members[ana.id]["online"], what="Ana is offline")
    bo.receives_nothing()
    assert session.get()["snapshot"] == state
    assert [m["type"] for m in bo.record if m["type"] not in ("welcome", "presence")] == ["refused"]
    return error


@pytest.mark.parametrize("text", NOT_OURS.values(), ids=NOT_OURS)
def test_malformed_messages_close_with_4400(server, text):
    error = closes_ana_alone(server.session(LISTS), text)

    assert error["detail"]


@pytest.mark.parametrize("text", NOT_OURS.values(), ids=NOT_OURS)
def test_malformed_joins_close_with_4400(server, text):
    ana = server.session(LISTS).connect()

    ana.send_text(text)

    ana.closed(4400)


@pytest.mark.parametrize("message", ILL_TYPED.values(), ids=ILL_TYPED)
def test_missing_and_ill_typed_fields_close_with_4400(server, message):
    closes_ana_alone(server.session(LISTS), json.dumps(message))


@pytest.mark.parametrize("message", ILL_DATED.values(), ids=ILL_DATED)
def test_invalid_dates_and_targets_close_with_4400(server, message):
    closes_ana_alone(server.session(CALENDAR), json.dumps(message, ensure_ascii=False))


@pytest.mark.parametrize("fields", ILL_JOINED.values(), ids=ILL_JOINED)
def test_an_ill_typed_join_closes_with_4400(server, fields):
    session = server.session(CALENDAR)
    ana = session.connect()

    ana.send({"type": "join", **fields})

    ana.closed(4400)
    assert session.get()["members"] == []


@pytest.mark.parametrize("number", ["1.0", "1e0", "10e-1", "-0.0"])
def test_integers_must_be_json_integers(server, number):
    session = server.session(LISTS)
    select = '{"type":"select","ref":1,"column":0,"row":%s,"generation":1}'

    closes_ana_alone(session, select % number)


def test_nesting_of_64_levels_is_accepted(server):
    ana = server.session(LISTS).join("Ana")

    ana.send_text('{"type":"touch","x":' + "[" * 63 + "]" * 63 + "}")

    ana.receives_nothing()


def test_a_surrogate_pair_is_one_character(server):
    ana = server.session(LISTS).connect()

    ana.send_text('{"type":"join","name":"\\ud83d\\ude00"}')

    assert ana.expect("welcome")["member"]["name"] == "😀"


def test_escapes_and_whitespace_are_accepted(server):
    ana = server.session(LISTS).join("Ana")

    ana.pending.append(1)
    ana.send_text(
        ' {\t"\\u0074ype" :\r\n"s\\u0065lect","ref":1 ,"column":0,"row":1,"generation":1} ')

    assert ana.answer(1)["type"] == "delta"


@pytest.mark.parametrize("kind", [
    "dance", "", "Select", "select ", "welcome", "delta", "token", "x" * 5000])
def test_an_unknown_type_is_refused_with_a_ref_and_ignored_without(server, kind):
    session = server.session(LISTS)
    ana = session.join("Ana")

    ana.send({"type": kind, "about": {"anything": [1, 2]}})
    refused = ana.do(kind, about="anything")

    assert (refused["type"], refused["code"]) == ("refused", "unknownType")
    assert (refused["revision"], refused["changes"]) == (0, [])
    ana.receives_nothing()


def test_unknown_fields_in_messages_are_ignored(server):
    session = server.session(LISTS)
    ana = session.join("Ana")

    delta = ana.select(0, 1, velocity=0.3, by="m_somebody", revision=77, type2="x")

    assert (delta["type"], delta["by"], delta["revision"]) == ("delta", ana.id, 1)


def test_negative_integers_are_well_typed_and_refer_to_nothing(server):
    wheels = server.session(LISTS).join("Ana")
    months = server.session(CALENDAR, now=None).join("Ana")

    assert wheels.do("select", column=-1, row=0, generation=1)["code"] == "noSuchColumn"
    assert wheels.do("select", column=0, row=-1, generation=1)["code"] == "noSuchRow"
    assert wheels.do("select", column=0, row=1, generation=-1)["code"] == "staleColumn"
    assert months.tap(month="2018-11", cell=-1)["code"] == "noSuchCell"


def test_an_integer_of_any_length_is_well_typed(server):
    ana = server.session(LISTS).join("Ana")

    for huge in (2**31, 2**53, 2**63 - 1, 2**63, 2**64, 10**400, -10**400):
        assert ana.do("select", column=huge, row=0, generation=1)["code"] == "noSuchColumn"
        assert ana.do("select", column=0, row=huge, generation=1)["code"] == "noSuchRow"
        assert ana.do("select", column=0, row=0, generation=huge)["code"] == "staleColumn"
