"""Notes of days and rows: GET, PATCH, and what members receive."""

import pytest

from harness.store import again, stored
from rawsocket import at_once

STAY = {"kind": "calendar", "months": {"from": "2026-11", "through": "2026-12"}}
SIZES = {"kind": "columns", "columns": [["S", "M", "L"], ["red", "blue"]]}
TREE = {"kind": "cascade", "nodes": [
    {"text": "A", "children": [{"text": "a"}]}, {"text": "B", "children": [{"text": "b"}]}]}
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


def test_rows_have_notes_in_snapshots_reloads_rows_and_deltas(server):
    session = server.session(TREE)
    ana = session.join("Ana")
    patch(session, {"columns": {"1": {"b": {"text": "€ 5", "tone": "low"}, "gone": {"text": "x"}}}})
    delta = ana.reach(1).record[-1]
    assert delta["changes"] == [{"change": "notes", "column": 1, "rows": {
        "b": {"text": "€ 5", "tone": "low"}, "gone": {"text": "x"}}}]

    moved = ana.select(0, 1)

    reload = next(change for change in moved["changes"] if change["change"] == "reload")
    assert reload["rows"] == [{"key": "b", "text": "b", "note": {"text": "€ 5", "tone": "low"}}]
    assert ana.rows(1, 0, 1)["rows"] == reload["rows"]
    assert session.get()["snapshot"]["columns"][1]["rows"] == reload["rows"]
    # A row that comes later has its note at once.
    session.server.request("PATCH", session.path + "/definition", {
        "nodes": [{"text": "B", "children": [{"text": "gone"}]}]},
        headers={"Content-Type": MERGE})
    ana.reach(3)
    assert ana.screen.columns[1]["rows"] == [{"key": "gone", "text": "gone", "note": {"text": "x"}}]
    session.agree()


def test_only_changed_notes_are_sent_and_equal_notes_take_no_revision(server):
    session = server.session(SIZES)
    ana = session.join("Ana")
    patch(session, {"columns": {"0": {"S": {"text": "a"}, "M": {"text": "b"}}}})
    answer = patch(session, {"columns": {"0": {"S": {"text": "a"}, "M": {"tone": "low"}, "L": None}}})
    assert answer.json["changes"] == [{"change": "notes", "column": 0, "rows": {
        "M": {"text": "b", "tone": "low"}}}]
    for same in ({}, {"columns": {}}, {"columns": {"7": None}}, {"days": None},
                 {"columns": {"0": {"S": {"text": "a"}}}}, notes(session)):
        answer = patch(session, same)
        assert answer.json == {"revision": 2, "version": 1, "changes": []}, answer
    assert notes(session) == {"days": {}, "columns": {"0": {
        "S": {"text": "a"}, "M": {"text": "b", "tone": "low"}}}}
    patch(session, {"columns": None})
    ana.reach(3)
    assert notes(session) == {"days": {}, "columns": {}}
    session.agree()


@pytest.mark.parametrize("body", [
    b"{", [], 7, {"day": {}}, {"days": {"2026-12-24": {"text": "x"}}}, {"columns": {"00": {}}},
    {"columns": {"32": {}}}, {"columns": {"0": {"S": "x"}}}, {"columns": {"0": {"S": {}}}},
    {"columns": {"0": {"S": {"text": ""}}}}, {"columns": {"0": {"S": {"text": "x" * 25}}}},
    {"columns": {"0": {"S": {"text": "x", "tone": "loud"}}}},
    {"columns": {"0": {"S": {"text": "x", "color": "red"}}}},
    {"columns": {"0": {"S": {"text": {}}}}}, {"columns": {"0": {"S": {"text": {"x y": "x"}}}}},
    {"columns": {"0": {"S": {"text": {f"a{n}": "x" for n in "bcdefghij"}}}}},
    {"columns": {"0": {"x" * 201: {"text": "x"}}}}, {"columns": {"0": {"": {"text": "x"}}}},
    {"columns": {"0": {str(n): {"text": "x"} for n in range(12_000)},
                 "1": {str(n): {"text": "x"} for n in range(10)}, "2": {"x": {"text": None}}}},
])
def test_invalid_notes_are_rejected_without_effect(server, body):
    session = server.session(SIZES)
    answer = patch(session, body)
    assert (answer.status, answer.code) in ((400, "badRequest"), (413, "tooLarge")), answer
    assert session.revision() == 0 and notes(session) == {"days": {}, "columns": {}}


def test_the_numbers_of_days_and_rows_with_notes_are_limited(server):
    session = server.session(STAY)
    days = [f"2{y:03}-{m:02}-{d:02}" for y in range(12) for m in range(1, 13) for d in range(1, 29)]
    assert patch(session, {"days": {day: {"text": "x"} for day in days[:4_000]}}).status == 200
    more = patch(session, {"days": {days[4_000]: {"text": "x"}}})
    assert (more.status, more.code) == (400, "badRequest") and "4000" in more.json["detail"]
    assert patch(session, {"days": {days[0]: None, days[4_000]: {"text": "x"}}}).status == 200
    assert len(notes(session)["days"]) == 4_000
    rows = server.session(SIZES)
    for part in range(4):
        body = {"columns": {"0": {f"{part}.{n}": {"text": "x"} for n in range(5_000)}}}
        assert patch(rows, body).status == 200
    assert patch(rows, {"columns": {"1": {"red": {"text": "x"}}}}).status == 400
    assert sum(len(column) for column in notes(rows)["columns"].values()) == 20_000


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


def test_a_resumed_member_gets_missed_deltas_without_notes_of_days(server):
    session = server.session(STAY)
    ana = session.join("Ana")
    ana.drop()
    patch(session, {"days": {"2026-12-24": {"text": "€ 120"}}})
    back = session.back(ana, 0, months={"from": "2026-12", "count": 1})
    back.until(lambda m: m.record[-1]["type"] == "months")
    delta = next(m for m in back.record if m["type"] == "delta")
    assert delta["changes"] == [] and back.welcome["resumed"]
    assert cells(back.record[-1])["2026-12-24"] == {"text": "€ 120"}
    session.agree()


def test_undo_does_not_change_notes_and_confirmed_sessions_accept_them(server):
    session = server.session(SIZES)
    ana = session.join("Ana")
    ana.select(0, 1)
    patch(session, {"columns": {"0": {"S": {"text": "€ 5"}}}})
    ana.undo()
    ana.confirm()
    assert patch(session, {"columns": {"0": {"M": {"text": "€ 6"}}}}).json["revision"] == 5
    ana.reach(5)
    assert [row.get("note", {}).get("text") for row in ana.screen.columns[0]["rows"]] == [
        "€ 5", "€ 6", None]
    assert notes(session)["columns"]["0"].keys() == {"S", "M"}


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
