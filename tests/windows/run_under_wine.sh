#!/usr/bin/env bash
# Runs a program for Windows under Wine, or a command that runs several of them through this script.
#
#   tests/windows/run_under_wine.sh program.exe [argument...]
#   tests/windows/run_under_wine.sh ctest --test-dir build/windows-mingw
#
# The outermost call makes a fresh Windows 10 in a temporary folder and removes it afterwards, with
# all the processes in it; calls inside find it there. A run takes $LONGSHORE_WINE_TIMEOUT seconds at
# most, 900 unless that is set. Ends with what the program or command ended with.
set -euo pipefail

export PATH=/usr/lib/wine:$PATH

run() {
  case $1 in
    *_test.exe | */longshore-module-check.exe) run_test "$@" ;;
    *.exe) exec wine64 "$@" ;;
    *) exec "$@" ;;
  esac
}

# Where several programs begin at once, Wine ends one of them at times before it has begun, with 0.
# These always say something: one that has not is run again.
run_test() {
  local output child status
  output=$(mktemp "$LONGSHORE_WINE_SESSION/output.XXXXXX")
  for _ in 1 2 3; do
    wine64 "$@" > "$output" 2>&1 &
    child=$!
    tail -n +1 -s 0.1 -f --pid=$child "$output" &
    status=0
    wait $child || status=$?
    wait
    [ $status = 0 ] && [ ! -s "$output" ] || exit $status
  done
  echo "It has ended at once, with 0 and without a word, three times." >&2
  exit 70
}

if [ $# = 0 ]; then
  echo "usage: $0 program.exe|command [argument...]" >&2
  exit 2
fi
if [ -n "${LONGSHORE_WINE_SESSION-}" ]; then
  run "$@"
fi

work=$(mktemp -d)
export LONGSHORE_WINE_SESSION=$work
export WINEPREFIX=$work/prefix WINEARCH=win64 WINEDEBUG=-all
# No .NET, no HTML, and one line for a crash instead of a debugger's dump.
export WINEDLLOVERRIDES='mscoree,mshtml,winedbg.exe='

# The server ends the processes of this prefix only.
end_session() {
  [ -z "$keep_alive" ] || exec {keep_alive}>&-
  timeout 20 wineserver64 -k > /dev/null 2>&1 || true
  timeout 20 wineserver64 -w > /dev/null 2>&1 || true
  # On a busy machine that may not have been enough.
  local process
  for process in /proc/[0-9]*; do
    ! grep -qsz "^WINEPREFIX=$WINEPREFIX\$" "$process/environ" ||
      kill -KILL "${process#/proc/}" 2> /dev/null || true
  done
  rm -rf "$work"
}
keep_alive=
trap end_session EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

timeout 120 wine64 wineboot -i < /dev/null > /dev/null 2>&1
timeout 60 wine64 reg add 'HKCU\Software\Wine' /v Version /d win10 /f < /dev/null > /dev/null 2>&1
# Wine's own services start with the first process and end with the last, some seconds later. A first
# process in those seconds would start them again, and there would be two service control managers.
timeout 60 wineserver64 -w

# Starting them takes seconds for each program. This one waits for its input to end, which it does
# with this script, however.
mkfifo "$work/keep_alive"
wine64 cmd.exe < "$work/keep_alive" > /dev/null 2>&1 &
exec {keep_alive}> "$work/keep_alive"
printf 'echo there> Z:%s\r\n' "${work//\//\\}\\ready" >&"$keep_alive"
for ((i = 0; i < 600; ++i)); do
  [ ! -e "$work/ready" ] || break
  sleep 0.1
done

status=0
(
  exec {keep_alive}>&-
  exec timeout --verbose -k 10 "${LONGSHORE_WINE_TIMEOUT:-900}" "$(readlink -f "$0")" "$@" < /dev/null
) &
wait $! || status=$?
exit $status
