"""Resuming: a member receives its missed deltas or, if they are not stored any more, a snapshot."""

from harness.definitions import CALENDAR, LISTS, SLOT, TREE


def selects(member, count, column=0):
    """Sends `count` selects, each of which changes something."""
    rows = member.screen.columns[column]["count"]
    for _ in range(count):
        row = (member.screen.columns[column]["row"] + 1) % rows
        assert member.select(column, row)["type"] == "delta"


def test_missed_deltas_are_sent_after_welcome(server):
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    ana.drop()
    selects(bo, 3)

    again = session.back(ana)

    assert again.id == ana.id
    assert again.welcome["resumed"] is True and "snapshot" not in again.welcome
    assert (again.welcome["revision"], again.welcome["epoch"]) == (0, session.epoch)
    assert [again.expect("delta")["revision"] for _ in range(3)] == [1, 2, 3]
    again.receives_nothing()
    bo.reach(3)
    missed = [m for m in again.record if m["type"] == "delta"]
    mine = [{k: v for k, v in m.items() if k != "ref"} for m in bo.record if m["type"] == "delta"]
    assert missed == mine


def test_missed_deltas_have_no_bands_and_are_followed_by_months(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana", months={"from": "2018-11", "count": 2})
    bo = session.join("Bo")
    ana.drop()
    bo.tap("2018-11-20")
    bo.tap("2018-12-05")

    again = session.back(ana, months={"from": "2018-11", "count": 2})

    for kinds in (["range"], ["range", "result"]):
        delta = again.expect("delta")
        assert [change["change"] for change in delta["changes"]] == kinds
    months = again.expect("months")
    assert months["revision"] == 2
    assert [view["month"] for view in months["months"]] == ["2018-11", "2018-12"]
    again.receives_nothing()


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
    selects(ana, 2)
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
