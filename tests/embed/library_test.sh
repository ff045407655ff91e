#!/usr/bin/env bash
# The library as a file: it exports its C functions and nothing else, needs no library that a storage
# node would not have, and is loaded and unloaded by hand.
#
#   library_test.sh <liblongshore.so> <map of exports> <dlopen_program> <module folder>
set -euo pipefail

library=$1 map=$2 program=$3 modules=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^ *\(longshore_[a-z_]*\);$/\1/p' "$map" | sort > "$work/promised"
nm --dynamic --defined-only "$library" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort \
  > "$work/exported"
[ -s "$work/promised" ]
diff "$work/promised" "$work/exported"

# Protobuf, fmt and what hashes are inside; C, C++ and what reads TOML are the system's.
needed=$(readelf --dynamic "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for name in $needed; do
  case $name in
    libc.so.* | libm.so.* | libstdc++.so.* | libgcc_s.so.* | libtomlplusplus.so.* | ld-linux-*) ;;
    libasan.so.* | libubsan.so.* | libtsan.so.*) ;;
    *) echo "$library needs $name" && exit 1 ;;
  esac
done
[ "$(readelf --dynamic "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')" = liblongshore.so.0 ]

[ "$("$program" "$library" "$modules" "$work/state")" = "5 rounds" ]
