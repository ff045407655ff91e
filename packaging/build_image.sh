#!/usr/bin/env bash
# Builds the image of csi-sidecars for Kubernetes, as a tar of an OCI image layout, and prints its
# path.
#
#   packaging/build_image.sh [--debs <folder>] [output folder]
#
# In it are longshore-sidecars, longshorectl and the Debian packages that these depend on, as this
# machine's apt has them today, unpacked and no more: no shell, no documentation. Without --debs
# packaging/build_debs.sh makes the first two; without an output folder the image stays in
# build/packages/image. Needs no root with --debs, installs nothing, and runs no code of a package.
# The same packages make the same image. Ends with 3 where apt reaches no index of packages.
set -euo pipefail
export LC_ALL=C
umask 022

root=$(readlink -f "$(dirname "$0")/..")
debs='' output=$root/build/packages/image
while [ $# -gt 0 ]; do
  case $1 in
    --help) sed -n '2,/^set/{/^set/!s/^# \{0,1\}//p}' "$0" && exit 0 ;;
    --debs) debs=${2:?build_image.sh: --debs takes a folder} && shift ;;
    -*) echo "build_image.sh: unknown option $1; see --help" >&2 && exit 2 ;;
    *) output=$1 ;;
  esac
  shift
done
if [ -z "$debs" ]; then
  debs=$root/build/packages/debs
  "$root/packaging/build_debs.sh" > /dev/null
fi
own=()
for package in longshore-sidecars longshorectl; do
  found=("$debs/${package}"_*.deb)
  if [ ${#found[@]} != 1 ] || [ ! -f "${found[0]}" ]; then
    echo "build_image.sh: there must be one package $package in $debs" >&2 && exit 2
  fi
  own+=("$(realpath "${found[0]}")")
done
version=$(dpkg-deb -f "${own[0]}" Version)
architecture=$(dpkg-deb -f "${own[0]}" Architecture)

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir -p "$work/lists" "$work/archives/partial" "$work/root"

# --- The packages -------------------------------------------------------------------------------

# apt as it is configured here, for a machine where nothing is installed. It need not fetch again what
# it knows of indexes.
cp /var/lib/apt/lists/*_* "$work/lists" 2> /dev/null || true
apt=(apt-get -q -o "Dir::State::lists=$work/lists" -o "Dir::Cache::archives=$work/archives"
  -o Dir::State::status=/dev/null -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=
  -o Debug::NoLocking=1 -o APT::Sandbox::User=root -o Acquire::Retries=5)
{
  "${apt[@]}" -o APT::Update::Error-Mode=any update || exit 3
  "${apt[@]}" install -y --download-only --no-install-recommends "${own[@]}"
  # What every Debian has: which release it is, the licenses that packages refer to, empty folders.
  # Alone, since only its scripts need the packages that it depends on.
  (cd "$work/archives" && "${apt[@]}" download base-files)
} < /dev/null >&2
packages=("$work"/archives/*.deb "${own[@]}")

# --- The root folder ----------------------------------------------------------------------------

cd "$work/root"
# Debian has all programs and libraries in /usr, and packages of Debian 12 still name both places.
for name in bin lib lib64 sbin; do
  mkdir -p "usr/$name"
  ln -s "usr/$name" "$name"
done
for package in "${packages[@]}"; do
  dpkg-deb --fsys-tarfile "$package" | tar -x -p --no-same-owner --keep-directory-symlink
done
# The licenses stay. gconv has character sets beside UTF-8, half of the C library.
find usr/share/doc -type f ! -name copyright -delete
rm -rf usr/share/{bash-completion,info,lintian,man} usr/lib/*/gconv
# No script of base-passwd's runs. The last is whoever wants to be nobody in particular.
cat > etc/passwd << 'END'
root:x:0:0:root:/root:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
nonroot:x:65532:65532:nonroot:/nonexistent:/usr/sbin/nologin
END
cat > etc/group << 'END'
root:x:0:
nogroup:x:65534:
nonroot:x:65532:
END
# What looks for known faults in images reads here what is in them.
for package in "${packages[@]}"; do
  dpkg-deb -f "$package" | sed '/^Package: /a Status: install ok installed'
  echo
done > var/lib/dpkg/status

# --- The image ----------------------------------------------------------------------------------

# By default the date is that of the packages.
changelog=usr/share/doc/longshore-sidecars/changelog.Debian.gz
date=${SOURCE_DATE_EPOCH:-$(dpkg-deb --fsys-tarfile "${own[0]}" | tar -x -O "./$changelog" |
  zcat | dpkg-parsechangelog -l - -S Timestamp)}
tar -c --format=gnu --sort=name "--mtime=@$date" --owner=0 --group=0 --numeric-owner \
  -f "$work/layer.tar" .
mkdir -p "$output"
image=$(realpath "$output")/csi-sidecars-${version%-*}.tar
"$root/packaging/pack_image.py" "$work/layer.tar" "${version%-*}" "$architecture" "$date" \
  "$work/image.tar"
mv "$work/image.tar" "$image"
echo "$image"
