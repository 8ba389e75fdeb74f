#!/usr/bin/env bash
# kill.sh ROUNDS SEED : repeated kill -9 under load; see Tests/product/test_store_kill.py.
set -euo pipefail
cd "$(dirname "$0")/../.."

swift build $RELEASE --product pickerd
[ -x .venv/bin/python ] || python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check -r Tests/product/requirements.txt
PICKERD="$PWD/.build/release/pickerd" PICKERD_KILL_ROUNDS=$1 PICKERD_KILL_SEED=$2 \
  exec .venv/bin/python -m pytest -q -o faulthandler_timeout=0 Tests/product/test_store_kill.py
