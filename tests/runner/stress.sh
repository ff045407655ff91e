# shellcheck shell=bash
# Sourced by tests/run_tests: one test many times on a busy machine. Uses $work, $cores, ${lanes[@]} and the
# functions of steps.sh.

# stress <preset> <name> <times>: prints the output of the first run that failed, and how many did.
stress() {
  local preset=$1 name=$2 times=$3 layer='.*' failed=0 core run counts
  [[ $name != guest:* ]] || layer=guest
  build_step "$preset" build || return 1
  for ((core = 0; core < cores; ++core)); do
    while :; do :; done &
    lanes+=($!)
  done
  for ((run = 1; run <= times; ++run)); do
    run_ctest stress "$preset" "$layer" -j 1 -R "$(exactly "$name")" || true
    read -r -a counts <<< "$(count_results "$work/stress.xml" 2> /dev/null)"
    if [ "${counts[0]}${counts[1]}" = 00 ]; then
      echo "The build $preset has no test \"$name\", or it was skipped; --preset chooses another" >&2
      return 1
    fi
    [ "${counts[1]}" != 0 ] || continue
    [ $failed != 0 ] || { echo "== run $run of $times failed:" && cat "$work/stress.log"; }
    failed=$((failed + 1))
  done
  echo "$preset: $name: $failed of $times runs failed, beside $cores busy processes"
  echo "$((times - failed)) passed, $failed failed, 0 skipped"
  [ $failed = 0 ]
}
