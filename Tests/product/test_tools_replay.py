"""`pickerd replay` folds a log again and compares the result with the stored state."""

import json
import subprocess
import time

import pytest

from harness.definitions import CALENDAR, LISTS, SLOT, TREE
from harness.pickerd import binary, wait_until
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


def test_a_store_in_use_replays_to_every_revision(stored):
    session, seen = lived(stored)

    for revision, got in enumerate(seen):
        done = replay(stored.path, session.id, "--at", revision, "--json")
        assert done.status == 0, done
        assert state(done) == shown(got)
    last = replay(stored.path, session.id, "--json")
    assert (last.json["revision"], last.json["lastRevision"]) == (5, 5)
    assert last.json["state"]["members"][0]["name"] == "Ana"


def test_the_days_of_a_range_are_counted(stored):
    session = stored.session(CALENDAR)
    ana = session.join("Ana")
    ana.tap("2018-11-20")
    ana.tap("2018-11-22")
    ana.reach(2)

    assert "2018-11-20 to 2018-11-22, 3 days, 2 hits" in replay(stored.path, session.id).output


def test_output_that_cannot_be_written_is_an_error(stored):
    session, _ = lived(stored)
    where = ["--admin", f"http://127.0.0.1:{stored.admin_port}"]
    for command in (["replay", stored.path, session.id], ["session", "list", *where],
                    ["status", "--once", *where],
                    ["backup", stored.path, stored.path.removeprefix("sqlite:") + ".copy"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([binary(), *command], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=60)
        assert done.returncode == 74 and "cannot write the output" in done.stderr, (command, done)


def test_no_name_can_change_the_terminal_or_forge_lines(stored):
    session = stored.session(CALENDAR, title="trip\u001b[2J")
    session.join("\u001b]52;c;eA==\u0007\nequal     9 entries replayed")

    done = replay(stored.path, session.id, "--verbose")

    assert done.status == 0 and "equal     9" in done.output and "\\u{1B}" in done.output
    assert "\u001b" not in done.output and "\u0007" not in done.output
    assert [line for line in done.output.splitlines() if line.startswith("equal     9")] == []


def test_a_change_of_a_definition_is_not_said_to_have_changed_nothing(stored):
    session = stored.session(CALENDAR)
    assert stored.request("PUT", session.path + "/definition", {
        **CALENDAR, "blocked": [{"from": "2018-11-27", "through": "2018-11-28"}]}).status == 200

    done = replay(stored.path, session.id, "--verbose")

    assert "definition version 2" in done.output and "no change" not in done.output


def test_a_log_from_a_file_or_a_pipe_replays_to_every_revision(server, tmp_path):
    session, seen = lived(server)
    log = written_log(session, tmp_path / "log.ndjson")

    for revision, got in enumerate(seen):
        done = replay(log, "--at", revision, "--json")
        assert done.status == 0, done
        assert state(done) == shown(got)
    piped = replay("-", session.id, "--json", stdin=log.read_bytes())
    assert piped.status == 0 and state(piped) == shown(seen[-1])


def test_verbose_prints_members_and_their_commands(stored):
    session, _ = lived(stored)

    done = replay(stored.path, session.id, "--verbose")

    assert "Bo (m_" in done.output and "refused, noSuchRow" in done.output
    assert "column 1 is “Leshan” (select)" in done.output
    assert "equal" in done.output.splitlines()[-1]


def test_claims_ticks_and_reopens_can_be_replayed(stored, tmp_path):
    """A leave can release a claim, and a reopen can make two revisions in one entry."""
    session = stored.session(SLOT)
    ana = session.join("Ana")
    ana.select(1, 3)
    ana.confirm()
    stored.clock("2018-11-25T10:00:00+08:00")
    ana.reopen()
    ana.reach(4)
    seen = session.get()
    calendar = stored.session(CALENDAR, openTap="opener")
    bo, cem = calendar.together("Bo", "Cem")
    bo.tap("2018-11-20")
    bo.leave()
    cem.reach(1)
    cem.until(lambda m: bo.id not in m.screen.members, what="Bo's leaving")
    cem.tap("2018-11-25")

    for at, status in ((2, "confirmed"), (3, "open"), (4, "open")):
        for source in ((stored.path, session.id), (written_log(session, tmp_path / "log"),)):
            done = replay(*source, "--at", at, "--json")
            assert (done.status, done.json["state"]["status"]) == (0, status), done
    assert state(done) == shown(seen)
    for source in ((stored.path, calendar.id), (written_log(calendar, tmp_path / "log"),)):
        done = replay(*source, "--json")
        assert done.status == 0, done
        assert done.json["state"]["snapshot"]["result"]["days"] == 6


def test_decisions_of_the_host_can_be_replayed(stored, tmp_path):
    session = stored.session(LISTS, decide={"by": "host", "seconds": 60})
    ana = session.join("Ana")
    for granted in (False, True):
        ana.confirm()
        answer = stored.post(f"{session.path}/settle", {
            "op": session.get()["op"], "granted": granted, "data": {"n": 1}})
        assert answer.status == 200
    ana.reach(4)
    log = written_log(session, tmp_path / "a.ndjson")
    for sources in ((stored.path, session.id), (log,)):
        done = replay(*sources, "--json")
        assert done.status == 0, done
        assert done.json["state"]["snapshot"] == session.get()["snapshot"]


def test_a_log_in_which_the_clock_was_set_back_replays(stored, tmp_path):
    """Regression: setting the clock back has no line if no row changes by it."""
    session = stored.session(LISTS)
    ana = session.join("Ana")
    for row, time in enumerate(("2018-12-01T10:00:00+08:00", "2018-11-25T10:00:00+08:00"), 1):
        stored.clock(time)
        ana.select(0, row)

    for source in ((stored.path, session.id), (written_log(session, tmp_path / "log"),)):
        done = replay(*source, "--json")
        assert done.status == 0, done


def test_changed_definitions_replay_to_every_revision(stored, tmp_path):
    """A reopen can make three revisions: its own, the pending definition's and the tick's."""
    session = stored.session(SLOT)
    path = session.path + "/definition"
    seen = [session.get()]

    def change(**fields):
        assert stored.request("PATCH", path, fields).status == 200

    ana = session.join("Ana")
    change(hours=[{"from": "09:00", "until": "23:00"}])
    seen.append(session.get())
    ana.reach(1)
    ana.confirm()
    seen.append(session.get())
    change(hours=[{"from": "13:00", "until": "15:00"}], bufferMinutes=5)
    seen.append(session.get())
    stored.clock("2018-12-25T10:00:00+08:00")
    ana.reopen()
    ana.reach(6)
    seen.append(session.get())
    log = written_log(session, tmp_path / "log")

    for at, got in ((0, seen[0]), (1, seen[1]), (2, seen[2]), (3, seen[3]), (6, seen[4])):
        for source in ((stored.path, session.id), (log,)):
            done = replay(*source, "--at", at, "--json")
            assert done.status == 0 and state(done) == shown(got), done
    for at in (4, 5):
        left, right = (
            replay(*source, "--at", at, "--json") for source in ((stored.path, session.id), (log,)))
        assert state(left) == state(right) and state(left)["status"] == "open"


def test_replaying_a_long_log_reproduces_its_snapshots(stored):
    session = stored.session(LISTS)
    ana = session.join("Ana")
    for n in range(1, 1201):
        ana.ask_select(0, n % 4)
        if n == 600:
            ana.reach(n)
            time.sleep(1)  # the minimum between two snapshots
    ana.reach(1200)

    # A snapshot may be stored after the answer to its last command.
    done = wait_until(
        lambda: (a := replay(stored.path, session.id, "--json")).json["compared"] >= 2 and a,
        timeout=60, what="two snapshots")

    assert done.status == 0 and done.json["equal"], done
    assert done.json["comparedWith"] == "snapshot"


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


@pytest.mark.parametrize("change, pointer", [
    (lambda line: line["changes"][1].update(row=1), "/changes/1/row"),
    (lambda line: line["changes"].pop(), "/changes/2"),
    (lambda line: line["changes"][0].update(cause="clamp"), "/changes/0/cause"),
    (lambda line: line["command"].update(row=3), None),
])
def test_a_corrupt_log_line_is_detected(server, tmp_path, change, pointer):
    session, _ = lived(server)
    log = changed(written_log(session, tmp_path / "log"), 3 if pointer else 2, change)

    done = replay(log, "--json")

    assert done.status == 1, done
    assert done.json["difference"]["revision"] == (3 if pointer else 2)
    assert done.json["difference"]["detail"]
    if pointer is None:
        assert "noSuchRow" in done.json["difference"]["detail"]
    lines = replay(log)
    assert lines.status == 1 and lines.output.splitlines()[-1].startswith("differs")


def test_texts_and_the_order_of_fields_are_not_compared(server, tmp_path):
    session, _ = lived(server)
    log = changed(
        written_log(session, tmp_path / "log"), 1,
        lambda line: line["changes"][-2].update(text="elsewhere"))
    lines = [json.dumps(json.loads(line), sort_keys=True) for line in log.read_text().splitlines()]
    log.write_text("\n".join(lines) + "\n")

    assert replay(log).status == 0


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


def test_invalid_arguments_and_missing_files_are_reported(stored, tmp_path):
    session, _ = lived(stored)
    log = written_log(session, tmp_path / "log")

    for status, *arguments in (
            (64,), (64, stored.path), (64, stored.path, session.id, "--at", "6"),
            (64, log, "--at", "x"), (64, log, "--at", "-1"), (64, log, "--limit", "undo"),
            (64, "memory:", session.id), (66, tmp_path / "none"), (66, tmp_path),
            (66, f"sqlite:{tmp_path}/none", session.id), (66, f"sqlite:{log}", session.id),
            (66, stored.path, "nobody")):
        done = replay(*arguments)
        assert done.status == status, (arguments, done)
        assert done.complaint and not done.output, (arguments, done)
