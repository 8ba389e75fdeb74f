"""Tickets: event streams and month drawings for clients that cannot send headers."""

import re
import socket
import time
from types import SimpleNamespace

import pytest

from harness.definitions import CALENDAR, DATE
from harness.host import Host
from harness.patience import PATIENCE
from harness.pickerd import wait_until
from harness.store import stored


def ticket(server, session, purpose, *, token=None, **rest):
    answer = server.post(f"{session.path}/tickets", {"for": purpose, **rest}, token=token)
    assert answer.status == 201, answer
    assert answer.headers["cache-control"] == "no-store"
    assert set(answer.json) == {"ticket", "expires"}
    assert re.fullmatch(r"[A-Za-z0-9._~-]+", answer.json["ticket"]), "needs no escaping in a URL"
    return answer.json["ticket"]


def events(server, session, query):
    """Opens an event stream; its status and its socket, read up to the welcome or the end."""
    there = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    there.sendall(f"GET {session.path}/events?{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    received = b""
    while b"welcome" not in received and (more := there.recv(65536)):
        received += more
        if b"problem+json" in received:
            break
    return int(received.split()[1]), there


def in_time(attempt):
    """What `attempt(seconds)` returns for the first time that suffices on this machine."""
    return next(result for seconds in (3, 30, PATIENCE) if (result := attempt(seconds)))


@pytest.mark.parametrize("role", ["owner", "viewer"])
def test_a_ticket_grants_access_to_its_resource(guarded, role):
    session = guarded.session(CALENDAR)
    token = session.tokens[role]
    month = f"{session.path}/months/2018-11.svg"
    assert guarded.get(month).status == 401

    drawing = ticket(guarded, session, "months", token=token)
    watching = ticket(guarded, session, "events", token=token)

    for path in (month, f"{session.path}/months/2018-12.svg?width=300", month):
        with_ticket = path + ("&" if "?" in path else "?") + f"ticket={drawing}"
        assert guarded.get(with_ticket).status == 200, path
    status, there = events(guarded, session, f"ticket={watching}")
    there.close()
    assert status == 200
    assert guarded.request("HEAD", f"{session.path}/events?ticket={watching}").status == 200


@pytest.mark.parametrize("auth", ["open", "token"])
def test_a_ticket_grants_access_to_nothing_else(server, guarded, auth):
    server = guarded if auth == "token" else server
    session, other = server.session(CALENDAR), server.session(CALENDAR)
    token = session.tokens.get("viewer")
    drawing = ticket(server, session, "months", token=token)
    watching = ticket(server, session, "events", token=token)

    for path, wrong in [
            (f"{session.path}/months/2018-11.svg", watching), (f"{session.path}/events", drawing),
            (f"{other.path}/months/2018-11.svg", drawing), (f"{other.path}/events", watching),
            (f"{session.path}/events", "x"), (f"{session.path}/events", ""),
            (f"{session.path}/months/2018-11.svg", drawing[:-1] + ("0" if drawing[-1] != "0" else "1"))]:
        answer = server.get(f"{path}?ticket={wrong}", token=token)
        assert (answer.status, answer.code) == (401, "badToken"), path


def test_a_ticket_requires_a_token(guarded):
    session = guarded.session(CALENDAR)

    without = guarded.post(f"{session.path}/tickets", {"for": "events"})
    wrong = guarded.post(f"{session.path}/tickets", {"for": "events"}, token="wrong")

    assert (without.status, without.code) == (401, "noToken")
    assert (wrong.status, wrong.code) == (401, "badToken")
    assert guarded.post("/v1/sessions/nobody/tickets", {"for": "events"}).status == 404


def test_malformed_ticket_requests_are_rejected(server):
    path = server.session(CALENDAR).path
    for body in [{}, [], {"for": "all"}, {"for": "events", "minutes": 1},
                 *[{"for": "events", "seconds": bad} for bad in (0, 86_401, 1.5)]]:
        answer = server.post(f"{path}/tickets", body)
        assert (answer.status, answer.code) == (400, "badRequest"), body


def test_a_stream_continues_after_its_ticket_has_expired(server):
    session = server.session(CALENDAR)

    def accepted(seconds):
        query = "ticket=" + ticket(server, session, "events", seconds=seconds)
        status, there = events(server, session, query)
        return status == 200 and (query, there)

    query, there = in_time(accepted)
    ana = session.join("Ana")
    wait_until(lambda: server.request("HEAD", f"{session.path}/events?{query}").status == 401)

    ana.tap("2018-11-26")

    received = b""
    while b"2018-11-26" not in received:
        more = there.recv(65536)
        assert more, received
        received += more
    there.close()


def test_a_stream_opened_with_a_ticket_ends_with_the_token_that_it_is_from(start, tmp_path):
    host = Host(tmp_path)
    server = start(auth=f"keys:{host.file}", clock="system")
    made = server.post("/v1/sessions", {"definition": CALENDAR}, token=host.api)
    session = SimpleNamespace(path=f"/v1/sessions/{made.json['session']}")

    def accepted(seconds):
        # Accepted for 25 s after its `exp`.
        token = host.token(made.json["session"], exp=int(time.time()) + seconds - 23)
        answer = server.post(f"{session.path}/tickets", {"for": "events"}, token=token)
        status, there = events(server, session, f"ticket={answer.json.get('ticket')}")
        return status == 200 and there

    there = in_time(accepted)
    began = time.monotonic()
    while there.recv(65536):
        assert time.monotonic() - began < PATIENCE, "the stream goes on"
    there.close()


def test_tickets_are_not_logged(start):
    server = start(options=("--log-level", "debug"))
    session = server.session(CALENDAR)
    drawing = ticket(server, session, "months")

    assert server.get(f"{session.path}/months/2018-11.svg?ticket={drawing}").status == 200
    assert server.get(f"{session.path}/events?ticket={drawing}").status == 401

    assert drawing not in server.complete_log()


def test_a_link_to_the_event_opens_without_a_token_while_the_session_exists(guarded):
    session = guarded.session(DATE)
    session.join("Ana").confirm()
    links = {session.get(token=token)["links"]["ics"] for token in session.tokens.values()}
    (link,) = links
    path = link.removeprefix(f"http://127.0.0.1:{guarded.port}")
    lasting = path.split("?ticket=")[1]

    assert guarded.get(path).body.startswith(b"BEGIN:VCALENDAR\r\n")
    assert guarded.request("HEAD", path).status == 200
    other = guarded.session(DATE)
    for elsewhere in (f"{other.path}/event.ics", f"{session.path}/events"):
        answer = guarded.get(f"{elsewhere}?ticket={lasting}")
        assert (answer.status, answer.code) == (401, "badToken"), elsewhere
    assert guarded.get(f"{session.path}?ticket={lasting}").status == 401
    wrong = guarded.get(path[:-1] + ("0" if path[-1] != "0" else "1"))
    assert (wrong.status, wrong.code) == (401, "badToken")
    session.delete()
    assert guarded.get(path).status == 404


def test_a_revocation_ends_tickets_but_not_the_link_to_the_event(start, tmp_path):
    """Regression: the revocation of one member's tokens ended the link in everybody's calendar."""
    host = Host(tmp_path)
    server = start(auth=f"keys:{host.file}", clock=None)
    created = server.post("/v1/sessions", {"definition": DATE}, token=host.api).json["session"]
    path = f"/v1/sessions/{created}"
    confirmed = server.post(f"{path}/members", {}, token=host.token(created, role="owner")).json
    answer = server.post(f"{path}/commands", {
        "type": "confirm", "ref": 1, "member": confirmed["member"]["id"],
        "secret": confirmed["member"]["secret"]}, token=host.token(created, role="owner"))
    assert answer.json["type"] == "delta", answer

    def link():
        got = server.get(path, token=host.api).json["links"]["ics"]
        return got.removeprefix(f"http://127.0.0.1:{server.port}")

    def asked():
        body = {"for": "ics", "seconds": 86_400}
        got = server.post(f"{path}/tickets", body, token=host.api).json["ticket"]
        return f"{path}/event.ics?ticket={got}"

    lasting, short = link(), asked()
    assert (server.get(lasting).status, server.get(short).status) == (200, 200)
    for _ in range(2):
        assert server.post(f"{path}/revoke", {"subject": "17"}, token=host.api).status == 200

    assert (server.get(short).status, server.get(short).code) == (401, "badToken")
    assert server.get(asked()).status == 200
    assert (server.get(lasting).status, link()) == (200, lasting)
    assert server.delete(path, token=host.api).status == 204
    assert server.get(lasting).status == 404


def test_a_ticket_is_valid_after_a_restart(tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite")
    try:
        session = server.session(CALENDAR)
        drawing, short = (ticket(server, session, "months", seconds=seconds) for seconds in (60, 1))
        path = f"{session.path}/months/2018-11.svg?ticket="
        assert server.get(path + drawing).status == 200

        server.kill()
        server.start()

        assert server.get(path + drawing).status == 200
        wait_until(lambda: server.get(path + short).status == 401, what="its end")
        assert server.get(f"{session.path}/events?ticket={drawing}").status == 401
    finally:
        server.stop()
