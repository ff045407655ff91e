#!/usr/bin/env bash
# Installs the SDK, moves it, and does with it what a vendor does: builds, tests and checks the
# template and the example in C out of the tree, loads them into the real agent, and calls them, also
# by a gRPC client that knows nothing of them. Nothing but the installed files is used.
#   installed_sdk_test.sh <source tree> <build tree> <longshored> <longshorectl> <generic client>
set -euo pipefail

source=$1 build=$2 agent=$3 control=$4 client=$5
work=$(mktemp -d)
sdk=$work/moved
agent_process=
end() {
  [ -z "$agent_process" ] || kill "$agent_process" 2> /dev/null || true
  rm -rf "${work:?}"
}
trap end EXIT

step() { echo "== $1"; }
fail() {
  echo "FAULT: $1" >&2
  exit 1
}
# quietly <command>...: shows what it said only if it failed.
quietly() {
  "$@" > "$work/output" 2>&1 || { cat "$work/output" >&2 && fail "$1 failed"; }
}
configure_and_build() {
  quietly cmake -S "$1" -B "$1/build" -G Ninja "-DCMAKE_PREFIX_PATH=$sdk" "${@:2}"
  quietly cmake --build "$1/build"
}

install_and_move() {
  step "install the SDK and liblongshore, and move them"
  local component
  for component in development library; do
    DESTDIR=$work/staging quietly cmake --install "$build" --component $component --prefix /first
  done
  mv "$work/staging/first" "$sdk"
  [ -z "$(find "$work/staging" -type f)" ] || fail "it installed files outside of its prefix"
}

check_layout() {
  step "what is there, and that it names neither tree"
  local file package
  package=$(dirname "$(find "$sdk" -name LongshoreConfig.cmake)")
  for file in include/longshore/{abi.h,module.hpp} share/longshore/template/README.md \
    share/longshore/proto/longshore/annotations.proto \
    share/longshore/proto/{disk,filesystem,system,volume}/v1alpha1.proto \
    share/longshore/testing/include/longshore/testing/fake_host.hpp \
    share/longshore/examples/module_c/greeter.c share/doc/longshore-dev/{,CHANGELOG-}ABI.md \
    share/longshore/go/go.mod bin/longshore-module-check; do
    [ -s "$sdk/$file" ] || fail "$file is not installed"
  done
  for file in LongshoreConfigVersion.cmake LongshoreModule.cmake LongshoreProtobuf.cmake \
    LongshoreWarnings.cmake embed_description.cmake module.map; do
    [ -s "$package/$file" ] || fail "$file is not installed"
  done
  [ -n "$(find "$sdk" -name libprotobuf-lite.a -size +100k)" ] || fail "the runtime is missing"
  if grep -rIF -e "$source" -e "$build" -e /first "$sdk"; then
    fail "these files name a folder that the vendor does not have"
  fi
}

check_headers() {
  step "each header alone"
  cp -r "$source/tests/sdk/headers" "$work/headers"
  configure_and_build "$work/headers" \
    "-DHEADERS=$sdk/include;$sdk/share/longshore/testing/include"
  [ "$(find "$work/headers/build" -name 'header_*.o' | wc -l)" -ge 12 ] ||
    fail "these headers were not all that are installed"
}

check_library() {
  local package folder
  package=$(find "$sdk" -name longshore.pc)
  [ -n "$package" ] || return 0 # this build has no liblongshore
  step "a program with liblongshore, by pkg-config and by CMake"
  folder=$(dirname "$(find "$sdk" -name liblongshore.so)")
  # shellcheck disable=SC2046  # words
  quietly cc -std=c11 -Wall -Werror "$source/tests/sdk/library/version.c" -o "$work/version" \
    $(PKG_CONFIG_PATH=$(dirname "$package") pkg-config --cflags --libs longshore)
  cp -r "$source/tests/sdk/library" "$work/library"
  configure_and_build "$work/library"
  local program
  for program in "$work/version" "$work/library/build/version"; do
    [ "$(LD_LIBRARY_PATH=$folder "$program")" = "$(PKG_CONFIG_PATH=$(dirname "$package") \
      pkg-config --modversion longshore)" ] || fail "$program does not say the version"
  done
}

# check_module <file>: what a vendor checks before shipping it.
check_module() {
  local exports
  exports=$(nm -D --defined-only "$1" | awk '{ print $3 }')
  [ "$exports" = longshore_module ] || fail "the module exports: $exports"
  quietly "$sdk/bin/longshore-module-check" "$1"
}

build_template() {
  step "build, test and check the template"
  cp -r "$sdk/share/longshore/template" "$work/shelf"
  configure_and_build "$work/shelf"
  quietly ctest --test-dir "$work/shelf/build" --output-on-failure --no-tests=error
  module=$work/shelf/build/modules/longshore-shelf.so
  check_module "$module"
}

# build_controller <template> <its module>
build_controller() {
  step "build, test and check $1"
  cp -r "$sdk/share/longshore/$1" "$work/$1"
  configure_and_build "$work/$1"
  quietly ctest --test-dir "$work/$1/build" --output-on-failure --no-tests=error
  check_module "$work/$1/build/modules/$2.so"
}

build_example() {
  step "build and check the module in C, by CMake and by make"
  cp -r "$sdk/share/longshore/examples/module_c" "$work/greeter"
  [ "$(wc -l < "$work/greeter/greeter.c")" -lt 120 ] || fail "the example has grown"
  configure_and_build "$work/greeter" -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror"
  check_module "$work/greeter/build/modules/longshore-greeter.so"
  PKG_CONFIG_PATH=$(dirname "$(find "$sdk" -name longshore-module.pc)") \
    quietly make -C "$work/greeter"
  check_module "$work/greeter/longshore-greeter.so"
}

refuse_other_versions() {
  step "a project that asks for another version"
  mkdir "$work/other"
  sed 's/Longshore 0.1/Longshore 0.2/' "$work/shelf/CMakeLists.txt" > "$work/other/CMakeLists.txt"
  if cmake -S "$work/other" -B "$work/other/build" "-DCMAKE_PREFIX_PATH=$sdk" \
    > "$work/output" 2>&1; then
    fail "0.2 was found"
  fi
  grep -q 'version: 0.1' "$work/output" || fail "it does not say which version there is"
}

call() { "$control" --socket "$work/control/control.sock" call "acme.$1" "$2"; }

# The agent says on its standard error, which comes through descriptor 3, when it serves.
start_agent() {
  local line
  cat > "$work/agent.toml" << TOML
[agent]
run_dir = "$work/run"
control_dir = "$work/control"
state_dir = "$work/state"
module_dirs = ["$(dirname "$module")", "$work/greeter"]
[endpoints]
csi_proxy = false
[endpoints.acme]
address = "unix://$work/run/acme/acme.sock"
services = ["acme.shelf.v1.Shelf", "acme.greeter.v1.Greeter"]
[modules.shelf]
settings.capacity = 1
[modules.greeter]
TOML
  exec 3< <(exec "$agent" --no-ownership-check --config "$work/agent.toml" 2>&1)
  agent_process=$!
  while IFS= read -r -t 60 line <&3; do
    echo "$line"
    [[ $line != *serving* ]] || return 0
  done
  fail "the agent does not serve"
}

# ask_socket <service> <method> <JSON> <answer>: by a client that asks what there is.
ask_socket() {
  local answer
  answer=$("$client" "$work/run/acme/acme.sock" "acme.$1" "$2" "$3")
  [ "$answer" = "$4" ] || fail "the generic client got: $answer"
}

call_modules() {
  step "the modules in the agent"
  start_agent
  call shelf.v1.Shelf/PutBox '{"name": "a", "content": "amber"}'
  call shelf.v1.Shelf/GetBox '{"name": "a"}' | tee "$work/answer"
  grep -q amber "$work/answer" || fail "the box is not as it was put"
  ask_socket shelf.v1.Shelf GetBox '{"name": "a"}' '{"box":{"name":"a","content":"amber"}}'
  ask_socket greeter.v1.Greeter Greet '{"name": "Ada"}' '{"text":"Hello, Ada"}'
  call greeter.v1.Greeter/Greet '{"name": "Ada"}' | grep -q 'Hello, Ada' || fail "nobody greets"
  if call shelf.v1.Shelf/PutBox '{"name": "b"}' > "$work/answer" 2>&1; then
    fail "its setting has no effect"
  fi
  grep -q 'the shelf holds 1' "$work/answer" || { cat "$work/answer" && fail "another error came"; }
  kill "$agent_process"
  wait "$agent_process" || fail "the agent ended with $?"
  agent_process=
}

install_and_move
check_layout
check_headers
check_library
build_template
build_controller template_controller longshore-example
build_controller template_kube longshore-example-kube
build_example
refuse_other_versions
call_modules
