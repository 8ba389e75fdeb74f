"""The guide's client beside members of a session.

All clients in one session: test_web_all_clients.py.
"""

import importlib.util
import json
import subprocess
import sys

from harness.definitions import CALENDAR, LISTS, SLOT
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, wait_until

CLIENT = REPOSITORY / "web/guide/client.py"


def guide():
    """The guide's client, loaded from its file."""
    spec = importlib.util.spec_from_file_location("client", CLIENT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reach(picker, revision):
    while picker.revision < revision:
        picker.receive(PATIENCE)


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


def test_the_guides_client_holds_units_and_waits_in_line(server):
    day = {"kind": "calendar", "months": {"from": "2018-11", "through": "2018-12"}, "selection": "single"}
    inventory = {"capacity": 3, "units": {"max": 3}, "waiting": True}
    body = {"definition": day, "inventory": inventory}
    assert server.request("PUT", "/v1/definitions/python", body).status == 201
    ana, bo = (server.session({}, uses="python") for _ in range(2))
    command = [sys.executable, str(CLIENT)]

    def run(session, *arguments):
        done = subprocess.run([*command, session.url, *arguments], capture_output=True, text=True,
                              timeout=PATIENCE)
        return done.stdout + done.stderr

    assert '{"date": "2018-11-20", "units": 1}' in run(ana, "tap", "2018-11-20")
    assert '"units": 3' in run(ana, "units", "3")
    picker = guide().Picker(ana.url, "Ana")
    assert picker.ask("hold")["type"] == "delta"
    assert picker.state["hold"] == ana.get()["snapshot"]["hold"] and picker.state["units"] == 3
    assert "state=waiting place=1" in run(bo, "wait", "2018-11-20")
    assert "refused: held" in run(bo, "tap", "2018-11-20")
    assert picker.ask("release")["type"] == "delta" and not picker.state["hold"]
    wait_until(lambda: "state=offered until=" in run(bo, "rename", "Bo"))
    picker.socket.close()


def test_the_guides_client_sends_a_command_over_the_rate_again(start):
    session = start(limits={"messagesPerSecond": 5}).session(LISTS)
    bo = guide().Picker(session.url, "Bo")
    bo.connect()
    for bo.ref in range(1, 9):
        bo.queue.append({"type": "select", "ref": bo.ref, "column": 0, "row": bo.ref % 2 + 1,
                         "generation": 1})
        bo.give(bo.queue[-1])
    bo.select(1, 2)

    while bo.queue:
        bo.next()

    assert session.revision() == 9, "all are done"
    bo.socket.close()


# Late commands


def use_another_device(picker):
    """Another device of the same member sends two commands."""
    other = guide().Picker(picker.url)
    other.me, other.epoch = picker.me, "unknown"
    other.connect()
    other.select(1, 1)
    other.select(1, 2)
    other.socket.close()


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


def test_the_guides_client_says_which_value_a_set_and_the_taps_after_it_are_about(server):
    value = {"start": "2018-11-20", "end": "2018-11-22"}
    session = server.session(CALENDAR)
    ana = session.join("Ana")
    bo = guide().Picker(session.url, "Bo")
    bo.connect()
    assert bo.set(value)["type"] == "delta"
    ana.reach(1)
    # Without a connection: Ana taps meanwhile, which Bo has not seen.
    bo.socket.close()
    late = [bo.begin("set", result=value), bo.begin("tap", date="2018-11-25")]
    ana.tap("2018-12-03")
    ana.reach(2)

    while bo.queue:
        bo.next()

    assert [(each.get("at"), each.get("hits")) for each in late] == [(1, None), (None, 2)]
    reach(bo, 2)
    assert session.revision() == 2, "both are stale"
    bo.socket.close()


def test_the_guides_client_runs_from_the_documented_command_line(server):
    session = server.session(SLOT)
    value = session.result()
    value = {"local": value["local"].replace("T10", "T15"), "data": "ignored"}

    output = subprocess.run([sys.executable, CLIENT, session.url, "set", json.dumps(value)],
                            capture_output=True, text=True, timeout=PATIENCE, check=True).stdout

    revision, status, shown = output.split(" ", 2)
    assert (revision, status, json.loads(shown)["local"]) == ("1", "open", value["local"])


def test_the_guides_client_needs_only_the_websockets_library():
    text = CLIENT.read_text()
    imported = {line.split()[1].split(".")[0] for line in text.splitlines()
                if line.startswith(("import ", "from "))}
    assert imported <= set(sys.stdlib_module_names) | {"websockets"}
    assert len(text.splitlines()) <= 350
