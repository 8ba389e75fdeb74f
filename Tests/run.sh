#!/usr/bin/env bash
# run.sh : runs all tests after `make test` has installed the packages. Exit status 0: all passed.
#
# The product tests use the release build, the module tests a debug build with its overflow and
# exclusivity checks. All parts run even if one has failed.
set -uo pipefail
: "${RELEASE:?says how the release is built; please call this by make test}"
cd "$(dirname "$0")/.."

# Per fuzzing target; the three targets take a minute.
FUZZ_SECONDS=20
# Processes for the product tests: two wait for a browser, the others mostly for timeouts.
WORKERS=4

logs=.build/test-logs
mkdir -p "$logs"
passed=0
failed=0
lines=()

# report NAME STATUS PASSED FAILED : a part that failed without a failed test counts as one.
report() {
  local name=$1 status=$2 good=$3 bad=$4
  if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  if [ "$status" = 0 ] && [ "$good" = 0 ]; then bad=1 name="$name ran no test"; fi
  if [ "$status" = 124 ]; then name="$name ran out of time"; fi
  passed=$((passed + good))
  failed=$((failed + bad))
  lines+=("$(printf '%-28s %5d passed %3d failed %5d s' "$name" "$good" "$bad" $((SECONDS - since)))")
}

begin() {
  since=$SECONDS
  printf '\n== %s\n' "$1"
}

# count PATTERN FILE : a number from the last matching line of a log.
count() { sed -nE "s/$1/\1/p" "$2" | tail -n 1 | grep . || echo 0; }

# build ARGUMENT… : shows the progress on a terminal, and elsewhere only errors.
build() {
  if [ -t 1 ]; then
    swift build "$@" || exit 1
  elif ! swift build "$@" >"$logs/build.log" 2>&1; then
    grep -E 'error|warning' "$logs/build.log" | head -n 60
    tail -n 20 "$logs/build.log"
    exit 1
  else
    tail -n 1 "$logs/build.log"
  fi
}

# attribute NAME : an attribute of the suite in pytest's report.
attribute() { [ -e "$xml" ] && count ".*<testsuite [^>]*$1=\"([0-9]+)\".*" "$xml" || echo 0; }

begin "building the server (release)"
build $RELEASE --product pickerd

begin "allocations of a tap (MicroBench)"
build $RELEASE --product MicroBench
timeout 5m .build/release/MicroBench check >"$logs/micro.log"
status=$?
cat "$logs/micro.log"
report "allocations" "$status" "$(count '([0-9]+) passed, [0-9]+ failed' "$logs/micro.log")" \
  "$(count '[0-9]+ passed, ([0-9]+) failed' "$logs/micro.log")"

begin "simulated worlds (picker-simulator)"
build $RELEASE --product picker-simulator
worlds=0
for seed in 1 101; do
  timeout 5m .build/release/picker-simulator --seed "$seed" --count 100 \
    >"$logs/worlds-$seed.log" 2>&1 &
done
status=0
for seed in 1 101; do
  wait -n || status=$?
done
cat "$logs"/worlds-*.log
for seed in 1 101; do
  worlds=$((worlds + $(count '([0-9]+) worlds, .* no violations' "$logs/worlds-$seed.log")))
done
report "simulated worlds" "$status" "$worlds" 0

begin "faults behind every byte (picker-simulator)"
timeout 5m .build/release/picker-simulator --bytes >"$logs/bytes.log" 2>&1
status=$?
cat "$logs/bytes.log"
report "faults behind every byte" "$status" "$(count '([0-9]+) faults .* no violations' \
  "$logs/bytes.log")" 0

begin "building the modules' tests (debug)"
build --build-tests

# modules NAME ARGUMENT… : runs the module tests that the arguments select.
modules() {
  local name=$1 log=$logs/swift-$1.log all bad
  begin "$1 (swift test)"
  timeout 20m swift test --skip-build --disable-xctest "${@:2}" >"$log" 2>&1
  status=$?
  grep -E '^✘|^↳|error:|^✔ Suite|^✔ Test run|Fatal|Crash' "$log" | head -n 200
  all=$(count '.*Test run with ([0-9]+) tests? .*' "$log")
  bad=$(grep -cE '^✘ Test ("|.*\(\)).* failed after' "$log")
  grep -q 'Test run with' "$log" || tail -n 40 "$log"
  report "$name" "$status" $((all - bad)) "$bad"
}

# The rehearsal has a client with time limits, and the others occupy all threads for a minute.
modules modules --skip RehearsalTests
modules rehearsal --filter RehearsalTests

begin "fuzzing (libFuzzer, AddressSanitizer)"
Tests/fuzz/fuzz.sh "$FUZZ_SECONDS" >"$logs/fuzz.log" 2>&1
status=$?
cat "$logs/fuzz.log"
report "fuzzing" "$status" "$(count '([0-9]+) passed, [0-9]+ failed' "$logs/fuzz.log")" \
  "$(count '[0-9]+ passed, ([0-9]+) failed' "$logs/fuzz.log")"

if compgen -G 'Tests/*/*.test.mjs' >/dev/null; then
  begin "browser client (node --test)"
  timeout 10m node --test --test-reporter=tap Tests/*/*.test.mjs >"$logs/node.log" 2>&1
  status=$?
  grep -E '^not ok|^# (tests|pass|fail)' "$logs/node.log" | head -n 100
  report "browser client" "$status" "$(count '# pass ([0-9]+)' "$logs/node.log")" \
    "$(count '# fail ([0-9]+)' "$logs/node.log")"
fi

suites=$(dirname Tests/*/pytest.ini 2>/dev/null)
if [ "$suites" != "Tests/*" ]; then
  begin "python for the product's tests"
  wanted=$(cat Tests/*/requirements.txt | sha256sum | cut -c1-16)
  if [ ! -e ".venv/$wanted" ]; then
    rm -rf .venv
    python3 -m venv .venv &&
      .venv/bin/pip install --quiet --disable-pip-version-check \
        $(printf -- '-r %s ' Tests/*/requirements.txt) &&
      touch ".venv/$wanted" || exit 1
  fi
  for suite in $suites; do
    begin "the running server ($suite)"
    xml=$logs/$(basename "$suite").xml
    rm -f "$xml"
    PICKERD="$PWD/.build/release/pickerd" \
      timeout 25m .venv/bin/python -m pytest -q "$suite" --junitxml="$xml" \
      --numprocesses="$WORKERS" --dist=loadgroup --no-loadscope-reorder --durations=10
    status=$?
    all=$(attribute tests)
    bad=$(($(attribute failures) + $(attribute errors)))
    report "$suite" "$status" $((all - bad - $(attribute skipped))) "$bad"
  done
fi

printf '\n'
printf '%s\n' "${lines[@]}"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
