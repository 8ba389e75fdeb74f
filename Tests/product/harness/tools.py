"""`pickerd replay` and `pickerd backup`, as an operator runs them."""

import json
import subprocess
from dataclasses import dataclass

from .patience import PATIENCE
from .pickerd import binary


@dataclass
class CommandResult:
    """The exit status and the output of a command."""

    status: int
    output: str
    complaint: str

    @property
    def json(self):
        return json.loads(self.output)


def pickerd(*arguments, stdin=None):
    """Runs a subcommand."""
    done = subprocess.run(
        [str(binary()), *map(str, arguments)], input=stdin, capture_output=True, timeout=PATIENCE)
    result = CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Fatal error" not in result.complaint, result
    if result.status not in (0, 1):
        name = f"pickerd {arguments[0]}: "
        is_explained = result.complaint.startswith(name) or "Usage:" in result.complaint
        assert is_explained or result.output, result
    return result


def replay(*arguments, **rest):
    return pickerd("replay", *arguments, **rest)


def state(result):
    """The state in a replay's JSON, in the form of `GET`, without members."""
    shown = result.json["state"]
    return {name: shown[name] for name in ("session", "revision", "status", "snapshot")}
