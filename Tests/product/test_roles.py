"""`--auth token`: the three tokens of a session and their roles."""

import pytest

from harness.definitions import LISTS
from harness.member import Member


def test_a_session_has_three_tokens_which_determine_the_role(guarded):
    session = guarded.session(LISTS)

    assert len(set(session.tokens.values())) == 3
    assert all(len(token) >= 22 for token in session.tokens.values()), "at least 128 bits"
    for role in ("owner", "editor", "viewer"):
        assert session.join("Ana", role=role).role == role


@pytest.mark.parametrize("token", [None, "", "wrong", "x" * 1000, "日本"])
def test_a_missing_or_invalid_token_closes_with_4301(guarded, token):
    session = guarded.session(LISTS)
    ana = session.connect()

    ana.send({"type": "join", **({} if token is None else {"token": token})})

    ana.closed(4301)
    assert session.get()["members"] == []


def test_the_authorization_header_may_carry_the_token(guarded):
    session = guarded.session(LISTS)
    ana = session.connect(headers={"Authorization": f"Bearer {session.tokens['editor']}"})
    eve = session.connect(headers={"Authorization": "Bearer wrong"})

    ana.join()
    assert ana.role == "editor"
    eve.send({"type": "join"})
    eve.closed(4301)


def test_a_token_in_the_url_is_ignored(guarded):
    session = guarded.session(LISTS)
    ana = session.track(Member(f"{session.url}?token={session.tokens['owner']}", join=False))

    ana.send({"type": "join"})

    ana.closed(4301)
    assert guarded.get(f"{session.path}?token={session.tokens['owner']}").code == "noToken"


# HTTP


@pytest.mark.parametrize("path", ["", "/log"])
def test_get_needs_a_token_of_the_session(guarded, path):
    session, other = guarded.session(LISTS), guarded.session(LISTS)

    for token in session.tokens.values():
        assert guarded.get(session.path + path, token=token).status == 200
    answer = guarded.get(session.path + path)
    assert (answer.status, answer.code) == (401, "noToken")
    for token in ("wrong", other.tokens["owner"], session.tokens["owner"] + "x"):
        answer = guarded.get(session.path + path, token=token)
        assert (answer.status, answer.code) == (401, "badToken")
    for value in ("Basic eDp5", "Bearer", session.tokens["owner"], "Bearer  "):
        answer = guarded.get(session.path + path, headers={"Authorization": value})
        assert (answer.status, answer.code in ("noToken", "badToken")) == (401, True)


def test_delete_needs_the_owners_token(guarded):
    session = guarded.session(LISTS)

    assert guarded.delete(session.path).code == "noToken"
    assert guarded.delete(session.path, token="wrong").code == "badToken"
    for role in ("viewer", "editor"):
        answer = guarded.delete(session.path, token=session.tokens[role])
        assert (answer.status, answer.code) == (403, "notAllowed")
    assert session.get()["revision"] == 0
    assert session.delete().status == 204


def test_http_needs_no_token_with_auth_open(server):
    session = server.session(LISTS)

    assert not session.tokens
    assert server.get(session.path).status == 200
    assert server.get(session.path, token="whatever").status == 200
    assert server.delete(session.path).status == 204


def test_tokens_and_secrets_are_never_logged(start):
    guarded = start(auth="token")
    session = guarded.session(LISTS)
    ana = session.join("Ana", role="editor")
    ana.select(0, 1)
    guarded.get(f"{session.path}?token={session.tokens['owner']}")
    guarded.get(session.path, token=session.tokens["viewer"])
    thief = session.connect()
    thief.send({"type": "join", "token": session.tokens["owner"] + "x"})
    thief.closed(4301)

    entries = str(session.log())
    log = guarded.complete_log()

    for secret in (*session.tokens.values(), ana.welcome["member"]["secret"]):
        assert secret not in log
        assert secret not in entries
