"""CPU quotas of processes, as if each had a machine of its own (cgroups)."""

import sys
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
#: Short: a process that has used up its quota waits for the rest of a period.
PERIOD_MICROSECONDS = 10_000


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
            if self.is_unified:
                (group / "cpu.max").write_text(f"{quota} {PERIOD_MICROSECONDS}")
            else:
                (group / "cpu.cfs_period_us").write_text(f"{PERIOD_MICROSECONDS}")
                (group / "cpu.cfs_quota_us").write_text(f"{quota}")

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
