"""Joining: identity, the first messages, and joins that close the connection."""

import pytest

from harness.definitions import CALENDAR, DATE, LISTS, SLOT

LIMITS = {
    "messageBytes": 65536, "months": 24, "rows": 500, "windowRows": 200, "joinMilliseconds": 10000,
    "memberMilliseconds": 120000, "refs": 256, "undo": 100, "history": 1000, "members": 1000,
    "messagesPerSecond": 50, "runs": 400}


def test_secrets_are_sent_only_to_their_member(server):
    session = server.session(DATE)
    ana, bo = session.together("Ana", "Bo")

    for actual in (*bo.record, session.get()):
        assert ana.welcome["member"]["secret"] not in str(actual)


@pytest.mark.parametrize("name", ["x" * 64, "日" * 64, "Ada Lovelace", "😀", "\u0000\u001b[31m\n"])
def test_a_name_may_be_any_text_of_up_to_64_characters(server, name):
    session = server.session(DATE)

    ana = session.join(name)

    assert ana.welcome["member"]["name"] == name
    assert session.get()["members"][0]["name"] == name


def test_welcome_has_the_default_limits_of_the_contract(plain):
    session = plain.session(DATE, now=None)

    assert session.join("Ana").welcome["limits"] == LIMITS


def test_welcome_has_the_configured_limits(small):
    session = small.session(DATE)

    actual = session.join("Ana").welcome["limits"]

    assert actual == {**LIMITS, "messagesPerSecond": 100_000, "members": 3, "history": 20,
                    "refs": 8, "undo": 5, "months": 3, "rows": 10, "joinMilliseconds": 60_000,
                    "memberMilliseconds": 90_000, "messageBytes": 2048}


def test_months_requested_in_a_join_follow_welcome(server):
    session = server.session(CALENDAR)
    ana = session.connect()

    ana.send({"type": "join", "months": {"from": "2018-10", "count": 3}})

    ana.expect("welcome")
    months = ana.expect("months")
    assert [view["month"] for view in months["months"]] == ["2018-10", "2018-11", "2018-12"]


def test_a_connection_that_does_not_join_in_time_is_closed_with_4508(start):
    session = start(limits={"joinMilliseconds": 1000}).session(LISTS)

    session.connect().closed(4508)


def test_the_join_of_a_resume_replaces_the_locale(server):
    session = server.session(SLOT)
    ana, bo = session.together("Ana", "Bo")
    ana.drop()
    bo.select(0, 1)

    again = session.back(ana, locale="zh-Hans")

    delta = again.expect("delta")
    day = next(c for c in delta["changes"] if c["change"] == "row" and c["column"] == 0)
    assert day["text"] == "11月24日 星期六"


def test_resuming_an_unknown_member_creates_a_new_one(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    stranger = session.connect()

    stranger.join(resume={**ana.resume(), "member": "m_nobody"})

    assert stranger.welcome["resumed"] is False
    assert stranger.id not in (ana.id, "m_nobody")
    assert len(session.get()["members"]) == 2
