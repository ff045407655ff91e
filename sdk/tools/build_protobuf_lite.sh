#!/usr/bin/env bash
# Builds the protobuf lite runtime as modules need it: position independent, every symbol hidden.
#
#   sdk/tools/build_protobuf_lite.sh linux|mingw [options for cmake]
#
# Debian's own archive is not position independent, so it cannot go into a shared object; and a
# shared libprotobuf would be one for all modules, which abort the process when two of them carry
# the same .proto. The source is Debian's package; the result is kept in a cache by content and its
# folder is the last line printed. Takes about 15 seconds on two cores, none when cached.
set -euo pipefail

tools=$(dirname "$(readlink -f "$0")")
# shellcheck source=sdk/tools/debian_source.sh
. "$tools/debian_source.sh"

system=${1:?usage: build_protobuf_lite.sh linux|mingw [options for cmake]}
shift
flags=()
case $system in
  linux) compiler=g++ ;;
  mingw)
    compiler=x86_64-w64-mingw32-g++-posix
    flags+=("-DCMAKE_TOOLCHAIN_FILE=$tools/../cmake/mingw-w64.toolchain.cmake")
    ;;
  *) echo "unknown system: $system" >&2 && exit 2 ;;
esac

# Small rather than fast: every module carries it, and what modules parse is small too. In sections,
# so that the linker can leave out the functions that a module does not use.
build_type=MinSizeRel
options="-ffunction-sections -fdata-sections"

version=$(source_version libprotobuf-dev)
key=$(content_key "$system" "$version" "$($compiler --version | head -1)" \
  "$(cat "$tools/../cmake/mingw-w64.toolchain.cmake")" "$@")
cache=$(longshore_cache)
result=$cache/protobuf-lite-$system-$key
if [ -d "$result" ]; then
  echo "$result"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prepare_sources "$work"
fetch_source "$work" protobuf "$version"
export CXXFLAGS="-ffile-prefix-map=$work=. $options"
{
  cmake -S "$work/protobuf" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE="$build_type" \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_CXX_VISIBILITY_PRESET=hidden \
    -DCMAKE_VISIBILITY_INLINES_HIDDEN=ON -Dprotobuf_BUILD_TESTS=OFF \
    -Dprotobuf_BUILD_PROTOC_BINARIES=OFF -Dprotobuf_WITH_ZLIB=OFF "${flags[@]}" "$@"
  cmake --build "$work/build" --target libprotobuf-lite
} >&2

# The headers go along: a cross build must not look into /usr/include.
mkdir -p "$cache"
staging=$(mktemp -d "$cache/new.XXXXXX")
trap 'rm -rf "$work" "$staging"' EXIT
mkdir "$staging/lib" "$staging/include"
cp "$work/build/libprotobuf-lite.a" "$staging/lib/"
(cd "$work/protobuf/src" && find google/protobuf \( -name '*.h' -o -name '*.inc' \) -print0 |
  tar cf - --null -T -) | tar xf - -C "$staging/include"
publish "$staging" "$result"
echo "$result"
