"""Confirm, cancel and reopen: their preconditions, and commands on sessions that are not open."""

import pytest

from harness.definitions import LISTS


def test_cancel_and_reopen_change_the_status(server):
    session = server.session(LISTS)
    ana = session.join("Ana")

    cancelled = ana.cancel()["changes"]
    reopened = ana.reopen()["changes"]

    assert [(c["change"], c["status"]) for c in cancelled] == [("status", "cancelled")]
    assert [(c["change"], c["status"]) for c in reopened] == [("status", "open")]
    assert session.get()["status"] == "open"


@pytest.mark.parametrize("close", ["confirm", "cancel"])
def test_a_session_that_is_not_open_refuses_changes(server, close):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    ana.select(0, 1)
    ana.do(close)
    bo.reach(2)

    for member in (ana, bo):
        assert member.select(0, 2)["code"] == "notOpen"
        assert member.undo()["code"] == "notOpen"
        assert member.redo()["code"] == "notOpen"
    assert session.revision() == 2
    assert session.result() == {"keys": ["Windows", "Xcode"]}


def test_welcome_has_the_status_of_a_cancelled_session(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.cancel()

    bo = session.join("Bo")

    assert bo.welcome["snapshot"]["status"] == "cancelled"


def test_only_the_owner_may_confirm_cancel_and_reopen(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")

    for command in ("confirm", "cancel", "reopen"):
        refused = bo.do(command)
        assert (refused["code"], refused["changes"]) == ("notAllowed", [])
    assert session.get()["status"] == "open"


def test_the_status_is_in_the_log(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.confirm()
    ana.reopen()

    log = session.log()

    assert [line["command"]["type"] for line in log] == ["confirm", "reopen"]
    assert [line["by"] for line in log] == [ana.id, ana.id]
