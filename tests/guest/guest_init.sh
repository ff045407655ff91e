#!/bin/bash
# The first process of a plain guest, and in a guest with systemd what its unit starts ("cases").
# Runs the job's cases and turns the guest off.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb

if [ "${1-}" != cases ]; then
  mount -t proc proc /proc
  mount -t sysfs sysfs /sys
  mount -t tmpfs tmpfs /run
  mount -t tmpfs tmpfs /tmp
  mkdir -p /dev/pts /dev/shm /run/lock
  mount -t devpts devpts /dev/pts
  mount -t tmpfs tmpfs /dev/shm
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  ip link set lo up
  /lib/systemd/systemd-udevd --daemon 2> /dev/null
  udevadm trigger
  udevadm settle
fi
exec > /dev/ttyS0 2>&1
for driver in sd_mod virtio_scsi virtio_console iscsi_tcp cifs configfs target_core_mod \
  target_core_file iscsi_target_mod tcm_loop loop btrfs xfs; do
  modprobe -q $driver
done
modprobe scsi_debug add_host=0 dev_size_mb=64 num_tgts=1 max_luns=1 per_host_store=1
mountpoint -q /sys/kernel/config || mount -t configfs configfs /sys/kernel/config

mkdir -p /job
mount -t ext4 /dev/vdb /job && bash /job/run
umount /job || mount -o remount,ro /job
sync
echo o > /proc/sysrq-trigger
# The kernel would panic at the end of its first process.
sleep 60
