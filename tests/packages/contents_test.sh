#!/usr/bin/env bash
# contents_test.sh <folder of .deb files>: what Debian's policy asks of every package, as far as it
# can be seen with dpkg's own programs. lintian knows more, but is not everywhere.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
faults=0
fault() {
  echo "$package: $*"
  faults=$((faults + 1))
}

check_control() {
  local script name
  for name in Version Architecture Maintainer Section Priority Depends Installed-Size; do
    [ -n "$(dpkg-deb -f "$deb" $name)" ] || fault "no $name"
  done
  [ "$(dpkg-deb -f "$deb" Description | wc -l)" -gt 2 ] || fault 'no extended description'
  for script in "$root"/DEBIAN/{preinst,postinst,prerm,postrm}; do
    [ ! -e "$script" ] && continue
    [ "$(head -1 "$script")" = '#!/bin/sh' ] && sh -n "$script" || fault "$script is no sh"
    grep -q '^set -e' "$script" || fault "$script does not stop at errors"
    [ "$(stat -c %a "$script")" = 755 ] || fault "$script has another mode than 755"
  done
  (cd "$root" && md5sum --quiet --check DEBIAN/md5sums) || fault 'wrong md5sums'
  diff <(cd "$root" && find . -path './etc/*' -type f -printf '/%P\n' | sort) \
    <(sort "$root/DEBIAN/conffiles" 2> /dev/null) || fault 'configuration that is no conffile'
}

# The agent loads the client of API servers, which is in this package, and is C++ as it is.
check_versions() {
  local version
  [ "$package" = longshore-sidecars ] || return 0
  version=$(dpkg-deb -f "$deb" Version)
  [ "$(dpkg-deb -f "$deb" Breaks)" = "longshore (<< $version), longshore (>> $version)" ] ||
    fault 'it may be installed beside an agent of another version'
}

check_documents() {
  local folder=$root/usr/share/doc/$package
  grep -q '^Copyright: ' "$folder/copyright" || fault 'no copyright'
  [ "$package" != longshore ] || [ -s "$folder/README.md" ] || fault 'it does not say how it is operated'
  [ "$package" != longshore-sidecars ] || [ -s "$folder/deploy/kubernetes/rbac/leases.yaml" ] ||
    fault 'it has no roles'
  [ "$(zcat "$folder/changelog.Debian.gz" | dpkg-parsechangelog -l - -S Version)" = \
    "$(dpkg-deb -f "$deb" Version)" ] || fault 'the changelog is not of this version'
  zcat "$folder/changelog.Debian.gz" | dpkg-parsechangelog -l - 2>&1 > /dev/null | grep . &&
    fault 'the changelog has mistakes'
  return 0
}

check_modes() {
  local wrong
  wrong=$(dpkg-deb -c "$deb" | grep -v '^.[^ ]* root/root ' || true)
  wrong+=$(find "$root" -mindepth 1 -type d ! -path "$root/DEBIAN*" ! -perm 755)
  wrong+=$(find "$root" -type f ! -path "$root/DEBIAN/*" ! -perm 644 ! -perm 755)
  wrong+=$(find "$root" -type f -regextype egrep -regex '.*\.so(\.[0-9.]+)?' ! -perm 644)
  wrong+=$(find "$root/usr/bin" "$root/usr/sbin" -type f ! -perm 755 2> /dev/null || true)
  wrong+=$(find "$root" \( -path "$root/run" -o -path "$root/var" -o -path "$root/tmp" -o \
    -path "$root/usr/local" \))
  [ -z "$wrong" ] || fault "wrong owners, modes or places: $wrong"
}

check_binaries() {
  local file name
  while read -r file; do
    readelf -S "$file" | grep -q '\.symtab' && fault "$file is not stripped"
    readelf -d "$file" | grep -E '\((RPATH|RUNPATH|TEXTREL)\)' && fault "$file has this"
    readelf -lW "$file" | grep -q 'GNU_STACK.*RWE' && fault "$file has an executable stack"
    name=$(readelf -d "$file" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
    # Modules have none: nobody links them.
    [ -z "$name" ] && continue
    grep -q "^${name%.so.*} ${name##*.so.} $package " "$root/DEBIAN/shlibs" ||
      fault "no shlibs of $name"
    grep -q '^activate-noawait ldconfig$' "$root/DEBIAN/triggers" || fault 'no trigger of ldconfig'
  done < <(find "$root" -type f -regextype egrep -regex '.*(\.so(\.[0-9.]+)?|/s?bin/[^/]*)')
}

for deb in "$1"/*.deb; do
  package=$(dpkg-deb -f "$deb" Package) root=$work/$package
  echo "$package $(dpkg-deb -f "$deb" Version)"
  dpkg-deb -R "$deb" "$root"
  check_control
  check_versions
  check_documents
  check_modes
  check_binaries
done
[ -n "${package-}" ] && [ $faults = 0 ]
