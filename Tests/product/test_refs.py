"""Refs: every command is executed once and answered once, in the order of its connection."""

from harness.definitions import LISTS


def test_a_command_repeated_with_its_ref_is_executed_once(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    first = ana.select(0, 1, ref=7)

    again = ana.select(0, 1, ref=7)

    assert (first["type"], first["revision"]) == ("delta", 1)
    assert again == {"type": "reply", "ref": 7, "revision": 1}
    assert session.revision() == 1


def test_an_unknown_ref_not_above_the_greatest_is_refused_with_old_ref(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1, ref=10)

    refused = ana.select(0, 2, ref=9)

    assert (refused["code"], refused["revision"]) == ("oldRef", 1)
    assert session.revision() == 1


def test_refs_may_have_gaps_and_go_up_to_2_to_the_53_minus_1(server):
    ana = server.session(LISTS).join("Ana")

    for number, ref in enumerate((5, 1000, 2**31, 2**32 + 1, 2**53 - 1)):
        answer = ana.select(0, number % 2 + 1, ref=ref)
        assert (answer["type"], answer["ref"]) == ("delta", ref)


def test_the_number_of_remembered_refs_is_configurable(small):
    ana = small.session(LISTS).join("Ana")
    for ref in range(1, 21):
        ana.select(0, ref % 2, ref=ref)

    assert ana.select(0, 0, ref=13)["type"] == "reply"
    assert ana.select(0, 0, ref=12)["code"] == "oldRef"


def test_only_the_authors_copy_of_a_delta_has_a_ref(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    mine = ana.select(0, 1, ref=5)
    theirs = bo.expect("delta")

    assert mine["ref"] == 5 and "ref" not in theirs
    assert theirs == {name: value for name, value in mine.items() if name != "ref"}
    assert theirs["by"] == ana.id


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
