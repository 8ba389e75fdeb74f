#!/usr/bin/env bash
# soak.sh SECONDS SEED : prepares Python and runs soak.py with the release binaries.
set -euo pipefail
cd "$(dirname "$0")/../.."

[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check -r Tests/product/requirements.txt
export PICKERD="${PICKERD:-$PWD/.build/release/pickerd}"
export PICKER_SIMULATOR="${PICKER_SIMULATOR:-$PWD/.build/release/picker-simulator}"
exec .venv/bin/python Tests/soak/soak.py "$1" "$2"
