"""Runs the commands of the guide's "Find a time, then book it"."""

import json
import re
import subprocess

from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY
from harness.session import Session

PAGE = (REPOSITORY / "web/guide/availability.md").read_text()


def test_the_commands_of_the_page_work_in_their_order(server):
    create, member, take, best, confirm = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.S)
    values = {"SERVER": f"http://127.0.0.1:{server.port}"}

    def run(script):
        """The output of a block; its variables are those of the next ones."""
        shell = subprocess.run(
            ["bash", "-euc", script + '\necho; echo "SESSION=${SESSION-}"; echo "MEMBER=${MEMBER-}"'],
            capture_output=True, text=True, env={"PATH": "/usr/bin:/bin:/usr/local/bin", **values},
            timeout=PATIENCE)
        assert shell.returncode == 0, shell.stderr
        *output, session, host = shell.stdout.strip().split("\n")
        values.update(SESSION=session.partition("=")[2], MEMBER=host.partition("=")[2])
        return "\n".join(output).strip()

    run(re.search(r"^\$ (curl .*/v1/clock.*)$", PAGE, re.M)[1])
    run(create)
    run(member)
    epoch = server.get(f"/v1/sessions/{values['SESSION']}").json["epoch"]
    session = Session(server, {"session": values["SESSION"], "epoch": epoch})
    ana, bo = session.together("Ana", "Bo")
    # From 11 to 13 on Monday, and from 12 to 15.
    ana.mark("yes", [4, 8])
    bo.mark("yes", [6, 12])
    assert json.loads(run(take))["changes"][1]["change"] == "cells"
    bo.reach(3)
    # Nobody else can from 13 to 15 now: one of two is the best.
    lines = run(best).splitlines()
    assert lines[0] == "4 1 0 1 Mo., 26. Nov., 05:00–06:00", lines
    assert len(lines) == 4

    answer = json.loads(run(confirm))

    assert answer["changes"][0]["status"] == "confirmed"
    assert session.result()["local"] == "2018-11-26T11:00"
    assert session.result()["yes"] == 1
    ana.reach(4)
    session.forget()
    session.delete()
