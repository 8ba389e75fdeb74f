"""Refs: every command is done once, and answered once, in the order of its connection."""


from harness.definitions import CALENDAR, LISTS


def test_a_command_sent_again_with_the_same_ref_is_done_once(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    first = ana.select(0, 1, ref=7)

    again = ana.select(0, 1, ref=7)

    assert (first["type"], first["revision"]) == ("delta", 1)
    assert again == {"type": "reply", "ref": 7, "revision": 1}
    assert session.revision() == 1


def test_the_second_answer_has_the_revision_at_which_it_was_done(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1, ref=7)
    bo.reach(1)
    bo.select(0, 2)
    ana.reach(2)

    again = ana.select(0, 1, ref=7)

    assert again == {"type": "reply", "ref": 7, "revision": 1}
    assert session.result() == {"keys": ["Linux", "Xcode"]}


def test_what_is_sent_again_is_not_read_again(server):
    """A known ref is the command that it was, whatever the second message says."""
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1, ref=7)

    again = ana.select(1, 3, ref=7)

    assert again == {"type": "reply", "ref": 7, "revision": 1}
    assert session.result() == {"keys": ["Windows", "Xcode"]}


def test_a_refused_command_sent_again_is_the_same_refused(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    first = ana.select(0, 9, ref=7)

    again = ana.select(0, 9, ref=7)

    assert first["code"] == again["code"] == "noSuchRow"
    assert again == first


def test_the_same_refused_has_the_wheels_as_they_now_stand(server):
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


def test_a_reply_sent_again_is_the_same_reply(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 0, ref=7)
    ana.select(0, 1, ref=8)

    again = ana.select(0, 0, ref=7)

    assert again == {"type": "reply", "ref": 7, "revision": 0}


def test_an_unknown_type_sent_again_is_the_same_refused(server):
    ana = server.session(LISTS).join("Ana")

    answers = [ana.do("dance", ref=7)["code"] for _ in range(2)]

    assert answers == ["unknownType", "unknownType"]


def test_an_unknown_ref_that_is_not_greater_is_refused_with_old_ref(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1, ref=10)

    refused = ana.select(0, 2, ref=9)

    assert (refused["code"], refused["revision"]) == ("oldRef", 1)
    assert session.revision() == 1


def test_old_ref_is_not_remembered(server):
    """"A `ref` refused with `tooMany` or `oldRef` is not remembered"."""
    ana = server.session(LISTS).join("Ana")
    ana.select(0, 1, ref=10)

    assert [ana.select(0, 2, ref=9)["code"] for _ in range(2)] == ["oldRef", "oldRef"]
    assert ana.select(0, 2, ref=11)["type"] == "delta"


def test_a_refused_command_counts_for_the_greatest_ref(server):
    ana = server.session(LISTS).join("Ana")
    ana.select(0, 9, ref=10)

    assert ana.select(0, 1, ref=5)["code"] == "oldRef"


def test_old_ref_is_checked_before_everything_else(server):
    ana = server.session(LISTS).join("Ana")
    ana.select(0, 1, ref=10)

    assert ana.do("dance", ref=3)["code"] == "oldRef"
    assert ana.do("tap", ref=5, date="2018-11-20")["code"] == "oldRef"
    assert ana.do("undo", ref=6)["code"] == "oldRef"


def test_a_negative_ref_is_well_typed_and_old(server):
    """"Integers are JSON integers; negative ones are well-typed and name nothing"."""
    ana = server.session(LISTS).join("Ana")

    assert ana.select(0, 1, ref=-1)["code"] == "oldRef"


def test_refs_may_leave_gaps_and_be_as_great_as_2_to_the_53_less_1(server):
    ana = server.session(LISTS).join("Ana")

    for number, ref in enumerate((5, 1000, 2**31, 2**32 + 1, 2**53 - 1)):
        answer = ana.select(0, number % 2 + 1, ref=ref)
        assert (answer["type"], answer["ref"]) == ("delta", ref)


def test_the_last_256_refs_are_known(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    for ref in range(1, 301):
        ana.ask("select", ref=ref, column=0, row=ref % 2, generation=1)
    ana.answer(300)

    assert ana.select(0, 0, ref=45) == {"type": "reply", "ref": 45, "revision": 45}
    assert ana.select(0, 0, ref=44)["code"] == "oldRef"
    assert session.revision() == 300


def test_how_many_refs_are_known_is_a_limit_of_the_server(small):
    ana = small.session(LISTS).join("Ana")
    for ref in range(1, 21):
        ana.select(0, ref % 2, ref=ref)

    assert ana.select(0, 0, ref=13)["type"] == "reply"
    assert ana.select(0, 0, ref=12)["code"] == "oldRef"


def test_only_the_authors_copy_of_a_delta_carries_ref(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    mine = ana.select(0, 1, ref=5)
    theirs = bo.expect("delta")

    assert mine["ref"] == 5 and "ref" not in theirs
    assert theirs == {name: value for name, value in mine.items() if name != "ref"}
    assert theirs["by"] == ana.id


def test_refs_are_a_members_own(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    ana.select(0, 1, ref=5)
    bo.reach(1)

    assert bo.select(0, 2, ref=5)["type"] == "delta"
    assert bo.select(0, 3, ref=4)["code"] == "oldRef"


def test_refs_are_kept_across_connections(server):
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


def test_a_command_whose_answer_was_lost_is_done_once(server):
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


def test_a_member_who_has_left_takes_its_refs_along(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1, ref=7)
    ana.leave()
    ana.closed((1000, 1005))

    again = session.join("Ana")

    assert again.select(0, 2, ref=1)["type"] == "delta"


def test_what_had_not_to_change_is_replied_and_takes_no_revision(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    assert ana.select(0, 0, ref=3) == {"type": "reply", "ref": 3, "revision": 0}
    assert session.log() == []
    bo.hears_nothing()


def test_a_clear_of_nothing_is_replied(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")

    assert ana.do("clear", ref=1) == {"type": "reply", "ref": 1, "revision": 0}


def test_a_welcome_has_the_greatest_ref_that_the_server_knows_of_the_member(server):
    """A client that lost its own count goes on after it."""
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    assert (ana.welcome["ref"], bo.welcome["ref"]) == (0, 0)
    ana.select(0, 1, ref=77)
    ana.select(0, 9, ref=80)
    ana.select(0, 2, ref=79)

    again = session.back(ana)

    assert again.welcome["ref"] == 80, "a refused command counts, an old ref does not"
    assert session.join("Cem").welcome["ref"] == 0
