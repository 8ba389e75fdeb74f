"""Undo and redo: one list of values, shared by all members."""

from harness.definitions import CALENDAR, LISTS


def keys(session):
    return session.result()["keys"]


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


def test_the_length_of_the_undo_list_is_configurable(small):
    ana = small.session(LISTS).join("Ana")
    for n in range(7):
        ana.select(0, (n + 1) % 4)

    assert [ana.undo()["type"] for _ in range(6)] == ["delta"] * 5 + ["refused"]


def test_undo_by_another_member_restores_the_author_of_the_tap(server):
    """"an undo brings `by` back with the range"."""
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")
    ana.tap("2018-11-10")
    bo.reach(1)
    bo.tap("2018-11-20")

    change = bo.undo()["changes"][0]

    assert (change["by"], change["hits"]) == (ana.id, 1)
