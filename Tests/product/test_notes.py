"""Notes of days and rows: GET, PATCH, and what members receive."""

import pytest

from harness.store import again, stored
from rawsocket import at_once

STAY = {"kind": "calendar", "months": {"from": "2026-11", "through": "2026-12"}}
SIZES = {"kind": "columns", "columns": [["S", "M", "L"], ["red", "blue"]]}
MERGE = "application/merge-patch+json"
FULL = {"text": {"en": "sold out", "de": "ausgebucht", "zh": "满"}, "tone": "bad"}


def patch(session, body, type=MERGE, **rest):
    return session.server.request(
        "PATCH", session.path + "/notes", body, headers={"Content-Type": type}, **rest)


def notes(session, **rest):
    answer = session.server.get(session.path + "/notes", **rest)
    assert answer.status == 200, answer
    return answer.json


def cells(message):
    return {cell["date"]: cell.get("note") for view in message["months"] for cell in view["cells"]}


def test_members_receive_notes_of_days_in_view_in_their_locale(server):
    session = server.session(STAY)
    ana = session.join("Ana", months={"from": "2026-12", "count": 1}, locale="de-AT")
    ben = session.join("Ben", months={"from": "2026-11", "count": 1}, locale="zh-Hans-CN")
    cem = session.join("Cem")

    answer = patch(session, {"days": {"2026-11-30": FULL, "2026-12-24": FULL}})

    assert answer.status == 200 and answer.headers["etag"] == '"1"', answer
    both = {"2026-11-30": {"text": "sold out", "tone": "bad"},
            "2026-12-24": {"text": "sold out", "tone": "bad"}}
    assert answer.json == {
        "revision": 1, "version": 1, "changes": [{"change": "notes", "days": both}]}
    for member in (ana, ben, cem):
        member.reach(1)
    received = [next(m for m in who.record if m["type"] == "delta") for who in (ana, ben, cem)]
    assert all("by" not in delta for delta in received)
    # A neighbour's cell counts: December's first week has November 30.
    german = {"text": "ausgebucht", "tone": "bad"}
    assert received[0]["changes"] == [{"change": "notes", "days": {
        "2026-11-30": german, "2026-12-24": german}}]
    assert received[1]["changes"] == [{"change": "notes", "days": {
        "2026-11-30": {"text": "满", "tone": "bad"}}}]
    assert received[2]["changes"] == []
    shown = cells(cem.look("2026-12"))
    assert shown["2026-12-24"]["text"] == "sold out" and shown["2026-12-25"] is None
    line = session.log()[-1]
    assert line["command"] == {
        "type": "note", "notes": {"days": {"2026-11-30": FULL, "2026-12-24": FULL}}}
    assert line["changes"] == answer.json["changes"] and "by" not in line
    session.agree()


def test_requests_are_checked_in_the_documented_order(server, guarded):
    session = guarded.session(SIZES)
    assert guarded.request("PATCH", "/v1/sessions/none/notes", b"{").status == 404
    assert patch(session, b"{").status == 401
    assert patch(session, b"{", token=session.tokens["editor"]).status == 403
    large = b" " * 262_145
    assert patch(session, large, token=session.tokens["owner"]).status == 413
    assert patch(session, b"{", token=session.tokens["owner"]).status == 400
    assert patch(session, {}, "text/plain", token=session.tokens["owner"]).status == 400
    assert patch(session, [], "application/json-patch+json",
                 token=session.tokens["owner"]).status == 400
    late = []
    while 429 not in late and len(late) < 1200:
        late += [status for status, _, _ in at_once(
            ("127.0.0.1", guarded.port), 60, "PATCH", session.path + "/notes",
            [("Content-Type", MERGE), ("Authorization", f"Bearer {session.tokens['owner']}")],
            large)]
    assert 429 in late and set(late) <= {413, 429}, late
    assert notes(session, token=session.tokens["viewer"]) == {"days": {}, "columns": {}}
    assert server.request("PUT", server.session(SIZES).path + "/notes", {}).status == 405


def test_event_streams_and_drawings_show_notes(server):
    session = server.session(STAY)
    patch(session, {"days": {"2026-12-24": {"text": "< € 120 >", "tone": "low"},
                             "2026-12-25": {"text": {"de": "frei"}}}})
    drawn = server.get(session.path + "/months/2026-12.svg?locale=de")
    assert "&lt; € 120 &gt;".encode() in drawn.body and b">frei<" in drawn.body
    before = drawn.headers["etag"]
    patch(session, {"days": {"2026-12-25": None}})
    assert server.get(session.path + "/months/2026-12.svg?locale=de").headers["etag"] != before
    plain = server.get(session.path + "/months/2026-11.svg")
    assert plain.status == 200 and b"120" not in plain.body


@pytest.mark.parametrize("kill", [True, False], ids=["kill -9", "SIGTERM"])
def test_notes_survive_a_restart(tmp_path, kill):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite")
    try:
        session = server.session(STAY)
        patch(session, {"days": {"2026-12-24": FULL, "2026-12-25": {"text": "x"}}})
        patch(session, {"days": {"2026-12-25": None}})
        before = notes(session), session.get(), session.log()
        again(server, kill=kill)
        assert (notes(session), session.get(), session.log()) == before
    finally:
        server.stop()
