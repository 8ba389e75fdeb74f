"""Resuming: the locale of the new join, another epoch, and an unknown member."""

from harness.definitions import LISTS, SLOT


def test_the_new_join_replaces_the_locale(server):
    session = server.session(SLOT)
    ana, bo = session.together("Ana", "Bo")
    ana.drop()
    bo.select(0, 1)

    again = session.back(ana, locale="zh-Hans")

    delta = again.expect("delta")
    day = next(c for c in delta["changes"] if c["change"] == "row" and c["column"] == 0)
    assert day["text"] == "11月24日 星期六"


def test_resuming_with_another_epoch_returns_a_snapshot(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1)
    ana.select(0, 2)
    ana.drop()

    again = session.back(ana, epoch="another")

    assert (again.welcome["resumed"], again.welcome["epoch"]) == (False, session.epoch)
    assert (again.id, again.welcome["revision"]) == (ana.id, 2)


def test_resuming_an_unknown_member_creates_a_new_one(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    stranger = session.connect()

    stranger.join(resume={**ana.resume(), "member": "m_nobody"})

    assert stranger.welcome["resumed"] is False
    assert stranger.id not in (ana.id, "m_nobody")
    assert len(session.get()["members"]) == 2
