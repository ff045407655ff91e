# shellcheck shell=bash
# Sourced by tests/run_tests: the commits whose whole run passed on this machine, by either size.

passed_commits=${LONGSHORE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/longshore}/passed-commits

# Prints the newest one that led to this commit. On a machine that has none, the commit before this one;
# nothing where there is no history: then everything counts as changed.
newest_passed_commit() {
  local newest=''
  if [ -e "$passed_commits" ]; then
    newest=$(git rev-list HEAD 2> /dev/null |
      awk 'NR == FNR { passed[$1]; next } $1 in passed && !found++' "$passed_commits" -) || true
  fi
  [ -n "$newest" ] || newest=$(git rev-parse --quiet --verify 'HEAD~1^{commit}' 2> /dev/null) || true
  echo "$newest"
}

remember_passed_commit() {
  [ -z "$(git status --porcelain 2>&1)" ] || return 0
  mkdir -p "$(dirname "$passed_commits")"
  git rev-parse HEAD >> "$passed_commits"
}
