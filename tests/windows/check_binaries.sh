#!/usr/bin/env bash
# What Windows needs to know of the programs and DLLs of a build: what they import and export, how
# large they are, whether they are protected as Windows can, and whether a module can be unloaded.
#
#   check_binaries.sh <build> <largest size in bytes> <objdump> <nm> file.exe|file.dll...
#
# Files are relative to the build's folder. Prints what is wrong, a line each, and ends with 1 then.
set -euo pipefail

library_map=$(dirname "$(readlink -f "$0")")/../../agent/embed/liblongshore.map
cd "$1"
size_limit=$2 objdump=$3 nm=$4
shift 4
status=0

fault() {
  echo "$1"
  status=1
}

# What every Windows Server since 2019 has, Core and containers included. Whoever adds one looks it
# up there.
is_in_windows() {
  case ${1,,} in
    advapi32.dll | bcrypt.dll | crypt32.dll | kernel32.dll | msvcrt.dll | mswsock.dll | ntdll.dll) ;;
    ole32.dll | oleaut32.dll | psapi.dll | setupapi.dll | shell32.dll | user32.dll | ws2_32.dll) ;;
    *) return 1 ;;
  esac
}

# Of what objdump says of the file, $facts.
imports() { sed -n 's/^[[:space:]]*DLL Name: //p' <<< "$facts"; }

# The names behind "[Ordinal/Name Pointer] Table".
exports() {
  sed -n '/^\[Ordinal\/Name Pointer\] Table/,/^$/s/^[[:space:]]*\[ *[0-9]*\].* \([^ ]*\)$/\1/p' <<< "$facts"
}

# The protections that it lacks: its place in memory is chosen anew by each boot, among all 64-bit addresses,
# and its data is not executed.
lacks() {
  local flag
  for flag in DYNAMIC_BASE HIGH_ENTROPY_VA NX_COMPAT; do
    grep -qx "[[:space:]]*$flag" <<< "$facts" || echo $flag
  done
}

# A program exports nothing, a library its functions, and a module the one symbol of the ABI.
may_export() {
  case $1 in
    *.exe) return 1 ;;
    */liblongshore.dll) grep -qE "^ +$2;$" "$library_map" ;;
    *) [ "$2" = longshore_module ] ;;
  esac
}

# With a variable of a thread that has a destructor, the C++ library keeps the DLL loaded until that
# thread ends. The symbol is seen in what the DLL is linked of: it is stripped itself.
keeps_itself_loaded() {
  ninja -t inputs "$1" | grep -E '\.(obj|a)$' | sort -u |
    xargs -r "$nm" -A 2> /dev/null | sed -n 's/^\([^:]*\):.* U __cxa_thread_atexit$/\1/p' | sort -u
}

for file in "$@"; do
  if [ ! -e "$file" ]; then
    fault "$file is not there"
    continue
  fi
  facts=$("$objdump" -p "$file")
  size=$(stat -c %s "$file")
  [ "$size" -le "$size_limit" ] || fault "$file has $size bytes, more than $size_limit"
  for library in $(imports); do
    is_in_windows "$library" || fault "$file imports $library, which Windows does not have"
  done
  for protection in $(lacks); do
    fault "$file lacks $protection"
  done
  names=$(exports)
  for name in $names; do
    may_export "$file" "$name" || fault "$file exports $name"
  done
  case $file in
    *.dll)
      [ -n "$names" ] || fault "$file exports nothing"
      for object in $(keeps_itself_loaded "$file"); do
        fault "$file has a variable with a destructor for each thread, in $object"
      done
      ;;
  esac
done
exit $status
