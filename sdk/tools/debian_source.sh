# shellcheck shell=bash
# Sourced by the scripts that build libraries from Debian's source packages, with `set -euo pipefail`.

# Prints the folder under which built libraries are kept, each in a folder named by its content.
longshore_cache() {
  echo "${LONGSHORE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/longshore}"
}

# content_key <word>...: a name for what the calling script makes of these words.
content_key() {
  { cat "$(readlink -f "$0")" && printf '%s\n' "$@"; } | sha256sum | cut -c1-16
}

# source_version <package>: the version of the source that an installed package was built from.
source_version() {
  dpkg-query -W -f '${source:Version}' "$1"
}

# prepare_sources <folder>: makes apt fit for fetch_source. A fresh machine lists no sources, so a
# list is made from the machine's own, with the same addresses and keys, in a folder of ours: its
# configuration stays as it is. Both forms are read: one-line .list files and deb822 .sources.
prepare_sources() {
  local apt=$1/apt file
  mkdir -p "$apt/lists/partial" "$apt/parts"
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -f "$file" ] || sed -n 's/^deb\([[:space:]]\)/deb-src\1/p' "$file"
  done > "$apt/sources.list"
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" > "$apt/parts/${file##*/}"
  done
  source_options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=$apt/parts"
    -o "Dir::State::Lists=$apt/lists" -o APT::Sandbox::User=root -o Acquire::Retries=5)
  apt-get "${source_options[@]}" update >&2
}

# fetch_source <folder> <package> <version>: unpacks the source package, checked against Debian's
# signatures, as <folder>/<package>.
fetch_source() {
  mkdir "$1/$2.source"
  (
    cd "$1/$2.source" || exit
    apt-get "${source_options[@]}" source "$2=$3" >&2
    mv "$2"-*/ "../$2"
  )
}

# publish <staging folder> <result>: the result appears whole or not at all, whoever builds it too.
publish() {
  chmod 755 "$1"
  mv -T "$1" "$2" 2>/dev/null || rm -rf "$1"
  [ -d "$2" ]
}
