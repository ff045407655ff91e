# What the tests in a clean root folder share. Sourced by bash.
set -euo pipefail
trap 'echo "FAILED: $0, line $LINENO: $BASH_COMMAND" >&2' ERR

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# within <seconds> <command>...: waits until the command succeeds.
within() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ $SECONDS -lt $deadline ] || fail "not within the time: $*"
    sleep 0.05
  done
}

# contains <text> <part>
contains() {
  [[ $1 == *"$2"* ]] || fail "there is no \"$2\" in: $1"
}

# What /healthz answers at port 9808 of this machine.
healthz() {
  exec 3<> /dev/tcp/127.0.0.1/9808 && printf 'GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n' >&3 && cat <&3
}

# Everything there is but dpkg's own memory, logs and caches, and what the kernel shows.
all_files() {
  find / -xdev -regextype egrep \
    -regex "/var/(lib/(dpkg|apt)|log|cache)|/tmp|/output" -prune -o -print
  find /run/longshore* 2> /dev/null || true
}

# next_version <package> <folder>: the package once more, with a higher version. A function `change`
# may change its files below the folder that it is given.
next_version() {
  local work
  work=$(mktemp -d)
  dpkg-deb -R "/debs/$1"_*.deb "$work"
  sed -i 's/^Version: .*/&+next/' "$work/DEBIAN/control"
  change "$work"
  (cd "$work" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' |
    xargs -0 md5sum > DEBIAN/md5sums)
  dpkg-deb -Zgzip -z1 --root-owner-group -b "$work" "$2" > /dev/null
}

# The package's own files are as they were shipped, and dpkg has nothing to complain of.
check_database() {
  local said
  said=$(dpkg --verify longshore && dpkg --audit)
  [ -z "$said" ] || fail "dpkg says: $said"
}

# call <service>/<method> <JSON>
call() {
  longshorectl call "$1" "$2"
}

# type_commands <file> <section>: the commands of a section of a README, one after another, as somebody
# types them. What is to be typed only where systemd does not run is left out where it does.
type_commands() {
  local commands command
  commands=$(awk -v section="## $2" '
    /^## / { inside = $0 == section }
    /^```/ { fenced = inside && $0 == "```sh"; next }
    fenced' "/test/$1")
  [ "$(wc -l <<< "$commands")" -ge 4 ] || fail "the README has no commands for \"$2\": $commands"
  while read -r command <&3; do
    if [ -d /run/systemd/system ] && [[ $command == *'&' ]]; then
      continue
    fi
    echo "# $command"
    eval "$command" || fail "$command"
    # Nobody types as fast as this.
    [[ $command != *'&' ]] || within 30 test -S /run/longshore-control/control.sock
  done 3<<< "$commands"
}
