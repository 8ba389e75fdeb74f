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

from harness.definitions import CALENDAR, LISTS
from harness.pickerd import REPOSITORY, wait_until
from harness.scripted import receive, scripted, send

GUIDE = REPOSITORY / "web/guide"
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


def test_welcome_ref_counts_all_remembered_refs(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    ana.send({"type": "select", "ref": 5, "column": 0, "row": 99, "generation": 1})
    ana.send({"type": "select", "ref": 3, "column": 0, "row": 1, "generation": 1})
    ana.send({"type": "dance", "ref": 9})
    codes = [ana.expect("refused")["code"] for _ in range(3)]
    assert codes == ["noSuchRow", "oldRef", "unknownType"]

    assert session.back(ana).welcome["ref"] == 9


# Java


@pytest.fixture(scope="module")
def java_client(tmp_path_factory):
    """The command of the guide's Java client, compiled once: each start from source compiles it."""
    if not shutil.which("javac"):
        pytest.fail("javac is missing: apt-get install openjdk-17-jdk-headless")
    classes = tmp_path_factory.mktemp("java")
    subprocess.run(["javac", "-cp", JARS, "-d", str(classes), str(GUIDE / "PickerClient.java")],
                   check=True, timeout=300)
    return ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", f"{JARS}:{classes}",
            "PickerClient"]


@pytest.fixture
def java(tmp_path, java_client):
    """Starts the guide's Java client: `java(session)`; `ask` sends lines to its input."""
    started = []

    def starts(session, *arguments, is_source=False, stderr=None):
        # As the guide starts it, or compiled.
        program = ["java", "-cp", JARS, str(GUIDE / "PickerClient.java")]
        command = [*(program if is_source else java_client), session.url,
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


def test_the_java_client_folds_taps_and_resumes_after_a_restart(server, java):
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
    ask(again, type="tap", date="2018-12-01")
    wait_until(lambda: state(again)["revision"] == 3)

    shown, truth = state(again), session.get()["snapshot"]
    assert shown["calendar"]["range"]["start"] == "2018-12-01"
    assert (shown["result"], shown["status"], shown["role"]) == (truth["result"], "open", "owner")
    assert len(session.get()["members"]) == 2, "it is the same member"


def test_the_java_client_gives_new_refs_to_commands_that_were_not_sent(server, java, tmp_path):
    session = server.session(CALENDAR)
    first = java(session)
    wait_until(lambda: "role" in state(first), 180)
    ask(first, type="tap", date="2018-11-20")
    wait_until(lambda: state(first)["unanswered"] == 0)
    first.kill()
    first.wait()
    file = tmp_path / "me.json"
    stored = json.loads(file.read_text())
    # Another device of the member uses the refs 2 and 3. This one has sent a command with ref 2,
    # and not yet the one with ref 3.
    other = session.join(resume={
        "member": stored["me"]["id"], "secret": stored["me"]["secret"], "epoch": "", "revision": 0})
    other.do("tap", ref=2, date="2018-11-25")
    other.do("tap", ref=3, date="2018-12-01")
    other.drop()
    stored |= {"ref": 3, "sent": 2, "queue": [
        {"type": "tap", "ref": 2, "date": "2018-12-11"},
        {"type": "tap", "ref": 3, "date": "2018-12-06"}]}
    file.write_text(json.dumps(stored))

    again = java(session)

    wait_until(lambda: state(again)["revision"] == 4, 180)
    wait_until(lambda: state(again)["unanswered"] == 0)
    days = [line["command"].get("date") for line in session.log()]
    assert days == ["2018-11-20", "2018-11-25", "2018-12-01", "2018-12-06"]


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
        commands = [received.get(timeout=180) for _ in range(3)]
        client.kill()

    assert [(each["ref"], each["date"][-2:]) for each in commands] == [
        (1, "20"), (2, "25"), (3, "20")]
    assert received.empty()


def test_the_java_client_sends_what_its_user_saw_with_late_commands(server, java):
    welcome = server.session(CALENDAR).join("Ana").welcome
    with scripted() as listener:
        client = java(listener)
        ask(client, type="undo")
        first = listener.connection()
        wait_until(lambda: state(client)["unanswered"] == 1, 180)
        send(first, {**welcome, "revision": 3})
        undo = receive(first)
        ask(client, type="tap", date="2018-11-20")
        tap = receive(first)
        first.close()
        second = listener.connection()
        ask(client, type="tap", date="2018-11-25")
        wait_until(lambda: state(client)["unanswered"] == 3)
        send(second, {**welcome, "revision": 9})
        again = [receive(second) for _ in range(3)]
        second.close()
        third = listener.connection()
        send(third, {**welcome, "epoch": "another"})
        in_another_epoch = [receive(third) for _ in range(2)]
        client.kill()

    assert undo == {"type": "undo", "ref": 1, "at": 3}
    assert tap == {"type": "tap", "ref": 2, "date": "2018-11-20"}
    later = {"type": "tap", "ref": 3, "date": "2018-11-25", "hits": 1}
    assert again == [undo, {**tap, "hits": 0}, later]
    assert in_another_epoch == again[1:]


def test_the_java_client_renames_its_member(server, java):
    session = server.session(CALENDAR)
    client = java(session)
    wait_until(lambda: "role" in state(client), 180)

    for name in ("", " ", "x" * 65, "Mia"):
        ask(client, type="rename", name=name)

    wait_until(lambda: state(client)["name"] == "Mia")
    assert state(client)["unanswered"] == 0
    assert [member["name"] for member in session.get()["members"]] == ["Mia"]


def test_the_java_client_joins_with_a_token(guarded, java, tmp_path):
    session = guarded.session(CALENDAR)
    (tmp_path / "token").write_text(session.tokens["editor"])

    client = java(session, tmp_path / "token")

    wait_until(lambda: state(client).get("role") == "editor", 180)


@pytest.mark.parametrize("code", [4301, 4302, 4403])
def test_the_java_client_reconnects_with_a_new_token(server, java, tmp_path, code):
    welcome = server.session(CALENDAR).join("Ana").welcome
    joins = queue.Queue()
    token = tmp_path / "token"
    token.write_text("first")

    def answers(connection):
        joins.put(json.loads(connection.recv()))
        if joins.qsize() == 1:
            token.write_text("second")
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

    assert [joins.get()["token"] for _ in range(2)] == ["first", "second"]


class Rejecting:
    """A server that answers joins with 4301, but with a welcome if `admits(join)`."""

    def __init__(self, welcome, admits):
        self.joins = []

        def answers(connection):
            self.joins.append(json.loads(connection.recv()))
            if admits(self.joins[-1]):
                connection.send(json.dumps(welcome))
                connection.recv()
            connection.close(4301)

        self.listener = serve(answers, "127.0.0.1", 0, subprotocols=["pickerd.v1"])
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()
        port = self.listener.socket.getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/v1/sessions/x"


def test_the_java_client_with_a_wrong_secret_joins_as_a_new_member(server, java, tmp_path):
    welcome = server.session(CALENDAR).join("Ana").welcome
    token = tmp_path / "token"
    token.write_text("good")
    (tmp_path / "me.json").write_text(json.dumps({
        "me": {"id": "m_1", "secret": "wrong", "name": "Java"}, "epoch": "e", "revision": 0,
        "ref": 0, "sent": 0, "queue": []}))
    rejecting = Rejecting(welcome, lambda join: "resume" not in join)

    client = java(rejecting, token)

    wait_until(lambda: len(rejecting.joins) >= 3, 180)
    assert ["resume" in join for join in rejecting.joins[:3]] == [True, True, False]
    client.kill()


def test_the_java_client_ends_when_it_gets_no_token(server, java, tmp_path):
    token = tmp_path / "token"
    token.write_text("first")
    rejecting = Rejecting(None, lambda _: token.write_text("") and False)

    errors = tmp_path / "errors"
    with errors.open("w") as stderr:
        java(rejecting, token, stderr=stderr)

    wait_until(lambda: errors.read_text() == "closed: there is no token\n", 180)
    assert [join["token"] for join in rejecting.joins] == ["first"]


def test_the_java_client_compiles_without_warnings_and_needs_two_libraries(tmp_path):
    run = subprocess.run(
        ["javac", "-Xlint:all", "-Werror", "-cp", JARS, "-d", str(tmp_path),
         str(GUIDE / "PickerClient.java")], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    imports = re.findall(r"^import ([\w.]+);", (GUIDE / "PickerClient.java").read_text(), re.M)
    assert [name for name in imports if not name.startswith(("java.", "okhttp3.", "org.json."))] == []
