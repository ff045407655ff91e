#!/usr/bin/env bash
# The middle of in_clean_root, in a mount namespace of its own: makes the root folder, and mounts in
# it what the kernel shows.
#
#   prepare_root.sh <where> <"yes" to boot it> <count> <that many programs for /test>... \
#       <count> <that many packages or .deb>... <test> [word]...
set -euo pipefail
root=$1 boot=$2
here=$(dirname "$0")
programs=("${@:4:$3}")
shift $((3 + $3))
count=$1
shift
mount -t tmpfs -o mode=755,size=3g tmpfs "$root"
"$here/clean_root.py" "$root" "${@:1:count}"
mkdir "$root/debs" "$root/test"
for file in "${@:1:count}"; do
  case $file in *.deb) cp "$file" "$root/debs" ;; esac
done
cp "$here"/* "$here/../../README.md" "${programs[@]}" "$root/test"
cp "$here/../../sdk/README.md" "$root/test/sdk.md"
mount -t sysfs -o ro sysfs "$root/sys"
# Where the nodes of partitions come and go. The mount is read-only; devices can be written all the
# same.
mount -t devtmpfs devtmpfs "$root/dev"
mount -o remount,bind,ro "$root/dev"
# An agent in there does not see that this machine needs its disks, so it gets none of them.
for device in /sys/class/block/*; do
  node=$root/dev/$(basename "$device" | tr ! /)
  case $device in
    */loop*) ;;
    *) [ ! -e "$node" ] || mount --bind /dev/null "$node" ;;
  esac
done
mount -t devpts -o newinstance,ptmxmode=666,mode=620,gid=5 devpts "$root/dev/pts"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
touch "$root/output"
shift "$count"
status=0
unshare --pid --fork --kill-child --net ${boot:+--cgroup --ipc --uts} \
  "$here/enter_root.sh" "$root" "$boot" "$@" || status=$?
[ -z "$boot" ] || cat "$root/output"
exit $status
