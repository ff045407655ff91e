#!/usr/bin/env bash
# What check_binaries.sh says of a DLL that has every fault, and of one that is not there.
#
#   check_binaries_test.sh <build> <objdump> <nm> <faulty DLL>
set -euo pipefail

status=0
said=$("$(dirname "$0")/check_binaries.sh" "$1" 1000 "$2" "$3" "$4" missing.dll) || status=$?
echo "$said"
[ $status = 1 ]
expected=(' bytes, more than 1000' 'lacks DYNAMIC_BASE' 'lacks HIGH_ENTROPY_VA' 'lacks NX_COMPAT'
  'imports foreign.dll, which Windows does not have' 'exports second'
  'has a variable with a destructor for each thread, in ' 'missing.dll is not there')
for words in "${expected[@]}"; do
  grep -qF "$words" <<< "$said" || { echo "it does not say: $words"; exit 1; }
done
[ "$(wc -l <<< "$said")" = ${#expected[@]} ]
