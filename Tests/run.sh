#!/usr/bin/env bash
# run.sh [check] : runs all tests after `make test` has installed the packages, or those of
# `make check`. Exit status 0: all passed.
#
# The product tests use the release build, the module tests a debug build with its overflow and
# exclusivity checks. All parts run even if one has failed.
set -uo pipefail
: "${RELEASE:?says how the release is built; please call this by make test}"
cd "$(dirname "$0")/.."

source Tests/limits.sh
# Less CPU time than the parts whose tests mostly wait, but not a hundredth beside busy processes.
NICE=5
# Processes for the product tests: three have a browser, the others mostly wait for timeouts.
WORKERS=8

# `make check`: a developer's gate. Worlds per seed, and the tests of the protocol over one server.
check=${1:-}
WORLDS=100
if [ "$check" ]; then WORLDS=10; fi
PROTOCOL=(golden availability nights join roles notes live_definitions
  malformed http http_commands create definitions definition_reference sessions log tickets
  member_view command_order close_codes hosts mutants)

# The modules whose tests use no clock, so that they pass at any speed.
PURE='^(CivilTime|JSONText|Picker(Model|Session|Wire|Hub|Simulator)|Fuzz)Tests\.'
# The module whose tests mostly wait.
STORES='^SessionLogTests\.'

# Compiled tests, so that not every process compiles all of them.
unset PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX=$PWD/.build/pycache

logs=.build/test-logs
mkdir -p "$logs"
passed=0
failed=0
lines=()
# Commands that repeat what failed.
again=()

# report NAME STATUS GOOD BAD [SECONDS [UNIT]] : a part that failed without a failed test counts as
# one. A part with a unit, such as worlds, has no tests that passed.
report() {
  local name=$1 status=$2 good=$3 bad=$4 seconds=${5:-$((SECONDS - since))} unit=${6:-passed}
  if [ "$status" != 0 ] && [ "$bad" = 0 ]; then bad=1; fi
  if [ "$status" = 0 ] && [ "$good" = 0 ]; then bad=1 name="$name ran no test"; fi
  if [ "$status" = 124 ]; then name="$name hung"; fi
  if [ "$unit" = passed ]; then passed=$((passed + good)); fi
  failed=$((failed + bad))
  lines+=("$(printf '%-28s %6d %-6s %3d failed %5d s' "$name" "$good" "$unit" "$bad" "$seconds")")
}

begin() {
  since=$SECONDS
  printf '\n== %s\n' "$1"
}

# count PATTERN FILE : a number from the last matching line of a log.
count() { sed -nE "s/$1/\1/p" "$2" | tail -n 1 | grep . || echo 0; }

# sum PATTERN FILE : the sum of the numbers from all lines of a log that begin with the pattern.
sum() {
  local total=0
  for number in $(sed -nE "s/^$1.*/\1/p" "$2"); do total=$((total + number)); done
  echo "$total"
}

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

suites=$(dirname Tests/*/pytest.ini 2>/dev/null)

# packages : installs the Python packages, and compiles the product's tests once, before all
# processes need them.
packages() {
  renice -n "$NICE" "$BASHPID" >/dev/null
  [ "$suites" != "Tests/*" ] || return 0
  local wanted
  wanted=$(cat Tests/*/requirements.txt | sha256sum | cut -c1-16)
  if [ ! -e ".venv/$wanted" ]; then
    rm -rf .venv
    python3 -m venv .venv &&
      .venv/bin/pip install --quiet --disable-pip-version-check \
        $(printf -- '-r %s ' Tests/*/requirements.txt) &&
      touch ".venv/$wanted" || return 1
  fi
  for suite in $suites; do
    [ -e "$PYTHONPYCACHEPREFIX$PWD/$suite" ] ||
      .venv/bin/python -m pytest -q --collect-only "$suite"
  done
  return 0
}

# With process groups of their own, so that nothing is left running when this script ends early.
set -m
packages </dev/null >"$logs/packages.log" 2>&1 &
packages=$!
set +m
beside=("$packages")
trap 'for group in "${beside[@]}"; do kill -- "-$group" 2>/dev/null; done' EXIT

begin "building the server, MicroBench and picker-simulator (release)"
for product in pickerd MicroBench picker-simulator; do
  build $RELEASE --product "$product"
done

# The commands of the parts that use no clock.
declare -A commands=(
  [allocations]=".build/release/MicroBench check"
  [instructions]="python3 Tests/bench/instructions.py --check --rows '1x1 1x10'"
  [worlds]=".build/release/picker-simulator --defects &&
    echo 1 101 | xargs -n 1 -P 2 .build/release/picker-simulator --count $WORLDS --seed"
  [bytes]=".build/release/picker-simulator --bytes")

TESTS=".build/debug/pickerdPackageTests.xctest --testing-library swift-testing"

# swift_tests ARGUMENT… : runs the selected module tests. `swift test` would wait for another one.
swift_tests() {
  NO_COLOR=1 timeout --foreground "$HUNG" $TESTS "$@"
}

commands[pure]="NO_COLOR=1 $TESTS --filter '$PURE'"

# beside PART… : runs parts of `commands`, one after the other, at a lower priority. They run beside
# the other parts, whose tests mostly wait, and do not delay them.
beside() {
  renice -n "$NICE" "$BASHPID" >/dev/null
  for part in "$@"; do
    since=$SECONDS
    timeout --foreground "$HUNG" bash -c "${commands[$part]}" >"$logs/$part.log" 2>&1
    echo "$? $((SECONDS - since))" >"$logs/$part.status"
  done
}

rm -f "$logs"/*.status
parts=(allocations instructions worlds bytes)
if [ "$check" ]; then parts=(allocations instructions worlds); fi
set -m
beside "${parts[@]}" </dev/null &
beside+=("$!")
set +m

begin "building the modules' tests (debug)"
build --build-tests

set -m
beside pure </dev/null &
beside+=("$!")
set +m

# results NAME LOG STATUS [SECONDS] : shows and reports the results of module tests.
results() {
  local name=$1 log=$2 status=$3 all bad
  grep -E '^✘|^↳|error:|^✔ Suite|^✔ Test run|Fatal|Crash' "$log" | head -n 200
  all=$(count '.*Test run with ([0-9]+) tests? .*' "$log")
  bad=$(grep -cE '^✘ Test ("|.*\(\)).* failed after' "$log")
  grep -q 'Test run with' "$log" || tail -n 40 "$log"
  while read -r test; do
    again+=("$TESTS --filter '$test'")
  done < <(sed -nE 's/^✘ Test ("(.*)"|(\w+)\(\)).* failed after .*/\2\3/p' "$log" |
    tr -c "[:alnum:]_\n" .)
  report "$name" "$status" $((all - bad)) "$bad" "${@:4}"
}

# modules NAME ARGUMENT… : runs the module tests that the arguments select.
modules() {
  local log=$logs/swift-$1.log
  begin "$1 (Swift Testing)"
  swift_tests "${@:2}" >"$log" 2>&1
  results "$1" "$log" $?
}

if [ "$check" ]; then
  modules sources --filter 'StyleTests|ProseTests'
else
  # Most tests of the stores wait for disks and databases, and a process has a thread per core.
  set -m
  swift_tests --filter "$STORES" </dev/null >"$logs/swift-stores.log" 2>&1 &
  stores=$!
  set +m
  beside+=("$stores")
  # The rehearsal has a client with time limits, and the others occupy all threads for a minute.
  modules modules --skip "$PURE" --skip "$STORES" --skip RehearsalTests
  modules rehearsal --filter RehearsalTests
  begin "stores (Swift Testing)"
  wait "$stores"
  results "stores, beside modules" "$logs/swift-stores.log" $?
fi

if compgen -G 'Tests/*/*.test.mjs' >/dev/null; then
  begin "browser client (node --test)"
  timeout "$HUNG" node --test --test-reporter=tap Tests/*/*.test.mjs >"$logs/node.log" 2>&1
  status=$?
  grep -E '^not ok|^# (tests|pass|fail)' "$logs/node.log" | head -n 100
  while read -r test; do
    again+=("node --test --test-name-pattern='$test' Tests/web/*.test.mjs")
  done < <(sed -nE 's/^ *not ok [0-9]+ - (.*)/\1/p' "$logs/node.log" |
    tr -c "[:alnum:]_\n" .)
  report "browser client" "$status" "$(count '# pass ([0-9]+)' "$logs/node.log")" \
    "$(count '# fail ([0-9]+)' "$logs/node.log")"
fi

if [ "$suites" != "Tests/*" ]; then
  begin "waiting for the Python packages of the product's tests"
  wait "$packages" || { tail -n 20 "$logs/packages.log"; exit 1; }
  for suite in $suites; do
    begin "the running server ($suite)"
    xml=$logs/$(basename "$suite").xml
    rm -f "$xml"
    files=("$suite")
    if [ "$check" ]; then files=("${PROTOCOL[@]/#/$suite/test_}") files=("${files[@]/%/.py}"); fi
    PICKERD="$PWD/.build/release/pickerd" \
      timeout "$HUNG" .venv/bin/python -m pytest -q "${files[@]}" --junitxml="$xml" \
      --numprocesses="$WORKERS" --dist=loadgroup --no-loadscope-reorder --durations=10 |
      tee "$logs/$(basename "$suite").log"
    status=$?
    while read -r command; do
      again+=("$command")
    done < <(sed -n 's/^to repeat: //p' "$logs/$(basename "$suite").log")
    all=$(attribute tests)
    bad=$(($(attribute failures) + $(attribute errors)))
    report "$suite" "$status" $((all - bad - $(attribute skipped))) "$bad"
  done
fi

begin "waiting for the parts beside the others"
wait "${beside[@]}"

begin "modules without a clock"
status=1 seconds=0
read -r status seconds <"$logs/pure.status"
results "modules without a clock" "$logs/pure.log" "$status" "$seconds"

# finish PART NAME GOOD BAD [UNIT] : shows and reports a part that ran beside the others. The two
# patterns match its counts.
finish() {
  local log=$logs/$1.log status=1 seconds=0
  printf '\n== %s\n' "$2"
  cat "$log"
  read -r status seconds <"$logs/$1.status"
  report "$2" "$status" "$(sum "$3" "$log")" "$(sum "$4" "$log")" "$seconds" "${5:-passed}"
  if [ "$status" != 0 ]; then again+=("${commands[$1]}"); fi
}

counts=('([0-9]+) passed, [0-9]+ failed' '[0-9]+ passed, ([0-9]+) failed')
finish allocations "allocations" "${counts[@]}"
finish instructions "instructions of a tap" "${counts[@]}"
finish worlds "simulated worlds" '([0-9]+) worlds, .* no violations' '(-)' worlds
if ! [ "$check" ]; then
  finish bytes "faults behind every byte" '([0-9]+) faults .* no violations' '(-)' faults
fi

if [ "${#again[@]}" != 0 ]; then
  printf '\nto repeat what failed:\n'
  printf '  %s\n' "${again[@]}"
fi
printf '\n'
printf '%s\n' "${lines[@]}"
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
