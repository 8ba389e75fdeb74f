"""A session whose log has reached `--limit logBytes=` refuses commands and loses nothing."""

import time

import pytest

from harness.definitions import LISTS
from harness.pickerd import wait_until
from harness.store import again, back, log_lines

LIMIT = {"logBytes": 65_536, "messagesPerSecond": 100_000}


@pytest.fixture(params=["memory", "sqlite"])
def tight(start, request, tmp_path):
    store = "memory:" if request.param == "memory" else f"sqlite:{tmp_path}/store.sqlite"
    return start(limits=LIMIT, options=["--store", store])


def fill(member):
    """Selects until the log is full; the number of accepted selects, and the refusal."""
    member.is_trusted = True
    for count in range(5000):
        answer = member.do("select", column=0, row=(count + 1) % 4, generation=1)
        if answer["type"] == "refused":
            return count, answer
        assert answer["type"] == "delta", answer
    raise AssertionError("5,000 commands of 100 bytes and more fit into 64 KiB")


def test_a_full_log_refuses_commands_and_loses_no_accepted_ones(tight):
    session = tight.session(LISTS)
    ana = session.join("Ana")
    count, refused = fill(ana)

    assert (refused["code"], refused["revision"]) == ("full", count)
    assert "maximum" in refused["detail"]
    assert ana.do("undo")["code"] == "full"
    assert ana.do("select", ref=count, column=0, row=1, generation=1)["type"] == "reply"
    assert session.revision() == count
    assert len(log_lines(session)) == count


def test_a_full_log_refuses_new_members_and_definitions(tight):
    session = tight.session(LISTS)
    ana = session.join("Ana")
    fill(ana)

    bo = session.connect()
    bo.send({"type": "join", "name": "Bo"})
    bo.closed(4503)
    answer = tight.post(f"{session.path}/members", {"name": "Bo"})
    definition = tight.request(
        "PUT", f"{session.path}/definition", {**LISTS, "columns": LISTS["columns"][:1]})

    assert (answer.status, answer.code) == (503, "full")
    assert (definition.status, definition.code) == (503, "full")
    assert "maximum" in answer.json["detail"]
    assert len(session.get()["members"]) == 1


def test_members_can_resume_leave_and_delete_with_a_full_log(tight):
    session = tight.session(LISTS)
    ana, bo = session.join("Ana"), session.join("Bo")
    count, _ = fill(ana)
    ana.drop()

    ana = session.back(ana)
    assert ana.welcome["resumed"] is True and ana.welcome["revision"] == count
    bo.leave()
    ana.until(lambda m: len(m.screen.members) == 1, what="Bo's leaving")

    assert session.delete().status == 204
    ana.closed(4410)


def test_a_full_log_is_full_after_a_restart(start, tmp_path):
    server = start(limits=LIMIT, options=["--store", f"sqlite:{tmp_path}/store.sqlite"])
    session = server.session(LISTS)
    ana = session.join("Ana")
    count, _ = fill(ana)

    again(server)
    ana = back(session, ana)

    assert ana.do("undo")["code"] == "full"
    assert session.revision() == count


def test_refused_commands_do_not_fill_a_log(tight):
    session = tight.session(LISTS)
    ana = session.join("Ana")
    ana.is_trusted = True

    count, end = 0, time.monotonic() + 120
    while count <= 1000:
        assert time.monotonic() < end, f"only {count} do not fill the log: about 400 fit"
        if ana.do("select", column=9, row=0, generation=1)["code"] == "noSuchColumn":
            count += 1
        else:
            # While a store compacts the log, some are refused for its size.
            time.sleep(0.01)
    wait_until(lambda: ana.do("select", column=0, row=1, generation=1)["type"] != "refused")
    assert session.revision() == 1
