#!/bin/bash
# The section "Quick start" of the README, word for word: its commands one after another, as
# somebody types them. What is to be typed only where systemd does not run is left out where it
# does.
. /test/common.sh
cd /debs

commands=$(awk '
  /^## / { inside = $0 == "## Quick start" }
  /^```/ { fenced = inside && $0 == "```sh"; next }
  fenced' /test/README.md)
[ "$(wc -l <<< "$commands")" -ge 4 ] || fail "there is no quick start in the README: $commands"

set +m
while read -r command <&3; do
  if [ -d /run/systemd/system ] && [[ $command == *'&' ]]; then
    continue
  fi
  echo "# $command"
  eval "$command" || fail "$command"
  # Nobody types as fast as this.
  [[ $command != *'&' ]] || within 30 test -S /run/longshore-control/control.sock
done 3<<< "$commands"
[ -z "$(jobs -p)" ] || kill %1
