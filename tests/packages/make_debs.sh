#!/usr/bin/env bash
# make_debs.sh <build folder>: makes the packages anew, so that none of an older version is tested.
set -euo pipefail
rm -f "$1"/debs/*.deb
cd "$1"
cpack
