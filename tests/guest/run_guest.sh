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
for package in qemu-system-x86 mmdebstrap busybox-static cpio kmod; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' $package 2> /dev/null)" = installed ] ||
    skip "$package is not installed"
done
image=$("$here/build_image.sh" 2> >(tee "$out/image.log" >&2) | tail -1) || {
  status=$?
  [ $status != 77 ] || skip "$(sed -n 's/^SKIPPED: //p' "$out/image.log" | tail -1)"
  exit $status
}
case $kind in
  plain) init=/guest_init ;;
  systemd) init=/sbin/init ;;
  *) echo "there is no kind of guest \"$kind\"" >&2 && exit 2 ;;
esac

job=$(mktemp)
trap 'rm -f "$job"' EXIT
"$here/make_job.sh" "$build" "$job" "$@"
# Without "-cx16" newer kernels corrupt their memory under QEMU 7.2. One processor boots faster than
# two, which take turns here.
timeout --kill-after=10 "${LONGSHORE_GUEST_SECONDS:-600}" qemu-system-x86_64 \
  -accel tcg,thread=multi,tb-size=512 -cpu max,-cx16 -M pc -m 2048 -smp 1 \
  -nographic -no-reboot -nodefaults -serial stdio \
  -kernel "$image/vmlinuz" -initrd "$image/initramfs.img" \
  -append "console=ttyS0 panic=-1 quiet loglevel=4 mitigations=off init=$init" \
  -drive "file=$image/root.img,format=raw,if=virtio,snapshot=on,cache=unsafe" \
  -drive "file=$job,format=raw,if=virtio,cache=unsafe" \
  -smbios type=1,serial=SN-GUEST-0001,manufacturer=Acme,product=Node < /dev/null ||
  echo "The guest ended with $?"
debugfs -R "rdump /out $out" "$job" 2> /dev/null
cp -r "$out/out/." "$out/"
rm -rf --one-file-system "$out/out"
if [ ! -e "$out/complete" ]; then
  echo "The guest did not come to the end of its cases." >&2
  exit 1
fi
