"""Runs the commands of the guide's "Learn what was chosen"."""

import json
import re
import subprocess
import threading

import pytest

from harness.host import pickerd
from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, Pickerd, wait_until

PAGE = REPOSITORY / "web/guide/feed.md"
TYPES = REPOSITORY / "Sources/PickerSession/Feed/FeedEvent.swift"


def commands():
    """The curl commands of the page, in order."""
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.startswith("curl")]


def run(command, server):
    command = command.replace(":7681", f":{server.port}").replace(":7682", f":{server.admin_port}")
    command = command.replace("waitSeconds=25", "waitSeconds=1")
    return subprocess.run(
        command, shell=True, capture_output=True, text=True, timeout=PATIENCE).stdout


def lines_until(command, server, text):
    """The output of a command that does not end by itself, until it has a text."""
    command = command.replace(":7682", f":{server.admin_port}").replace("curl", "exec curl", 1)
    process = subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, text=True)
    timer = threading.Timer(60, process.kill)
    timer.start()
    output = ""
    for line in process.stdout:
        output += line
        if text in output:
            break
    timer.cancel()
    process.kill()
    process.wait()
    process.stdout.close()
    return output


def test_the_commands_of_the_page_do_what_it_says(tmp_path):
    server = Pickerd(tmp_path / "log", clock=None)
    try:
        create, whole, wait, some, stream, put, get = commands()
        session = json.loads(run(create, server))["session"]
        event = json.loads(wait_until(lambda: run(whole, server)))
        assert event["position"] == 1 and event["type"] == "session.created"
        assert event["data"]["session"] == session
        assert event["data"]["external"] == "order-17" and event["data"]["meta"] == {"table": 4}
        assert run(wait, server) == run(some, server) == ""
        assert server.delete(f"/v1/sessions/{session}").status == 204
        ended = wait_until(lambda: run(wait, server))
        assert json.loads(ended)["type"] == "session.ended"
        assert re.search(r"^id: [0-9a-f]{32}:2\ndata: ", lines_until(stream, server, ":2\ndata: "))
        cursor = json.loads(run(put, server))
        assert cursor == json.loads(run(get, server))
        assert re.fullmatch("[0-9a-f]{32}", cursor.pop("epoch"))
        assert cursor == {"name": "orders", "position": 1}
    finally:
        server.stop()


@pytest.mark.parametrize("has_admin_keys", [False, True], ids=["", "admin keys"])
@pytest.mark.parametrize("auth", ["open", "token", "keys"])
def test_the_feed_is_at_the_addresses_of_the_table(tmp_path, auth, has_admin_keys):
    files = {name: tmp_path / f"{name}.yaml" for name in ("public", "admin")}
    keys = {name: pickerd("key", "add", file, "deliver", "--scope", "feed").stdout.strip()
            for name, file in files.items()}
    keys["none"] = None
    server = Pickerd(tmp_path / "log", auth=f"keys:{files['public']}" if auth == "keys" else auth,
                     options=["--admin-keys", str(files["admin"])] if has_admin_keys else [])
    try:
        ports = {"public": server.port, "admin": server.admin_port}
        open_with = {(listener, name) for listener, port in ports.items()
                     for name, key in keys.items()
                     if server.get("/v1/feed", token=key, port=port).status == 200}
    finally:
        server.stop()

    assert (("public", "public") in open_with) == (auth == "keys")
    assert (("admin", "none") in open_with) == (auth != "keys" and not has_admin_keys)
    assert (("admin", "admin") in open_with) == (auth != "keys" or has_admin_keys)
    assert (("admin", "public") in open_with) == (not has_admin_keys)
    assert not {("public", "none"), ("public", "admin")} & open_with


def test_the_page_names_every_type():
    page = PAGE.read_text()
    names = re.findall(r'case \w+ = "([\w.]+)"', TYPES.read_text())
    assert len(names) == 16
    for name in names:
        assert f"`{name}`" in page
