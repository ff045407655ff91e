#!/usr/bin/env bash
# Builds what a Windows node is given, on Debian: an installer (.msi), a zip, and an image for HostProcess
# containers (a tar of an OCI image layout). Prints their paths.
#
#   packaging/build_windows_packages.sh [output folder]
#
# Without a folder they stay in build/windows-mingw/packages. Installs the packages that the build needs,
# on a Debian 12 that may have nothing installed yet.
set -euo pipefail

case ${1-} in
  --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 0 ;;
  -*) echo "build_windows_packages.sh: unknown option $1; see --help" >&2 && exit 2 ;;
esac
root=$(readlink -f "$(dirname "$0")/..")
output=$(realpath -m "${1-$root/build/windows-mingw/packages}")
cd "$root"
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

packaging/install_build_packages.sh --windows
{
  cmake --preset windows-mingw
  cmake --build --preset windows-mingw --target windows_programs
} < /dev/null >&2
for kind in build_msi.sh build_windows_zip.py build_hostprocess_image.py; do
  "packaging/$kind" build/windows-mingw "$output"
done
