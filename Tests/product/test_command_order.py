"""Commands of a connection are executed and answered in order; all members see one history."""

import threading

from harness.definitions import LISTS, TREE
from harness.member import ANSWERS


def test_200_pipelined_commands_are_answered_in_order_and_once(server):
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")

    refs = [ana.ask("select", column=0, row=n % 2, generation=1) for n in range(1, 201)]
    ana.answer(refs[-1])

    answers = [m for m in ana.record if m["type"] in ANSWERS and "ref" in m]
    assert [m["ref"] for m in answers] == refs
    assert [m["revision"] for m in answers] == list(range(1, 201))
    assert {m["type"] for m in answers} == {"delta"}
    bo.reach(200)


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


def test_all_members_receive_the_same_deltas_in_the_same_order(server):
    session = server.session(TREE)
    members = session.together("Ana", "Bo", "Cem")

    def play(member, seed):
        for n in range(40):
            member.ask("select", column=(n * seed) % 2, row=n * seed // 3 % 2, generation=n % 5,
                       key=["Sichuan", "Guangdong", "Chaozhou", "Guangzhou"][n * seed % 4])

    hands = [threading.Thread(target=play, args=(m, n + 1)) for n, m in enumerate(members)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()

    last = None
    for member in members:
        member.until(lambda m: not m.pending, what="all answers")
    last = session.revision()
    histories = []
    for member in members:
        member.reach(last)
        deltas = [dict(m) for m in member.record if m["type"] == "delta"]
        for delta in deltas:
            delta.pop("ref", None)
        histories.append(deltas)
    assert histories[0] == histories[1] == histories[2]
    assert last == len(histories[0]) > 10


def test_refs_may_have_gaps_and_go_up_to_2_to_the_53_minus_1(server):
    ana = server.session(LISTS).join("Ana")

    for number, ref in enumerate((5, 1000, 2**31, 2**32 + 1, 2**53 - 1)):
        answer = ana.select(0, number % 2 + 1, ref=ref)
        assert (answer["type"], answer["ref"]) == ("delta", ref)
