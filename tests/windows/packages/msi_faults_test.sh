#!/usr/bin/env bash
# msi_faults_test.sh <build folder>: what is wrong with a package is told when it is built.
set -euo pipefail
root=$(readlink -f "$(dirname "$0")/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/packaging" "$root/LICENSE" "$work"
source=$work/packaging/windows/longshore.wxs

# refused <sentence of the fault>
refused() {
  if "$work/packaging/build_msi.sh" "$build" "$work/output" > "$work/said" 2>&1; then
    echo "FAILED: not refused: $1" >&2 && exit 1
  fi
  grep -q "$1" "$work/said" || { echo "FAILED: no \"$1\" in:" >&2 && cat "$work/said" >&2 && exit 1; }
  [ -z "$(ls -A "$work/output")" ] || { echo "FAILED: it left a package" >&2 && exit 1; }
}

build=$1
# wixl itself leaves it out, warns and ends with 0.
sed -i 's/<File Id="disk.dll"/& Unheard="of"/' "$source"
refused Unheard
cp "$root/packaging/windows/longshore.wxs" "$source"
# A row for a table that is not there.
sed -i 's/INTO \\`RemoveFile\\`/INTO \\`RemoveFiles\\`/' "$work/packaging/build_msi.sh"
refused 'table not found'
cp "$root/packaging/build_msi.sh" "$work/packaging"
# A program that was not built.
mkdir "$work/build" && cp "$1/CMakeCache.txt" "$work/build"
build=$work/build
refused longshored.exe
