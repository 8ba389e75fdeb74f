"""The lines that `make mutants` breaks. No server."""

import subprocess
import sys

from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY


def test_every_line_that_a_mutant_breaks_is_found_once():
    done = subprocess.run(
        [sys.executable, REPOSITORY / "Tests/mutants/run.py", "--check"], capture_output=True,
        text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "61 mutants\n"
