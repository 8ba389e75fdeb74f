#!/usr/bin/env bash
# fuzz.sh SECONDS|few [INPUT_SECONDS] : builds the fuzzer and runs all targets in parallel for
# SECONDS, or with a few inputs. An input fails if it takes INPUT_SECONDS. Needs swift in PATH. Exit
# status 0: no input failed.
#
# Starts from the committed corpus and, unless the inputs are few, those of earlier runs in
# .build/fuzz/corpus: replaying them takes longer than a minute. Failing inputs are stored in
# .build/fuzz/failures; after a fix, add them to Tests/fuzz/corpus.
set -uo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:?for how many seconds}
input_seconds=${2:-20}
found=.build/fuzz/corpus
failures=.build/fuzz/failures
logs=$found
if [ "$seconds" = few ]; then logs=.build/fuzz/few; fi
# swiftc instruments Swift code for libFuzzer only with this flag.
coverage=edge,indirect-calls,trace-cmp,inline-8bit-counters,pc-table

mkdir -p .build
# For few inputs, which are a part of a test run, one compiler at a time leaves the other cores to
# the other tests: for root, swift build resets the niceness of the compilers.
jobs=()
if [ "$seconds" = few ]; then jobs=(--jobs 1); fi
# Without the variable, the order of the two sanitizers is random, and another order builds
# everything again.
if ! PICKERD_FUZZ=1 SWIFT_DETERMINISTIC_HASHING=1 swift build "${jobs[@]}" \
  --scratch-path .build/fuzz --product PickerFuzz \
  --sanitize=fuzzer --sanitize=address -Xswiftc -use-ld=lld \
  -Xswiftc -sanitize-coverage=$coverage >.build/fuzz-build.log 2>&1; then
  tail -n 40 .build/fuzz-build.log
  exit 1
fi

# fuzz TARGET LENGTH COUNT : inputs of at most LENGTH bytes; COUNT of them, if they are few.
# LeakSanitizer reports Swift's tagged pointers as leaks, and Swift's backtracer can hang in a
# process with libFuzzer.
fuzz() {
  local target=$1 length=$2 found=$found limit=(-max_total_time="$seconds")
  if [ "$seconds" = few ]; then
    found=.build/fuzz/few limit=(-runs="$3")
    rm -rf "${found:?}/$target"
  fi
  mkdir -p "$found/$target" "$failures/$target"
  FUZZ=$target ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no \
    .build/fuzz/debug/PickerFuzz "${limit[@]}" -max_len="$length" -timeout="$input_seconds" -rss_limit_mb=4096 \
    -dict=Tests/fuzz/json.dict -artifact_prefix="$failures/$target/" \
    "$found/$target" "Tests/fuzz/corpus/$target" >"$found/$target.log" 2>&1
}

targets=(messages definitions patches events)
lengths=(2000 2000 2000 4000)
# At most 40 CPU-seconds each. Of `events`, 43 are the corpus, and the release build runs 200 worlds.
few=(4000 1000 4000 75)
runs=()
for n in "${!targets[@]}"; do
  fuzz "${targets[n]}" "${lengths[n]}" "${few[n]}" &
  runs+=($!)
done
failed=0
for n in "${!targets[@]}"; do
  target=${targets[n]}
  if wait "${runs[n]}"; then
    printf '%-12s %s\n' "$target" "$(grep -E '^Done' "$logs/$target.log")"
  else
    failed=$((failed + 1))
    printf '%-12s failed:\n' "$target"
    grep -E 'Fatal|ERROR|SUMMARY|Test unit' "$logs/$target.log" | cut -c1-300
  fi
done
echo "$((${#targets[@]} - failed)) passed, $failed failed"
[ "$failed" = 0 ]
