#!/usr/bin/env bash
# The table at the end of a run, with made-up rows: what it counts, and what it calls over budget.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")"
cat > "$work/budget.toml" << 'END'
[dev]
build = {cold = 200, warm = 50}
loop = {plain = 100, all = 300}
unit = 100
END

# expect <end> plain|all [line]...: its end, and all that it prints after the table. Rows from the input.
expect() {
  local end=$1 size=$2 status=0
  shift 2
  ./ledger.py <(cat) "$work/budget.toml" "$size" 60 > "$work/output" || status=$?
  sed '1,/^all  *all /d' "$work/output" > "$work/found"
  printf '%s\n' "$@" > "$work/expected"
  [ "$status" = "$end" ] && diff "$work/expected" "$work/found" ||
    { cat "$work/output" && echo "FAILED: it ended with $status" && exit 1; }
}

over='s of processor time,'
# A fifth more is within the budget, and so are a few seconds more.
expect 0 plain '' '6 passed, 0 failed, 1 skipped' << 'END'
dev build 0 0 0 9 59 warm
dev loop 5 0 1 9 119 warm
dev unit 1 0 0 9 120 cold
dev other 0 0 0 9 9 warm
END
# The budget is that of the caches, of the size, or the only one.
expect 0 plain "Over budget: dev build (warm): 61 $over 11 more than the 50 of tests/budget.toml" \
  "Over budget: dev loop (warm): 121 $over 21 more than the 100 of tests/budget.toml" \
  "Over budget: dev unit (warm): 121 $over 21 more than the 100 of tests/budget.toml" \
  'Over budget: dev other (warm): 11 s of processor time without a budget' \
  '' '6 passed, 0 failed, 0 skipped' << 'END'
dev build 0 0 0 9 61 warm
dev build 0 0 0 9 61 cold
dev loop 5 0 0 9 121 warm
dev unit 1 0 0 9 121 warm
dev other 0 0 0 9 11 warm
END
expect 1 all "Over budget: dev loop (cold): 361 $over 61 more than the 300 of tests/budget.toml" \
  '' '5 passed, 1 failed, 0 skipped' << 'END'
dev loop 5 1 0 9 361 cold
END
