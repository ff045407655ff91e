#!/usr/bin/env bash
# make_packages.sh <build folder> <output folder>: the packages anew, so that none of an older build is
# tested, and in next/ an installer of a later version, whose programs say that they are 9.9.9.
set -euo pipefail
root=$(readlink -f "$(dirname "$0")/../../..")
rm -rf "$2"
mkdir -p "$2/next/build/bin"
"$root/packaging/build_msi.sh" "$1" "$2"
"$root/packaging/build_windows_zip.py" "$1" "$2"
"$root/packaging/build_hostprocess_image.py" "$1" "$2"

cp "$1"/bin/{longshored,longshorectl,longshore-modulehost}.exe "$2/next/build/bin"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$1/CMakeCache.txt")
LC_ALL=C sed -i "s/\\x00${version//./\\.}\\x00/\\x009.9.9\\x00/g" "$2"/next/build/bin/*
ln -s "$1/modules" "$2/next/build/modules"
"$root/packaging/build_msi.sh" "$2/next/build" "$2/next" 99.0.0
