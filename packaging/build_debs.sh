#!/usr/bin/env bash
# Builds the Debian packages longshore, longshorectl, longshore-sidecars, liblongshore0 and
# longshore-dev, and prints their paths.
#
#   packaging/build_debs.sh [output folder]
#
# Without a folder they stay in build/packages/debs. Installs the packages that the build needs, on
# a Debian 12 that may have nothing installed yet. The same source makes the same packages.
#
# With LONGSHORE_SIGNING_KEY=<file> in the environment, a private Ed25519 key in PEM, the modules in the
# packages are signed with it.
set -euo pipefail

case ${1-} in
  --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" && exit 0 ;;
  -*) echo "build_debs.sh: unknown option $1; see --help" >&2 && exit 2 ;;
esac
output=${1:+$(realpath -m "$1")}
if [ -n "${LONGSHORE_SIGNING_KEY-}" ]; then
  LONGSHORE_SIGNING_KEY=$(realpath -e "$LONGSHORE_SIGNING_KEY")
  export LONGSHORE_SIGNING_KEY
fi
root=$(readlink -f "$(dirname "$0")/..")
cd "$root"
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
if [ -z "${SOURCE_DATE_EPOCH-}" ] && SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2> /dev/null); then
  export SOURCE_DATE_EPOCH
fi

packaging/install_build_packages.sh
{
  cmake --preset packages
  cmake --build --preset packages
  tests/packages/make_debs.sh build/packages
} < /dev/null >&2

for package in build/packages/debs/*.deb; do
  if [ -n "$output" ]; then
    mkdir -p "$output"
    cp "$package" "$output"
  fi
  echo "${output:-$root/build/packages/debs}/${package##*/}"
done
