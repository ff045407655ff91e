#!/usr/bin/env bash
# What the runner makes of made-up tests that fail: which it runs again, and what it says then.
set -euo pipefail

runner=$(dirname "$(readlink -f "$0")")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cd "$root"
mkdir -p tests
ln -s "$runner" tests/runner

fail() {
  echo "run_again_test: $1" >&2
  exit 1
}

# project <name of a test> <what it runs>...: a build with these tests, of the layer unit.
project() {
  rm -rf build count
  {
    echo 'cmake_minimum_required(VERSION 3.25)'
    echo 'project(made_up NONE)'
    echo 'enable_testing()'
    while [ $# -gt 0 ]; do
      echo "add_test(NAME \"$1\" COMMAND sh -c [==[$2]==])"
      echo "set_tests_properties(\"$1\" PROPERTIES LABELS \"unit\" SKIP_RETURN_CODE 77 TIMEOUT 600)"
      shift 2
    done
  } > CMakeLists.txt
  cat > CMakePresets.json <<'EOF'
{"version": 3,
 "configurePresets": [{"name": "asan-ubsan", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}],
 "testPresets": [{"name": "asan-ubsan", "configurePreset": "asan-ubsan"}]}
EOF
  cmake --preset asan-ubsan > configure.log || { cat configure.log && fail 'the made-up project'; }
}

# run: as tests/run_tests does it; the output in the file "output", its end in $status.
run() {
  status=0
  (
    # What the sourced files use.
    work=$root/work cores=1
    rm -rf "$work" && mkdir "$work"
    touch "$work/rows" "$work/all_skips" "$work/failures" "$work/flaky"
    . tests/runner/layers.sh
    . tests/runner/results.sh
    . tests/runner/steps.sh
    . tests/runner/run_again.sh
    test_layer asan-ubsan unit
    run_again
    cat "$work/flaky"
    echo > "$work/budget.toml"
    tests/runner/ledger.py "$work/rows" "$work/budget.toml" plain 1
  ) > output 2>&1 || status=$?
}

# expect <end> <last line> [other line]...
expect() {
  [ "$status" = "$1" ] && [ "$(tail -n 1 output)" = "$2" ] || { cat output && fail "not \"$2\""; }
  shift 2
  while [ $# -gt 0 ]; do
    grep -qxF "$1" output || { cat output && fail "no line \"$1\""; }
    shift
  done
}

runs_of() { wc -l < "count/$1"; }
counted="mkdir -p $root/count; echo >> $root/count"
second_time="$counted/second; [ \$(wc -l < $root/count/second) = 2 ]"

project 'passes' true 'the second (time)' "$second_time"
run
expect 0 '2 passed, 0 failed, 0 skipped' 'flaky: asan-ubsan unit: the second (time)'

project 'never' "$counted/never; false"
run
expect 1 '0 passed, 1 failed, 0 skipped'
[ "$(runs_of never)" = 2 ] || fail "what never passes ran $(runs_of never) times"

for report in 'ERROR: AddressSanitizer: heap-use-after-free' 'ERROR: LeakSanitizer: detected leaks' \
  'WARNING: ThreadSanitizer: data race' 'a.cc:1:2: runtime error: signed integer overflow' \
  'ERROR: libFuzzer: deadly signal'; do
  project 'report' "$counted/second; echo '==1==$report'; [ \$(wc -l < $root/count/second) = 2 ]"
  run
  expect 1 '0 passed, 1 failed, 0 skipped'
  [ "$(runs_of second)" = 1 ] || fail "after \"$report\" the test ran again"
done

project 'signal' "$counted/second; [ \$(wc -l < $root/count/second) = 2 ] || kill -SEGV \$\$"
run
expect 1 '0 passed, 1 failed, 0 skipped'
[ "$(runs_of second)" = 1 ] || fail 'after a signal the test ran again'

project 'skips then' "$counted/second; [ \$(wc -l < $root/count/second) = 1 ] && exit 1; exit 77"
run
expect 1 '0 passed, 1 failed, 0 skipped'

# A fourth is a failure, whatever a second try would show.
project 'one' "$second_time" 'two' false 'three' false 'four' false
run
expect 1 '0 passed, 4 failed, 0 skipped' 'More than 3 tests failed: none is run again.'
[ "$(runs_of second)" = 1 ] || fail 'one of four was run again'
