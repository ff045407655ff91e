#!/usr/bin/env bash
# Interrupts the demonstration as soon as it has made something, and while its disk is mounted, and
# kills it then and runs it once more. Looks each time whether anything is left.
#   interrupt_test.sh <longshore-demo and its arguments>...
set -euo pipefail

place=/tmp/longshore-demo
output=$(mktemp)
trap 'rm -f "$output"' EXIT

fail() {
  echo "$1" >&2
  cat "$output" >&2
  exit 1
}

# Its output comes through descriptor 3. A shell ignores SIGINT for what it starts in the
# background; this gives it its meaning back.
start() {
  : > "$output"
  exec 3< <(exec env --default-signal=INT "$@" 2>&1)
  demo=$!
}

# expect_end <status>: reads what else it says and waits for it.
expect_end() {
  local status=0
  cat <&3 >> "$output"
  wait "$demo" || status=$?
  [ "$status" = "$1" ] || fail "It ended with $status, not with $1."
}

mounts() { grep -F " $place/" /proc/self/mountinfo; }
loop_devices() { grep -sF "$place/" /sys/block/loop*/loop/backing_file; }
programs() {
  local process
  for process in /proc/[0-9]*; do
    { tr '\0' ' ' < "$process/cmdline" && echo; } 2> /dev/null || true
  done | grep -E "^[^ ]*(longshored|dbus-daemon) .*$place/"
}

expect_nothing_left() {
  [ ! -e "$place" ] || fail "$place is left."
  ! mounts || fail "This mount is left."
  ! loop_devices || fail "This loop device is left."
  ! programs || fail "This program is left."
}

expect_interruption() {
  expect_end 130
  grep -q '^Interrupted; cleaning up.$' "$output" || fail "It did not say that it was interrupted."
  expect_nothing_left
}

# Reads on until something is mounted, and stops it there; fails when it ends before.
read_until_mounted() {
  local line
  while IFS= read -r line; do
    echo "$line" >> "$output"
    if [[ $line == *' MountVolume '*' ok '* ]]; then
      kill -STOP "$demo"
      ! mounts > /dev/null || return 0
      kill -CONT "$demo"
    fi
  done <&3
  return 1
}

# stop_while_mounted <longshore-demo and its arguments>...: on a busy machine the moment may pass.
stop_while_mounted() {
  local attempt
  for attempt in {1..5}; do
    start "$@"
    ! read_until_mounted || return 0
    expect_end 0
    if grep '^The steps with a disk are left out' "$output"; then exit 0; fi
  done
  fail "It was never seen with something mounted."
}

# Left by a test that was killed itself.
if [ -e "$place" ]; then
  start "$@"
  expect_end 0
fi

start "$@"
until [ -e "$place" ]; do
  kill -0 "$demo" 2> /dev/null || fail "The demonstration ended by itself."
done
kill -INT "$demo"
expect_interruption

stop_while_mounted "$@"
kill -TERM "$demo"
kill -CONT "$demo"
expect_interruption

stop_while_mounted "$@"
kill -KILL "$demo"
expect_end 137
for what in mounts loop_devices programs; do
  $what > /dev/null || fail "The killed demonstration left no $what: this shows nothing."
done
start "$@"
expect_end 0
expect_nothing_left
