#!/bin/bash
# Runs inside the guest, as root: every case of the programs, each in a process of its own, so that
# one that hangs or crashes takes no other along.
#
#   run_cases.sh OUT PROGRAM...
#
# $LONGSHORE_CASES chooses among them, as a filter of Catch2's. Leaves
# OUT/<program>/<number>.{name,text,code} for each case, in the order of the program's list.
out=$1
shift
# The longest took five minutes once, beside tests of two builds on a slow machine.
seconds=${LONGSHORE_CASE_SECONDS:-900}
[ -z "${LONGSHORE_LONG-}" ] || seconds=1800
for program in "$@"; do
  folder=$out/$(basename "$program")
  mkdir -p "$folder"
  number=0
  "$program" --list-test-names-only ${LONGSHORE_CASES:+"$LONGSHORE_CASES"} > "$folder/list"
  while IFS= read -r name; do
    [ -n "$name" ] || continue
    number=$((number + 1))
    echo "$name" > "$folder/$number.name"
    # A comma would end the name.
    timeout --kill-after=10 "$seconds" "$program" "${name//,/\\,}" \
      > "$folder/$number.text" 2>&1 < /dev/null
    code=$?
    echo "$code" > "$folder/$number.code"
    echo "$(cut -d' ' -f1 /proc/uptime) $code $name"
    # What comes after must not be lost with the guest.
    sync "$folder/$number.text" "$folder/$number.code"
  done < "$folder/list"
done
