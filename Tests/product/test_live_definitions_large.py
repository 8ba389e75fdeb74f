"""Changes of definitions at their limits: size, rate and dates."""

import re
import threading
import time
from pathlib import Path

import pytest

MERGE = "application/merge-patch+json"
PATCH = "application/json-patch+json"
ROWS = {"kind": "columns", "columns": [[f"row {n}" for n in range(20_000)]]}
SMALL = {"kind": "columns", "columns": [["a", "b"]]}


def patch(session, body, type=PATCH):
    return session.server.request(
        "PATCH", session.path + "/definition", body, headers={"Content-Type": type})


def put(session, definition):
    return session.server.request("PUT", session.path + "/definition", definition)


def rename(row, text):
    return [{"op": "replace", "path": f"/columns/0/{row}", "value": text}]


@pytest.mark.parametrize("count, status", [(1_000_000, 413), (9_000, 409)])
def test_a_patch_of_very_many_operations(server, count, status):
    session = server.session(SMALL)
    body = b"[" + b",".join([b'{"op":"remove","path":"/x"}'] * count) + b"]"
    if len(body) > 4_000_000:
        body = body[:4_000_000]
    assert patch(session, body).status == status
    assert session.revision() == 0


def test_a_patch_that_doubles_the_document_at_each_step(server):
    session = server.session(SMALL)
    answer = patch(session, [
        {"op": "copy", "from": "", "path": f"/x{n}"} for n in range(60)])
    assert (answer.status, answer.code) == (422, "badDefinition"), answer
    assert session.revision() == 0


def test_a_patch_that_doubles_the_depth_of_the_document_at_each_step(server):
    session = server.session(SMALL)
    depth, value = 100, {}
    for _ in range(depth - 1):
        value = {"a": value}
    patches = [{"op": "add", "path": "/x", "value": value}]
    for _ in range(10):
        patches.append({"op": "copy", "from": "/x", "path": "/x" + "/a" * depth})
        depth *= 2

    answer = patch(session, patches)

    assert (answer.status, answer.code) == (422, "badDefinition"), answer
    assert session.join("Ana").select(0, 1)["type"] == "delta"


def during(requests, member):
    """The answers of the requests, which another thread sends while the member taps."""
    answers = []
    thread = threading.Thread(target=lambda: answers.extend(send() for send in requests))
    thread.start()
    taps = []
    while not taps or thread.is_alive():
        taps.append(member.select(0, (len(taps) + 1) % 2)["type"])
    thread.join()
    assert set(taps) == {"delta"}
    return answers


def peak_bytes(server):
    """The maximum of the resident memory of the server's process so far."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])


@pytest.mark.parametrize("copies, pointer, maximum", [
    (12, "/nodes/8/children", "259646 values"), (5, "/nodes", "20000 nodes")])
def test_a_small_patch_that_makes_very_many_nodes(start, copies, pointer, maximum):
    server = start(options=("--loops", "1"), limits={"messagesPerSecond": 1_000_000})
    session = server.session({"kind": "cascade", "nodes": [{"text": "a"}]})
    ben = server.session(SMALL).join("Ben")
    body = [{"op": "replace", "path": "/nodes", "value": [{}] * 1_000}]
    body += [{"op": "copy", "from": "/nodes", "path": f"/nodes/{n}/children"}
             for n in range(copies)]
    before = server.resident_bytes()

    answers = during([lambda: patch(session, body)] * 20, ben)

    refused = [answer for answer in answers if answer.status == 422]
    assert refused and {answer.status for answer in answers} <= {422, 429}, answers
    assert {(answer.code, answer.json["pointer"]) for answer in refused} == {
        ("badDefinition", pointer)}
    assert all(maximum in answer.json["detail"] for answer in refused)
    assert peak_bytes(server) - before < 50_000_000
    assert session.revision() == 0


def test_a_deep_value_is_compared_once_at_each_level(server):
    session, other = server.session(SMALL), server.session(SMALL)
    left = right = 0
    for _ in range(60):
        left, right = {"a": left, "b": 1, "c": 2}, {"a": right, "c": 2, "b": 1}

    answers = during([lambda: patch(session, [
        {"op": "add", "path": "/x", "value": left}, {"op": "test", "path": "/x", "value": right},
        {"op": "remove", "path": "/x"}])], other.join("Ben"))

    assert [answer.status for answer in answers] == [200], answers


def test_a_patch_of_too_many_steps(server):
    session = server.session({"kind": "columns", "columns": [
        [f"row {n}" for n in range(20_000)]]})
    answer = patch(session, [
        {"op": "add", "path": "/columns/0/0", "value": f"first {n}"} for n in range(500)])
    assert (answer.status, answer.code) == (413, "tooLarge"), answer
    assert "8388608" in answer.json["detail"]
    assert session.revision() == 0


def test_one_of_20_000_rows_is_renamed_while_others_pick(server):
    large, other = server.session(ROWS), server.session(SMALL)
    ana, ben = large.join("Ana"), other.join("Ben")
    answers = []

    def host():
        for n in range(40):
            answers.append(patch(large, rename(7, f"new {n}")))

    thread = threading.Thread(target=host)
    thread.start()
    taps = 0
    while thread.is_alive():
        assert ben.select(0, (taps + 1) % 2)["type"] == "delta"
        taps += 1
    thread.join()
    done = [answer for answer in answers if answer.status == 200]
    assert done and {answer.status for answer in answers} <= {200, 429}, answers
    assert [answer.json["version"] for answer in done] == list(range(2, 2 + len(done)))
    assert taps > 0 and large.get()["version"] == 1 + len(done)
    ana.reach(len(done))
    name = large.server.get(large.path + "/definition").json["columns"][0][7]
    assert ana.screen.columns[0]["rows"][7]["text"] == name
    whole = large.server.get(large.path + "/definition").json
    # The host's changes above may have used up its rate.
    answer = put(large, whole)
    for _ in range(100):
        if answer.status != 429:
            break
        time.sleep(0.1)
        answer = put(large, whole)
    assert answer.json["changes"] == []
    large.agree()


def test_changes_that_arrive_together_are_applied_one_after_the_other(server):
    session = server.session(ROWS)
    answers = []
    threads = [threading.Thread(
        target=lambda n=n: answers.append(patch(session, rename(n, f"new {n}")))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status for answer in answers] == [200] * 8, answers
    assert sorted(answer.json["version"] for answer in answers) == list(range(2, 10))
    rows = session.server.get(session.path + "/definition").json["columns"][0]
    assert rows[:9] == [f"new {n}" for n in range(8)] + ["row 8"]


def test_a_session_that_ends_while_its_definition_is_made(server):
    session = server.session(ROWS)
    answers = []
    thread = threading.Thread(target=lambda: answers.append(patch(session, rename(0, "x"))))
    thread.start()
    assert session.delete().status == 204
    thread.join()
    assert answers[0].status in (200, 404), answers
    assert server.get("/healthz").status == 200


def test_5_000_overlapping_times(server):
    slot = {"kind": "slot", "leadMinutes": 0, "stepMinutes": 60, "days": 2, "timeZone": "UTC"}
    session = server.session(slot)
    ana = session.join("Ana")
    taken = {f"b{n}": {"from": f"2018-11-23T{n % 24:02}:{n % 60:02}", "until": "2018-11-25T09:30"}
             for n in range(5_000)}
    answer = patch(session, {"taken": taken}, MERGE)
    assert answer.status == 413, "a patch has 256 KiB at most"
    answer = put(session, {**slot, "taken": taken})
    assert answer.status == 200, answer
    ana.reach(1)
    assert session.result()["local"] == "2018-11-25T10:00"
    assert put(session, {**slot, "taken": {**taken, "more": taken["b1"]}}).code == "badDefinition"
    assert patch(session, {"taken": None}, MERGE).status == 200
    ana.reach(2)
    session.agree()


@pytest.mark.parametrize("first, last", [("0001-02", "0001-12"), ("9999-01", "9999-11")])
def test_both_ends_of_the_calendar(server, first, last):
    stay = {"kind": "calendar", "months": {"from": first, "through": last}}
    session = server.session({"kind": "calendar", "months": {"from": "2018-11", "through": "2018-11"}})
    ana = session.join("Ana", months={"from": first, "count": 1})
    assert put(session, {**stay, "taken": {"a": {"from": first + "-03", "through": last + "-01"}}}
               ).status == 200
    ana.until(lambda m: m.record[-1]["type"] == "months" and m.record[-1]["months"])
    day = first + "-02"
    assert ana.tap(first + "-03")["code"] == "blocked"
    assert ana.tap(day)["type"] == "delta"
    noted = server.request("PATCH", session.path + "/notes", {"days": {
        day: {"text": "x"}, "0001-01-01": {"text": "x"}, "9999-12-31": {"text": "y"}}},
        headers={"Content-Type": MERGE})
    assert noted.status == 200, noted
    ana.reach(noted.json["revision"])
    for outside in ("0001-01", "9999-12"):
        answer = put(session, {"kind": "calendar", "months": {"from": outside, "through": outside}})
        assert (answer.status, answer.code) == (422, "badDefinition"), answer
    session.agree()


def test_an_event_on_the_last_day_of_all(server):
    session = server.session({"kind": "date", "min": "9999-12-31", "max": "9999-12-31"})
    body = server.get(session.path + "/event.ics").body
    assert b"DTSTART;VALUE=DATE:99991231\r\n" in body and b"DTEND" not in body
