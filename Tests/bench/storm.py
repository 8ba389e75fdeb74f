"""A resume storm after kill -9; pickerd only."""

import json
import subprocess
import sys
import tempfile

from generator import arguments, write_rooms
from scenarios import Scenario
from servers import LOAD_CORE, Pickerd, pinned

STORM = Scenario("storm", [(1000, 5, True)], 0)


def resume_storm():
    """Seconds until 5,000 members of 1,000 stored sessions have resumed after a restart."""
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w") as file:
        server = Pickerd(store=f"sqlite:{folder}/store.sqlite")
        paths, _ = server.rooms(STORM)
        write_rooms(file, STORM, paths)
        load = subprocess.Popen(
            arguments(server, STORM, file.name, warm=2, closed=0, opened=0, storm=True),
            preexec_fn=pinned(LOAD_CORE), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        load.stdout.readline()
        assert load.stdout.readline() == "ready\n", "the generator failed"
        server.kill()
        server.start()
        load.stdin.write(f"{server.port} {server.process.pid}\n")
        load.stdin.flush()
        output = load.stdout.read()
        server.kill()
        if load.wait() != 0:
            sys.exit("storm: the generator failed")
    storm = json.loads(output)
    return {"startup": server.startup, **storm, "perSecond": storm["count"] / storm["seconds"],
            "cpuPerMember": storm["cpu"] / storm["count"] * 1e6}
