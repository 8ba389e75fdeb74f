"""Refs: every command is executed once and answered once, in the order of its connection."""

from harness.definitions import LISTS


def test_refs_may_have_gaps_and_go_up_to_2_to_the_53_minus_1(server):
    ana = server.session(LISTS).join("Ana")

    for number, ref in enumerate((5, 1000, 2**31, 2**32 + 1, 2**53 - 1)):
        answer = ana.select(0, number % 2 + 1, ref=ref)
        assert (answer["type"], answer["ref"]) == ("delta", ref)


def test_refs_are_remembered_across_connections(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1, ref=7)
    ana.select(0, 9, ref=8)
    ana.drop()

    again = session.back(ana)

    assert again.select(0, 1, ref=7) == {"type": "reply", "ref": 7, "revision": 1}
    assert again.select(0, 9, ref=8)["code"] == "noSuchRow"
    assert again.select(0, 2, ref=6)["code"] == "oldRef"
    assert again.select(0, 2, ref=9)["type"] == "delta"


def test_welcome_has_the_members_greatest_ref(server):
    """A client that has lost its counter continues after this ref."""
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    assert (ana.welcome["ref"], bo.welcome["ref"]) == (0, 0)
    ana.select(0, 1, ref=77)
    ana.select(0, 9, ref=80)
    ana.select(0, 2, ref=79)

    again = session.back(ana)

    assert again.welcome["ref"] == 80, "refused commands count, old refs do not"
    assert session.join("Cem").welcome["ref"] == 0
