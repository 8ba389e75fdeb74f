"""`pickerd join --plain` and `--json`, for pipes, screen readers and scripts."""

import json
import signal
import subprocess

import pytest

from harness.definitions import CALENDAR, DATE, LISTS, LONG
from harness.pickerd import binary, wait_until
from harness.ports import free_port
from harness.terminal import PATIENCE, run
from harness.tls import TLSFront

pytest_plugins = ["terminals"]


def events_of(output):
    """The lines of `--json` as objects."""
    return [json.loads(line) for line in output.splitlines()]


def answers(output):
    return [event for event in events_of(output) if event["event"] == "answer"]


# --plain


def test_plain_prints_the_state_and_leaves_at_the_end_of_input(server):
    session = server.session(DATE)

    status, output, complaint = run(session.url, "--plain", "--name", "Ana")

    assert (status, complaint) == (0, "")
    assert output == "* connecting\n* connected\n= 2018-11-23\n"
    wait_until(lambda: session.get()["members"] == [], what="Ana's leaving")


def test_plain_is_the_default_without_a_terminal(server):
    assert run(server.session(DATE).url) == (0, "* connecting\n* connected\n= 2018-11-23\n", "")


def test_plain_accepts_commands_as_words(server):
    session = server.session(LISTS)

    status, output, _ = run(
        session.url, "--plain", stdin="select 1 Linux\nSELECT 2 VSCode  \n\nundo\nshow\n")

    assert status == 0
    assert output.splitlines()[2:] == [
        "= MacOS, Xcode", "= Linux, Xcode", "you: column 1 Linux", "= Linux, VSCode",
        "you: column 2 VSCode", "= Linux, Xcode", "you: undone, column 2 Xcode",
        "= Linux, Xcode, open", "column 1: MacOS | Windows | [Linux] | Ubuntu",
        "column 2: [Xcode] | VSCode | Sublime | Atom", "members: guest"]


def test_a_last_line_without_a_newline_is_executed(server):
    session = server.session(CALENDAR)

    assert run(session.url, "--plain", stdin="tap 2018-11-20\ntap 2018-11-24")[0] == 0

    assert session.result() == {"start": "2018-11-20", "end": "2018-11-24", "days": 5}


def test_failed_commands_print_the_reason_and_set_the_exit_status(server):
    session = server.session(CALENDAR)

    status, output, _ = run(
        session.url, "--plain", stdin="tap 2030-01-01\ndance\ntap soon\nselect 1 x\ntap 2018-11-20\n")

    assert status == 2
    lines = output.splitlines()
    assert any(line.startswith("! tap 2030-01-01: ") for line in lines)
    assert any(line.startswith("? dance: no such command; there are select") for line in lines)
    assert "? tap soon: tap needs a date such as 2026-11-20" in lines
    assert "? select 1 x: select: it has no columns" in lines
    assert "you: first day 2018-11-20" in lines, "later commands are executed"


def test_plain_prints_what_other_members_do(server, lines):
    session = server.session(CALENDAR)
    ana = lines(session, "--plain")
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


def test_quit_discards_the_rest_of_the_input(server):
    session = server.session(CALENDAR)

    assert run(session.url, "--plain", stdin="quit\ntap 2018-11-20\n")[0] == 0

    assert session.revision() == 0


# --json


def test_every_command_has_one_answer(server):
    session = server.session(LISTS)
    commands = [{"type": "select", "column": 0, "text": "Linux", "id": "first"},
                {"type": "select", "column": 1, "row": 3, "id": 7},
                {"type": "select", "column": 1, "key": "nobody", "id": [1]}, {"type": "undo"}, {},
                {"type": "confirm"}]
    stdin = "\n".join(map(json.dumps, commands)) + "\n[]\n{\nselect 2 Sublime\n"

    status, output, _ = run(session.url, "--json", "--name", "Ana", stdin=stdin)

    assert status == 2
    actual = [(a["line"], a.get("id"), a["done"], a.get("revision", a.get("code")))
            for a in answers(output)]
    assert actual == [
        (1, "first", True, 1), (2, 7, True, 2), (3, [1], False, "badCommand"), (4, None, True, 3),
        (5, None, False, "badCommand"), (6, None, True, 4), (7, None, False, "badCommand"),
        (8, None, False, "badCommand"), (9, None, False, "notOpen")]
    state = [event for event in events_of(output) if event["event"] == "state"][-1]
    truth = session.get()
    assert (state["revision"], state["status"], state["epoch"]) == (4, "confirmed", session.epoch)
    assert state["result"] == truth["snapshot"]["result"]


def test_the_new_state_precedes_the_answer_to_its_command(server):
    session = server.session(CALENDAR)

    events = events_of(run(session.url, "--json", stdin="tap 2018-11-20\n")[1])

    names = [event["event"] for event in events]
    assert names[-3:] == ["state", "notice", "answer"]
    assert events[-3]["revision"] == events[-1]["revision"] == 1
    assert events[-3]["calendar"]["range"]["start"] == "2018-11-20"


def test_the_printed_state_equals_the_servers(server, lines):
    session = server.session(CALENDAR)
    ana = lines(session, "--json")
    ana.event("connection", connection="live")
    bo = session.join("Bo")
    bo.tap(date="2018-11-20")
    bo.tap(date="2018-12-02")

    state = ana.reach(2)

    snapshot = session.get()["snapshot"]
    for name in ("months", "range"):
        assert state["calendar"][name] == snapshot["calendar"][name]
    assert state["result"] == snapshot["result"]
    if len(ana.newest["members"]["members"]) < 2:
        ana.event("members")
    assert [m["name"] for m in ana.newest["members"]["members"]] == ["Ana", "Bo"]
    assert ana.end() == 0


def test_touches_are_printed_and_can_be_sent(server, lines):
    session = server.session(LISTS)
    ana = lines(session, "--json")
    ana.event("connection", connection="live")
    bo = session.join("Bo")
    bo.send({"type": "touch", "column": 1, "row": 2})

    touching = ana.event("touching")["touching"]
    assert touching == [{"member": bo.id, "column": 1, "row": 2}]
    ana.say({"type": "touch", "column": 0, "text": "Linux"})
    bo.until(lambda m: m.screen.touching, what="Ana's touch")

    assert list(bo.screen.touching.values())[0]["row"] == 2


def test_show_prints_all_loaded_rows(server, lines):
    session = server.session(LONG)
    ana = lines(session, "--json")
    ana.event("connection", connection="live")

    ana.say("show")

    column = ana.event("show")["columns"][0]
    assert (column["count"], len(column["rows"])) == (10_000, 200)
    assert column["rows"][7] == {"row": 7, "key": "row 7", "text": "row 7"}


def test_the_locale_option_selects_the_language_of_the_rows(server):
    output = run(server.session(DATE).url, "--json", "--locale", "zh-Hans")[1]

    state = next(event for event in events_of(output) if event["event"] == "state")
    assert [column["text"] for column in state["columns"]] == ["2018年", "11月", "23日"]


# The connection


@pytest.mark.parametrize("link", [
    "ws://127.0.0.1:{port}/v1/sessions/{id}", "http://127.0.0.1:{port}/v1/sessions/{id}",
    "http://127.0.0.1:{port}/s/{id}", "http://127.0.0.1:{port}/#/s/{id}", "http://localhost:{port}/#/s/{id}?x=1"])
def test_socket_and_page_links_are_accepted(server, link):
    session = server.session(DATE)

    status, output, complaint = run(link.format(port=server.port, id=session.id))

    assert (status, complaint) == (0, "") and "= 2018-11-23" in output


@pytest.mark.parametrize("link", ["x", "http://127.0.0.1:1/", "ftp://127.0.0.1/v1/sessions/a"])
def test_an_invalid_link_is_a_usage_error(link):
    status, output, complaint = run(link)

    assert (status, output) == (64, "")
    assert complaint.startswith(f"pickerd join: {link} is not a link such as http://")


def test_a_missing_session_is_reported_with_4404(server):
    status, output, complaint = run(server.socket("/v1/sessions/nobody"), "--json")

    assert status == 1
    assert events_of(output)[-1] == {
        "event": "connection", "connection": "away", "close": 4404, "code": "noSuchSession",
        "detail": "session not found"}
    assert complaint == "pickerd join: closed, 4404 (session not found)\n"


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


def test_a_missing_token_is_reported(guarded):
    status, output, complaint = run(guarded.session(CALENDAR).url, "--plain")

    assert status == 1
    assert complaint.startswith("pickerd join: a token is needed, 4301")


def test_the_timeout_option_ends_attempts_to_connect(server):
    link = f"ws://127.0.0.1:{free_port()}/v1/sessions/a"

    for timeout in ("0.3", "5", "60"):
        status, output, complaint = run(link, "--timeout", timeout)
        if "(" in complaint:  # A slow machine does not fail to connect so soon.
            break

    assert status == 1 and output.startswith("* connecting")
    assert complaint.startswith("pickerd join: no connection: connecting (")


def test_proxy_environment_variables_are_ignored(server):
    session = server.session(DATE)

    assert run(session.url, "--timeout", "60",
               environment={"http_proxy": "http://127.0.0.1:9"})[0] == 0


def test_sigint_leaves_the_session(server, lines):
    session = server.session(DATE)
    ana = lines(session, "--json")
    ana.event("connection", connection="live")

    ana.signal(signal.SIGINT)

    assert ana.process.wait(PATIENCE) == 0
    wait_until(lambda: session.get()["members"] == [], what="Ana's leaving")


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


def test_a_frozen_server_is_detected_by_missing_answers(start, lines):
    server = start()
    ana = lines(server.session(CALENDAR), "--json")
    ana.event("connection", connection="live")

    server.process.send_signal(signal.SIGSTOP)
    try:
        # It tries again at once: the event can have either state.
        while (lost := ana.next(timeout=150)).get("connection") not in ("waiting", "connecting"):
            assert lost["event"] in ("state", "members")
    finally:
        server.process.send_signal(signal.SIGCONT)

    ana.event("connection", connection="live")
    assert ana.ask("tap 2018-11-20")["revision"] == 1
    assert ana.end() == 0


def test_join_exits_when_its_output_is_closed(server):
    session = server.session(CALENDAR)
    process = subprocess.Popen(
        [binary(), "join", session.url, "--plain"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
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
def front(server, tmp_path):
    one = TLSFront(server.port, tmp_path)
    yield one
    one.close()


def test_wss_connects_to_a_server_with_a_trusted_certificate(server, front):
    session = server.session(CALENDAR)

    status, _, complaint = run(
        f"https://localhost:{front.port}/#/s/{session.id}", "--timeout", "60",
        stdin="tap 2018-11-20\n", environment={"SSL_CERT_FILE": str(front.certificate)})

    assert (status, complaint) == (0, "") and session.revision() == 1


@pytest.mark.parametrize("host, trusts", [("localhost", False), ("127.0.0.1", True)])
def test_wss_refuses_untrusted_certificates_and_wrong_host_names(server, front, host, trusts):
    session = server.session(CALENDAR)

    status, _, complaint = run(
        f"wss://{host}:{front.port}{session.path}", "--timeout", "1", stdin="tap 2018-11-20\n",
        environment={"SSL_CERT_FILE": str(front.certificate)} if trusts else {})

    assert status == 1 and "no connection" in complaint
    assert session.revision() == 0
