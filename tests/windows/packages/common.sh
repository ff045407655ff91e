# shellcheck shell=bash
# What the tests of the packages' life share, under Wine in a Windows of their own. Sourced by bash.
set -euo pipefail
trap 'echo "FAILED: $0, line $LINENO: $BASH_COMMAND" >&2' ERR

drive=$WINEPREFIX/drive_c
programs="$drive/Program Files/Longshore"
data=$drive/ProgramData/Longshore

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

step() {
  echo "== $*"
}

# within <seconds> <command>...: waits until the command succeeds.
within() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || fail "not within the time: $*"
    sleep 0.1
  done
}

windows() {
  timeout 60 wine64 "$@" < /dev/null 2>&1 | tr -d '\r'
}

ctl() {
  windows "$programs/longshorectl.exe" "$@"
}

# has <text> <part>...
has() {
  local text=$1 part
  shift
  for part in "$@"; do
    [[ $text == *"$part"* ]] || fail "there is no \"$part\" in: $text"
  done
}

has_not() {
  local text=$1 part
  shift
  for part in "$@"; do
    [[ $text != *"$part"* ]] || fail "there is \"$part\" in: $text"
  done
}

serves() {
  [[ $(ctl status) == *serving* ]]
}

stopped() {
  [[ $(ctl service status) == *'is stopped'* ]]
}
