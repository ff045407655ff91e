# shellcheck shell=bash
# Sourced by tests/run_tests: the builds and layers that there are, and which layer runs in which build;
# tests/README.md says why. Uses ${presets[@]} and ${layers[@]}, the wanted ones, $long and $work.

# In the order in which they are built: the guest needs the first two, and takes longest.
all_presets=(packages dev asan-ubsan tsan windows-mingw fuzz release)
all_layers=(abi sdk unit loop hostile hostile_clients conformance integration style kube guest
  browser packages windows fuzz)

# "Does it work?": without --all. What else there is answers "can it be released?".
plain_presets=(packages dev asan-ubsan windows-mingw)
plain_layers=(abi unit loop hostile hostile_clients conformance integration style kube guest
  windows)

# In which builds a layer has tests.
presets_of() {
  case $1 in
    style) echo asan-ubsan dev fuzz ;;
    kube) echo asan-ubsan ;;
    abi | sdk | guest | browser) echo dev ;;
    hostile_clients) echo asan-ubsan dev ;;
    packages) echo packages ;;
    windows) echo windows-mingw ;;
    fuzz) echo fuzz ;;
    unit) echo "asan-ubsan tsan dev ${long:+release}" ;;
    *) echo asan-ubsan tsan dev ;;
  esac
}

# Which of a layer's tests run in a build: those with this label besides. See tests/CMakeLists.txt.
mark_of() {
  case $1 in
    dev) echo plain ;;
    tsan) echo threads ;;
  esac
}

# is_among <word> <word>...: whether the first is one of the others.
is_among() {
  local wanted=$1 word
  shift
  for word in "$@"; do
    [ "$word" != "$wanted" ] || return 0
  done
  return 1
}

# Prints "<preset>.<layer>" where no test has run, though what was to build them did not fail.
missing_layers() {
  local preset layer
  for preset in "${presets[@]}"; do
    for layer in $(layers_in "$preset"); do
      case $preset.$layer in
        # Nothing there is marked.
        dev.conformance) continue ;;
      esac
      awk -v preset="$preset" -v layer="$layer" '
        $1 == preset && $2 == layer && $3 + $4 + $5 > 0 { found = 1 }
        ($1 == preset || $1 == "packages") && $2 ~ /^(build|guest-programs)$/ && $4 > 0 { found = 1 }
        END { exit !found }' "$work/rows" || echo "$preset.$layer"
    done
  done
}

# layers_in <preset>: those of the wanted layers that have tests there.
layers_in() {
  local layer homes
  for layer in "${layers[@]}"; do
    read -r -a homes <<< "$(presets_of "$layer")"
    ! is_among "$1" "${homes[@]}" || echo "$layer"
  done
}
wants() { is_among "$1" "${presets[@]}" && [ -n "$(layers_in "$1")" ]; }
wants_kube() { is_among asan-ubsan "${presets[@]}" && is_among kube "${layers[@]}"; }
wants_guest() { is_among dev "${presets[@]}" && is_among guest "${layers[@]}"; }
