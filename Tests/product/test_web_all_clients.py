"""Clients of every kind in one session fold to the same state.

Eva has a browser, Sam `pickerd join --json` (the Swift client), Tom its sentences, Pia the guide's
Python, Kim posts single commands, a panel watches events, and Ana is the tests' own member.
"""

import threading

import pytest

from harness.definitions import CALENDAR, LISTS, TREE
from harness.patience import PATIENCE
from harness.pickerd import wait_until
from test_http_commands import Poster
from test_event_streams import Watcher
from test_mixed_clients import guide

pytest_plugins = ["webpages", "terminals"]
pytestmark = pytest.mark.used_pages
ELEMENTS = "pickerd-wheels, pickerd-calendar, pickerd-availability"
#: Cells 0 to 3 and 4 to 7.
TIMES = {"kind": "availability", "dates": ["2018-11-26", "2018-11-27"], "stepMinutes": 30, "length": 2,
         "hours": [{"from": "09:00", "until": "11:00"}]}


class Everybody:
    """All clients of a session, and the state that each of them shows."""

    def __init__(self, session, window, lines):
        self.session = session
        self.ana = session.join("Ana")
        self.eva = window(session.server, session, name="Eva")
        self.tom = lines(session, name="Tom")
        self.sam = lines(session, "--json", name="Sam")
        self.pia = guide().Picker(session.url, "Pia")
        self.pia.connect()
        self.kim = Poster(session, "Kim")
        self.panel = Watcher(session)
        self.sam.event("connection", connection="live")
        self.tom.until(lambda line: line == "* connected")

    def close(self):
        self.panel.close()
        self.pia.socket.close()

    def agree(self, revision):
        """Waits until the session and all clients reach a revision; asserts equal states."""
        wait_until(lambda: self.session.revision() >= revision, what=f"revision {revision}")
        truth = self.session.get()
        assert truth["revision"] == revision
        right = essence(truth["snapshot"])
        self.ana.reach(revision)
        self.panel.reach(revision)
        while self.pia.revision < revision:
            self.pia.receive(PATIENCE)
        self.eva.page.wait_for_function(
            f"revision => document.querySelector('{ELEMENTS}')"
            "?.picker?.state.revision === revision", arg=revision)
        seen = {
            "Sam": essence(self.sam.reach(revision)), "Pia": essence(self.pia.state),
            "Eva": self.evas_essence()}
        assert seen == dict.fromkeys(seen, right)
        assert self.ana.screen.differs_from(truth) is None
        assert self.panel.screen.differs_from(truth) is None
        self.tom_reads(words(truth["snapshot"]))

    def tom_reads(self, text):
        """Waits until the last selection in Tom's lines is `text`, before its total and status."""
        def chosen():
            return next((line for line in reversed(self.tom.received) if line[:2] == "= "), "")

        while not chosen().startswith(f"= {text}"):
            self.tom.until(lambda line: line.startswith("= "))

    def evas_essence(self):
        state = self.eva.page.evaluate("""(elements) => {
            const { state } = document.querySelector(elements).picker;
            const columns = state.columns.map(({ generation, count, row }) => ({ generation, count, row }));
            const cells = state.availability;
            const runs = (of) => of.flatMap((value, cell) => value ? [[cell, cell + 1, value].flat()] : []);
            const availability = cells && { ...cells, heat: runs(cells.heat),
                marks: [...cells.marks].map(([member, own]) => ({ member, runs: runs(own.cells) })) };
            return { columns, availability, calendar: { range: state.range }, status: state.status };
        }""", ELEMENTS)
        return essence(state)


def essence(snapshot):
    """The part of a state that does not depend on locale and view."""
    columns = [(c["generation"], c["count"], c["row"]) for c in snapshot.get("columns") or []]
    span = (snapshot.get("calendar") or {}).get("range")
    return (columns, span and (span["start"], span["end"], span["hits"]), snapshot["status"],
            marked(snapshot.get("availability")))


def marked(cells):
    """The part of an availability that does not depend on locale and zone, by cell."""
    if not cells:
        return None

    def by_cell(runs):
        values = {cell: value for first, end, *value in runs for cell in range(first, end)}
        return {cell: value for cell, value in values.items() if any(value)}

    marks = {one["member"]: by_cell(one["runs"]) for one in cells["marks"]}
    return (cells["generation"], cells["count"], cells["past"], cells["respondents"],
            {member: own for member, own in marks.items() if own}, by_cell(cells["heat"]),
            [window["cell"] for window in cells["best"]])


def words(snapshot):
    """The sentence about the state."""
    if "availability" in snapshot:
        return (snapshot["result"] or {"local": "nothing chosen"})["local"].replace("T", " ")
    if "columns" in snapshot:
        columns = [c for c in snapshot["columns"] if c["row"] is not None]
        return ", ".join(c["rows"][c["row"] - c["from"]]["text"] for c in columns)
    span = snapshot["calendar"]["range"]
    if not span:
        return "nothing chosen"
    if span["hits"] % 2:
        return f"first day {span['start']}, no last day yet"
    return f"{span['start']} to {span['end']}"


@pytest.fixture
def everybody(server, window, lines):
    made = []

    def gathers(definition):
        made.append(Everybody(server.session(definition), window, lines))
        return made[-1]

    yield gathers
    for all_of_them in made:
        all_of_them.close()


def test_a_tap_of_each_client_reaches_all_others(everybody):
    us = everybody(CALENDAR)

    us.ana.tap("2018-11-20")
    us.agree(1)
    us.eva.day("2018-11-27").click()
    us.agree(2)
    us.tom.say("tap 2018-11-23")
    us.agree(3)
    assert us.sam.ask({"type": "tap", "date": "2018-12-02"})["revision"] == 4
    us.agree(4)
    assert us.pia.tap("2018-11-14")["revision"] == 5
    us.agree(5)
    assert us.kim.do("tap", date="2018-11-09")["revision"] == 6
    us.agree(6)

    assert us.session.result() == {"start": "2018-11-09", "end": "2018-11-14", "days": 6}


def test_a_select_of_each_client_reaches_all_others(everybody):
    us = everybody(TREE)

    us.ana.select(0, 1)
    us.agree(1)
    us.eva.type_at(1, "ArrowDown")
    us.agree(2)
    us.tom.say("select 2 Chengdu")
    us.agree(3)
    assert us.sam.ask({"type": "select", "column": 1, "row": 1})["revision"] == 4
    us.agree(4)
    assert us.pia.select(0, 0)["revision"] == 5
    us.agree(5)
    assert us.kim.do("undo")["revision"] == 6
    us.agree(6)


def test_marks_of_each_client_reach_all_others(everybody):
    us = everybody(TIMES)

    us.ana.mark("yes", [0, 3])
    us.agree(1)
    us.eva.cell(2).click()
    us.agree(2)
    us.tom.say("mark maybe 0-2")
    us.agree(3)
    cells = {"type": "mark", "grade": "no", "cells": [[0, 1], [6, 8]]}
    assert us.sam.ask(cells)["revision"] == 4
    us.agree(4)
    assert us.pia.mark("yes", [1, 4], [5, 7])["revision"] == 5
    us.agree(5)
    kim = us.kim.do("mark", grade="yes", cells=[[1, 6]], generation=1)
    assert kim["revision"] == 6
    us.agree(6)
    us.session.patch("definition", {"hours": [{"from": "09:30", "until": "12:00"}]})
    us.agree(7)
    us.tom.say("mark yes 9")
    us.agree(8)
    us.ana.clear()
    us.agree(9)

    assert us.session.result()["local"] == "2018-11-26T09:30"


def test_all_clients_follow_a_host_that_shortens_a_stay(everybody):
    us = everybody(CALENDAR)
    us.ana.tap("2018-11-20")
    us.ana.tap("2018-11-27")
    us.agree(2)

    us.session.patch("definition", {"taken": {"a": {"from": "2018-11-24"}}})
    us.agree(3)
    us.session.patch("definition", {"maxDays": 2, "taken": None})
    us.agree(4)

    assert us.session.result() == {"start": "2018-11-20", "end": "2018-11-21", "days": 2}


def test_all_clients_follow_a_host_that_renames_and_removes_rows(everybody):
    us = everybody(LISTS)
    us.ana.select(0, 2)
    us.agree(1)

    debian = {"text": "Debian", "key": "Linux"}
    us.session.patch("definition", {"columns": [["MacOS", debian], ["Vim"]]})
    us.agree(2)
    us.session.patch("definition", {"columns": [["MacOS", "Haiku"], ["Vim"]]})
    us.agree(3)

    assert us.session.result() == {"keys": ["MacOS", "Vim"]}


def test_concurrent_taps_of_all_clients_converge(everybody):
    us = everybody(CALENDAR)
    days = [f"2018-11-{day:02}" for day in range(3, 29, 5)]

    def pia():
        for day in days:
            us.pia.tap(day)

    def kim():
        for day in days:
            us.kim.do("tap", date=day)

    threads = [threading.Thread(target=work) for work in (pia, kim)]
    for thread in threads:
        thread.start()
    for day in days:
        us.sam.say(f"tap {day}")
        us.tom.say(f"tap {day}")
        us.eva.day(day).click()
        us.ana.ask("tap", date=day)
    for thread in threads:
        thread.join(PATIENCE)

    us.agree(6 * len(days))
    authors = {line["by"] for line in us.session.log()}
    assert len(authors) == 6, "every client has tapped"
