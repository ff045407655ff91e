#!/usr/bin/env bash
# Boots a guest that runs every case of the programs, and brings back what they said.
#
#   run_guest.sh BUILD OUT plain|systemd PROGRAM...
#
# plain     the cases run under a first process of a few lines, with udev: there in seconds
# systemd   they run as a unit of systemd's
#
# Succeeds if the guest lived to the end of the last case, whatever came of the cases: OUT has a file
# for each, which case_result.sh judges. Needs neither root nor KVM, once the image is in the cache.
#
# LONGSHORE_GUEST_IMAGE names a folder with vmlinuz, initramfs.img and root.img of another kernel or
# distribution to test on, instead of Debian's that build_image.sh makes. Its root filesystem has
# guest_init.sh as /guest_init, and a unit of systemd's that starts "/guest_init cases".
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
PATH=$PATH:/usr/sbin:/sbin
build=$1 out=$2 kind=$3
shift 3
rm -rf --one-file-system "$out"
mkdir -p "$out"

skip() {
  echo "SKIPPED: $1" | tee "$out/skipped"
  exit 77
}
need() {
  local package
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null)" = installed ] ||
      skip "$package is not installed"
  done
}
need qemu-system-x86
image=${LONGSHORE_GUEST_IMAGE-}
if [ -z "$image" ]; then
  need mmdebstrap busybox-static cpio kmod
  image=$("$here/build_image.sh" 2> "$out/image.log" | tail -1) || {
    status=$?
    cat "$out/image.log" >&2
    [ $status != 77 ] || skip "$(sed -n 's/^SKIPPED: //p' "$out/image.log" | tail -1)"
    exit $status
  }
fi
case $kind in
  # Faster without; with systemd, the agent as a service is under its profile. What that refuses is
  # told as audit: all of it, and not only ten lines in five seconds.
  plain) init="/guest_init audit=0 apparmor=0" ;;
  systemd) init="/sbin/init sysctl.kernel.printk_ratelimit=0" ;;
  *) echo "there is no kind of guest \"$kind\"" >&2 && exit 2 ;;
esac

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
job=$work/job
"$here/make_job.sh" "$build" "$job" "$@"
# What disks hold that a test plugs in by the machine's monitor, which is at a virtio port: QEMU is
# its own client.
stores=()
for number in 0 1; do
  truncate -s 64M "$work/store$number"
  stores+=(-blockdev "driver=file,node-name=store$number,filename=$work/store$number")
done
monitor=(-chardev "socket,id=monitor,path=$work/monitor,server=on,wait=off"
  -mon "chardev=monitor,mode=control" -chardev "socket,id=port,path=$work/monitor"
  -device virtio-serial-pci -device "virtserialport,chardev=port,name=monitor")
# Without "-cx16" newer kernels corrupt their memory under QEMU 7.2. A plain processor is faster than
# "max", whose wide vectors and page tables have to be emulated too; what Debian's kernel does for
# safety only is left out. One processor boots faster than two, which take turns here. While this
# machine is busy, the kernel's check of its timer fails, and it does not go on ("no_timer_check").
timeout --verbose --kill-after=10 "${LONGSHORE_GUEST_SECONDS:-5400}" qemu-system-x86_64 \
  -accel tcg,thread=multi,tb-size=512 -cpu qemu64,-cx16 -M pc -m 2048 -smp 1 \
  -nographic -no-reboot -nodefaults "${monitor[@]}" -serial stdio \
  -kernel "$image/vmlinuz" -initrd "$image/initramfs.img" \
  -append "console=ttyS0 panic=-1 quiet loglevel=4 mitigations=off init_on_alloc=0 no_timer_check \
init=$init" \
  -drive "file=$image/root.img,format=raw,if=virtio,snapshot=on,cache=unsafe" \
  -drive "file=$job,format=raw,if=virtio,cache=unsafe" \
  -device virtio-scsi-pci,id=scsi "${stores[@]}" \
  -smbios type=1,serial=SN-GUEST-0001,manufacturer=Acme,product=Node < /dev/null ||
  echo "The guest ended with $?"
debugfs -R "rdump /out $out" "$job" 2> /dev/null
cp -r "$out/out/." "$out/"
rm -rf --one-file-system "$out/out"
if [ ! -e "$out/complete" ]; then
  echo "The guest did not come to the end of its cases." >&2
  exit 1
fi
