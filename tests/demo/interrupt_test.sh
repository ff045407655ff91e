#!/usr/bin/env bash
# Interrupts the demonstration as Ctrl-C does, as soon as it has made something, and looks whether
# anything is left.
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

# A shell ignores SIGINT for what it starts in the background; this gives it its meaning back.
env --default-signal=INT "$@" > "$output" 2>&1 &
demo=$!
until [ -e "$place" ]; do
  kill -0 "$demo" 2> /dev/null || fail "The demonstration ended by itself."
done
kill -INT "$demo"
status=0
wait "$demo" || status=$?
[ "$status" = 130 ] || fail "It ended with $status, not with 130."
grep -q '^Interrupted; cleaning up.$' "$output" || fail "It did not say that it was interrupted."
[ ! -e "$place" ] || fail "$place is left."
for process in /proc/[0-9]*; do
  if tr '\0' ' ' 2> /dev/null < "$process/cmdline" | grep -q "longshored .*$place/"; then
    fail "An agent is left: ${process#/proc/}"
  fi
done
