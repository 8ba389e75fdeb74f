"""check.py BINARY : runs the checks that need a chroot. Needs root. Exit status 0: all passed."""

import os
import sys
import time
import traceback
from pathlib import Path

import check_deb
import check_dockerfile
import check_systemd


def main(binary):
    if os.geteuid() != 0:
        sys.exit("make deploy-check needs root, for debootstrap and chroot")
    passed = failed = 0
    for module in (check_deb, check_systemd, check_dockerfile):
        begun = time.monotonic()
        try:
            for sentence in module.check(Path(binary).resolve()):
                passed += 1
                print(f"ok  {sentence} ({time.monotonic() - begun:.0f} s)", flush=True)
        except Exception:
            failed += 1
            traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    return failed


sys.exit(1 if main(*sys.argv[1:]) else 0)
