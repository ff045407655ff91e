#!/usr/bin/env bash
# Names every C and C++ file that clang-format would change, and every one of Go that gofmt would,
# and ends with 1 if there is one.
#   tests/style/check_format.sh
# To put them right: clang-format -i <file>..., gofmt -w <file>...
set -euo pipefail

cd "$(dirname "$(readlink -f "$0")")/../.."
folders=()
for folder in agent modules plugins sdk tests; do
  [ ! -d "$folder" ] || folders+=("$folder")
done
find "${folders[@]}" -type f \( -name '*.cc' -o -name '*.c' -o -name '*.h' -o -name '*.hpp' \) -print0 |
  xargs -0 -n 20 -P "$(nproc)" clang-format --dry-run -Werror
unformatted=$(find "${folders[@]}" -type f -name '*.go' -exec gofmt -l {} +)
if [ -n "$unformatted" ]; then
  printf 'gofmt would change %s\n' $unformatted >&2
  exit 1
fi
