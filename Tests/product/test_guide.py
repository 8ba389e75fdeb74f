"""Checks the guide's pictures, its Java client and its text on refs against a server."""

import json
import queue
import re
import shutil
import subprocess
import threading
from types import SimpleNamespace

import pytest
from websockets.sync.server import serve

from harness.definitions import CALENDAR
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, wait_until

GUIDE = REPOSITORY / "web/guide"
JAVA = REPOSITORY / "web/packages/java/src/main/java/org/pickerd/client/PickerClient.java"
JARS = ":".join(f"/usr/share/java/{name}.jar" for name in ("com.android.json", "okhttp", "okio"))
MONTH = {"kind": "calendar", "months": {"from": "2026-10", "through": "2026-12"},
         "weeks": "fit", "blocked": [{"from": "2026-11-28"}]}


def written(picture):
    """The JSON in a picture, as one line."""
    svg = (GUIDE / "pictures" / picture).read_text()
    return "".join(re.findall(r'class="mono">([^<]*)<', svg)).replace(" ", "")


def compact(value):
    return json.dumps(value, separators=(",", ":")).strip("{}")


def test_the_picture_of_a_month_matches_the_servers_messages(server):
    session = server.session(MONTH, now="2026-11-20T10:00:00Z")
    ana = session.join("Ana", months={"from": "2026-11", "count": 1})
    ana.tap("2026-11-12")
    ana.tap("2026-11-15")
    ana.reach(2)

    month = session.join("Bo").look("2026-11")["months"][0]
    assert [compact(band) in written("month.svg") for band in month["bands"]] == [True, True]
    cells = month["cells"]
    assert len(cells) == 35 and month["title"] == "November 2026"
    assert (cells[19]["today"], cells[27]["disabled"], cells[34]["outside"]) == (True, True, True)


def test_the_picture_of_hits_and_reach_matches_the_servers_messages(server):
    session = server.session({**MONTH, "maxDays": 5, "blocked": []}, now="2026-11-20T10:00:00Z")
    ana = session.join("Ana")
    shown = written("hits.svg")

    assert session.get()["snapshot"]["calendar"]["range"] is None and '"range":null' in shown
    for revision, (day, fields) in enumerate(
            [("12", ("hits", "reach")), ("15", ("hits", "start", "end")), ("20", ("hits", "reach"))], 1):
        ana.tap(f"2026-11-{day}")
        ana.reach(revision)
        selected = session.get()["snapshot"]["calendar"]["range"]
        assert compact({field: selected[field] for field in fields}) in shown


def test_every_picture_is_referenced_and_has_a_light_and_a_dark_style():
    pages = "".join(page.read_text() for page in GUIDE.glob("*.md"))
    pictures = {path.name for path in (GUIDE / "pictures").iterdir()}
    assert set(re.findall(r"\(pictures/([\w.-]+)\)", pages)) == pictures
    for name in pictures:
        assert "prefers-color-scheme: dark" in (GUIDE / "pictures" / name).read_text()


# Java


@pytest.fixture(scope="module")
def java_client(tmp_path_factory):
    """The Java client and the guide's program with it, compiled: their class path."""
    if not shutil.which("javac"):
        pytest.fail("javac is missing: apt-get install openjdk-17-jdk-headless")
    classes = tmp_path_factory.mktemp("java")
    subprocess.run(["javac", "-cp", JARS, "-d", str(classes), str(JAVA), str(GUIDE / "PickerLines.java")],
                   check=True, timeout=PATIENCE)
    return f"{JARS}:{classes}"


@pytest.fixture
def java(tmp_path, java_client):
    """Starts the guide's Java program: `java(session)`; `ask` sends lines to its input."""
    started = []

    def starts(session, *arguments, is_source=False, stderr=None):
        # As the guide starts it, or compiled.
        options = [] if is_source else ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
        program = str(GUIDE / "PickerLines.java") if is_source else "PickerLines"
        command = ["java", *options, "-cp", java_client, program, session.url,
                   str(tmp_path / "me.json"), *map(str, arguments)]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True)
        started.append(process)
        return process

    yield starts
    for process in started:
        process.kill()
        process.wait()


def ask(process, **command):
    process.stdin.write(json.dumps(command) + "\n")
    process.stdin.flush()


def state(process):
    ask(process, type="state")
    return json.loads(process.stdout.readline())


def test_the_java_client_folds_taps_resumes_after_a_restart_and_sets_what_it_has_seen(server, java):
    session = server.session(CALENDAR)
    first = java(session, is_source=True)
    wait_until(lambda: "role" in state(first), 180)
    ask(first, type="tap", date="2018-11-20")
    wait_until(lambda: state(first)["revision"] == 1)
    wait_until(lambda: state(first)["unanswered"] == 0)
    first.kill()
    session.join("Bo").tap("2018-11-25")

    again = java(session)
    wait_until(lambda: state(again)["revision"] == 2, 180)
    value = {"start": "2018-12-01", "end": "2018-12-03"}
    ask(again, type="set", result=value)
    wait_until(lambda: state(again)["revision"] == 3)

    shown, truth = state(again), session.get()
    assert shown["result"] == {**value, "days": 3} == truth["snapshot"]["result"]
    assert (shown["status"], shown["role"]) == ("open", "owner")
    assert len(truth["members"]) == 2, "it is the same member"
    session.join("Cem").tap("2018-11-25")
    wait_until(lambda: state(again)["revision"] == 4)
    ask(again, type="set", result=value)
    wait_until(lambda: state(again)["unanswered"] == 0)
    assert [line["command"].get("at") for line in session.log()] == [None, None, 2, None, 4]


def test_the_java_client_holds_units_and_waits_in_line(server, java):
    day = {"kind": "calendar", "months": {"from": "2018-11", "through": "2018-12"}, "selection": "single"}
    inventory = {"capacity": 3, "units": {"max": 3}, "waiting": True}
    body = {"definition": day, "inventory": inventory}
    assert server.request("PUT", "/v1/definitions/java", body).status == 201
    session = server.session({}, uses="java")
    client = java(session)
    wait_until(lambda: "role" in state(client), 180)

    ask(client, type="tap", date="2018-11-20")
    ask(client, type="units", units=2)
    ask(client, type="hold")
    wait_until(lambda: state(client).get("hold"))
    shown, truth = state(client), session.get()["snapshot"]
    assert {name: shown["hold"][name] for name in truth["hold"]} == truth["hold"]
    assert (shown["units"], shown["hold"]["state"]) == (2, "held")
    ask(client, type="release")
    wait_until(lambda: not state(client)["hold"])
    assert server.post("/v1/definitions/java/bookings", {
        "booking": "x", "keys": ["2018-11-20"], "units": 2}).status == 201
    ask(client, type="wait", keys=["2018-11-20"])
    wait_until(lambda: state(client)["hold"])
    assert (state(client)["hold"]["state"], state(client)["hold"]["place"]) == ("waiting", 1)


def test_the_java_client_refuses_what_it_cannot_send_finds_a_row_and_ends_when_it_is_closed(
        server, java):
    rows = [f"Row {number}" for number in range(900)]
    session = server.session({"kind": "columns", "columns": [rows]})
    client = java(session, stderr=subprocess.PIPE)
    wait_until(lambda: "role" in state(client), 180)

    ask(client, type="rename", name="  ")
    ask(client, type="select", row=3)
    ask(client, type="find", column=0, text="row 899")
    found = json.loads(client.stdout.readline())
    [row] = found["rows"]
    ask(client, type="select", column=0, row=row["row"], key=row["key"])

    wait_until(lambda: state(client)["revision"] == 1)
    assert session.result() == {"keys": ["Row 899"]}
    client.stdin.close()
    assert client.wait(PATIENCE) == 0
    refused = [json.loads(line.removeprefix("refused: ")) for line in client.stderr]
    assert [each["code"] for each in refused] == ["badMessage", "badMessage"]
    assert "1 to 64 characters" in refused[0]["detail"]
    wait_until(lambda: not session.get()["members"][0]["online"], what="a member that is offline")


def test_the_java_client_sends_a_command_over_the_rate_again_with_a_new_ref(server, java):
    welcome = server.session(CALENDAR).join("Ana").welcome
    received = queue.Queue()

    def answers(connection):
        connection.recv()
        connection.send(json.dumps(welcome))
        for _ in range(2):
            received.put(json.loads(connection.recv()))
        over = {"type": "refused", "code": "tooMany", "revision": 0, "changes": []}
        connection.send(json.dumps({**over, "ref": 1}))
        connection.send(json.dumps(over))  # To a request without a ref.
        for message in connection:
            received.put(json.loads(message))

    with serve(answers, "127.0.0.1", 0, subprotocols=["pickerd.v1"]) as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        port = listener.socket.getsockname()[1]
        client = java(SimpleNamespace(url=f"ws://127.0.0.1:{port}/v1/sessions/x"))
        ask(client, type="tap", date="2018-11-20")
        ask(client, type="tap", date="2018-11-25")
        commands = [received.get(timeout=PATIENCE) for _ in range(3)]
        client.kill()

    assert [(each["ref"], each["date"][-2:]) for each in commands] == [
        (1, "20"), (2, "25"), (3, "20")]
    assert received.empty()


def test_the_java_client_reconnects_with_a_new_token(server, java, tmp_path):
    welcome = server.session(CALENDAR).join("Ana").welcome
    joins, codes = queue.Queue(), [4301, 4302, 4403]
    token = tmp_path / "token"
    token.write_text("first")

    def answers(connection):
        joins.put(json.loads(connection.recv()))
        if codes:
            code = codes.pop(0)
            token.write_text(f"after {code}")
            connection.close(code)
        else:
            connection.send(json.dumps(welcome))
            connection.recv()

    with serve(answers, "127.0.0.1", 0, subprotocols=["pickerd.v1"]) as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        port = listener.socket.getsockname()[1]
        client = java(SimpleNamespace(url=f"ws://127.0.0.1:{port}/v1/sessions/x"), token)
        wait_until(lambda: "role" in state(client), 180)
        client.kill()

    assert [joins.get()["token"] for _ in range(4)] == [
        "first", "after 4301", "after 4302", "after 4403"]


def test_the_java_client_needs_java_11_and_two_libraries():
    imports = re.findall(r"^import ([\w.]+);", JAVA.read_text(), re.M)
    assert [name for name in imports if not name.startswith(("java.", "okhttp3.", "org.json."))] == []
