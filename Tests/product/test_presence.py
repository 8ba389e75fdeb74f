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


def test_a_touch_on_a_day_is_broadcast(server):
    session = server.session(CALENDAR)
    ana, bo = session.together("Ana", "Bo")

    ana.touch(date="2018-11-20")

    bo.until(lambda m: m.screen.touching.get(ana.id) == {"date": "2018-11-20"})


def test_the_member_who_joined_first_succeeds_an_owner_who_leaves(server):
    session = server.session(LISTS)
    ana, bo, cem = session.together("Ana", "Bo", "Cem")

    ana.leave()

    cem.until(lambda m: m.screen.members[bo.id]["role"] == "owner")
    changed = [entry for entry in presence_entries(cem, "changed") if entry["id"] == bo.id]
    assert changed[-1]["role"] == "owner"
    roles = {m["id"]: m["role"] for m in session.get()["members"]}
    assert roles == {bo.id: "owner", cem.id: "editor"}
    assert bo.confirm()["type"] == "delta"


def test_a_member_receives_changes_of_its_own_role(server):
    session = server.session(LISTS)
    ana, bo, cem = session.together("Ana", "Bo", "Cem")

    ana.leave()

    bo.until(lambda m: m.role == "owner", what="its own new role")
    cem.until(lambda m: m.screen.members[bo.id]["role"] == "owner", what="Bo's new role")
    changed = [m["changed"] for m in bo.record if m.get("changed")]
    assert changed[-1] == [session.get()["members"][0]]
    assert bo.confirm()["type"] == "delta"


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
