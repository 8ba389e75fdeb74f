"""`pickerd join`: sentences for people, pipes and screen readers, and `--json` for scripts."""

import json
import signal
import subprocess

import pytest

from harness.definitions import CALENDAR, DATE, LISTS
from harness.patience import PATIENCE
from harness.pickerd import binary, wait_until
from harness.ports import free_port
from harness.terminal import run
from harness.tls import SecurePickerd

pytest_plugins = ["terminals"]


def events_of(output):
    """The lines of `--json` as objects."""
    return [json.loads(line) for line in output.splitlines()]


def answers(output):
    return [event for event in events_of(output) if event["event"] == "answer"]


# Sentences


def test_commands_are_words(server):
    session = server.session(LISTS)

    # Since 1.0.0, which could also draw, --plain does nothing.
    status, output, _ = run(
        session.url, "--plain", stdin="select 1 Linux\nSELECT 2 VSCode  \n\nundo\nshow\n")

    assert status == 0
    assert output.splitlines()[2:] == [
        "= MacOS, Xcode", "= Linux, Xcode", "you: column 1 Linux", "= Linux, VSCode",
        "you: column 2 VSCode", "= Linux, Xcode", "you: undone, column 2 Xcode",
        "= Linux, Xcode, open", "column 1: MacOS | Windows | [Linux] | Ubuntu",
        "column 2: [Xcode] | VSCode | Sublime | Atom", "members: guest"]


def test_what_other_members_do_is_printed(server, lines):
    session = server.session(CALENDAR)
    ana = lines(session)
    ana.until(lambda line: line == "* connected")

    bo = session.join("Bo")
    ana.until(lambda line: line == "Bo joined")
    bo.tap(date="2018-11-20")
    rest = {"Bo: first day 2018-11-20", "= first day 2018-11-20, no last day yet"}
    ana.until(lambda line: rest.discard(line) or not rest)
    bo.tap(date="2018-11-20")
    rest = {"Bo: 2018-11-20", "= 2018-11-20 to 2018-11-20, 1 day"}
    ana.until(lambda line: rest.discard(line) or not rest)
    bo.leave()
    ana.until(lambda line: line == "Bo left")

    assert ana.end() == 0


# --json


def test_every_command_has_one_answer(server):
    session = server.session(LISTS)
    commands = [{"type": "select", "column": 0, "text": "Linux", "id": "first"},
                {"type": "select", "column": 1, "row": 3, "id": 7},
                {"type": "select", "column": 1, "key": "nobody", "id": [1]}, {"type": "undo"}, {},
                {"type": "confirm"}, {"type": "find", "column": 0, "text": "inu", "id": "a"}]
    stdin = "\n".join(map(json.dumps, commands)) + "\n[]\n{\nselect 2 Sublime\n"

    status, output, _ = run(session.url, "--json", "--name", "Ana", stdin=stdin)

    assert status == 2
    actual = [(a["line"], a.get("id"), a["done"], a.get("revision", a.get("code")))
            for a in answers(output)]
    assert actual == [
        (1, "first", True, 1), (2, 7, True, 2), (3, [1], False, "badCommand"), (4, None, True, 3),
        (5, None, False, "badCommand"), (6, None, True, 4), (8, None, False, "badCommand"),
        (9, None, False, "badCommand"), (10, None, False, "notOpen")]
    found, = [event for event in events_of(output) if event["event"] == "found"]
    assert (found["line"], found["id"]) == (7, "a")
    assert [(row["row"], row["text"], row["at"]) for row in found["rows"]] == [(2, "Linux", [1, 4])]
    state = [event for event in events_of(output) if event["event"] == "state"][-1]
    truth = session.get()
    assert (state["revision"], state["status"], state["epoch"]) == (4, "confirmed", session.epoch)
    assert state["result"] == truth["snapshot"]["result"]


# The connection


@pytest.mark.parametrize("way", ["option", "link", "environment"])
def test_a_token_can_be_given_in_three_ways(guarded, way):
    session = guarded.session(CALENDAR)
    token = session.tokens["editor"]
    page = f"http://127.0.0.1:{guarded.port}/#/s/{session.id}"
    arguments, environment = {
        "option": ([page, "--token", token], {}), "link": ([f"{page}?token={token}"], {}),
        "environment": ([page], {"PICKERD_TOKEN": token})}[way]

    status, _, complaint = run(*arguments, stdin="tap 2018-11-20\n", environment=environment)

    assert (status, complaint) == (0, "") and session.revision() == 1


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_signals_leave_the_session(server, lines, number):
    session = server.session(DATE)
    ana = lines(session, "--json")
    ana.event("connection", connection="live")

    ana.signal(number)

    assert ana.process.wait(PATIENCE) == 0
    wait_until(lambda: session.get()["members"] == [], what="Ana's leaving")


def test_quitting_does_not_wait_for_a_frozen_server(start, lines):
    server = start()
    ana = lines(server.session(CALENDAR), "--json")
    ana.event("connection", connection="live")
    server.process.send_signal(signal.SIGSTOP)
    try:
        ana.say("quit")

        assert ana.process.wait(PATIENCE) == 0
    finally:
        server.process.send_signal(signal.SIGCONT)


def test_commands_given_while_disconnected_are_sent_after_reconnecting(start, lines, tmp_path):
    server = start(listen=f"127.0.0.1:{free_port()}",
                   options=["--store", f"sqlite:{tmp_path}/s.sqlite"])
    session = server.session(CALENDAR)
    ana = lines(session, "--json")
    ana.say("tap 2018-11-20")
    ana.event("answer", done=True)

    server.kill()
    ana.event("connection", connection="waiting")
    ana.say("tap 2018-11-24")
    server.start()

    assert ana.event("answer")["revision"] == 2
    assert [m["name"] for m in session.get()["members"]] == ["Ana"], "Ana is still the same member"
    assert ana.end() == 0


def test_join_exits_when_its_output_is_closed(server):
    session = server.session(CALENDAR)
    process = subprocess.Popen(
        [binary(), "join", session.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"* connecting\n"
    process.stdout.close()

    session.join("Bo").tap(date="2018-11-20")

    process.wait(PATIENCE)
    assert b"Fatal" not in process.stderr.read()
    process.stdin.close()
    process.stderr.close()


# TLS


@pytest.fixture
def secure(tmp_path):
    server = SecurePickerd(tmp_path)
    yield server
    server.stop()


def test_wss_connects_to_a_server_with_a_trusted_certificate(secure):
    session = secure.session(CALENDAR)

    status, _, complaint = run(
        f"https://localhost:{secure.port}/#/s/{session.id}", "--timeout", PATIENCE,
        stdin="tap 2018-11-20\n", environment={"SSL_CERT_FILE": str(secure.authority.root)})

    assert (status, complaint) == (0, "") and session.revision() == 1


@pytest.mark.parametrize("host, trusts", [("localhost", False), ("127.0.0.1", True)])
def test_wss_refuses_untrusted_certificates_and_wrong_host_names(secure, host, trusts):
    session = secure.session(CALENDAR)

    status, _, complaint = run(
        f"wss://{host}:{secure.port}{session.path}", "--timeout", "1", stdin="tap 2018-11-20\n",
        environment={"SSL_CERT_FILE": str(secure.authority.root)} if trusts else {})

    assert status == 1 and "no connection" in complaint
    assert session.revision() == 0
