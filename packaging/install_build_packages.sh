#!/usr/bin/env bash
# Installs the Debian 12 packages that building and testing need.
#
#   packaging/install_build_packages.sh [--windows]
#
# --windows adds the cross compiler for Windows and Wine. Runs as root or by sudo; does nothing, and
# asks for nothing, when everything is there.
set -euo pipefail

packages=(
  # Tools.
  build-essential ccache clang clang-format clang-tidy cmake libclang-rt-14-dev ninja-build pkg-config
  # Debian's sources, from which the build takes what Debian does not compile as modules need it.
  dpkg-dev
  # The agent. Exactly these of Boost: the packages without a version pull in 1.74, which removes 1.81.
  libboost1.81-dev libboost-json1.81-dev libcli11-dev libfmt-dev libnghttp2-dev libprotobuf-dev
  libspdlog-dev libtomlplusplus-dev nettle-dev protobuf-compiler zlib1g-dev
  # The modules.
  libblkid-dev libfdisk-dev libsystemd-dev
  # The tests: gRPC C++ is the independent peer, a private bus stands in for the system's.
  catch2 dbus libbenchmark-dev libgrpc++-dev protobuf-compiler-grpc
  # Filesystems that the volume module makes, and what it is measured beside.
  btrfs-progs e2fsprogs fdisk xfsprogs
)
windows_packages=(
  binutils-mingw-w64-x86-64 g++-mingw-w64-x86-64-posix libwine libz-mingw-w64-dev wine64
)

case ${1-} in
  '') ;;
  --windows) packages+=("${windows_packages[@]}") ;;
  *) echo "usage: $0 [--windows]" >&2 && exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} = 0 ]; then
  exit 0
fi

as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo)
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300
  -o Acquire::Retries=5)
echo "Installing ${missing[*]}" >&2
"${apt[@]}" update < /dev/null >&2
"${apt[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null >&2
