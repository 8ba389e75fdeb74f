"""Runs the commands of the guide's "The host decides"."""

import json
import re
import subprocess

from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY
from harness.session import Session

PAGE = (REPOSITORY / "web/guide/decide.md").read_text()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.M | re.S)


def run(server, script, **values):
    """The output of a shell script, and its variables."""
    values = {"SERVER": f"http://127.0.0.1:{server.port}",
              "ADMIN": f"http://127.0.0.1:{server.admin_port}", **values}
    shell = subprocess.run(
        ["bash", "-euc", script + '\necho; echo "SESSION=${SESSION-} OP=${OP-}"'],
        capture_output=True, text=True, env={"PATH": "/usr/bin:/bin:/usr/local/bin", **values},
        timeout=PATIENCE)
    assert shell.returncode == 0, shell.stderr
    output, _, variables = shell.stdout.strip().rpartition("\n")
    return output, dict(pair.split("=") for pair in variables.split(" "))


def confirmed(server, id):
    """Somebody joins, chooses and confirms."""
    epoch = server.get(f"/v1/sessions/{id}").json["epoch"]
    session = Session(server, {"session": id, "epoch": epoch})
    ana = session.join("Ana")
    ana.select(0, 1)
    assert ana.confirm()["changes"][0]["status"] == "confirming"
    return session, ana


def test_the_commands_of_the_page_work_in_their_order(server):
    create, find, poll, read, deny = blocks("sh")
    _, values = run(server, create)
    session, ana = confirmed(server, values["SESSION"])
    output, _ = run(server, find)
    listed = {"session": session.id, "external": "order-4711", "status": "confirming"}
    assert json.loads(output)["sessions"][0] == listed
    output, _ = run(server, poll)
    assert listed in json.loads(output)["sessions"]
    _, values = run(server, read, SESSION=session.id)

    output, _ = run(server, deny, SESSION=session.id, OP=values["OP"])

    assert json.loads(output)["status"] == "open"
    assert ana.reach(3).record[-1]["changes"][0]["detail"] == "sold out"
    ana.confirm()
    _, values = run(server, read, SESSION=session.id)
    output, _ = run(server, blocks("sh-granted")[0], SESSION=session.id, OP=values["OP"])
    assert json.loads(output)["status"] == "confirmed"
    assert session.result()["data"] == {"booking": 4711}
    session.forget()
    session.delete()
