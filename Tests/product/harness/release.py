"""The files of a release, which `make release` writes."""

import fcntl
import os
import shutil
import subprocess
import sys

from harness.patience import PATIENCE
from harness.pickerd import REPOSITORY, binary


def make_release(folder):
    """Writes the files of a release to the folder, with an uncompressed Debian package."""
    done = subprocess.run(
        [REPOSITORY / "deploy/release.sh", binary(), folder, "none"], capture_output=True, text=True,
        timeout=5 * PATIENCE, env={**os.environ, "REHEARSAL": "yes", "PYTHON": sys.executable})
    assert done.returncode == 0, done.stdout + done.stderr


def shared_release(base):
    """The folder of a release within `base`: the first process that needs it makes it, for all."""
    folder = base / "release"
    with (base / "release.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # release.sh writes it last.
        if not (folder / "SHA256SUMS").exists():
            shutil.rmtree(folder, ignore_errors=True)
            make_release(folder)
    return folder
