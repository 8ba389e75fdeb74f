"""`pickerd replay` folds a log again and compares the result with the stored state."""

import json

import pytest

from harness.definitions import CALENDAR, LISTS, TREE
from harness.tools import replay, state


@pytest.fixture
def stored(start, tmp_path):
    """A server whose store is `stored.path`."""
    path = tmp_path / "store.sqlite"
    server = start(limits={"messagesPerSecond": 100_000}, options=["--store", f"sqlite:{path}"])
    server.path = f"sqlite:{path}"
    return server


def written_log(session, path):
    """Writes the session's log to a file."""
    answer = session.server.get(f"{session.path}/log")
    path.write_bytes(answer.body)
    return path


def lived(server):
    """A session with commands of several types, and the response to GET at each revision."""
    session = server.session(TREE)
    ana, bo = session.together("Ana", "Bo")
    seen = [session.get()]
    ana.select(0, 1)
    seen.append(session.get())
    bo.reach(1)
    bo.select(1, 1)
    bo.select(1, 7)
    seen.append(session.get())
    bo.undo()
    seen.append(session.get())
    ana.reach(3)
    ana.confirm()
    seen.append(session.get())
    bo.leave()
    ana.reopen()
    seen.append(session.get())
    return session, seen


def shown(got):
    return {name: got[name] for name in ("session", "revision", "status", "snapshot")}


def test_a_store_in_use_and_its_log_replay_to_every_revision(stored, tmp_path):
    session, seen = lived(stored)
    log = written_log(session, tmp_path / "log.ndjson")

    for revision, got in enumerate(seen):
        for source in ([stored.path, session.id], [log]):
            done = replay(*source, "--at", revision, "--json")
            assert done.status == 0, done
            assert state(done) == shown(got)
    piped = replay("-", session.id, "--json", stdin=log.read_bytes())
    assert piped.status == 0 and state(piped) == shown(seen[-1])
    last = replay(stored.path, session.id, "--json")
    assert (last.json["revision"], last.json["lastRevision"]) == (5, 5)
    assert last.json["state"]["members"][0]["name"] == "Ana"


def test_no_name_can_change_the_terminal_or_forge_lines(stored):
    session = stored.session(CALENDAR, title="trip\u001b[2J")
    session.join("\u001b]52;c;eA==\u0007\nequal     9 entries replayed")

    done = replay(stored.path, session.id, "--verbose")

    assert done.status == 0 and "equal     9" in done.output and "\\u{1B}" in done.output
    assert "\u001b" not in done.output and "\u0007" not in done.output
    assert [line for line in done.output.splitlines() if line.startswith("equal     9")] == []


def test_a_corrupt_snapshot_is_detected(stored, tmp_path):
    sqlite3 = pytest.importorskip("sqlite3")
    session = stored.session(LISTS)
    ana = session.join("Ana")
    for n in range(1, 551):
        ana.ask_select(0, n % 4)
    ana.reach(550)
    stored.stop()
    with sqlite3.connect(stored.path.removeprefix("sqlite:")) as store:
        (sequence, body), = store.execute("SELECT sequence, body FROM snapshot").fetchall()
        snapshot_body = json.loads(body)
        snapshot_body["picker"]["value"]["keys"][1] = "Atom"
        store.execute("UPDATE snapshot SET body = ?", (json.dumps(snapshot_body).encode(),))

    done = replay(stored.path, session.id, "--json")

    assert done.status == 1
    difference = done.json["difference"]
    assert difference["revision"] == sequence - 1, "the first entry is Ana's join"
    assert difference["pointer"] == "/picker/value/keys/1"
    assert (difference["stored"], difference["folded"]) == ("Atom", "Xcode")


def changed(log, number, change):
    """Changes one line of the log."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    change(lines[number - 1])
    log.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return log


def test_a_corrupt_log_line_is_detected(server, tmp_path):
    session, _ = lived(server)
    for number, change, pointer in [
            (3, lambda line: line["changes"][1].update(row=1), "/changes/1/row"),
            (3, lambda line: line["changes"].pop(), "/changes/3"),
            (2, lambda line: line["command"].update(row=3), None)]:
        log = changed(written_log(session, tmp_path / "log"), number, change)

        done = replay(log, "--json")

        assert done.status == 1, done
        difference = done.json["difference"]
        assert difference["revision"] == number and pointer in (None, difference.get("pointer"))
        assert "noSuchRow" in difference["detail"] if pointer is None else difference["detail"]
        lines = replay(log)
        assert lines.status == 1 and lines.output.splitlines()[-1].startswith("differs")


def test_incomplete_and_malformed_logs_are_reported(server, tmp_path):
    session, seen = lived(server)
    whole = written_log(session, tmp_path / "whole").read_bytes()
    lines = whole.splitlines(keepends=True)
    log = tmp_path / "log"

    def complaint_about(data, *arguments):
        log.write_bytes(data)
        done = replay(log, *arguments)
        assert done.status == 65, done
        return done.complaint + done.output

    assert "begins at revision 2" in complaint_about(b"".join(lines[1:]))
    assert "from revision 2 to 4" in complaint_about(b"".join(lines[:2] + lines[3:]))
    assert "out of order" in complaint_about(b"".join(lines[:3] + lines[1:]))
    assert "has no revision" in complaint_about(b"")
    assert "within its first line" in complaint_about(lines[0][:40])
    assert "is cut" in complaint_about(b"".join(lines[:4]) + lines[4][:30])
    assert "revision  4 of 4" in complaint_about(b"".join(lines[:4]) + lines[4][:30])
    assert f"session {session.id}, not of elsewhere" in complaint_about(whole, "elsewhere")
    assert "line 2" in complaint_about(lines[0] + b"{\n" + lines[2])
    assert "line 2" in complaint_about(lines[0] + b'{"revision":2}\n')
    first = json.loads(lines[0])
    del first["session"]
    without_session = json.dumps(first).encode() + b"\n" + b"".join(lines[1:])
    assert "lacks a field" in complaint_about(without_session)
