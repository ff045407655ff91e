# shellcheck shell=bash
# Sourced by tests/run_tests: what failed is run once more, alone, when all else is over. A test that
# passes then is flaky: it is named, and the run passes. Uses $work and the functions of steps.sh.

most_flaky=3

# A line of $work/failures is "<preset> <layer> again|final <name of the test>".
run_again() {
  local preset layer verdict name
  [ -s "$work/failures" ] || return 0
  if [ "$(wc -l < "$work/failures")" -gt $most_flaky ]; then
    echo "More than $most_flaky tests failed: none is run again."
    return
  fi
  mv "$work/failures" "$work/first_failures"
  touch "$work/failures"
  while read -r preset layer verdict name <&3; do
    if [ "$verdict" = again ] && ! is_among "$layer" style abi &&
      passes_alone "$preset" "$layer" "$name"; then
      echo "flaky: $preset $layer: $name" >> "$work/flaky"
      count_as_passed "$preset" "$layer"
    else
      echo "$preset $layer $verdict $name" >> "$work/failures"
    fi
  done 3< "$work/first_failures"
}

# passes_alone <preset> <layer> <name>: true if it ran, and nothing in it failed or was skipped.
passes_alone() {
  local again=$1.$2.again counts status=0
  echo "== $1: $2, again and alone: $3"
  # Not by /dev/stderr: where that is a file, whoever opens it anew takes away what is in it.
  echo "== $1: $2, again and alone: $3" >&2
  run_ctest "$again" "$1" "$2" -j 1 -R "$(exactly "$3")" || status=$?
  cat "$work/$again.log"
  row "$1" "$2-again" 0 0 0 "$again"
  read -r -a counts <<< "$(count_results "$work/$again.xml" 2> /dev/null)"
  [ "$status" = 0 ] && [ "${counts[0]}" -gt 0 ] && [ "${counts[1]}${counts[2]}" = 00 ]
}

# count_as_passed <preset> <layer>: one test that was counted as failed.
count_as_passed() {
  awk -v preset="$1" -v layer="$2" '
    $1 == preset && $2 == layer { ++$3; --$4 }
    { print }' "$work/rows" > "$work/rows.new"
  mv "$work/rows.new" "$work/rows"
}
