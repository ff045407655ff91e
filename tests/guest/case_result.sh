#!/usr/bin/env bash
# What came of one case in the guest.
#
#   case_result.sh OUT PROGRAM NAME
#
# Prints what the case printed and ends as it ended; 77 if it could not run.
set -euo pipefail

out=$1 program=$2 name=$3
if [ -e "$out/skipped" ]; then
  cat "$out/skipped"
  exit 77
fi
if ! found=$(grep -lxF "$name" "$out/$program"/*.name 2> /dev/null); then
  echo "The guest ended before this case began."
  exit 1
fi
cat "${found%.name}.text"
if [ ! -e "${found%.name}.code" ]; then
  echo "The guest ended in the middle of this case."
  exit 1
fi
code=$(cat "${found%.name}.code")
if [ "$code" = 0 ] && grep -q "SKIPPED: " "${found%.name}.text"; then
  exit 77
fi
[ "$code" != 124 ] || echo "The case was ended after its time was over."
exit "$code"
