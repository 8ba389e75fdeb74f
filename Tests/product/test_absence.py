"""Who comes back: the same member or a new one, and how long one may stay away."""

import pytest

from harness.definitions import LISTS
from harness.pickerd import wait_until


def test_an_unknown_member_is_a_new_one(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    stranger = session.connect()

    stranger.join(resume={**ana.resume(), "member": "m_nobody"})

    assert stranger.welcome["resumed"] is False
    assert stranger.id not in (ana.id, "m_nobody")
    assert len(session.get()["members"]) == 2


@pytest.mark.parametrize("secret", ["", "wrong", "x" * 500])
def test_a_known_member_with_a_wrong_secret_is_closed_with_4301(server, secret):
    session = server.session(LISTS)
    ana = session.join("Ana")
    thief = session.connect()

    thief.send({"type": "join", "resume": {**ana.resume(), "secret": secret}})

    thief.closed(4301)
    ana.hears_nothing()
    assert len(session.get()["members"]) == 1


def test_anothers_secret_is_a_wrong_one(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    thief = session.connect()

    stolen = {**ana.resume(), "secret": bo.welcome["member"]["secret"]}
    thief.send({"type": "join", "resume": stolen})

    thief.closed(4301)


def test_a_member_of_another_session_is_unknown_here(server):
    here, there = server.session(LISTS), server.session(LISTS)
    ana = there.join("Ana")
    stranger = here.connect()

    stranger.join(resume=ana.resume())

    assert stranger.id != ana.id


def test_the_same_member_again_closes_the_older_connection_with_4409(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    again = session.back(ana)

    ana.closed(4409)
    assert again.select(0, 1)["type"] == "delta"
    bo.reach(1)
    assert bo.screen.members[ana.id]["online"] is True
    assert len(session.get()["members"]) == 2


def test_who_is_gone_is_offline_and_who_comes_back_is_online(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    ana.drop()
    bo.until(lambda m: not m.screen.members[ana.id]["online"], what="offline")
    assert not next(m for m in session.get()["members"] if m["id"] == ana.id)["online"]

    session.back(ana)
    bo.until(lambda m: m.screen.members[ana.id]["online"], what="online")


def test_a_polite_close_is_an_absence_too(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    ana.web.close()
    bo.until(lambda m: not m.screen.members[ana.id]["online"], what="offline")
    ana.is_dropped = True

    assert session.back(ana).id == ana.id


def test_a_member_that_stays_away_has_left(small):
    session = small.session(LISTS)
    ana, bo = session.join("Ana"), session.join("Bo")
    bo.until(lambda m: ana.id in m.screen.members)
    ana.drop()

    bo.until(lambda m: not m.screen.members[ana.id]["online"], what="offline")
    bo.until(lambda m: ana.id not in m.screen.members, what="left")

    again = session.back(ana)
    assert again.id == ana.id
    assert again.welcome["resumed"] is True
    bo.until(lambda m: ana.id in m.screen.members, what="joined again")
    assert [m["joined"][0]["id"] for m in bo.record if m.get("joined")][-1] == ana.id


def test_a_member_that_left_comes_back_with_all_that_it_was(small):
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
    assert roles == [("Bo", "owner"), ("Ana", "owner")], "counts from its return"
    assert again.confirm()["type"] == bo.reopen()["type"] == "delta"


def test_no_owner_is_left_until_somebody_comes(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    bo.leave()
    ana.until(lambda m: bo.id not in m.screen.members)
    ana.leave()
    wait_until(lambda: not session.get()["members"], what="nobody")

    back = session.back(bo)
    cem = session.join("Cem")
    again = session.back(ana)

    assert (back.role, cem.role, again.role) == ("owner", "editor", "owner")
    again.leave()
    back.until(lambda m: ana.id not in m.screen.members)
    back.leave()
    cem.until(lambda m: m.role == "owner", what="the last owner's leaving")


def test_a_wrong_secret_of_a_member_that_left_is_wrong(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.leave()
    bo.until(lambda m: ana.id not in m.screen.members)
    thief = session.connect()

    thief.send({"type": "join", "resume": {**ana.resume(), "secret": "wrong"}})

    thief.closed(4301)


def test_a_member_that_comes_back_in_time_has_not_left(small):
    session = small.session(LISTS)
    ana, bo = session.join("Ana"), session.join("Bo")
    ana.drop()
    wait_until(lambda: not session.get()["members"][0]["online"], what="offline")

    again = session.back(ana)

    assert again.id == ana.id
    assert not [m for m in bo.record if m.get("left")]


def test_absence_is_counted_by_the_machines_clock(server):
    """"join, member and ping timeouts are the machine's"."""
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.drop()
    bo.until(lambda m: not m.screen.members[ana.id]["online"], what="offline")

    server.clock("2019-11-23T10:00:00+08:00")

    assert ana.id in {m["id"] for m in session.get()["members"]}
    assert session.back(ana).id == ana.id
