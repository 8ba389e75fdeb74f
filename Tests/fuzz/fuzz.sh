#!/usr/bin/env bash
# fuzz.sh SECONDS : builds the fuzzer and runs all targets in parallel for SECONDS. An input fails if
# it takes 20 seconds. Needs swift in PATH. Exit status 0: no input failed.
#
# Starts from the committed corpus and those of earlier runs in .build/fuzz/corpus. Failing inputs
# are stored in .build/fuzz/failures; after a fix, add them to Tests/fuzz/corpus.
set -uo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:?for how many seconds}
found=.build/fuzz/corpus
failures=.build/fuzz/failures
# swiftc instruments Swift code for libFuzzer only with this flag.
coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table

mkdir -p .build
# Without the variable, the order of the two sanitizers is random, and another order builds
# everything again.
if ! PICKERD_FUZZ=1 SWIFT_DETERMINISTIC_HASHING=1 swift build \
  --scratch-path .build/fuzz --product PickerFuzz \
  --sanitize=fuzzer --sanitize=address -Xswiftc -use-ld=lld \
  -Xswiftc -sanitize-coverage=$coverage >.build/fuzz-build.log 2>&1; then
  tail -n 40 .build/fuzz-build.log
  exit 1
fi

# fuzz TARGET LENGTH : inputs of at most LENGTH bytes.
# LeakSanitizer reports Swift's tagged pointers as leaks, and Swift's backtracer can hang in a
# process with libFuzzer.
fuzz() {
  local target=$1 length=$2
  mkdir -p "$found/$target" "$failures/$target"
  FUZZ=$target ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no \
    .build/fuzz/debug/PickerFuzz -max_total_time="$seconds" -max_len="$length" -timeout=20 \
    -rss_limit_mb=4096 -dict=Tests/fuzz/json.dict -artifact_prefix="$failures/$target/" \
    "$found/$target" "Tests/fuzz/corpus/$target" >"$found/$target.log" 2>&1
}

targets=(messages definitions patches events)
lengths=(2000 2000 2000 4000)
runs=()
for n in "${!targets[@]}"; do
  fuzz "${targets[n]}" "${lengths[n]}" &
  runs+=($!)
done
failed=0
for n in "${!targets[@]}"; do
  target=${targets[n]}
  if wait "${runs[n]}"; then
    printf '%-12s %s\n' "$target" "$(grep -E '^Done' "$found/$target.log")"
  else
    failed=$((failed + 1))
    printf '%-12s failed:\n' "$target"
    grep -E 'Fatal|ERROR|SUMMARY|Test unit' "$found/$target.log" | cut -c1-300
  fi
done
echo "$((${#targets[@]} - failed)) passed, $failed failed"
[ "$failed" = 0 ]
