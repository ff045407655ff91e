#!/usr/bin/env bash
# Builds what the cross build for Windows needs and Debian has no Windows packages of.
#
#   packaging/build_windows_dependencies.sh
#
# From Debian's source packages, static: nghttp2, nettle, and protobuf with its reflection, which only
# longshorectl has. From its header-only packages: Catch2's
# main, and links to the headers in a folder of their own, because a cross build that looks into
# /usr/include finds Linux there. The result is kept in a cache by content and its folder is the last
# line printed. Takes about two minutes on two cores, none when cached.
set -euo pipefail

root=$(dirname "$(readlink -f "$0")")/..
# shellcheck source=sdk/tools/debian_source.sh
. "$root/sdk/tools/debian_source.sh"

triplet=x86_64-w64-mingw32
nghttp2=$(source_version libnghttp2-dev)
nettle=$(source_version nettle-dev)
protobuf=$(source_version libprotobuf-dev)
key=$(content_key "$nghttp2" "$nettle" "$protobuf" "$(source_version catch2)" \
  "$($triplet-g++-posix --version | head -1)" "$(cat "$root/sdk/cmake/mingw-w64.toolchain.cmake")")
cache=$(longshore_cache)
result=$cache/windows-dependencies-$key
if [ -d "$result" ]; then
  echo "$result"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$cache"
staging=$(mktemp -d "$cache/new.XXXXXX")
trap 'rm -rf "$work" "$staging"' EXIT
mkdir -p "$staging"/{include,lib/cmake,lib/pkgconfig}
prepare_sources "$work"
export CFLAGS="-O2 -ffile-prefix-map=$work=."

fetch_source "$work" nghttp2 "$nghttp2"
# It does not expect a Windows that has clock_gettime as well, as mingw-w64 does.
{
  cmake -S "$work/nghttp2" -B "$work/nghttp2-build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$root/sdk/cmake/mingw-w64.toolchain.cmake" \
    -DENABLE_LIB_ONLY=ON -DENABLE_STATIC_LIB=ON -DENABLE_SHARED_LIB=OFF \
    -DHAVE_CLOCK_GETTIME=OFF
  cmake --build "$work/nghttp2-build"
} >&2
cp "$work/nghttp2-build/lib/libnghttp2.a" "$staging/lib/"
mkdir "$staging/include/nghttp2"
cp "$work/nghttp2/lib/includes/nghttp2/nghttp2.h" \
  "$work/nghttp2-build/lib/includes/nghttp2/nghttp2ver.h" "$staging/include/nghttp2/"
cat > "$staging/lib/pkgconfig/libnghttp2.pc" <<END
prefix=\${pcfiledir}/../..
Name: libnghttp2
Description: HTTP/2 C library
Version: ${nghttp2%%-*}
Libs: -L\${prefix}/lib -lnghttp2
Cflags: -I\${prefix}/include -DNGHTTP2_STATICLIB
END

fetch_source "$work" nettle "$nettle"
(
  cd "$work/nettle"
  ./configure --host=$triplet CC=$triplet-gcc-posix --disable-shared --disable-public-key \
    --disable-assembler --disable-openssl --disable-documentation
  make -j"$(nproc)" libnettle.a
  mkdir "$staging/include/nettle"
  cp ./*.h "$staging/include/nettle/"
  cp libnettle.a "$staging/lib/"
) >&2

fetch_source "$work" protobuf "$protobuf"
{
  CXXFLAGS="-ffile-prefix-map=$work=. -ffunction-sections -fdata-sections" cmake -S "$work/protobuf" \
    -B "$work/protobuf-build" -G Ninja -DCMAKE_BUILD_TYPE=MinSizeRel \
    -DCMAKE_TOOLCHAIN_FILE="$root/sdk/cmake/mingw-w64.toolchain.cmake" \
    -Dprotobuf_BUILD_TESTS=OFF -Dprotobuf_BUILD_PROTOC_BINARIES=OFF -Dprotobuf_WITH_ZLIB=OFF
  cmake --build "$work/protobuf-build" --target libprotobuf
} >&2
mkdir -p "$staging/lib/protobuf/include"
cp "$work/protobuf-build/libprotobuf.a" "$staging/lib/protobuf/"
(cd "$work/protobuf/src" && find google/protobuf \( -name '*.h' -o -name '*.inc' \) -print0 |
  tar cf - --null -T -) | tar xf - -C "$staging/lib/protobuf/include"

# Debian's CMake package of Catch2 finds its library and headers by its own place.
ln -s /usr/include/catch2 "$staging/include/catch2"
printf '#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n' > "$work/catch_main.cc"
$triplet-g++-posix -std=c++17 -O1 -I "$staging/include" -c "$work/catch_main.cc" \
  -o "$work/catch_main.o"
$triplet-gcc-ar-posix rcs "$staging/lib/libCatch2WithMain.a" "$work/catch_main.o"
cp -r /usr/lib/cmake/Catch2 "$staging/lib/cmake/"

for headers in boost CLI fmt spdlog toml++; do
  ln -s "/usr/include/$headers" "$staging/include/$headers"
done

publish "$staging" "$result"
echo "$result"
