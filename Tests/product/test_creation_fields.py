"""What a host gives a session at its creation, and finds again: notes, texts, its own name."""

import json
from urllib.parse import quote

import icalendar
import pytest

from harness import contract
from harness.host import Host
from harness.store import again, stored
from harness.tools import replay, state

STAY = {"kind": "calendar", "unit": "nights", "timeZone": "UTC", "currency": "EUR",
        "months": {"from": "2018-11", "through": "2018-12"}}
NOTES = {"days": {f"2018-11-{day}": {"text": f"€ {day}", "amount": day} for day in range(24, 29)}}
TEXTS = {"location": "Sea Street 1, Chaozhou", "description": "Room 12; breakfast\nfrom 7:00",
         "url": "https://hotel.example.org/b/17?x=1,2"}
TITLE = {"en": "Your stay", "de": "Ihr Aufenthalt"}
DATE = {"kind": "date", "timeZone": "UTC"}


@pytest.fixture
def server(tmp_path):
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", options=("--loops", "3"))
    yield server
    server.stop()


def named(server, name, method="GET", token=None, query="", **fields):
    body = {"definition": DATE, **fields} if method == "PUT" else None
    return server.request(method, f"/v1/sessions/by/{quote(name, safe='')}{query}", body, token=token)


def event(server, session, query=""):
    answer = server.get(f"{session.path}/event.ics{query}")
    assert answer.status == 200, answer
    return icalendar.Calendar.from_ical(answer.body).walk("VEVENT")[0]


def test_a_session_has_its_notes_title_and_texts_from_the_beginning(server, tmp_path):
    session = server.session(STAY, title=TITLE, notes=NOTES, external="stay-17", **TEXTS)
    ana = session.join("Ana", locale="de", months={"from": "2018-11", "count": 1})
    assert ana.screen.revision == 0
    notes = {cell["date"]: cell["note"] for cell in ana.screen.views["2018-11"]["cells"]
             if "note" in cell}
    assert len(notes) == 5 and notes["2018-11-24"]["text"] == "€ 24"
    ana.tap("2018-11-24")
    ana.tap("2018-11-26")
    assert ana.screen.result["total"] == {"amount": 49, "currency": "EUR"}
    ana.confirm()
    got = session.get()
    assert (got["title"], session.get("de")["title"], session.get("fr")["title"]) == (
        "Your stay", "Ihr Aufenthalt", "Your stay")
    assert {name: got[name] for name in TEXTS} == TEXTS
    found, german = event(server, session), event(server, session, "?locale=de-AT")
    assert (found["SUMMARY"], german["SUMMARY"]) == ("Your stay", "Ihr Aufenthalt")
    assert [str(found[name]) for name in ("LOCATION", "DESCRIPTION", "URL")] == list(TEXTS.values())
    links = session.get("de")["links"]
    assert links["ics"].endswith("&locale=de") and "Sea%20Street%201" in links["google"]
    assert "Ihr%20Aufenthalt" in links["google"] and "Ihr%20Aufenthalt" in links["outlook"]
    lines = [json.loads(line) for line in server.get(
        "/v1/feed", port=server.admin_port).body.splitlines()]
    assert {json.dumps(line["data"]["title"], sort_keys=True) for line in lines} == {
        json.dumps(TITLE, sort_keys=True)}
    log = tmp_path / "lines"
    log.write_bytes(server.get(f"{session.path}/log").body)
    before = session.get()
    again(server)
    assert session.get()["snapshot"] == before["snapshot"]
    assert server.get(f"{session.path}/notes").json["days"] == NOTES["days"]
    for source in ([log], [f"sqlite:{tmp_path}/store.sqlite", session.id]):
        done = replay(*source, "--json")
        assert (done.status, state(done)["snapshot"]) == (0, before["snapshot"]), done


def test_a_session_is_read_by_its_external_id(server):
    sessions = [named(server, f"room/{number}?", "PUT", meta=number).json["session"]
                for number in range(6)]

    for number, id in enumerate(sessions):
        got = contract.fits("session", named(server, f"room/{number}?").json)
        assert (got["session"], got["meta"]) == (id, number)
        assert got == server.get(f"/v1/sessions/{id}").json
    full = named(server, "room/1?", query="?definition=full&locale=de")
    assert full.json == server.get(f"/v1/sessions/{sessions[1]}?definition=full&locale=de").json
    assert named(server, "room/7?").code == "noSuchSession"
    server.delete(f"/v1/sessions/{sessions[0]}")
    assert named(server, "room/0?").code == "noSuchSession"
    again(server)
    assert named(server, "room/1?").json["session"] == sessions[1]


def test_a_put_with_another_body_says_that_the_session_differs(server):
    fields = {"title": "Order", "meta": {"a": 1, "b": [2, 3]}}
    made = named(server, "order", "PUT", **fields)
    assert (made.status, "differs" in made.json) == (201, False)
    same = named(server, "order", "PUT", meta={"b": [2, 3], "a": 1}, title="Order", external="order")
    assert (same.status, "differs" in same.json) == (200, False)
    other = contract.fits("created", named(server, "order", "PUT", title="Other").json)
    assert (other["session"], other["differs"]) == (made.json["session"], True)
    again(server)
    assert "differs" not in named(server, "order", "PUT", **fields).json
    assert named(server, "order", "PUT", **fields, oneMember=True).json["differs"] is True
    posted = server.post("/v1/sessions", {"definition": DATE, "external": "posted"})
    assert posted.status == 201
    assert "differs" not in named(server, "posted", "PUT").json
    assert named(server, "posted", "PUT", ttlSeconds=60).json["differs"] is True


def test_a_session_by_name_needs_the_right_to_read_it(tmp_path):
    host = Host(tmp_path)
    server = stored(tmp_path / "log", tmp_path / "store.sqlite", auth=f"keys:{host.file}")
    made = named(server, "x", "PUT", token=host.api)
    assert named(server, "x", token=host.api).json["session"] == made.json["session"]
    member = host.token(made.json["session"], "owner")
    assert (named(server, "x").status, named(server, "x", token=member).status) == (401, 403)
    server.stop()
