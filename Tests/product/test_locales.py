"""Localised texts: the contract's table for `en` and `zh-Hans`, and several locales at once."""

import pytest

from harness.definitions import DATE, SLOT


def texts(snapshot, column):
    return {row["key"]: row["text"] for row in snapshot["columns"][column]["rows"]}


def strip(delta):
    """A delta without the parts that may differ between members."""
    changes = []
    for change in delta["changes"]:
        if change["change"] == "bands":
            continue
        change = {k: v for k, v in change.items() if k != "text"}
        if "rows" in change:
            change["rows"] = [row["key"] for row in change["rows"]]
        changes.append(change)
    return {**{k: v for k, v in delta.items() if k != "ref"}, "changes": changes}


def test_today_is_determined_in_the_sessions_time_zone(server):
    """15:30 UTC is 00:30 of the next day in Tokyo."""
    definition = {**SLOT, "timeZone": "Asia/Tokyo"}
    snapshot = server.session(definition, now="2018-11-23T15:30:00Z").get()["snapshot"]

    assert list(texts(snapshot, 0).items())[0] == ("2018-11-24", "Today, Nov 24")


def test_members_receive_texts_in_their_own_locales(server):
    session = server.session(SLOT)
    ana, bo = session.join("Ana", locale="en"), session.join("Bo", locale="zh-Hans")
    assert texts(ana.welcome["snapshot"], 0)["2018-11-24"] == "Sat, Nov 24"
    assert texts(bo.welcome["snapshot"], 0)["2018-11-24"] == "11月24日 星期六"

    mine = ana.select(0, 1)
    theirs = bo.expect("delta")

    assert strip(mine) == strip(theirs)
    day, = [c for c in theirs["changes"] if c["change"] == "row" and c["column"] == 0]
    assert day["text"] == "11月24日 星期六"
    hours, = [c for c in theirs["changes"] if c["change"] == "reload" and c["column"] == 1]
    assert hours["rows"][9]["text"] == "9点"
    assert [c["text"] for c in mine["changes"] if c["change"] == "row"][0] == "Sat, Nov 24"


def test_get_returns_the_requested_locale(server):
    session = server.session(DATE)

    assert texts(session.get(locale="zh-Hans")["snapshot"], 1)["11"] == "11月"
    assert texts(session.get(locale="xx")["snapshot"], 1)["11"] == "November"
    assert texts(session.get()["snapshot"], 1)["11"] == "November"


@pytest.mark.parametrize("asked, got", [
    ("zh-Hans", "zh-Hans"), ("de", "de"), ("de-XX", "de"), ("nonsense!", "ja"), (None, "ja")])
def test_welcome_has_the_locale_of_the_texts(server, asked, got):
    session = server.session({**DATE, "locale": "ja"})

    ana = session.join("Ana", **({"locale": asked} if asked else {}))

    assert ana.welcome["locale"] == got
