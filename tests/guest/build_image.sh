#!/usr/bin/env bash
# Makes the guest of the layer "guest" from Debian packages: a kernel, a small initramfs that finds
# the root filesystem, and that. No package of the guest is installed on this machine.
#
#   tests/guest/build_image.sh
#
# The result is kept in a cache by content; its folder is the last line printed. It holds vmlinuz,
# initramfs.img and root.img. Takes two minutes and needs root; 77 and why where it is not to be had.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
# shellcheck source=sdk/tools/debian_source.sh
. "$here/../../sdk/tools/debian_source.sh"

# Of the kernels the one for clouds: it has SCSI, SMB, iSCSI with its target, and a third of the size.
kernel=$(apt-cache depends linux-image-cloud-amd64 2> /dev/null |
  awk '/Depends: linux-image-/ { print $2; exit }' || true)
if [ -z "$kernel" ]; then
  echo "SKIPPED: linux-image-cloud-amd64 is not in the package index" >&2
  exit 77
fi
packages=(
  apparmor btrfs-progs cifs-utils dbus dosfstools e2fsprogs fdisk iproute2 kmod mount ntfs-3g
  open-iscsi procps samba systemd systemd-sysv udev util-linux xfsprogs
)
versions=$(apt-cache policy "$kernel" "${packages[@]}" | grep Candidate)
key=$(content_key "$versions" "$(cat "$here/build_image.sh" "$here/guest_init.sh")")
cache=$(longshore_cache)
result=$cache/guest-$key
if [ -d "$result" ]; then
  echo "$result"
  exit 0
fi

if [ "$(id -u)" != 0 ]; then
  echo "SKIPPED: the guest's root filesystem is made by root" >&2
  exit 77
fi
mkdir -p "$cache"
# Both kinds of guest want it at once; it is made once.
exec {lock}> "$cache/guest.lock"
flock "$lock"
if [ -d "$result" ]; then
  echo "$result"
  exit 0
fi
work=$(mktemp -d)
staging=$(mktemp -d "$cache/new.XXXXXX")
trap 'rm -rf --one-file-system "$work" "$staging"' EXIT

# Unpacked, not installed: its scripts would make an initramfs and a boot loader's entry here.
(cd "$work" && apt-get download -q -o APT::Sandbox::User=root "$kernel" >&2)
dpkg-deb -x "$work/$kernel"_*.deb "$work/kernel"
release=${kernel#linux-image-}
cp "$work/kernel/boot/vmlinuz-$release" "$staging/vmlinuz"

root=$work/root
# From where this machine has its packages.
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
  [ ! -s "$file" ] || sources+=("$file")
done
mmdebstrap --quiet --mode=root --variant=minbase --aptopt='APT::Install-Recommends "false"' \
  --aptopt='Dpkg::Options "--force-unsafe-io"' --dpkgopt='path-exclude=/usr/share/doc/*' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --include="$(IFS=,; echo "${packages[*]}")" bookworm "$root" "${sources[@]}" >&2
mkdir -p "$root/usr/lib/modules"
cp -a "$work/kernel/lib/modules/$release" "$root/usr/lib/modules/"
depmod -b "$root" "$release"
install -m 755 "$here/guest_init.sh" "$root/guest_init"
# Servers that the tests start themselves, and what only delays the start.
rm -f "$root"/etc/systemd/system/*.wants/{nmbd,smbd,samba-ad-dc,e2scrub_reap,open-iscsi}.service \
  "$root"/etc/systemd/system/timers.target.wants/*
for unit in serial-getty@ttyS0 systemd-timesyncd systemd-firstboot systemd-pstore systemd-logind \
  systemd-repart systemd-sysusers systemd-update-utmp systemd-update-utmp-runlevel \
  systemd-random-seed systemd-user-sessions systemd-journal-flush apparmor; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit.service"
done
# Programs that make units of what this guest has not. Each "daemon-reload" starts all of them, which
# takes an emulated processor more than a second.
mkdir -p "$root/etc/systemd/system-generators"
for generator in "$root"/usr/lib/systemd/system-generators/*; do
  ln -s /dev/null "$root/etc/systemd/system-generators/${generator##*/}"
done
cat > "$root/etc/systemd/system/guest.service" << 'END'
[Unit]
Description=The cases of the layer "guest"
After=systemd-udevd.service dbus.service
[Service]
Type=oneshot
ExecStart=/guest_init cases
END
rm -rf "$root/etc/systemd/system/getty.target.wants"
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -sf /etc/systemd/system/guest.service "$root/etc/systemd/system/multi-user.target.wants/"
echo 0123456789abcdef0123456789abcdef > "$root/etc/machine-id"
echo guest > "$root/etc/hostname"
: > "$root/etc/fstab"
echo '127.0.0.1 localhost guest fileserver' > "$root/etc/hosts"
echo 'InitiatorName=iqn.2025-01.com.example:node1' > "$root/etc/iscsi/initiatorname.iscsi"
mke2fs -q -F -t ext4 -E lazy_itable_init=1,lazy_journal_init=1 -d "$root" -L root \
  "$staging/root.img" 1500M

# virtio's modules need virtio_ring loaded first; the order is theirs.
drivers=(virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk)
initramfs=$work/initramfs
mkdir -p "$initramfs"/{bin,drivers,proc,dev,newroot}
cp /bin/busybox "$initramfs/bin/"
for driver in "${drivers[@]}"; do
  find "$root/usr/lib/modules/$release" -name "$driver.ko" -exec cp {} "$initramfs/drivers/" \;
done
cat > "$initramfs/init" << END
#!/bin/busybox sh
b=/bin/busybox
\$b mount -t devtmpfs d /dev
\$b mount -t proc p /proc
for driver in ${drivers[*]}; do [ ! -e /drivers/\$driver.ko ] || \$b insmod /drivers/\$driver.ko; done
tries=0
while [ ! -b /dev/vda ] && [ \$tries -lt 200 ]; do \$b usleep 50000; tries=\$((tries + 1)); done
init=/sbin/init
for word in \$(\$b cat /proc/cmdline); do case \$word in init=*) init=\${word#init=} ;; esac; done
\$b mount -t ext4 -o rw /dev/vda /newroot || { echo "The guest has no root filesystem"; \$b poweroff -f; }
\$b umount /proc
\$b mount --move /dev /newroot/dev
exec \$b switch_root /newroot \$init
END
chmod +x "$initramfs/init"
(cd "$initramfs" && find . | cpio -o -H newc --quiet | gzip -1) > "$staging/initramfs.img"

publish "$staging" "$result"
echo "$result"
