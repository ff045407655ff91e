#!/usr/bin/env bash
# lay_out_files.sh <build folder> <output folder>: what a node is given, as the packages have it.
set -euo pipefail
here=$(readlink -f "$(dirname "$0")")
mkdir -p "$2"/{modules,conf.d}
cp "$1"/bin/{longshored,longshorectl,longshore-modulehost}.exe "$2"
for group in disk filesystem iscsi smb system volume; do
  cp "$1/modules/longshore-$group.dll" "$2/modules"
  sed 's/$/\r/' "$here/conf.d/$group.toml" > "$2/conf.d/$group.toml"
done
sed 's/$/\r/' "$here/agent.toml" > "$2/agent.toml"
sed 's/$/\r/' "$here/../../LICENSE" > "$2/LICENSE.txt"
sed 's/$/\r/' "$here/../deb/copyright" > "$2/copyright.txt"
