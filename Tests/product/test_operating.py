"""`pickerd status`, `health` and `session`, through the admin listener."""

import json
import os
import re
import socket
import subprocess
import time

import pytest

from harness.definitions import CALENDAR, LISTS
from harness.host import Host
from harness.patience import PATIENCE
from harness.pickerd import Pickerd, binary
from harness.store import stored


def pickerd(server, *arguments, environment=None):
    address = f"http://127.0.0.1:{server.admin_port}"
    return subprocess.run(
        [str(binary()), *map(str, arguments), "--admin", address], capture_output=True, text=True,
        timeout=PATIENCE, env={**os.environ, **(environment or {})})


@pytest.fixture(scope="module", params=["open", "token"])
def running(request, tmp_path_factory):
    """A server with two sessions of some members."""
    folder = tmp_path_factory.mktemp("operated")
    server = stored(folder / "log", folder / "store.sqlite", auth=request.param,
                    options=("--loops", "2"))
    sessions = [server.session(LISTS, title="Lunch\u001b[31m"), server.session(CALENDAR)]
    ana = sessions[0].join("Ana")
    ana.select(0, 1)
    yield server, sessions, ana
    server.stop()


def test_a_page_has_the_figures_of_the_interval(running):
    server, _, _ = running

    # Since 1.0.0, which could also draw, --once does nothing.
    found = pickerd(server, "status", "--once", "--interval", "0.2")

    assert (found.returncode, found.stderr) == (0, "")
    page = found.stdout
    assert page.startswith(f"url: http://127.0.0.1:{server.admin_port}\nsessions: ")
    assert re.search(r"^loops: [\d.e-]+ [\d.e-]+$", page, re.M)
    assert re.search(r"^storeHealthy: true\nstoreBatches: [\d.]+\nstoreLag: [\d.]+$", page, re.M)
    assert re.search(r"^  commands: [\d.]+$", page, re.M)
    assert "\u001b" not in page


def test_json_has_every_figure(running):
    server, _, ana = running

    status, row = {}, 0
    until = time.monotonic() + PATIENCE
    while not has_figures(status):
        assert time.monotonic() < until, status
        with subprocess.Popen(
                [str(binary()), "status", "--json", "--interval", "0.6", "--admin",
                 f"127.0.0.1:{server.admin_port}"], stdout=subprocess.PIPE, text=True) as process:
            while process.poll() is None:
                row = 1 - row
                ana.select(0, row)
                time.sleep(0.05)
            status = json.loads(process.stdout.read())

    assert status["sessions"] >= 1 and status["webSockets"] >= 1 and status["storeHealthy"] is True
    assert len(status["loops"]) == 2
    assert status["rates"]["commands"] > 0 and status["rates"]["deliveries"] > 0
    assert 0 < status["latencies"]["storeCommit"]["median"] <= status["latencies"]["storeCommit"]["p99"]
    assert None not in [status[name] for name in status if name not in ("feedLags", "nodes")]
    assert set(status["rates"]) == {
        "messages", "commands", "deltas", "deliveries", "joins", "resumes", "refusals",
        "rateLimited"}


def has_figures(status):
    """Whether there was a command, its commit and its delivery within the interval."""
    return status and status["rates"]["commands"] > 0 and status["rates"]["deliveries"] > 0 and (
        status["latencies"]["delivery"]["p99"] and status["latencies"]["storeCommit"]["median"])


def test_health_is_a_status_and_one_line(running):
    server, _, _ = running

    found = pickerd(server, "health")

    assert (found.returncode, found.stdout, found.stderr) == (0, "alive\n", "")


def test_a_server_that_accepts_but_does_not_answer_is_not_healthy():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        found = subprocess.run([str(binary()), "health", "--admin", url], capture_output=True,
                               text=True, timeout=PATIENCE)

    assert (found.returncode, found.stdout) == (1, "")
    assert re.fullmatch(rf"pickerd health: GET {url}/healthz: .*time.*\n", found.stderr, re.I)


def test_a_server_that_cannot_be_reached_is_reported():
    for command in (("status",), ("session", "list")):
        found = subprocess.run(
            [str(binary()), *command, "--admin", "http://127.0.0.1:1"], capture_output=True,
            text=True, timeout=PATIENCE)
        assert found.returncode == 69 and found.stdout == ""
        assert "http://127.0.0.1:1" in found.stderr


def test_sessions_are_listed_shown_and_ended(running):
    server, (lunch, calendar), ana = running

    listed = pickerd(server, "session", "list")
    assert {line.split("  ")[0] for line in listed.stdout.splitlines()} >= {lunch.id}
    filtered = pickerd(server, "session", "list", "--status", "confirmed", "--json")
    assert (filtered.returncode, filtered.stdout) == (0, "")

    shown = pickerd(server, "session", "show", lunch.id)
    assert f"session: {lunch.id}\n" in shown.stdout and "status: open\n" in shown.stdout
    assert "title: Lunch\\u{1B}[31m\n" in shown.stdout
    assert re.search(r"^member: \S+  owner  Ana  online$", shown.stdout, re.M)
    document = json.loads(pickerd(server, "session", "show", lunch.id, "--json").stdout)
    assert document["session"] == lunch.id and document["snapshot"]

    if calendar.id in listed.stdout:
        ended = pickerd(server, "session", "end", calendar.id)
        assert (ended.returncode, ended.stderr) == (0, "")
    assert pickerd(server, "session", "show", calendar.id).returncode == 1
    assert pickerd(server, "session", "end", calendar.id).returncode == 1
    assert pickerd(server, "session", "end", "a/b").returncode == 64
    assert pickerd(server, "session", "list", "--status", "done").returncode == 69


def test_a_hold_is_shown_and_a_session_is_ended_with_its_booking(start):
    server = start()
    server.clock("2026-12-01T12:00:00Z")
    path = "/v1/definitions/evening"
    days = {"kind": "calendar", "months": {"from": "2026-12", "through": "2027-01"},
            "selection": "single"}
    inventory = {"capacity": 3, "units": {"min": 1, "max": 2}}
    made = server.request("PUT", path, {"definition": days, "inventory": inventory})
    assert made.status == 201, made
    session = server.session({}, uses="evening", now=None)
    ana = session.join("Ana")
    ana.tap("2026-12-24")
    ana.do("units", units=2)
    ana.do("hold")
    hold = "units: 2\nhold: held 2026-12-24 until 2026-12-01T12:05:00.000Z\n"
    assert hold in pickerd(server, "session", "show", session.id).stdout

    ana.confirm()
    assert pickerd(server, "session", "end", session.id, "--release").returncode == 0
    counts = server.get(f"{path}/inventory?key=2026-12-24").json["keys"]["2026-12-24"]
    assert counts["booked"] == 0, counts


def test_a_page_of_another_origin_cannot_end_a_session(running):
    server, (lunch, _), _ = running

    refused = server.delete(f"/v1/admin{lunch.path[3:]}", port=server.admin_port,
                            headers={"Origin": "https://evil.example"})

    assert refused.status == 403
    assert pickerd(server, "session", "show", lunch.id).returncode == 0


def test_the_public_listener_does_not_serve_operators(running):
    server, (lunch, _), _ = running

    for method in ("GET", "DELETE"):
        refused = server.request(method, f"/v1/admin{lunch.path[3:]}")
        assert (refused.status, refused.code) == (404, "notFound")


def test_with_keys_operators_need_a_key(tmp_path):
    (tmp_path / "host").mkdir()
    host = Host(tmp_path / "host")
    feed = host.add("feed", "feed")
    server = Pickerd(tmp_path / "log", auth=f"keys:{host.file}", clock=None)
    try:
        created = server.post("/v1/sessions", {"definition": CALENDAR}, token=host.api)
        session = created.json["session"]
        key = tmp_path / "key"
        key.write_text(host.api + "\n")

        for environment in ({}, {"PICKERD_KEY": feed}):
            refused = pickerd(server, "session", "show", session, environment=environment)
            assert refused.returncode == 69 and session not in refused.stdout
        assert session in pickerd(server, "session", "list", "--key-file", key).stdout
        ended = pickerd(server, "session", "end", session, environment={"PICKERD_KEY": host.api})
        assert ended.returncode == 0
        assert pickerd(server, "session", "list", "--key-file", key).stdout == ""
        assert host.api not in server.log_tail(1000)
    finally:
        server.stop()
