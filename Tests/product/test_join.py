"""Joining: identity, the first messages, and joins that close the connection."""

import time

import pytest

from harness.definitions import CALENDAR, DATE, SLOT, TREE
from harness.pickerd import wait_until

LIMITS = {
    "messageBytes": 65536, "months": 24, "rows": 500, "windowRows": 200, "joinMilliseconds": 10000,
    "memberMilliseconds": 120000, "refs": 256, "undo": 100, "history": 1000, "members": 1000,
    "messagesPerSecond": 50, "runs": 400}


def test_welcome_has_the_member_the_session_and_the_snapshot(server):
    session = server.session(SLOT)

    ana = session.join("Ana")

    welcome = ana.welcome
    assert welcome["member"]["name"] == "Ana"
    assert welcome["epoch"] == session.epoch
    assert (welcome["revision"], welcome["resumed"]) == (0, False)
    assert welcome["snapshot"] == session.get()["snapshot"]
    assert welcome["members"] == session.get()["members"]
    assert welcome["now"] == "2018-11-23T02:00:00.000Z"


def test_welcome_lists_all_members(server):
    session = server.session(DATE)

    ana, bo, cem = (session.join(name) for name in ("Ana", "Bo", "Cem"))

    actual = [(m["id"], m["name"], m["role"], m["online"]) for m in cem.welcome["members"]]
    assert sorted(actual) == sorted([
        (ana.id, "Ana", "owner", True), (bo.id, "Bo", "editor", True),
        (cem.id, "Cem", "editor", True)])
    assert session.get()["members"] == cem.welcome["members"]


def test_the_first_member_is_the_owner_and_later_ones_are_editors(server):
    session = server.session(DATE)

    roles = [session.join(name).role for name in ("Ana", "Bo", "Cem")]

    assert roles == ["owner", "editor", "editor"]


def test_every_member_has_its_own_id_and_secret(server):
    session = server.session(DATE)

    members = [session.join(name) for name in ("Ana", "Bo", "Cem")]

    assert len({m.id for m in members}) == 3
    secrets = {m.welcome["member"]["secret"] for m in members}
    assert len(secrets) == 3
    assert all(len(secret) >= 16 for secret in secrets), "a secret cannot be guessed"


def test_secrets_are_sent_only_to_their_member(server):
    session = server.session(DATE)
    ana, bo = session.together("Ana", "Bo")

    for actual in (*bo.record, session.get()):
        assert ana.welcome["member"]["secret"] not in str(actual)


def test_a_member_without_a_name_is_called_guest(server):
    session = server.session(DATE)

    assert session.join().welcome["member"]["name"] == "guest"


@pytest.mark.parametrize("name", ["x" * 64, "日" * 64, "Ada Lovelace", "😀", "\u0000\u001b[31m\n"])
def test_a_name_may_be_any_text_of_up_to_64_characters(server, name):
    session = server.session(DATE)

    ana = session.join(name)

    assert ana.welcome["member"]["name"] == name
    assert session.get()["members"][0]["name"] == name


def test_a_longer_name_is_truncated_or_refused(server):
    """"`name` ≤ 64 characters": the contract allows truncation and refusal."""
    session = server.session(DATE)
    ana = session.connect()

    ana.send({"type": "join", "name": "x" * 65})

    actual = ana.receive()
    if actual["type"] == "welcome":
        assert len(actual["member"]["name"]) <= 64
    else:
        ana.closed(4400)


def test_unknown_fields_in_a_join_are_ignored(server):
    """"ignored in messages (an older server must not break a newer client)"."""
    session = server.session(DATE)
    ana = session.connect()

    ana.join(colour="red", avatar={"deep": [1, [2, {"x": None}]]}, protocol=2)

    assert ana.welcome["revision"] == 0


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


def test_a_join_without_months_subscribes_to_no_month(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")

    delta = ana.tap("2018-11-20")

    assert [change["change"] for change in delta["changes"]] == ["range"]
    ana.receives_nothing()


def test_a_snapshot_has_columns_or_a_calendar(server):
    wheels = server.session(TREE).join("Ana").welcome["snapshot"]
    months = server.session(CALENDAR).join("Ana").welcome["snapshot"]

    assert "calendar" not in wheels and "columns" not in months
    assert [column["generation"] for column in wheels["columns"]] == [1, 1, 1]
    assert months["calendar"] == {
        "months": {"first": "2018-01", "last": "2019-12", "count": 24}, "range": None,
        "weekdays": ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]}


def test_a_second_join_closes_with_4400(server):
    session = server.session(DATE)
    ana, bo = session.together("Ana", "Bo")

    ana.send({"type": "join", "name": "Ana"})

    ana.closed(4400)
    bo.receives_nothing()


@pytest.mark.parametrize("message", [
    {"type": "select", "ref": 1, "column": 0, "row": 0, "generation": 1},
    {"type": "touch"}, {"type": "leave"}, {"type": "dance"}, {"type": "dance", "ref": 1},
    {"type": "undo", "ref": 1}, {"type": "rows", "column": 0, "from": 0, "count": 1},
    {"type": "tap", "ref": 1, "date": "2018-11-23"}, {"type": "welcome"}],
    ids=lambda m: m["type"] + (" with ref" if "ref" in m else ""))
def test_any_message_before_join_closes_with_4400(server, message):
    session = server.session(DATE)
    ana = session.connect()

    ana.send(message)

    ana.closed(4400)
    assert session.get()["members"] == []


def test_a_connection_that_does_not_join_in_time_is_closed_with_4508(start):
    session = start(limits={"joinMilliseconds": 500}).session(DATE)
    for attempt in range(5):
        begun = time.monotonic()
        # A cookie, which browsers send for any page, is no join.
        ana = session.connect(headers={"Cookie": "token=x; Authorization=x; session=x"})

        ana.closed(4508)

        seconds = time.monotonic() - begun
        assert seconds >= 0.4
        assert session.get()["members"] == []
        if seconds < 9:  # The default limit is 10 s; this process may have been stopped.
            return
    raise AssertionError("the limit is not honoured")


def test_a_connection_that_joins_in_time_stays_open(start):
    session = start(limits={"joinMilliseconds": 500}).session(DATE)
    ana, bo = joined_in_time(session, "Ana"), joined_in_time(session, "Bo")

    session.connect().closed(4508)

    ana.receives_nothing()
    bo.receives_nothing()


def joined_in_time(session, name):
    """A member; again, if this process has been stopped between connecting and joining."""
    for attempt in range(9):
        try:
            return session.join(name)
        except AssertionError:
            pass
    return session.join(name)


def test_leave_removes_the_member_immediately(server):
    session = server.session(DATE)
    ana, bo = session.together("Ana", "Bo")

    bo.leave()

    ana.until(lambda m: bo.id not in m.screen.members, what="left")
    bo.closed((1000, 1005))
    assert [m["id"] for m in session.get()["members"]] == [ana.id]


def test_a_member_that_left_resumes_as_the_same_member(server):
    session = server.session(DATE)
    ana, bo = session.together("Ana", "Bo")
    bo.leave()
    bo.closed((1000, 1005))

    again = session.back(bo)

    assert (again.id, again.welcome["member"]["role"]) == (bo.id, "editor")
    assert [m["id"] for m in session.get()["members"]] == [ana.id, bo.id]


def test_a_join_over_the_member_limit_is_closed_with_4503(small):
    session = small.session(DATE)
    ana, bo, cem = session.together("Ana", "Bo", "Cem")

    fourth = session.connect()
    fourth.send({"type": "join"})

    fourth.closed(4503)
    for member in (ana, bo, cem):
        member.receives_nothing()
    assert len(session.get()["members"]) == 3


def test_offline_members_count_towards_the_limit_until_they_leave(small):
    """"A member over `members` (offline ones count) is closed with 4503"."""
    session = small.session(DATE)
    ana, bo, cem = session.together("Ana", "Bo", "Cem")
    cem.drop()
    ana.until(lambda m: not m.screen.members[cem.id]["online"], what="offline")

    fourth = session.connect()
    fourth.send({"type": "join"})
    fourth.closed(4503)
    assert len(session.get()["members"]) == 3


def test_a_member_that_has_left_makes_room(start):
    session = start(limits={"members": 3, "memberMilliseconds": 1000}).session(DATE)
    ana, bo, cem = session.together("Ana", "Bo", "Cem")
    cem.drop()

    wait_until(lambda: len(session.get()["members"]) == 2, what="Cem's leaving")
    assert session.join("Dee").role == "editor"


def test_a_member_can_resume_in_a_full_session(small):
    session = small.session(DATE)
    ana, bo, cem = session.together("Ana", "Bo", "Cem")
    cem.drop()

    again = session.back(cem)

    assert again.id == cem.id
