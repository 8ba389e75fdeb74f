"""Protocol errors close one connection and do not affect the other members.

DecodeTests has the forms of every message, and the tests of RFC 6455 those of frames.
"""

import json

import pytest

from harness.definitions import CALENDAR, LISTS

MALFORMED = {
    "nothing": "", "no JSON": "hello", "an array": '[{"type":"touch"}]', "no type": '{"ref":1}',
    "nesting of 10,000": '{"type":"touch","x":' + "[" * 10_000 + "]" * 10_000 + "}",
    "unclosed nesting": "[" * 60_000,
    "no ref": '{"type":"select","column":0,"row":1,"generation":1}',
    "a row that is no integer": '{"type":"select","ref":1,"column":0,"row":1.0,"generation":1}',
    "a 30th of February": '{"type":"tap","ref":1,"date":"2018-02-30"}',
    "months of five digits": '{"type":"months","from":"02018-11","count":1}',
}


def closes_ana_alone(session, message, code=4400):
    """Ana sends `message` and is closed; Bo sees her offline, and the session works on."""
    ana, bo = session.together("Ana", "Bo")
    state = session.get()["snapshot"]

    ana.web.send(message)

    ana.closed(code)
    bo.until(lambda m: not m.screen.members[ana.id]["online"], what="Ana is offline")
    bo.receives_nothing()
    assert session.get()["snapshot"] == state
    assert [m["type"] for m in bo.record if m["type"] not in ("welcome", "presence")] == ["refused"]


@pytest.mark.parametrize("text", MALFORMED.values(), ids=MALFORMED)
def test_malformed_messages_close_with_4400(server, text):
    closes_ana_alone(server.session(LISTS), text)


def test_a_binary_message_closes_with_1003(server):
    closes_ana_alone(server.session(LISTS), b'{"type":"touch"}', 1003)


@pytest.mark.parametrize("fields", [
    {"name": 5}, {"months": {"from": "2018-13", "count": 3}}, {"resume": "me"},
    {"resume": {"member": "m_x", "epoch": "x", "revision": 0}}], ids=json.dumps)
def test_an_ill_typed_join_closes_with_4400(server, fields):
    session = server.session(CALENDAR)
    ana = session.connect()

    ana.send({"type": "join", **fields})

    ana.closed(4400)
    assert session.get()["members"] == []


@pytest.mark.parametrize("kind", ["dance", "", "welcome", "x" * 5000])
def test_an_unknown_type_is_refused_with_a_ref_and_ignored_without(server, kind):
    session = server.session(LISTS)
    ana = session.join("Ana")

    ana.send({"type": kind, "about": {"anything": [1, 2]}})
    refused = ana.do(kind, about="anything")

    assert (refused["type"], refused["code"]) == ("refused", "unknownType")
    assert (refused["revision"], refused["changes"]) == (0, [])
    ana.receives_nothing()


def test_an_integer_of_any_length_is_well_typed(server):
    ana = server.session(LISTS).join("Ana")

    for huge in (2**53, 2**64, -10**400):
        assert ana.do("select", column=huge, row=0, generation=1)["code"] == "noSuchColumn"
        assert ana.do("select", column=0, row=huge, generation=1)["code"] == "noSuchRow"
        assert ana.do("select", column=0, row=0, generation=huge)["code"] == "staleColumn"


def test_the_message_length_limit_is_configurable(small):
    session = small.session(LISTS)
    ana, bo = session.join("Ana"), session.join("Bo")
    text = '{"type":"touch","x":"%s"}'

    ana.send_text(text % ("x" * (2048 - len(text) + 2)))
    ana.receives_nothing()

    bo.send_text(text % ("x" * (2049 - len(text) + 2)))
    bo.closed(1009)
