#!/usr/bin/env bash
# Runs clang-tidy on all of our code but the tests, and ends with 1 if it finds anything.
#   tests/style/check_tidy.sh <build folder>
# The folder is one that Ninja has built. A file is looked at again only when it, a header that it
# includes, its command line or the rules have changed.
set -euo pipefail

build=$(readlink -f "${1:?usage: check_tidy.sh <build folder>}")
root=$(readlink -f "$(dirname "$0")/../..")
passed=${LONGSHORE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/longshore}/tidy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$passed"

# The same commands without the one option that only g++ knows.
sed 's/ -fno-gnu-unique//' "$build/compile_commands.json" > "$work/compile_commands.json"

# "source: what it includes of ours or from the build" in a file for each source.
ninja -C "$build" -t deps | awk -v root="$root/" -v build="$build/" -v out="$work/" '
  /: #deps / { source = ""; next }
  NF == 0 || $1 ~ "^/usr/" { next }
  {
    path = $1 ~ "^/" ? $1 : build $1
    # ccache makes paths relative to the build.
    while (sub("[^/]+/[.][.]/", "", path)) {}
    if (source == "") { source = path; gsub("/", "%", source) }
    if (index(path, root) == 1 || index(path, build) == 1) print path > (out source)
  }'

# The name under which it is remembered that a source passed.
name_of() {
  local includes=$work/${1//\//%}
  {
    clang-tidy --version
    cat "$root/.clang-tidy"
    grep -F "\"$1\"" -B 1 "$work/compile_commands.json" | sed "s#$build#build#g; s#$root#root#g"
    if [ -f "$includes" ]; then
      sort -u "$includes" | xargs cat
    else
      echo "never built: $$ $RANDOM"
    fi
  } | sha256sum | cut -c1-32
}

check() {
  local found
  if found=$(clang-tidy -p "$1" --quiet --header-filter="$own" "$2" 2> /dev/null); then
    touch "$3"
  else
    printf '%s\n' "${found:-$2: clang-tidy cannot read it}"
    return 1
  fi
}
export own="^$root/(agent|modules|plugins|sdk)/"
export -f check

awk -F '"' '$2 == "file" { print $4 }' "$work/compile_commands.json" | sort -u |
  grep -E "$own" > "$work/sources"
: > "$work/todo"
while read -r source; do
  name=$(name_of "$source")
  [ -e "$passed/$name" ] || printf '%s\0%s\0%s\0' "$work" "$source" "$passed/$name" >> "$work/todo"
done < "$work/sources"

echo "$(wc -l < "$work/sources") files, $(($(tr -cd '\0' < "$work/todo" | wc -c) / 3)) of them new"
xargs -0 -r -n 3 -P "$(nproc)" bash -c 'check "$@"' check < "$work/todo"
