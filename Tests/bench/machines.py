"""A part of a core for each of some processes, as if each had a machine of its own (cgroups)."""

import contextlib
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
#: Short: a process that has used up its part waits for the rest of a period.
PERIOD_MICROSECONDS = 10_000


@contextlib.contextmanager
def limited(processes, part):
    """Each process has at most `part` of a core; afterwards it is in the root group.

    Raises OSError if this process may not make groups.
    """
    is_unified = (ROOT / "cgroup.controllers").exists()
    parent = ROOT if is_unified else ROOT / "cpu"
    quota = int(part * PERIOD_MICROSECONDS)
    groups = {}
    try:
        for process in processes:
            group = groups[process] = parent / f"pickerd-bench-{process}"
            group.mkdir()
            if is_unified:
                (group / "cpu.max").write_text(f"{quota} {PERIOD_MICROSECONDS}")
            else:
                (group / "cpu.cfs_period_us").write_text(f"{PERIOD_MICROSECONDS}")
                (group / "cpu.cfs_quota_us").write_text(f"{quota}")
            (group / "cgroup.procs").write_text(f"{process}")
        yield
    finally:
        for process, group in groups.items():
            with contextlib.suppress(OSError):
                (parent / "cgroup.procs").write_text(f"{process}")
                group.rmdir()
