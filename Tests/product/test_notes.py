"""Notes of days and rows: GET, PATCH, and the pictures of months."""

from rawsocket import at_once

STAY = {"kind": "calendar", "months": {"from": "2026-11", "through": "2026-12"}}
SIZES = {"kind": "columns", "columns": [["S", "M", "L"], ["red", "blue"]]}
MERGE = "application/merge-patch+json"


def patch(session, body, type=MERGE, **rest):
    return session.server.request(
        "PATCH", session.path + "/notes", body, headers={"Content-Type": type}, **rest)


def notes(session, **rest):
    answer = session.server.get(session.path + "/notes", **rest)
    assert answer.status == 200, answer
    return answer.json


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
