"""CPU quotas of processes, as if each had a machine of its own (cgroups)."""

import re
import sys
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
#: Short: a process that has used up its quota waits for the rest of a period. The kernel permits no
#: quota below 1 ms.
PERIOD_MICROSECONDS = 20_000


class CPUQuota:
    """A context in which each of some processes has a CPU quota."""

    def __init__(self, processes, cores):
        self.is_unified = (ROOT / "cgroup.controllers").exists()
        self.parent = ROOT if self.is_unified else ROOT / "cpu"
        self.groups = {
            process: self.parent / f"pickerd-bench-{process}" for process in processes}
        self.cores = cores

    @classmethod
    def of(cls, processes, cores):
        """None, with a line that says why, if this process may not make groups."""
        quota = cls(processes, cores)
        try:
            quota.make()
            return quota
        except OSError as error:
            quota.remove()
            print(f"left out: {cores} of a core for each node: {error}", file=sys.stderr)
            return None

    def make(self):
        quota = int(self.cores * PERIOD_MICROSECONDS)
        for group in self.groups.values():
            group.mkdir()
            # The weight: other programs of the machine do not take what the quota allows.
            if self.is_unified:
                (group / "cpu.max").write_text(f"{quota} {PERIOD_MICROSECONDS}")
                (group / "cpu.weight").write_text("10000")
            else:
                (group / "cpu.cfs_period_us").write_text(f"{PERIOD_MICROSECONDS}")
                (group / "cpu.cfs_quota_us").write_text(f"{quota}")
                (group / "cpu.shares").write_text("102400")

    def periods(self, processes):
        """How many periods have passed in which the processes ran, and in how many of them one had
        to wait for the next."""
        totals = [0, 0]
        for process in processes:
            text = (self.groups[process] / "cpu.stat").read_text()
            for index, name in enumerate(("nr_periods", "nr_throttled")):
                totals[index] += int(re.search(rf"^{name} (\d+)", text, re.M)[1])
        return totals

    def __enter__(self):
        for process, group in self.groups.items():
            (group / "cgroup.procs").write_text(f"{process}")

    def __exit__(self, *_):
        """Moves the processes to the root group."""
        for process in self.groups:
            (self.parent / "cgroup.procs").write_text(f"{process}")

    def remove(self):
        """Removes the groups, which no process may be in."""
        for group in self.groups.values():
            if group.exists():
                group.rmdir()
