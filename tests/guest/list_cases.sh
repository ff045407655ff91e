#!/usr/bin/env bash
# Prints CTest's entries for the cases of a program, which run_guest.sh runs.
#
#   list_cases.sh OUT PROGRAM BOOT [FILTER]
#
# BOOT is the entry that boots the guest, and the fixture that it sets up for the cases; FILTER chooses
# among them, as run_cases.sh does.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
out=$1 program=$2 boot=$3 filter=${4-}
base=$(basename "$program")
# Catch2 ends with the number of cases.
cases=$("$program" --list-test-names-only ${filter:+"$filter"} || true)
if [ -z "$cases" ]; then
  echo "$program has no cases" >&2
  exit 1
fi
while IFS= read -r name; do
  [ -n "$name" ] || continue
  echo "add_test([=[guest: $name]=] \"$here/case_result.sh\" \"$out\" $base [=[$name]=])"
  echo "set_tests_properties([=[guest: $name]=] PROPERTIES LABELS guest FIXTURES_REQUIRED $boot" \
    "SKIP_RETURN_CODE 77 TIMEOUT 60)"
done <<< "$cases"
