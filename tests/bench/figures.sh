# shellcheck shell=bash
# What the benchmarks' scripts share; sourced by them after `aims` is set, and `preset` where it is not
# the release that they measure.
#
# Sets root and build, and ends what the script has started: the processes of `started` by their ids,
# and the folder `work`. LONGSHORE_BUILD_TREE may name a build that is measured as it is: nothing is built.
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
preset=${preset:-release}
build=${LONGSHORE_BUILD_TREE:-$root/build/$preset}
declare -A started figures

# Builds these targets.
build_targets() {
  local said
  [ -z "${LONGSHORE_BUILD_TREE-}" ] || return 0
  said=$(cd "$root" && cmake --preset "$preset" && cmake --build --preset "$preset" --target "$@") ||
    { echo "$said" >&2 && exit 1; }
}

# Ends the process that was started under this name.
stop() {
  kill "${started[$1]}"
  wait "${started[$1]}" 2> /dev/null || true
  unset "started[$1]"
}

end() {
  local name
  for name in "${!started[@]}"; do stop "$name" || true; done
  rm -rf --one-file-system "$work"
}
work=$(mktemp -d)
trap end EXIT
trap 'exit 130' INT TERM

# Waits so little that it does not take a processor from what is started.
mkfifo "$work/silence"
exec {silence}<> "$work/silence"
pause() { read -rt 0.0002 -u "$silence" || true; }

# Keeps one processor busy, until `stop busy`.
begin_busy() {
  (while :; do :; done) &
  started[busy]=$!
}

# The head of a configuration whose files are in this folder.
agent_section() {
  cat << EOF
[agent]
run_dir = "$1/run"
control_dir = "$1/control"
state_dir = "$1/state"
log.level = "warning"
log.file = "$1/log"
EOF
}

# Starts an agent under a name with a configuration, and waits for one of its sockets. `under` may name
# a program that runs it.
under=()
start_agent() {
  "${under[@]}" "$build/bin/longshored" --config "$2" --module-dir "$build/modules" &
  started[$1]=$!
  # A socket is there from the moment that it listens.
  until [ -S "$3" ]; do kill -0 "${started[$1]}" || exit 1; done
}

# Where the agent whose files are in this folder takes calls of v1.Filesystem.
socket_of() { echo "$1/run/csi-proxy/filesystem-v1/csi-proxy-filesystem-v1.sock"; }

# A number of the JSON that is read.
number() { sed -E "s/.*\"$1\":([0-9.]+).*/\1/"; }

# The sealed files that these processes hold, "held <inode> <KiB>", and what of them is mapped, "mapped
# <inode> <KiB>"; pages that were written to are the process's own and no longer the file's.
sealed_files() {
  local process file
  for process; do
    for file in /proc/"$process"/fd/*; do
      [[ $(readlink "$file") != /memfd:* ]] || stat -Lc '%i %b' "$file" | awk '{ print "held", $1, $2 / 2 }'
    done
    awk '/^[0-9a-f]+-/ { inode = $6 ~ /^\/memfd:/ ? $5 : 0 }
      inode && $1 == "Rss:" { print "mapped", inode, $2 }
      inode && $1 == "Anonymous:" { print "mapped", inode, -$2 }' "/proc/$process/smaps"
  done
}

unmapped() {
  sealed_files "$@" | awk '$1 == "held" { held[$2] = $3 } $1 == "mapped" { mapped[$2] += $3 }
    END { for (file in held) if (held[file] > mapped[file]) sum += held[file] - mapped[file]
      print sum + 0 }'
}

# A port of the loopback address at which nobody listens now.
free_port() {
  local port
  while port=$((20000 + RANDOM % 10000)); do
    (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null || break
  done
  echo "$port"
}

pss() { awk '/^Pss:/ { print $2 }' "/proc/$1/smaps_rollup"; }

# Keeps a figure under a name; `middle` is the median of all that were kept. "-" is no figure.
keep() { figures[$1]+=" $2"; }
middle() {
  printf '%s\n' ${figures[$1]-} | { grep -vx -e - -e '' || true; } | sort -g |
    awk '{ all[NR] = $1 } END { print NR ? all[int((NR + 1) / 2)] : "-" }'
}

# How often the first goes into the second, or "-".
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { print a == "-" || b == "-" || !b ? "-" : a / b }'; }
# Of nanoseconds, the first number of each line.
milliseconds() { awk '{ sum += $1 } END { printf "%.1f\n", sum / 1e6 }'; }
mebibytes() { awk -v kib="$1" 'BEGIN { print kib == "-" ? "-" : kib / 1024 }'; }

# Remembers an aim: what, its figure, the most it may be, the unit.
aim() { printf '%s|%s|%s|%s\n' "$@" >> "${aims:-$work/aims}"; }

# Whether the aims of this file are met.
print_aims() {
  awk -F '|' '
    BEGIN { printf "%-58s %8s %8s %-5s\n", "aim", "figure", "at most", "" }
    $2 == "-" { printf "%-58s %8s %8.4g %-5s not measured\n", $1, $2, $3, $4; next }
    $2 <= $3 { printf "%-58s %8.4g %8.4g %-5s met\n", $1, $2, $3, $4; next }
    { printf "%-58s %8.4g %8.4g %-5s missed by %.3g (%.0f %%)\n", $1, $2, $3, $4, $2 - $3,
             100 * ($2 - $3) / $3 }' "$1"
}

# Unless who called this script prints them.
end_with_aims() {
  [ -z "${aims-}" ] || return 0
  echo
  print_aims "$work/aims"
}
