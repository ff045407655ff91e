#!/usr/bin/env bash
# Builds the protobuf lite runtime as modules need it: position independent, every symbol hidden.
#
#   sdk/tools/build_protobuf_lite.sh linux|mingw [options for cmake]
#
# Debian's own archive is not position independent, so it cannot go into a shared object; and a
# shared libprotobuf would be one for all modules, which abort the process when two of them carry
# the same .proto. The source is Debian's package; the result is kept in a cache by content and its
# directory is the last line printed. Takes about 15 seconds on two cores, none when cached.
set -euo pipefail

system=${1:?usage: build_protobuf_lite.sh linux|mingw}
shift
case $system in linux | mingw) ;; *) echo "unknown system: $system" >&2 && exit 2 ;; esac

script=$(readlink -f "$0")
version=$(dpkg-query -W -f '${source:Version}' libprotobuf-dev)
compiler=$([ "$system" = linux ] && g++ --version | head -1 ||
  x86_64-w64-mingw32-g++-posix --version | head -1)
key=$({ cat "$script" && printf '%s\n' "$system" "$version" "$compiler" "$@"; } | sha256sum | cut -c1-16)
cache=${LONGSHORE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/longshore}
result=$cache/protobuf-lite-$system-$key
if [ -f "$result/lib/libprotobuf-lite.a" ]; then
  echo "$result"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A source list made from the machine's own, in a folder of ours: its configuration stays as it is.
mkdir -p "$work/apt/lists/partial"
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
  [ -f "$file" ] && sed -n 's/^deb\(\s\)/deb-src\1/p' "$file"
done > "$work/apt/sources.list"
mkdir "$work/apt/parts"
for file in /etc/apt/sources.list.d/*.sources; do
  [ -f "$file" ] && sed 's/^Types:.*/Types: deb-src/' "$file" > "$work/apt/parts/$(basename "$file")"
done
options=(-o "Dir::Etc::sourcelist=$work/apt/sources.list" -o "Dir::Etc::sourceparts=$work/apt/parts"
  -o "Dir::State::Lists=$work/apt/lists" -o APT::Sandbox::User=root)
{
  apt-get "${options[@]}" update -q
  cd "$work"
  apt-get "${options[@]}" source -q "protobuf=$version"
} >&2

flags=()
if [ "$system" = mingw ]; then
  flags+=(-DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER=x86_64-w64-mingw32-gcc-posix
    -DCMAKE_CXX_COMPILER=x86_64-w64-mingw32-g++-posix "-DCMAKE_CXX_FLAGS=-D_WIN32_WINNT=0x0A00")
fi
{
  cmake -S "$work"/protobuf-3* -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_CXX_VISIBILITY_PRESET=hidden \
    -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON -Dprotobuf_BUILD_TESTS=OFF \
    -Dprotobuf_BUILD_PROTOC_BINARIES=OFF -Dprotobuf_WITH_ZLIB=OFF "${flags[@]}" "$@"
  cmake --build "$work/build" --target libprotobuf-lite
} >&2

# The headers go along: the mingw build must not look into /usr/include.
mkdir -p "$cache"
staging=$(mktemp -d "$cache/new.XXXXXX")
mkdir "$staging/lib" "$staging/include"
cp "$work/build/libprotobuf-lite.a" "$staging/lib/"
(cd "$work"/protobuf-3*/src && find google/protobuf \( -name '*.h' -o -name '*.inc' \) -print0 |
  tar cf - --null -T -) | tar xf - -C "$staging/include"
chmod 755 "$staging"
mv -T "$staging" "$result" 2>/dev/null || rm -rf "$staging"
echo "$result"
