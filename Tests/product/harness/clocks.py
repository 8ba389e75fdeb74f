"""Clocks of machines that differ."""

import subprocess

from .pickerd import REPOSITORY


def clock_offset(folder):
    """A library to preload that adds CLOCK_OFFSET_SECONDS to a program's clock."""
    library = folder / "clock_offset.so"
    source = REPOSITORY / "Tests/product/harness/clock_offset.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library
