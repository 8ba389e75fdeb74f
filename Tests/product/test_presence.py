"""Presence: joined, changed and left members, touches, and who becomes the owner."""

from harness.definitions import CALENDAR, LISTS


def presence_entries(member, field):
    return [entry for m in member.record if m["type"] == "presence" for entry in m.get(field, [])]


def test_going_offline_and_returning_are_broadcast_as_changes(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    bo.drop()
    ana.until(lambda m: not m.screen.members[bo.id]["online"])
    session.back(bo)
    ana.until(lambda m: m.screen.members[bo.id]["online"])

    received = [(entry["id"], entry["online"]) for entry in presence_entries(ana, "changed")]
    assert received == [(bo.id, False), (bo.id, True)]
    assert not presence_entries(ana, "left")


def test_a_touch_on_a_row_is_broadcast(server):
    session = server.session(LISTS)
    ana, bo, cem = session.together("Ana", "Bo", "Cem")

    ana.touch(column=1, row=2)

    for other in (bo, cem):
        other.until(lambda m: m.screen.touching.get(ana.id) == {"column": 1, "row": 2})
    ana.receives_nothing()
    assert session.revision() == 0


def test_a_pointer_is_shown_as_it_was_sent_and_not_stored(server):
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")

    ana.touch(date="2018-11-20", hover=True)
    bo.until(lambda m: presence_entries(m, "touching"))
    ana.touch(date="2018-11-20")
    bo.until(lambda m: len(presence_entries(m, "touching")) == 2)
    ana.touch()
    bo.until(lambda m: len(presence_entries(m, "touching")) == 3)

    assert presence_entries(bo, "touching") == [
        {"member": ana.id, "date": "2018-11-20", "hover": True},
        {"member": ana.id, "date": "2018-11-20"}, {"member": ana.id}]
