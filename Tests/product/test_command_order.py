"""Commands of a connection are executed and answered in order."""

from harness.definitions import LISTS
from harness.member import ANSWERS


def test_200_commands_of_all_types_are_answered_in_order(server):
    ana = server.session(LISTS).join("Ana")
    sorts = [
        ("select", {"column": 0, "row": 1, "generation": 1}),
        ("select", {"column": 9, "row": 1, "generation": 1}),
        ("select", {"column": 0, "row": 1, "generation": 1}),
        ("dance", {}), ("undo", {}), ("redo", {}), ("tap", {"date": "2018-11-20"}), ("undo", {})]

    refs = [ana.ask(*[sorts[n % 8][0]], **sorts[n % 8][1]) for n in range(200)]
    ana.answer(refs[-1])

    answers = [m for m in ana.record if m["type"] in ANSWERS and "ref" in m]
    assert [m["ref"] for m in answers] == refs
    kinds = ["delta", "refused", "reply", "refused", "delta", "delta", "refused", "delta"]
    assert [m["type"] for m in answers] == kinds * 25


def test_refs_may_have_gaps_and_go_up_to_2_to_the_53_minus_1(server):
    ana = server.session(LISTS).join("Ana")

    for number, ref in enumerate((5, 1000, 2**31, 2**32 + 1, 2**53 - 1)):
        answer = ana.select(0, number % 2 + 1, ref=ref)
        assert (answer["type"], answer["ref"]) == ("delta", ref)
