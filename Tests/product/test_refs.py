"""Refs: every command is executed once and answered once, in the order of its connection."""


from harness.definitions import CALENDAR, LISTS


def test_a_command_repeated_with_its_ref_is_executed_once(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    first = ana.select(0, 1, ref=7)

    again = ana.select(0, 1, ref=7)

    assert (first["type"], first["revision"]) == ("delta", 1)
    assert again == {"type": "reply", "ref": 7, "revision": 1}
    assert session.revision() == 1


def test_the_reply_to_a_repeated_command_has_the_original_revision(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1, ref=7)
    bo.reach(1)
    bo.select(0, 2)
    ana.reach(2)

    again = ana.select(0, 1, ref=7)

    assert again == {"type": "reply", "ref": 7, "revision": 1}
    assert session.result() == {"keys": ["Linux", "Xcode"]}


def test_the_content_of_a_repeated_ref_is_ignored(server):
    """A known ref refers to its first command, even if the second message differs."""
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1, ref=7)

    again = ana.select(1, 3, ref=7)

    assert again == {"type": "reply", "ref": 7, "revision": 1}
    assert session.result() == {"keys": ["Windows", "Xcode"]}


def test_a_repeated_refused_command_is_refused_identically(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    first = ana.select(0, 9, ref=7)

    again = ana.select(0, 9, ref=7)

    assert first["code"] == again["code"] == "noSuchRow"
    assert again == first


def test_a_repeated_refusal_carries_the_current_row(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    first = ana.select(0, 9, ref=7)
    bo.select(0, 2)
    ana.reach(1)

    again = ana.select(0, 9, ref=7)

    assert (first["revision"], first["changes"][0]["key"]) == (0, "MacOS")
    assert (again["code"], again["revision"]) == ("noSuchRow", 1)
    assert again["changes"] == [
        {"change": "row", "column": 0, "row": 2, "key": "Linux", "text": "Linux"}]


def test_a_repeated_reply_is_identical(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 0, ref=7)
    ana.select(0, 1, ref=8)

    again = ana.select(0, 0, ref=7)

    assert again == {"type": "reply", "ref": 7, "revision": 0}


def test_a_repeated_command_of_an_unknown_type_is_refused_again(server):
    ana = server.session(LISTS).join("Ana")

    answers = [ana.do("dance", ref=7)["code"] for _ in range(2)]

    assert answers == ["unknownType", "unknownType"]


def test_a_command_refused_because_of_the_role_is_not_done_after_leaving(server):
    """The member may have become the owner meanwhile."""
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    refused = bo.do("confirm", ref=12)
    bo.leave()
    ana.leave()

    bo = session.back(bo)

    assert bo.welcome["ref"] == 12
    assert bo.screen.members[bo.id]["role"] == "owner"
    again = bo.do("confirm", ref=12)
    assert [refused["code"], again["code"]] == ["notAllowed", "notAllowed"]
    assert session.get()["status"] == "open"


def test_an_unknown_ref_not_above_the_greatest_is_refused_with_old_ref(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1, ref=10)

    refused = ana.select(0, 2, ref=9)

    assert (refused["code"], refused["revision"]) == ("oldRef", 1)
    assert session.revision() == 1


def test_a_ref_refused_with_old_ref_is_not_remembered(server):
    """"A `ref` refused with `tooMany` or `oldRef` is not remembered"."""
    ana = server.session(LISTS).join("Ana")
    ana.select(0, 1, ref=10)

    assert [ana.select(0, 2, ref=9)["code"] for _ in range(2)] == ["oldRef", "oldRef"]
    assert ana.select(0, 2, ref=11)["type"] == "delta"


def test_a_refused_command_advances_the_greatest_ref(server):
    ana = server.session(LISTS).join("Ana")
    ana.select(0, 9, ref=10)

    assert ana.select(0, 1, ref=5)["code"] == "oldRef"


def test_old_ref_is_checked_before_everything_else(server):
    ana = server.session(LISTS).join("Ana")
    ana.select(0, 1, ref=10)

    assert ana.do("dance", ref=3)["code"] == "oldRef"
    assert ana.do("tap", ref=5, date="2018-11-20")["code"] == "oldRef"
    assert ana.do("undo", ref=6)["code"] == "oldRef"


def test_a_negative_ref_is_refused_with_old_ref(server):
    """"Integers are JSON integers; negative ones are well-typed and name nothing"."""
    ana = server.session(LISTS).join("Ana")

    assert ana.select(0, 1, ref=-1)["code"] == "oldRef"


def test_refs_may_have_gaps_and_go_up_to_2_to_the_53_minus_1(server):
    ana = server.session(LISTS).join("Ana")

    for number, ref in enumerate((5, 1000, 2**31, 2**32 + 1, 2**53 - 1)):
        answer = ana.select(0, number % 2 + 1, ref=ref)
        assert (answer["type"], answer["ref"]) == ("delta", ref)


def test_the_last_256_refs_are_remembered(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    for ref in range(1, 301):
        ana.ask("select", ref=ref, column=0, row=ref % 2, generation=1)
    ana.answer(300)

    assert ana.select(0, 0, ref=45) == {"type": "reply", "ref": 45, "revision": 45}
    assert ana.select(0, 0, ref=44)["code"] == "oldRef"
    assert session.revision() == 300


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


def test_refs_are_counted_per_member(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    ana.select(0, 1, ref=5)
    bo.reach(1)

    assert bo.select(0, 2, ref=5)["type"] == "delta"
    assert bo.select(0, 3, ref=4)["code"] == "oldRef"


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


def test_a_command_repeated_after_a_lost_answer_is_executed_once(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.ask_select(0, 1, ref=7)
    bo.reach(1)
    ana.drop()

    again = session.back(ana, revision=0)
    missed = again.expect("delta")
    answer = again.select(0, 1, ref=7)

    assert missed["revision"] == 1
    assert answer == {"type": "reply", "ref": 7, "revision": 1}
    assert session.revision() == 1


def test_a_new_member_of_the_same_name_starts_without_refs(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1, ref=7)
    ana.leave()
    ana.closed((1000, 1005))

    again = session.join("Ana")

    assert again.select(0, 2, ref=1)["type"] == "delta"


def test_a_command_without_effect_gets_a_reply_and_no_revision(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    assert ana.select(0, 0, ref=3) == {"type": "reply", "ref": 3, "revision": 0}
    assert session.log() == []
    bo.receives_nothing()


def test_clearing_an_empty_calendar_gets_a_reply(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")

    assert ana.do("clear", ref=1) == {"type": "reply", "ref": 1, "revision": 0}


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


def test_a_command_of_an_unknown_type_takes_its_ref(server):
    session = server.session(LISTS)
    ana = session.join("Ana")

    first = ana.do("dance", ref=5)
    smaller = ana.do("undo", ref=4)
    again = ana.do("redo", ref=5)

    assert [first["code"], smaller["code"]] == ["unknownType", "oldRef"]
    assert again == first
    assert ana.select(0, 1, ref=6)["type"] == "delta"
