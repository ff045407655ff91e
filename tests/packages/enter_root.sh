#!/usr/bin/env bash
# The inside of in_clean_root, in namespaces of its own for processes and the network: changes into
# the root folder and runs the test there, or systemd with the test as a service.
#
#   enter_root.sh <where> <"yes" to boot it> <test> [word]...
set -euo pipefail
root=$1 boot=$2
shift 2
mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
# The status page listens on the loopback device.
python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh14x", b"lo", 1))'
environment=(env -i HOME=/root LANG=C.UTF-8
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
cd "$root"
[ -n "$boot" ] || exec chroot "$root" "${environment[@]}" "/test/$@"
mount --bind "$root/output" "$root/dev/console"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
test=$1
shift
cat > "$root/etc/systemd/system/longshore-test.service" << END
[Unit]
SuccessAction=exit
FailureAction=exit
[Service]
Type=oneshot
ExecStart=/test/$test $*
Environment=HOME=/root
StandardOutput=append:/output
StandardError=append:/output
END
exec chroot "$root" "${environment[@]}" container=longshore \
  /lib/systemd/systemd --unit=longshore-test.service --show-status=no --log-level=err
