"""Reconnecting: which joins resume a member, and when an offline member leaves."""

import pytest

from harness.definitions import LISTS


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
