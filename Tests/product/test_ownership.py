"""`"ownership": "creator"`: a session of a server without tokens that stays its creator's."""

from harness.definitions import LISTS
from harness.store import again, back, stored

MERGE = {"Content-Type": "application/merge-patch+json"}


def poll(server, **fields):
    """A session of its creator, and the token."""
    session = server.session(LISTS, ownership="creator", **fields)
    return session, session.owner_token


def test_nobody_but_the_creator_owns_the_session(server):
    session, token = poll(server)

    ana, bo = session.join("Ana"), session.join("Bo", token="wrong")
    assert (ana.role, bo.role) == ("editor", "editor")
    assert bo.confirm()["code"] == "notAllowed"
    creator = session.join("Cem", token=token)
    assert creator.role == "owner"
    creator.leave()
    ana.until(lambda m: creator.id not in m.screen.members, what="the creator has left")
    assert ana.confirm()["code"] == "notAllowed"
    assert session.join("Dan").role == "editor"
    # Resuming too, and only with the token.
    back_again = session.back(creator, token=token)
    assert (back_again.id, back_again.role) == (creator.id, "owner")
    assert back_again.confirm()["type"] == "delta"
    assert session.back(bo, token=token).role == "owner"


def test_requests_that_change_the_session_need_the_token(server):
    session, token = poll(server)
    patch = {"columns": [["x", "y"], ["z"]]}
    for method, what, body in [
            ("PATCH", "/definition", patch), ("PATCH", "/notes", {"columns": {}}),
            ("PUT", "/definition", {"kind": "columns", **patch}),
            ("POST", "/settle", {"op": "x", "granted": True}),
            ("POST", "/commands", {"type": "cancel"}), ("DELETE", "", None)]:
        headers = MERGE if method == "PATCH" else {}
        for wrong, status in ((None, 401), ("x", 401)):
            answer = server.request(method, session.path + what, body, token=wrong, headers=headers)
            assert answer.status == status, (method, what, answer)
        answer = server.request(method, session.path + what, body, token=token, headers=headers)
        assert answer.status in (200, 204) or answer.code == "noSuchOp", (method, what, answer)
    assert server.get(session.path).status == 404


def test_everybody_reads_the_session_and_nothing_that_is_sent_has_the_token(server):
    session, token = poll(server)
    creator = session.join("Cem", token=token)
    creator.select(0, 1)
    ana = session.join("Ana")

    sent = [session.get(), server.get(f"{session.path}/log").body, ana.welcome, creator.record,
            server.get("/v1/feed", port=server.admin_port).body,
            server.request("POST", f"{session.path}/members", {}, token=token).json]
    assert sent[-1]["member"]["role"] == "owner"
    assert token not in repr(sent)


def test_the_host_may_cancel_with_the_token_and_a_reason(server):
    session, token = poll(server)
    ana = session.join("Ana")

    answer = server.post(f"{session.path}/commands", {"type": "cancel", "reason": "Rain"},
                         token=token)

    assert answer.json["changes"] == [{"change": "status", "status": "cancelled", "reason": "Rain"}]
    assert ana.reach(1).screen.status == "cancelled"


def test_the_session_stays_its_creators_over_a_crash(tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite")
    session, token = poll(server)
    ana = session.join("Ana")
    creator = session.join("Cem", token=token)
    ana.drop()
    creator.drop()

    again(server)

    assert session.join("Dan").role == "editor"
    assert back(session, creator).role == "owner", "it keeps its role"
    assert session.join("Cem", token=token).role == "owner"
    assert server.delete(session.path).status == 401
    assert server.request("DELETE", session.path, token=token).status == 204
    server.stop()


def test_a_creation_sent_again_has_the_same_token(server):
    headers = {"Idempotency-Key": "poll-1"}
    body = {"definition": LISTS, "ownership": "creator"}
    first, second = (server.request("POST", "/v1/sessions", body, headers=headers)
                     for _ in range(2))

    assert (first.status, second.status) == (201, 200)
    assert first.json["ownerToken"] == second.json["ownerToken"]


def test_without_it_the_first_member_is_the_owner(server):
    session = server.session(LISTS, ownership="first")

    assert session.owner_token is None
    assert session.join("Ana").role == "owner"


def test_only_a_server_without_tokens_has_it(server, guarded):
    for one, value in ((server, "me"), (server, 1), (guarded, "creator")):
        answer = one.create(LISTS, ownership=value)
        assert (answer.status, answer.code, answer.json["pointer"]) == (
            400, "badRequest", "/ownership")
    assert "tokens" in guarded.create(LISTS, ownership="first").json
