"""Reconnecting: which joins resume a member, and when an offline member leaves."""

import pytest

from harness.definitions import LISTS
from harness.pickerd import wait_until


def test_resuming_an_unknown_member_creates_a_new_one(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    stranger = session.connect()

    stranger.join(resume={**ana.resume(), "member": "m_nobody"})

    assert stranger.welcome["resumed"] is False
    assert stranger.id not in (ana.id, "m_nobody")
    assert len(session.get()["members"]) == 2


@pytest.mark.parametrize("secret", ["", "wrong", "x" * 500])
def test_resuming_with_a_wrong_secret_closes_with_4301(server, secret):
    session = server.session(LISTS)
    ana = session.join("Ana")
    thief = session.connect()

    thief.send({"type": "join", "resume": {**ana.resume(), "secret": secret}})

    thief.closed(4301)
    ana.receives_nothing()
    assert len(session.get()["members"]) == 1


def test_resuming_with_another_members_secret_closes_with_4301(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    thief = session.connect()

    stolen = {**ana.resume(), "secret": bo.welcome["member"]["secret"]}
    thief.send({"type": "join", "resume": stolen})

    thief.closed(4301)


def test_a_member_of_another_session_cannot_be_resumed(server):
    here, there = server.session(LISTS), server.session(LISTS)
    ana = there.join("Ana")
    stranger = here.connect()

    stranger.join(resume=ana.resume())

    assert stranger.id != ana.id


def test_a_second_connection_of_a_member_closes_the_first_with_4409(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    again = session.back(ana)

    ana.closed(4409)
    assert again.select(0, 1)["type"] == "delta"
    bo.reach(1)
    assert bo.screen.members[ana.id]["online"] is True
    assert len(session.get()["members"]) == 2


def test_a_disconnected_member_is_offline_until_it_resumes(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    ana.drop()
    bo.until(lambda m: not m.screen.members[ana.id]["online"], what="offline")
    assert not next(m for m in session.get()["members"] if m["id"] == ana.id)["online"]

    session.back(ana)
    bo.until(lambda m: m.screen.members[ana.id]["online"], what="online")


def test_a_normal_close_makes_the_member_offline_too(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    ana.web.close()
    bo.until(lambda m: not m.screen.members[ana.id]["online"], what="offline")
    ana.is_dropped = True

    assert session.back(ana).id == ana.id


def test_an_offline_member_leaves_after_the_timeout(forgetful):
    session = forgetful.session(LISTS)
    ana, bo = session.join("Ana"), session.join("Bo")
    bo.until(lambda m: ana.id in m.screen.members)
    ana.drop()

    bo.until(lambda m: not m.screen.members.get(ana.id, {}).get("online"), what="offline")
    bo.until(lambda m: ana.id not in m.screen.members, what="left")

    again = session.back(ana)
    assert again.id == ana.id
    assert again.welcome["resumed"] is True
    bo.until(lambda m: ana.id in m.screen.members, what="joined again")
    assert [m["joined"][0]["id"] for m in bo.record if m.get("joined")][-1] == ana.id


def test_a_member_that_left_resumes_with_its_identity_role_and_refs(small):
    session = small.session(LISTS)
    ana, bo = session.join("Ana", locale="en"), session.join("Bo")
    ana.select(0, 1, ref=40)
    refused = ana.select(0, 99, ref=41)
    ana.leave()
    bo.until(lambda m: m.role == "owner", what="Bo's ownership")

    again = session.back(ana)

    before = {k: ana.welcome["member"][k] for k in ("id", "name", "role", "color")}
    assert {k: again.welcome["member"][k] for k in before} == before
    assert again.welcome["ref"] == 41
    assert again.select(0, 1, ref=40) == {"type": "reply", "ref": 40, "revision": 1}
    assert again.select(0, 99, ref=41)["code"] == refused["code"]
    bo.until(lambda m: ana.id in m.screen.members)
    roles = [(m["name"], m["role"]) for m in session.get()["members"]]
    assert roles == [("Bo", "owner"), ("Ana", "owner")], "its seniority starts at its return"
    assert again.confirm()["type"] == bo.reopen()["type"] == "delta"


def test_the_first_member_to_return_to_an_empty_session_owns_it(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    bo.leave()
    ana.until(lambda m: bo.id not in m.screen.members)
    ana.leave()
    wait_until(lambda: not session.get()["members"], what="an empty session")

    back = session.back(bo)
    cem = session.join("Cem")
    again = session.back(ana)

    assert (back.role, cem.role, again.role) == ("owner", "editor", "owner")
    again.leave()
    back.until(lambda m: ana.id not in m.screen.members)
    back.leave()
    cem.until(lambda m: m.role == "owner", what="the last owner's leaving")


def test_a_wrong_secret_of_a_member_that_left_closes_with_4301(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.leave()
    bo.until(lambda m: ana.id not in m.screen.members)
    thief = session.connect()

    thief.send({"type": "join", "resume": {**ana.resume(), "secret": "wrong"}})

    thief.closed(4301)


def test_a_member_that_resumes_before_the_timeout_does_not_leave(server):
    session = server.session(LISTS)
    ana, bo = session.join("Ana"), session.join("Bo")
    ana.drop()
    wait_until(lambda: not session.get()["members"][0]["online"], what="offline")

    again = session.back(ana)

    assert again.id == ana.id
    assert not [m for m in bo.record if m.get("left")]


def test_the_member_timeout_uses_the_system_clock(server):
    """"join, member and ping timeouts are the machine's"."""
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.drop()
    bo.until(lambda m: not m.screen.members[ana.id]["online"], what="offline")

    server.clock("2019-11-23T10:00:00+08:00")

    assert ana.id in {m["id"] for m in session.get()["members"]}
    assert session.back(ana).id == ana.id
