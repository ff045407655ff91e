#!/usr/bin/env bash
# Installs the SDK of the build for Windows, moves it, and does with it what a vendor does: builds and
# tests the template out of the tree, checks its DLL, and has longshored.exe load it by its pin. Nothing
# but the installed files, the agent and longshorectl is used. Runs inside run_under_wine.sh.
#
#   installed_sdk_test.sh <source tree> <build tree> <objdump> <nm>
set -euo pipefail

source=$1 build=$2 objdump=$3 nm=$4
work=$(mktemp -d)
sdk=$work/moved
agent=
end() {
  [ -z "$agent" ] || kill "$agent" 2> /dev/null || true
  rm -rf "${work:?}"
}
trap end EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND" >&2' ERR

# The objects are the same in each run, wherever that has its folder.
export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1
! launcher=$(command -v ccache) || export CMAKE_CXX_COMPILER_LAUNCHER=$launcher

step() { echo "== $1"; }
fail() {
  echo "FAILED: $1" >&2
  [ ! -e "$work/log" ] || cat "$work/log" >&2
  exit 1
}
# quietly <command>...: shows what it said only if it failed.
quietly() {
  "$@" > "$work/output" 2>&1 || { cat "$work/output" >&2 && fail "$1 failed"; }
}
has() { [[ $1 == *"$2"* ]] || fail "there is no \"$2\" in: $1"; }
# As Windows names a path of this system.
windows_path() { echo "Z:${1//\//\\}"; }

step "install the SDK, and move it"
DESTDIR=$work/staging quietly cmake --install "$build" --component development --prefix /first
mv "$work/staging/first" "$sdk"
[ -z "$(find "$work/staging" -type f)" ] || fail "it installed files outside of its prefix"
if grep -rIF -e "$source" -e "$build" -e /first "$sdk"; then
  fail "these files name a folder that the vendor does not have"
fi

step "build and test the template"
package=$sdk/lib/cmake/Longshore
cp -r "$sdk/share/longshore/template" "$work/shelf"
quietly cmake -S "$work/shelf" -B "$work/shelf/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  --toolchain "$package/mingw-w64.toolchain.cmake" "-DLongshore_DIR=$package" \
  "-DCMAKE_CROSSCOMPILING_EMULATOR=$source/tests/windows/run_under_wine.sh"
quietly cmake --build "$work/shelf/build"
quietly ctest --test-dir "$work/shelf/build" --output-on-failure --no-tests=error

step "check its DLL"
module=$work/shelf/build/modules/longshore-shelf.dll
quietly "$source/tests/windows/check_binaries.sh" "$work/shelf/build" 6291456 "$objdump" "$nm" \
  modules/longshore-shelf.dll
quietly "$source/tests/windows/run_under_wine.sh" "$sdk/bin/longshore-module-check.exe" \
  "$(windows_path "$module")"
has "$(cat "$work/output")" '0 failed, 0 crashed'

# configure <pin>
pipes='\\.\pipe\vendor-'${work##*.}
configure() {
  cat > "$work/agent.toml" << TOML
[agent]
run_dir = '$pipes'
control_dir = '$pipes\\control'
state_dir = '$(windows_path "$work/state")'
module_dirs = ['$(windows_path "${module%/*}")']
[endpoints]
csi_proxy = false
[modules.shelf]
sha256 = "$1"
settings.capacity = 1
TOML
}
control() {
  timeout 60 wine64 "$build/bin/longshorectl.exe" --socket "$pipes\\control\\control" "$@" < /dev/null 2>&1 |
    tr -d '\r'
}
# The agent says on its standard error, which comes through descriptor 3, when it serves.
start_agent() {
  local line
  exec 3< <(exec wine64 "$build/bin/longshored.exe" --config "$(windows_path "$work/agent.toml")" \
    2>&1 < /dev/null)
  agent=$!
  while IFS= read -r -t 60 line <&3; do
    echo "$line" | tee -a "$work/log"
    [[ $line != *serving* ]] || return 0
  done
  fail "the agent does not serve"
}

step "another file's pin: it is not loaded"
configure "$(sha256sum "$sdk/bin/longshore-module-check.exe" | cut -d ' ' -f 1)"
start_agent
has "$(cat "$work/log")" 'and the configuration pins'
if said=$(control call acme.shelf.v1.Shelf/GetBox '{"name": "a"}'); then fail "answered: $said"; fi

step "its own pin, by a reload"
configure "$(sha256sum "$module" | cut -d ' ' -f 1)"
quietly control reload
deadline=$((SECONDS + 60))
until control call acme.shelf.v1.Shelf/PutBox '{"name": "a", "content": "amber"}' > "$work/output"; do
  [ $SECONDS -lt $deadline ] || fail "it is not loaded: $(cat "$work/output")"
done
has "$(control call acme.shelf.v1.Shelf/GetBox '{"name": "a"}')" amber
if said=$(control call acme.shelf.v1.Shelf/PutBox '{"name": "b"}'); then fail "its setting has no effect"; fi
has "$said" 'the shelf holds 1'
