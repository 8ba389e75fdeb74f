"""`--auth token`: the three tokens of a session and their roles."""

import pytest

from harness.definitions import LISTS
from harness.member import Member


def test_a_session_has_three_tokens(guarded):
    session = guarded.session(LISTS)

    assert set(session.tokens) == {"owner", "editor", "viewer"}
    assert len(set(session.tokens.values())) == 3
    assert all(len(token) >= 22 for token in session.tokens.values()), "at least 128 bits"


def test_an_open_server_issues_no_tokens(server):
    assert "tokens" not in server.create(LISTS).json


@pytest.mark.parametrize("role", ["owner", "editor", "viewer"])
def test_a_token_determines_the_role(guarded, role):
    session = guarded.session(LISTS)

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

    ana.join()

    assert ana.role == "editor"


def test_an_invalid_token_in_the_header_closes_with_4301_after_the_handshake(guarded):
    session = guarded.session(LISTS)
    ana = session.connect(headers={"Authorization": "Bearer wrong"})

    ana.send({"type": "join"})

    ana.closed(4301)


def test_a_token_in_the_url_is_ignored(guarded):
    session = guarded.session(LISTS)
    ana = session.track(Member(f"{session.url}?token={session.tokens['owner']}", join=False))

    ana.send({"type": "join"})

    ana.closed(4301)
    assert guarded.get(f"{session.path}?token={session.tokens['owner']}").code == "noToken"


# HTTP


def test_get_accepts_every_token(guarded):
    session = guarded.session(LISTS)

    for role in ("owner", "editor", "viewer"):
        assert session.get(token=session.tokens[role])["revision"] == 0
        assert guarded.get(session.path + "/log", token=session.tokens[role]).status == 200


@pytest.mark.parametrize("path", ["", "/log"])
def test_get_without_a_token_is_rejected_with_no_token(guarded, path):
    session = guarded.session(LISTS)

    answer = guarded.get(session.path + path)

    assert (answer.status, answer.code) == (401, "noToken")


@pytest.mark.parametrize("path", ["", "/log"])
def test_get_with_an_invalid_token_is_rejected_with_bad_token(guarded, path):
    session, other = guarded.session(LISTS), guarded.session(LISTS)

    for token in ("wrong", other.tokens["owner"], session.tokens["owner"] + "x"):
        answer = guarded.get(session.path + path, token=token)
        assert (answer.status, answer.code) == (401, "badToken")


def test_an_authorization_header_without_a_bearer_token_is_rejected(guarded):
    session = guarded.session(LISTS)

    for value in ("Basic eDp5", "Bearer", session.tokens["owner"], "Bearer  "):
        answer = guarded.get(session.path, headers={"Authorization": value})
        assert (answer.status, answer.code in ("noToken", "badToken")) == (401, True)


@pytest.mark.parametrize("role, status", [("viewer", 403), ("editor", 403), ("owner", 204)])
def test_delete_requires_the_owners_token(guarded, role, status):
    session = guarded.session(LISTS)

    answer = session.delete(token=session.tokens[role])

    assert answer.status == status
    if status == 403:
        assert answer.code == "notAllowed"
        assert session.get()["revision"] == 0


def test_delete_without_a_valid_token_is_rejected(guarded):
    session = guarded.session(LISTS)

    assert guarded.delete(session.path).code == "noToken"
    assert guarded.delete(session.path, token="wrong").code == "badToken"


def test_http_needs_no_token_with_auth_open(server):
    session = server.session(LISTS)

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
