#!/usr/bin/env bash
# sanitize.sh KIND… : module and socket tests under AddressSanitizer and ThreadSanitizer
# (KIND: address, thread). Needs swift in PATH and the packages of `make test`, which makes .venv.
# Exit status 0: all passed without reports of a sanitizer.
set -uo pipefail
cd "$(dirname "$0")/.."
source Tests/limits.sh
python=${PYTHON:-.venv/bin/python}
# Tests that sanitizers do not support: valgrind, and memory limits that the shadow exceeds.
without="not valgrind and not memory and not resident and not costs_less and not thousands_of_idle"
failed=0

# passes NAME COMMAND… : runs a part and reports its result. Exit status 0: it passed.
passes() {
  local name=$1
  shift
  if "$@" >"$logs/$name.log" 2>&1; then
    printf '%-32s passed\n' "$kind: $name"
  else
    failed=1
    printf '%-32s FAILED, see %s\n' "$kind: $name" "$logs/$name.log"
    grep -E '^✘|^↳|^FAILED|^ERROR|error:' "$logs/$name.log" | head -n 40
    return 1
  fi
}

if ! [ -x "$python" ]; then
  echo "$python is missing: run make test first, or set PYTHON" >&2
  exit 1
fi
for kind in ${@:-address thread}; do
  logs=.build/$kind/logs
  mkdir -p "$logs"
  rm -f "$logs"/report*
  # LeakSanitizer reports Swift's tagged pointers as leaks.
  options="log_path=$PWD/$logs/report:exitcode=66:detect_leaks=0"
  [ "$kind" = thread ] &&
    options="log_path=$PWD/$logs/report:exitcode=66:suppressions=$PWD/Tests/thread-sanitizer.txt"
  flags=(--scratch-path ".build/$kind" --sanitize="$kind" -Xswiftc -use-ld=lld)
  passes build swift build --build-tests "${flags[@]}" || continue
  built=$PWD/.build/$kind/debug
  export ASAN_OPTIONS=$options TSAN_OPTIONS=$options SWIFT_BACKTRACE=enable=no
  # Apart: these have time limits that other tests would use up.
  apart='ConnectionTests|RehearsalTests'
  passes modules timeout "$HUNG" swift test --skip-build --disable-xctest --skip "$apart" "${flags[@]}"
  passes apart timeout "$HUNG" swift test --skip-build --disable-xctest --filter "$apart" "${flags[@]}"
  passes sockets env SOCKET_ECHO="$built/SocketEcho" PICKERD="$built/pickerd" timeout "$HUNG" \
    "$python" -m pytest -q --numprocesses=2 --dist=loadgroup -k "$without" \
    Tests/product/test_socket_*.py Tests/product/test_rfc6455*.py Tests/product/test_loops*.py
  unset ASAN_OPTIONS TSAN_OPTIONS
  if compgen -G "$logs/report*" >/dev/null; then
    failed=1
    echo "$kind: $(cat "$logs"/report* | grep -c 'SUMMARY:') reports in $logs:"
    cat "$logs"/report* | grep 'SUMMARY:' | sort | uniq -c | sort -rn | head -n 20
  fi
done
[ "$failed" = 0 ]
