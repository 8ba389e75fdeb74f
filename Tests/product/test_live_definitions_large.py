"""Changes of definitions at their limits: size, rate and dates."""

import re
import threading
from pathlib import Path

import pytest

PATCH = "application/json-patch+json"
ROWS = {"kind": "columns", "columns": [[f"row {n}" for n in range(20_000)]]}
SMALL = {"kind": "columns", "columns": [["a", "b"]]}


def patch(session, body, type=PATCH):
    return session.server.request(
        "PATCH", session.path + "/definition", body, headers={"Content-Type": type})


def rename(row, text):
    return [{"op": "replace", "path": f"/columns/0/{row}", "value": text}]


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
    large.agree()


def test_a_session_that_ends_while_its_definition_is_made(server):
    session = server.session(ROWS)
    answers = []
    thread = threading.Thread(target=lambda: answers.append(patch(session, rename(0, "x"))))
    thread.start()
    assert session.delete().status == 204
    thread.join()
    assert answers[0].status in (200, 404), answers
    assert server.get("/healthz").status == 200
