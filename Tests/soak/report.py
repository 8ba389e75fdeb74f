"""The report of a soak, in Markdown."""

import hashlib
import os
import subprocess
import time
from pathlib import Path

#: Rows of the table of resources.
ROWS = 20


def program(binary):
    """The version and the digest of a server's binary; the bill of materials has both, too."""
    version = subprocess.run(
        [binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    digest = hashlib.sha256(Path(binary).read_bytes()).hexdigest()
    return f"pickerd {version}, SHA-256 {digest}"


def written(soak, attackers, resources, failures):
    """The report and the failures."""
    lines = [
        "# Soak", "",
        f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime())} UTC, after {soak.seconds / 60:.0f} "
        f"minutes on {os.cpu_count()} cores, seed {soak.seed}", "", soak.program, "",
        f"**{'FAILED' if failures else 'Passed'}**", ""]
    lines += [f"- {failure}" for failure in failures] + [""] * bool(failures)
    lines += [
        "| part | done |", "|---|---|",
        f"| SIGKILL under load, then a restart | {soak.kills} times |",
        f"| answers found in the log after a kill | {soak.killed_crowd.checked} |",
        f"| rounds of load without a kill | {soak.rounds} |",
        f"| answers found in the log without a kill | {soak.steady_crowd.checked} |",
        f"| revisions of both servers | {revisions(soak)} |",
        f"| sessions created and deleted meanwhile | {created(soak)} |",
        f"| simulated worlds | {soak.worlds} |", ""]
    lines += ["| attack | outcome | times |", "|---|---|---|"]
    lines += [f"| {name} | {outcome} | {count} |" for (name, outcome), count in sorted(
        attackers.done.items(), key=lambda entry: (entry[0][0], str(entry[0][1])))]
    lines += ["", "The flooded server over time:", "",
              "| second | memory (MiB) | file descriptors | sessions | TCP connections |",
              "|---:|---:|---:|---:|---:|"]
    lines += [f"| {sample.second:.0f} | {sample.mib:.0f} | {sample.descriptors} | "
              f"{sample.sessions} | {sample.sockets} |" for sample in spread(resources.samples)]
    return "\n".join(lines) + "\n", failures


def revisions(soak):
    return sum(sum(crowd.revisions.values()) for crowd in (soak.killed_crowd, soak.steady_crowd))


def created(soak):
    return sum(len(crowd.created) + len(crowd.deleted)
               for crowd in (soak.killed_crowd, soak.steady_crowd))


def spread(samples):
    """At most ROWS samples, evenly spread, with the last one."""
    if len(samples) <= ROWS:
        return samples
    return [samples[round(n * (len(samples) - 1) / (ROWS - 1))] for n in range(ROWS)]
