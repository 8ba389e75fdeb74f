"""The configuration: options, variables and file; `serve --check`; SIGHUP."""

import re
import signal

import pytest

from harness.definitions import LISTS
from harness.pickerd import run

#: An invalid value for each option with a value.
WRONG = {
    "config": "/nowhere.yaml", "listen": "x", "api-listen": "x", "node-listen": "x", "admin-listen": "x",
    "admin-keys": "/nowhere.yaml",
    "public-url": "x", "host": "a/b", "trusted-proxy": "x", "auth": "x", "audience": "",
    "origin": "x", "store": "x",
    "limit": "x", "loops": "x", "web": "/nowhere", "calendar-name": "a b", "outlook-link": "x",
    "log-level": "x", "log-format": "x", "tls-certificate": "/nowhere.pem",
    "tls-key": "/nowhere.pem", "redirect-http": "x", "clock": "x",
}


def check(*arguments, environment=None):
    """`pickerd serve --check` without the variables of this process."""
    return run("serve", "--check", *arguments, env={"HOME": "/nowhere", **(environment or {})})


def options():
    return set(re.findall(r"^  --([\w-]+) <", run("serve", "--help").stdout, re.M))


def test_every_option_is_known_here():
    assert options() == set(WRONG)


@pytest.mark.parametrize("option", sorted(WRONG))
def test_each_option_and_each_variable_takes_effect(option):
    variable = "PICKERD_" + option.upper().replace("-", "_")
    value = WRONG[option] or "x" * 201
    for found in (check("--" + option, WRONG[option]), check(environment={variable: value})):
        assert found.returncode == 1 and found.stdout == ""
        assert len(found.stderr.splitlines()) == 1, found.stderr
    assert option == "config" or f"pickerd serve: {variable}: " in found.stderr


def test_a_valid_configuration_is_printed_with_sources_and_without_secrets(tmp_path):
    file = tmp_path / "pickerd.yaml"
    file.write_text("host: [b.org, a.org]\nlisten: :1\nlogLevel: info\n")
    environment = {"PICKERD_LISTEN": ":2", "PICKERD_LIMIT": "undo=7"}

    found = check("--config", file, "--store", "memory:", environment=environment)

    assert (found.returncode, found.stderr) == (0, "")
    values = {line.split(":")[0].strip(): line for line in found.stdout.splitlines()}
    for name, value, source in (
            ("host", "[b.org, a.org]", f"{file}:1:15"), ("listen", "127.0.0.1:2", "PICKERD_LISTEN"),
            ("logLevel", "info", f"{file}:3:11"), ("store", '"memory:"', "--store"),
            ("undo", "7", "PICKERD_LIMIT"), ("members", "1000", "default")):
        assert re.fullmatch(rf" *{name}: {re.escape(value)} +# {re.escape(source)}", values[name])
    again = tmp_path / "again.yaml"
    again.write_text(found.stdout)
    repeated = check("--config", again)
    strip = lambda text: [line.split("#")[0].strip() for line in text.splitlines()]
    assert strip(repeated.stdout) == strip(found.stdout)


@pytest.fixture
def configured(start, tmp_path):
    """A server with a file, and the file."""
    file = tmp_path / "pickerd.yaml"
    file.write_text("logLevel: info\norigin: https://a.org\n")
    return start(clock=None, options=("--config", str(file))), file


def status(server, **headers):
    return server.post("/v1/definitions/check", {"definition": LISTS}, headers=headers).status


def reload(server, file, text, expected):
    """Writes the file, sends SIGHUP, and waits for a line of the log."""
    file.write_text(text)
    server.process.send_signal(signal.SIGHUP)
    server.logged(expected)


def test_sighup_applies_rates(configured):
    server, file = configured
    ana = server.session(LISTS).join("Ana")

    reload(server, file, "origin: https://a.org\nlimit: {readsPerSecond: 1, messagesPerSecond: 2}\n",
           f"SIGHUP: readsPerSecond is now 1, was 50 ({file}:2:25)")

    # With one request a second, a slow machine needs more of them.
    statuses = (status(server) for _ in range(200))
    assert next(statuses) == 200 and 429 in statuses
    answers = [ana.answer(ref) for ref in [ana.ask("undo") for _ in range(15)]]
    assert "tooMany" in {answer.get("code") for answer in answers}


def test_sighup_names_what_needs_a_restart(configured):
    server, file = configured

    reload(server, file, "logLevel: debug\norigin: https://b.org\nhost: pick.example.org\n"
           "trustedProxy: none\nlimit: {undo: 7, sessions: 1}\n", "SIGHUP: restart pickerd to change")

    line, = re.findall("SIGHUP: restart .*", server.log.read_text())
    assert line.split(" change ")[1].split(", ") == [
        "host", "trustedProxy", "origin", "logLevel", "undo", "sessions"], line
    assert status(server, Origin="https://a.org") == 200
    assert status(server, Origin="https://b.org") == 403
    assert status(server, Host="pick.example.org") == 421
    reload(server, file, "logLevel: info\norigin: https://a.org\n", "SIGHUP: no setting has changed")
