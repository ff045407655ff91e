#!/usr/bin/env bash
# Installs the Debian 12 packages that building and testing need.
#
#   packaging/install_build_packages.sh [--windows | --optional]
#
# --windows adds the cross compiler for Windows and Wine. --optional installs, each by itself, what
# only single tests need; where no package index can be reached it prints the names of what is
# missing, and that is no failure. Runs as root or by sudo; does nothing, and asks for nothing, when
# everything is there.
set -euo pipefail

packages=(
  # Tools.
  build-essential ccache clang clang-format clang-tidy cmake libclang-rt-14-dev ninja-build pkg-config
  # Debian's sources, from which the build takes what Debian does not compile as modules need it.
  dpkg-dev
  # The agent. Exactly these of Boost: the packages without a version pull in 1.74, which removes 1.81.
  libboost1.81-dev libboost-json1.81-dev libcli11-dev libfmt-dev libnghttp2-dev libprotobuf-dev
  libspdlog-dev libssl-dev libtomlplusplus-dev libyaml-cpp-dev nettle-dev protobuf-compiler
  # The modules.
  libblkid-dev libfdisk-dev libsystemd-dev
  # The tests: gRPC C++ is the independent peer, a private bus stands in for the system's, zlib is
  # what a module may not need, curl calls an API server.
  catch2 curl dbus golang-go groff-base libbenchmark-dev libgrpc++-dev protobuf-compiler-grpc zlib1g-dev
  # Debian packages, and the root folders in which they are tested.
  file openssl python3 systemd
  # Filesystems that the volume module makes, and what it is measured beside.
  btrfs-progs e2fsprogs fdisk xfsprogs
)
windows_packages=(
  binutils-mingw-w64-x86-64 g++-mingw-w64-x86-64-posix libwine lld msitools wine64 wixl
)
optional_packages=(
  chromium    # opens the status page
  lintian     # checks the packages
  crun umoci  # read and run the image of csi-sidecars
  # Say of the image for Windows whether it is as OCI's schemas have it.
  golang-github-opencontainers-image-spec-dev python3-jsonschema
  # Build the API server of Kubernetes.
  jq rsync
  # Build and boot the guest, which has a kernel and servers of its own.
  busybox-static cpio kmod mmdebstrap qemu-system-x86
)

case ${1-} in
  '') ;;
  --windows) packages+=("${windows_packages[@]}") ;;
  --optional) packages=("${optional_packages[@]}") ;;
  *) echo "usage: $0 [--windows | --optional]" >&2 && exit 2 ;;
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
# What can be done without is not worth long waiting.
[ "${1-}" != --optional ] || apt+=(-o Acquire::Retries=2)
echo "Installing ${missing[*]}" >&2
updated=$("${apt[@]}" update < /dev/null | tee /dev/stderr) || [ "${1-}" = --optional ]
if [ "${1-}" != --optional ]; then
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" < /dev/null >&2
elif grep -Eq '^(Hit|Get):' <<< "$updated"; then
  status=0
  for package in "${missing[@]}"; do
    "${apt[@]}" install -y --no-install-recommends "$package" < /dev/null >&2 || status=1
  done
  exit $status
else
  printf '%s\n' "${missing[@]}"
fi
