# shellcheck shell=bash
# What the tests of the packages' life share, under Wine in a Windows of their own. Sourced by bash.
set -euo pipefail
trap 'echo "FAILED: $0, line $LINENO: $BASH_COMMAND" >&2' ERR

root=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../../..")
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

# Cmd's lines of before, of which only those that change folders go on mattering. It begins on C:, as
# Windows' own.
typed=('@echo off' 'c:' 'cd \')

# type_line <line>: as somebody types it in cmd.
type_line() {
  echo "C:\\> $1"
  printf '%s\r\n' "${typed[@]}" "$1" > "$drive/typed.bat"
  windows cmd.exe /c 'C:\typed.bat' || fail "it ended with $?: $1"
  case $1 in
    'cd '*) typed+=("$1") ;;
  esac
}

# type_commands <document> <section> <their number>: those of the section, one after another. The function
# `after` is told of each. Where `instead` succeeds for one, that one is not typed.
type_commands() {
  local lines line
  mapfile -t lines < <(awk -v section="## $2" '
    /^## / { inside = $0 == section }
    inside && /^    / { print substr($0, 5) }' "$root/$1")
  [ ${#lines[@]} = "$3" ] || fail "$1 has other commands for \"$2\": ${lines[*]}"
  for line in "${lines[@]}"; do
    instead "$line" || type_line "$line"
    after "$line"
  done
}

instead() {
  return 1
}

after() {
  :
}
