#!/usr/bin/env bash
# Opens the status page of a running agent in headless Chromium: what people see has the modules,
# and text that a client sent stays text.
#
#   status_page_test.sh <longshored> <longshorectl> <folder of modules> <folder for pictures>
#
# Ends with 77 where there is no Chromium. The pictures, of a desk's and of a phone's width, are for
# looking at.
set -euo pipefail

agent=$1 ctl=$2 modules=$3 pictures=$4
command -v chromium > /dev/null || { echo "SKIPPED: chromium is not installed"; exit 77; }

work=$(mktemp -d)
agent_process=
clean_up() {
  [ -z "$agent_process" ] || { kill "$agent_process" && wait "$agent_process"; } || true
  rm -rf "$work"
}
trap clean_up EXIT

mkdir "$work/root"
cat > "$work/agent.toml" << END
[agent]
run_dir = "$work/run"
control_dir = "$work/control"
state_dir = "$work/state"
module_dirs = ["$modules"]
[agent.http]
address = "127.0.0.1:0"
[modules.echo]
[modules.filesystem]
settings.allowed_roots = ["$work/root"]
END
"$agent" --no-ownership-check --config "$work/agent.toml" 2> "$work/log" &
agent_process=$!
wait_for_agent() {
  local tries
  for ((tries = 0; tries < 600; ++tries)); do
    ! grep -q ' serving ' "$work/log" || return 0
    kill -0 "$agent_process" 2> /dev/null || break
    sleep 0.1
  done
  echo "The agent does not serve:" && cat "$work/log"
  return 1
}
wait_for_agent
port=$(sed -n 's/.*endpoint=http address=127\.0\.0\.1:\([0-9]*\).*/\1/p' "$work/log")

# What a client could try. The call fails, as it is told to.
attack='<script>document.title = "script ran"</script>'
"$ctl" --socket "$work/control/control.sock" call longshore.echo.v1.Echo/Fail \
  "{\"code\": 13, \"text\": \"${attack//\"/\\\"}\"}" > /dev/null 2>&1 || true

# in_browser <option>...: the page, once.
in_browser() {
  HOME=$work timeout -k 5 60 chromium --headless --no-sandbox --disable-gpu --no-first-run \
    --disable-dev-shm-usage --user-data-dir="$work/profile" "$@" "http://127.0.0.1:$port/" \
    2> "$work/browser.log"
}

failed=0
in_browser --dump-dom > "$work/dom" || { cat "$work/browser.log" && exit 1; }
# expect <text of the document>
expect() {
  grep -qF -- "$1" "$work/dom" || { echo "The page lacks: $1" && failed=1; }
}
expect '<title>Longshore on '
expect '<table id="modules">'
expect '<td>echo</td>'
expect '<td>filesystem</td>'
expect '<table id="endpoints">'
expect '&lt;script&gt;document.title'
! grep -q '<script' "$work/dom" || { echo "A client's text became a script." && failed=1; }
[ $failed = 0 ] || cat "$work/dom"

mkdir -p "$pictures"
for size in 1280,900 390,844; do
  picture=$pictures/status-page-${size%,*}.png
  in_browser --window-size="$size" --hide-scrollbars --screenshot="$picture" > /dev/null
  [ -s "$picture" ] || { echo "There is no picture $picture." && failed=1; }
done
exit $failed
