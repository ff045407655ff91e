#!/usr/bin/env bash
# An example of the SDK answers as its users expect: a path that exists, one that does not, one that
# may not be asked about, and a configuration that is not there.
#
#   examples_test.sh <module folder> <command>...
set -euo pipefail

modules=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root"
cat > "$work/agent.toml" << END
[agent]
module_dirs = ["$modules"]
state_dir = "$work/state"
[modules.filesystem.settings]
allowed_roots = ["$work/root"]
END

[ "$("$@" "$work/agent.toml" "$work/root")" = "$work/root exists" ]
[ "$("$@" "$work/agent.toml" "$work/root/none")" = "$work/root/none does not exist" ]

# refused <words> <argument>...
refused() {
  local words=$1
  shift
  if "$@" > "$work/output" 2>&1; then
    echo "$* went well" && exit 1
  fi
  grep -q -- "$words" "$work/output" || { cat "$work/output" && exit 1; }
}
refused 'is not within the allowed roots' "$@" "$work/agent.toml" /etc
refused 'No such file or directory' "$@" "$work/none.toml" "$work/root"
refused 'usage: ' "$@"
