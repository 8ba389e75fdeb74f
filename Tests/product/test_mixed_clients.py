"""The guide's client, an event stream, an HTTP member and a member in one session."""

import importlib.util
import json
import queue
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.server import serve

from harness.definitions import CALENDAR, LISTS, TREE
from harness.pickerd import REPOSITORY
from harness.scripted import receive, scripted, send
from test_http_commands import Poster
from test_event_streams import Watcher

CLIENT = REPOSITORY / "web/guide/client.py"


def guide():
    """The guide's client, loaded from its file."""
    spec = importlib.util.spec_from_file_location("client", CLIENT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reach(picker, revision):
    while picker.revision < revision:
        picker.receive(60)


@pytest.mark.parametrize("definition, moves", [
    (CALENDAR, [("tap", {"date": "2018-11-20"}), ("tap", {"date": "2018-12-02"}), ("undo", {})]),
    (TREE, [("select", {"column": 0, "row": 1, "generation": 1}),
            ("select", {"column": 1, "row": 1, "generation": 2}), ("undo", {})]),
    (LISTS, [("select", {"column": 0, "row": 3, "generation": 1}),
             ("select", {"column": 1, "row": 2, "generation": 1}), ("undo", {})])])
def test_all_clients_fold_to_the_same_state(server, definition, moves):
    session = server.session(definition)
    ana = session.join("Ana")
    bo = guide().Picker(session.url, "Bo")
    bo.connect()
    watcher = Watcher(session)
    cem = Poster(session, "Cem")

    type, fields = moves[0]
    ana.do(type, **fields)
    reach(bo, 1)
    type, fields = moves[1]
    assert bo.ask(type, **fields)["type"] == "delta"
    type, fields = moves[2]
    assert cem.do(type, **fields)["type"] == "delta"

    reach(bo, 3)
    ana.reach(3)
    watcher.reach(3)
    truth = session.get()
    assert watcher.screen.differs_from(truth) is None
    assert ana.screen.differs_from(truth) is None
    shown = truth["snapshot"]
    assert bo.state.get("columns") == shown.get("columns")
    assert bo.state.get("calendar") == shown.get("calendar")
    assert bo.state["result"] == shown["result"]
    watcher.close()
    bo.socket.close()


def test_the_guides_client_resumes_after_a_lost_connection(server):
    session = server.session(LISTS)
    ana = session.join("Ana")
    bo = guide().Picker(session.url, "Bo")
    bo.connect()
    me = bo.me["id"]
    bo.select(0, 1)
    bo.socket.close()
    ana.reach(1)
    ana.select(0, 2)

    bo.connect()
    reach(bo, 2)

    assert bo.me["id"] == me and bo.state["columns"][0]["row"] == 2
    assert bo.select(1, 1)["type"] == "delta", "its refs continue"
    bo.socket.close()


def test_the_guides_client_resumes_after_its_own_restart(server, tmp_path):
    session = server.session(LISTS)
    ana = session.join("Ana")
    file = str(tmp_path / "me.json")
    bo = guide().Picker(session.url, "Bo", file=file)
    bo.connect()
    bo.select(0, 1)
    # Two unanswered commands when the process dies: one was executed, one was never sent.
    bo.queue += [{"type": "select", "ref": 2, "column": 0, "row": 2, "generation": 1},
                 {"type": "select", "ref": 3, "column": 1, "row": 3, "generation": 1}]
    bo.ref = 3
    bo.save()
    bo.socket.send(json.dumps(bo.queue[0]))
    ana.reach(2)
    bo.socket.close()

    again = guide().Picker(session.url, "Bo", file=file)
    while again.queue or again.revision < 3:
        again.next()

    assert again.me["id"] == bo.me["id"]
    assert session.revision() == 3, "each is executed once"
    assert again.state["result"] == {"keys": ["Linux", "Atom"]} == session.result()
    assert again.ask("undo")["revision"] == 4
    again.socket.close()


def test_the_guides_client_continues_after_the_ref_of_its_welcome(server, tmp_path):
    session = server.session(LISTS)
    bo = guide().Picker(session.url, "Bo", file=str(tmp_path / "me.json"))
    bo.connect()
    bo.select(0, 1)
    bo.ref = 0  # It has lost its counter.
    bo.socket.close()

    bo.connect()

    assert bo.select(0, 2)["revision"] == 2
    bo.socket.close()


def test_the_guides_client_sends_a_command_over_the_rate_again_after_later_ones(start):
    session = start(limits={"messagesPerSecond": 5}).session(LISTS)
    bo = guide().Picker(session.url, "Bo")
    bo.connect()
    for bo.ref in range(1, 9):
        bo.queue.append({"type": "select", "ref": bo.ref, "column": 0, "row": bo.ref % 2 + 1,
                         "generation": 1})
        bo.give(bo.queue[-1])
    time.sleep(1.2)  # The next command is accepted.
    bo.select(1, 2)

    while bo.queue:
        bo.next()

    assert session.revision() == 9, "all are done"
    bo.socket.close()


def test_the_guides_client_does_not_send_commands_queued_for_another_member(server):
    session = server.session(LISTS)
    bo = guide().Picker(session.url, "Bo")
    bo.connect()
    bo.queue.append({"type": "select", "ref": 9, "column": 0, "row": 2, "generation": 1})
    bo.me["id"] = "m_unknown"
    bo.socket.close()

    bo.connect()

    assert bo.queue == [] and session.revision() == 0
    bo.socket.close()


# Late commands


@pytest.mark.parametrize("type", ["clear", "undo", "redo", "confirm", "cancel", "reopen"])
def test_the_guides_client_sends_a_late_command_with_the_revision_of_its_user(server, type):
    welcome = server.session(CALENDAR).join("Ana").welcome
    with scripted() as listener, ThreadPoolExecutor() as pool:
        bo = guide().Picker(listener.url)
        answer = pool.submit(bo.ask, type)  # Before the welcome the user has seen nothing.
        first = listener.connection()
        send(first, {**welcome, "revision": 3})
        sent = [receive(first)]
        first.close()
        second = listener.connection()
        send(second, {**welcome, "revision": 5})
        sent.append(receive(second))
        send(second, {"type": "reply", "ref": 1, "revision": 5})

        assert answer.result(60)["type"] == "reply"

    assert sent == 2 * [{"type": type, "ref": 1, "at": 3}]


def test_the_guides_client_sends_hits_with_taps_without_a_connection(server):
    welcome = server.session(CALENDAR).join("Ana").welcome
    tapped = {"change": "range", "start": "2018-11-20", "end": "2018-11-20", "hits": 1,
              "cause": "tap"}
    with scripted() as listener, ThreadPoolExecutor() as pool:
        bo = guide().Picker(listener.url)
        answer = pool.submit(bo.tap, "2018-11-20")
        first = listener.connection()
        send(first, welcome)
        sent = [receive(first)]
        first.close()
        second = listener.connection()
        send(second, welcome)
        sent.append(receive(second))
        send(second, {"type": "delta", "revision": 1, "ref": 1, "at": "", "changes": [tapped]})
        answer.result(60)
        second.close()
        bo.socket = None
        bo.begin("tap", date="2018-11-25")
        answer = pool.submit(bo.tap, "2018-11-28")
        third = listener.connection()
        send(third, {**without_snapshot(welcome), "revision": 1, "ref": 1})
        sent += [receive(third), receive(third)]
        send(third, {"type": "reply", "ref": 3, "revision": 1})
        answer.result(60)

    assert [(tap["ref"], tap.get("hits")) for tap in sent] == [(1, None), (1, 0), (2, 1), (3, 2)]


def without_snapshot(welcome):
    return {key: value for key, value in welcome.items() if key != "snapshot"}


def test_the_guides_client_does_not_send_late_commands_in_another_epoch(server):
    session = server.session(LISTS)
    bo = guide().Picker(session.url, "Bo")
    bo.connect()
    bo.queue += [{"type": "cancel", "ref": 1, "at": 0},
                 {"type": "select", "ref": 2, "column": 0, "row": 2, "generation": 1}]
    bo.ref, bo.epoch = 2, "lost"
    bo.socket.close()

    bo.connect()
    reach(bo, 1)

    assert [line["command"]["type"] for line in session.log()] == ["select"]
    assert bo.queue == []
    bo.socket.close()


def test_a_late_confirm_of_the_guides_client_is_refused(server):
    session = server.session(LISTS)
    bo = guide().Picker(session.url, "Bo")
    bo.connect()
    bo.select(0, 1)
    bo.socket.close()
    ana = session.join("Ana")
    ana.select(0, 2)

    answer = bo.ask("confirm")

    assert (answer["type"], answer["code"]) == ("refused", "stale")
    assert answer["params"] == {"revision": 2, "by": ana.id}
    reach(bo, 2)
    assert bo.ask("confirm")["type"] == "delta", "on what is selected now"
    bo.socket.close()


def test_the_guides_client_renames_its_member(server, tmp_path):
    session = server.session(LISTS)
    file = str(tmp_path / "me.json")
    bo = guide().Picker(session.url, "Bo", file=file)
    bo.connect()

    assert bo.rename("Mia")["type"] == "reply"

    assert bo.me["name"] == guide().Picker(session.url, file=file).me["name"] == "Mia"
    assert [member["name"] for member in session.get()["members"]] == ["Mia"]
    for name in ("", " ", "x" * 65):
        with pytest.raises(ValueError):
            bo.rename(name)
    assert bo.rename("ß" * 64)["type"] == "reply", "it is still connected"
    bo.socket.close()


def use_another_device(picker):
    """Another device of the same member sends two commands."""
    other = guide().Picker(picker.url)
    other.me, other.epoch = picker.me, "unknown"
    other.connect()
    other.select(1, 1)
    other.select(1, 2)
    other.socket.close()


def test_the_guides_client_sends_a_queued_command_with_a_new_ref(server):
    session = server.session(LISTS)
    bo = guide().Picker(session.url, "Bo")
    bo.connect()
    bo.select(0, 1)
    bo.socket.close()
    use_another_device(bo)

    assert bo.select(0, 3)["type"] == "delta"

    columns = session.get()["snapshot"]["columns"]
    assert [column["row"] for column in columns[:2]] == [3, 2]
    bo.socket.close()


def test_the_guides_client_does_not_send_again_what_another_device_may_have_replaced(server):
    session = server.session(LISTS)
    bo = guide().Picker(session.url, "Bo")
    bo.connect()
    bo.select(0, 1)
    # A command that was sent, and lost with the connection; another one that was not sent.
    bo.queue += [{"type": "select", "ref": ref, "column": 0, "row": ref, "generation": 1}
                 for ref in (2, 3)]
    bo.ref, bo.sent = 3, 2
    bo.socket.close()
    use_another_device(bo)

    bo.connect()

    assert [(sent["ref"], sent["row"]) for sent in bo.queue] == [(4, 3)]
    reach(bo, 4)
    assert bo.state["columns"][0]["row"] == 3
    bo.socket.close()


def test_the_guides_client_retries_a_handshake_without_a_response():
    requests = queue.Queue()

    def serves(listener):
        for response in (b"", b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"):
            connection, _ = listener.accept()
            requests.put(connection.recv(65536))
            connection.sendall(response)
            connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serves, args=[listener], daemon=True).start()
        bo = guide().Picker(f"ws://127.0.0.1:{listener.getsockname()[1]}/v1/sessions/x")

        with pytest.raises(InvalidStatus, match="404"):
            bo.next()

    assert requests.qsize() == 2


def test_the_guides_command_waits_for_a_server_that_is_unavailable(server):
    session = server.session(LISTS)
    welcome = session.join("Ana").welcome
    attempts = queue.Queue()

    def answers(connection):
        attempts.put(connection.recv())
        if attempts.qsize() == 1:
            connection.send(json.dumps({"type": "error", "code": "unavailable", "detail": ""}))
            connection.close(4503)
        connection.send(json.dumps(welcome))
        connection.recv()

    with serve(answers, "127.0.0.1", 0, subprotocols=["pickerd.v1"]) as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        port = listener.socket.getsockname()[1]
        client = subprocess.Popen([sys.executable, CLIENT, f"ws://127.0.0.1:{port}/v1/sessions/x"],
                                  stdout=subprocess.PIPE, text=True)
        shown = client.stdout.readline()
        client.kill()
        client.communicate()

    assert shown.startswith("0 open "), "it has joined"


def test_the_guides_client_runs_from_the_documented_command_line(server):
    session = server.session(CALENDAR)

    output = subprocess.run([sys.executable, CLIENT, session.url, "tap", "2018-11-20"],
                          capture_output=True, text=True, timeout=120, check=True).stdout

    revision, status, shown = output.split(" ", 2)
    assert (revision, status) == ("1", "open")
    assert json.loads(shown)["start"] == "2018-11-20"


def test_the_guides_client_needs_only_the_websockets_library():
    text = CLIENT.read_text()
    imported = {line.split()[1].split(".")[0] for line in text.splitlines()
                if line.startswith(("import ", "from "))}
    assert imported <= set(sys.stdlib_module_names) | {"websockets"}
    assert len(text.splitlines()) <= 340


def test_the_guides_client_without_arguments_says_how_it_is_used():
    run = subprocess.run([sys.executable, CLIENT], capture_output=True, text=True)

    assert run.returncode == 1
    assert "python client.py ws://127.0.0.1:7681/v1/sessions/ID" in run.stderr
