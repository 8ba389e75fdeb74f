"""Undo and redo: one list of values, shared by all members."""

from harness.definitions import CALENDAR, DATE, LISTS, SLOT, TREE


def keys(session):
    return session.result()["keys"]


def test_undo_restores_the_previous_value(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 2)

    delta = ana.undo()

    assert delta["revision"] == 2
    assert delta["changes"] == [
        {"change": "row", "column": 0, "row": 0, "key": "MacOS", "text": "MacOS", "cause": "undo"},
        {"change": "result", "result": {"keys": ["MacOS", "Xcode"]}}]


def test_undo_and_redo_move_step_by_step(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    for row in (1, 2, 3):
        ana.select(0, row)

    back = []
    for _ in range(3):
        ana.undo()
        back.append(keys(session)[0])
    forth = []
    for _ in range(3):
        assert ana.redo()["changes"][0]["cause"] == "undo"
        forth.append(keys(session)[0])

    assert back == ["Linux", "Windows", "MacOS"]
    assert forth == ["Windows", "Linux", "Ubuntu"]
    assert ana.redo()["code"] == "nothingToUndo"


def test_undo_and_redo_with_empty_lists_are_refused(server):
    ana = server.session(LISTS).join("Ana")

    for answer in (ana.undo(), ana.redo()):
        assert (answer["code"], answer["revision"], answer["changes"]) == ("nothingToUndo", 0, [])


def test_all_members_share_the_undo_list(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1)
    bo.reach(1)
    bo.select(1, 1)

    delta = bo.undo()
    bo.undo()

    assert delta["by"] == bo.id
    assert keys(session) == ["MacOS", "Xcode"]
    ana.reach(4)
    ana.redo()
    assert keys(session) == ["Windows", "Xcode"]


def test_a_new_select_clears_the_redo_list(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1)
    ana.undo()
    ana.select(1, 1)

    assert ana.redo()["code"] == "nothingToUndo"
    assert keys(session) == ["MacOS", "VSCode"]


def test_a_refused_select_does_not_clear_the_redo_list(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1)
    ana.undo()
    ana.select(0, 9)

    assert ana.redo()["type"] == "delta"
    assert keys(session) == ["Windows", "Xcode"]


def test_confirm_cancel_and_reopen_do_not_change_the_undo_list(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.select(0, 1)
    ana.select(0, 2)
    ana.undo()
    for command in ("confirm", "reopen", "cancel", "reopen"):
        assert ana.do(command)["type"] == "delta"

    ana.redo()
    assert keys(session)[0] == "Linux"
    ana.undo()
    ana.undo()
    assert keys(session)[0] == "MacOS"


def test_a_tick_does_not_change_the_undo_list(server):
    session = server.session(DATE, now="2018-07-25T12:00:00+08:00")
    ana = session.join("Ana")
    ana.select(2, 10)
    ana.undo()
    server.clock("2018-07-26T12:00:00+08:00")

    delta = ana.redo()

    assert delta["type"] == "delta"
    assert session.result() == {"date": "2018-07-11"}


def test_undo_restores_all_columns_that_a_select_changed(server):
    session = server.session({**DATE, "initial": "2017-12-31"})
    ana = session.join("Ana")
    ana.select(0, 68)
    assert session.result() == {"date": "2018-11-23"}

    delta = ana.undo()

    assert session.result() == {"date": "2017-12-31"}
    assert [c["column"] for c in delta["changes"] if c["change"] == "reload"] == [1, 2]
    moved = [c for c in delta["changes"] if c["change"] == "row"]
    assert [(c["column"], c["key"], c["cause"]) for c in moved] == [
        (0, "2017", "undo"), (1, "12", "undo"), (2, "31", "undo")]


def test_undo_restores_a_branch_with_its_descendants(server):
    session = server.session(TREE)
    ana = session.join("Ana")
    ana.select(1, 1)
    ana.select(0, 1)

    ana.undo()

    assert keys(session) == ["Guangdong", "Chaozhou", "Xiangqiao"]


def test_undo_clamps_the_restored_value_to_the_current_bounds(server):
    session = server.session(SLOT)
    ana = session.join("Ana")
    ana.select(1, 2)
    assert session.result()["local"] == "2018-11-23T12:00"
    server.clock("2018-11-23T11:00:00+08:00")
    ana.reach(session.revision())

    delta = ana.undo()

    assert session.result()["local"] == "2018-11-23T11:20"
    assert {c["cause"] for c in delta["changes"] if c["change"] == "row"} == {"undo"}


def test_an_undo_entry_without_effect_is_dropped(server):
    session = server.session(SLOT)
    ana = session.join("Ana")
    ana.select(2, 1)
    assert session.result()["local"] == "2018-11-23T10:30"
    server.clock("2018-11-23T10:05:00+08:00")
    ana.reach(session.revision())

    assert ana.undo()["code"] == "nothingToUndo"


def test_undo_continues_with_the_entry_before_a_dropped_one(server):
    session = server.session(SLOT)
    ana = session.join("Ana")
    ana.select(0, 1)
    ana.select(0, 0)
    ana.select(2, 1)
    server.clock("2018-11-23T10:05:00+08:00")
    ana.reach(session.revision())

    assert ana.undo()["type"] == "delta"
    assert session.result()["local"] == "2018-11-24T00:00"


def test_the_undo_list_has_100_entries(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    for n in range(101):
        ana.ask("select", column=0, row=(n + 1) % 4, generation=1)
    ana.until(lambda m: not m.pending)

    for n in range(100):
        assert ana.undo()["type"] == "delta", n

    assert ana.undo()["code"] == "nothingToUndo"
    assert keys(session)[0] == "Windows"


def test_the_length_of_the_undo_list_is_configurable(small):
    ana = small.session(LISTS).join("Ana")
    for n in range(7):
        ana.select(0, (n + 1) % 4)

    assert [ana.undo()["type"] for _ in range(6)] == ["delta"] * 5 + ["refused"]


def test_a_tap_is_undone_with_its_hits(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana", months={"from": "2018-11", "count": 1})
    ana.tap("2018-11-10")
    ana.tap("2018-11-20")

    first = ana.undo()["changes"][0]
    second = ana.undo()["changes"][0]

    assert (first["start"], first["end"], first["hits"], first["cause"]) == (
        "2018-11-10", "2018-11-10", 1, "undo")
    assert (second["start"], second["end"], second["hits"]) == (None, None, 0)


def test_a_clear_is_undone_with_range_and_hits(server):
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    for day in ("2018-11-10", "2018-11-20", "2018-11-15"):
        ana.tap(day)
    ana.clear()

    ana.undo()

    back = session.get()["snapshot"]["calendar"]["range"]
    assert (back["start"], back["end"], back["hits"]) == ("2018-11-15", "2018-11-15", 3)
    assert ana.tap("2018-11-17")["changes"][0]["hits"] == 4


def test_undo_by_another_member_restores_the_author_of_the_tap(server):
    """"an undo brings `by` back with the range"."""
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-10")
    bo.reach(1)
    bo.tap("2018-11-20")

    change = bo.undo()["changes"][0]

    assert (change["by"], change["hits"]) == (ana.id, 1)
