"""Sessions over HTTP: GET and DELETE."""

import pytest

from harness.definitions import LISTS, TREE


# GET /v1/sessions/{id}


def test_full_returns_nodes_and_columns(server):
    tree = server.session(TREE).get(full=True)["snapshot"]["definition"]
    lists = server.session(LISTS).get(full=True)["snapshot"]["definition"]

    assert [node["text"] for node in tree["nodes"]] == ["Guangdong", "Sichuan"]
    assert tree["nodes"][0]["children"][0]["children"][1]["text"] == "Yuexiu"
    assert len(lists["columns"]) == 2 and len(lists["columns"][0]) == 4


@pytest.mark.parametrize("path", [
    "/v1/sessions/nobody", "/v1/sessions/nobody/log", "/v1/sessions/" + "a" * 300])
def test_a_missing_session_is_404(server, path):
    answer = server.get(path)

    assert (answer.status, answer.code) == (404, "noSuchSession")


# DELETE


def test_delete_closes_all_members_with_4410(server):
    session = server.session(LISTS)
    ana, bo = session.together("Ana", "Bo")
    waiting = session.connect()

    answer = session.delete()

    assert (answer.status, answer.body) == (204, b"")
    ana.closed(4410)
    bo.closed(4410)
    waiting.send({"type": "join"})
    waiting.closed((4404, 4410))
    for gone in (server.get(session.path), server.get(session.path + "/log"), session.delete()):
        assert (gone.status, gone.code) == (404, "noSuchSession")
