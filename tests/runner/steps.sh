# shellcheck shell=bash
# Sourced by tests/run_tests: a step of a run, as a build or the tests of a layer: it is measured, its
# output kept in $work, and it becomes a row of the table. Uses $fuzz_seconds, $all, ${unity[@]}
# and $cores.

# row <preset> <step> <passed> <failed> <skipped> <name of what was measured> [cold|warm]
row() {
  printf '%s %s %d %d %d %s %s\n' "$1" "$2" "$3" "$4" "$5" "$(cat "$work/$6.time")" "${7:--}" \
    >> "$work/rows"
}

# measured <name> <command>...: its output is in the file <name>.log, and "seconds processor-seconds"
# in <name>.time. In a shell of its own, so that no other job's time is counted.
measured() {
  local name=$1 TIMEFORMAT='%R %U %S' status=0
  shift
  (time "$@" > "$work/$name.log" 2>&1) 2> "$work/$name.times" || status=$?
  awk '{ print $1, $2 + $3 }' "$work/$name.times" > "$work/$name.time"
  return $status
}

# step <preset> <name> <command>...: one thing that must succeed before tests can run.
step() {
  local preset=$1 name=$2 status=0
  shift 2
  echo "== $preset: $name" >&2
  measured "$preset.$name" "$@" || status=1
  [ $status = 0 ] || cat "$work/$preset.$name.log" >&2
  row "$preset" "$name" 0 $status 0 "$preset.$name" "$(caches_of "$preset.$name")"
  return $status
}

# Whether the compiler's cache had most of what a step compiled.
caches_of() {
  awk '/cache_miss/ { ++missed } /cache_hit/ { ++found }
    END { print (NR == 0 ? "-" : missed > found ? "cold" : "warm") }' "$work/$1.ccache" 2> /dev/null ||
    echo -
}

# Style checks have a memory of their own, of the units that passed.
caches_of_tests() {
  if [ "$2" != style ]; then
    caches_of "$1.build"
  else
    sed -En 's/.*\b([0-9]+) units, ([0-9]+) of them new.*/\1 \2/p' "$work/$1.$2.xml" |
      awk '{ all += $1; new += $2 } END { print (2 * new > all ? "cold" : "warm") }'
  fi
}

# What configuring found is not believed a second time: packages and libraries may have changed.
build() {
  local preset=$1
  shift
  # What runs meanwhile is watched by clocks, this is not.
  cmake --fresh --preset "$preset" -DLONGSHORE_FUZZ_SECONDS="$fuzz_seconds" \
    -DLONGSHORE_LONG="${long:-0}" -DLONGSHORE_THOROUGH="${all:-0}" "${unity[@]}" &&
    nice -n 10 cmake --build --preset "$preset" --parallel "$cores" "$@" -- --quiet
}

# build_step <preset> <name> [option for cmake --build]...
build_step() {
  local preset=$1 name=$2
  shift 2
  : > "$work/$preset.$name.ccache"
  CCACHE_STATSLOG=$work/$preset.$name.ccache step "$preset" "$name" build "$preset" "$@"
}

# surroundings <preset> <layer>: what runs around ctest.
surroundings() {
  case $1.$2 in
    # By itself it gives up after the time of one program; these have CTest's limits, each its own.
    windows-mingw.*) echo "env LONGSHORE_WINE_TIMEOUT=5400 $root/tests/windows/run_under_wine.sh" ;;
    # It runs the agent and the modules that are shipped.
    dev.guest) echo "env LONGSHORE_BUILD_TREE=$root/build/packages" ;;
    # ThreadSanitizer refuses to start where the kernel moves programs about too widely.
    tsan.*) if setarch -R true 2> /dev/null; then echo "setarch -R"; fi ;;
  esac
}

# exactly <name of a test>: an expression for ctest -R.
exactly() { echo "^$(sed 's/[][\.*^$+?(){}|/]/\\&/g' <<< "$1")\$"; }

# run_ctest <name> <preset> <layer> <option for ctest>...: leaves <name>.log and the report <name>.xml.
run_ctest() {
  local name=$1 preset=$2 layer=$3 before=()
  shift 3
  read -r -a before <<< "$(surroundings "$preset" "$layer")"
  measured "$name" "${before[@]}" ctest --preset "$preset" -L "^$layer\$" --no-tests=ignore \
    --test-output-size-passed 1048576 --output-junit "$work/$name.xml" "$@" < /dev/null
}

# test_layer <preset> <layer>
test_layer() {
  local preset=$1 layer=$2 name=$1.$2 counts filter=() mark status=0
  mark=$(mark_of "$preset")
  [ "$layer" = guest ] || [ -z "$mark" ] || filter=(-L "^$mark\$")
  [ ! -s "$work/touched" ] || filter+=(-R "$(cat "$work/touched")")
  echo "== $preset: $layer" >&2
  # Most tests wait for most of their time.
  run_ctest "$name" "$preset" "$layer" -j $((cores + 1)) "${filter[@]}" || status=$?
  # Two layers may end at once.
  flock "$work/rows" cat "$work/$name.log"
  [ -f "$work/$name.xml" ] || { row "$preset" "$layer" 0 1 0 "$name" && return; }
  read -r -a counts <<< "$(count_results "$work/$name.xml" 2> "$work/$name.skips")"
  tests/runner/failed_tests.py "$work/$name.xml" "$work/$name.log" |
    sed "s/^\([a-z]*\)\t/$preset $layer \1 /" >> "$work/failures"
  sed "s/^/$preset $layer skipped /" "$work/$name.skips" | tee -a "$work/all_skips" | print_skips
  # What its report does not tell is a failure as well.
  [ "$status" = 0 ] || [ "${counts[1]}" != 0 ] || counts[1]=1
  row "$preset" "$layer" "${counts[@]}" "$name" "$(caches_of_tests "$preset" "$layer")"
}
