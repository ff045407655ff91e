# shellcheck shell=bash
# Sourced by tests/run_tests: what a test leaves behind is a failure as well. Only what the tests made
# is looked at: others may use this machine meanwhile.

# Processes are known by this in their environment.
export LONGSHORE_TEST_RUN=$$.$RANDOM

left_processes() {
  local process
  for process in /proc/[0-9]*; do
    ! is_among "${process#/proc/}" $$ "$BASHPID" || continue
    if grep -qsz "^LONGSHORE_TEST_RUN=$LONGSHORE_TEST_RUN\$" "$process/environ"; then
      echo "${process#/proc/} $(tr '\0' ' ' < "$process/cmdline")"
    fi
  done 2> /dev/null
}

# Running programs of this tree's builds. What a child process or a command of ours runs has an empty
# environment, so that left_processes() does not know it.
built_programs() {
  local process program
  for process in /proc/[0-9]*; do
    program=$(readlink "$process/exe" 2> /dev/null) || continue
    [[ $program != "$root"/build/* ]] || echo "${process#/proc/} $program"
  done | sort
}

end_processes() {
  local signal
  for signal in TERM KILL; do
    left_processes > "$work/processes"
    [ -s "$work/processes" ] || return 0
    cut -d' ' -f1 "$work/processes" | xargs kill -$signal 2> /dev/null || true
    for _ in {1..50}; do
      [ -n "$(left_processes)" ] || return 0
      sleep 0.2
    done
  done
}

# Tests name their folders and files after the project.
mounts_and_loops() {
  {
    cut -d' ' -f5 /proc/self/mountinfo
    cat /sys/block/loop*/loop/backing_file 2> /dev/null || true
  } | grep '^/[^ ]*longshore' | sort || true
}

# check_leftovers <what mounts_and_loops said before the tests> <what built_programs said>
check_leftovers() {
  local status=0 mounts
  { left_processes && comm -13 <(echo "$2") <(built_programs); } > "$work/processes"
  if [ -s "$work/processes" ]; then
    echo "These processes were left:" && cat "$work/processes"
    status=1
  fi
  # Somebody else's tests may be under way, in another tree: what goes was not left.
  for _ in {1..60}; do
    mounts=$(comm -13 <(echo "$1") <(mounts_and_loops))
    [ -n "$mounts" ] || break
    sleep 0.5
  done
  if [ -n "$mounts" ]; then
    echo "These mounts or loop devices were left:" && echo "$mounts"
    status=1
  fi
  return $status
}
