#!/bin/bash
# The package longshore under a systemd that really runs: the agent is started with the limits of
# its unit and mounts a volume of its own loop disk for everybody to see; sockets outlive upgrades.
. /test/common.sh
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND" >&2
  systemctl --no-pager --full status longshore.service || true' ERR

agent() { systemctl show --value --property MainPID longshore.service; }
of_agent() { sed -n "s/^$1:\t//p" "/proc/$(agent)/status"; }

before=$(all_files)

echo '== Install'
dpkg -i /debs/longshorectl_*.deb /debs/longshore_*.deb
for unit in longshore.socket longshore-control.socket longshore.service; do
  [ "$(systemctl is-active $unit)" = active ]
  [ "$(systemctl is-enabled $unit)" = enabled ]
done
check_database

echo '== The limits hold'
[ "$(readlink "/proc/$(agent)/ns/mnt")" = "$(readlink /proc/1/ns/mnt)" ] ||
  fail 'the agent has a mount namespace of its own'
[ "$(of_agent NoNewPrivs) $(of_agent Seccomp)" = '1 2' ]
[ "$(stat -c '%a %U' /var/log/longshore)" = '750 root' ]
# What there is of what the unit names: 21 SYS_ADMIN, 24 SYS_RESOURCE, 8 SETPCAP, 7 SETUID, 6 SETGID,
# 5 KILL, 3 FOWNER, 1 DAC_OVERRIDE, 0 CHOWN.
named=$((1 << 21 | 1 << 24 | 1 << 8 | 1 << 7 | 1 << 6 | 1 << 5 | 1 << 3 | 1 << 1 | 1))
there=$((16#$(sed -n 's/^CapBnd:\t//p' /proc/1/status)))
[ $((16#$(of_agent CapBnd))) = $((named & there)) ]
[ $((16#$(of_agent CapEff))) = $((named & there)) ]

echo '== A volume'
truncate --size 512M /tmp/disk
loop=$(losetup --find --show --partscan /tmp/disk)
# The kernel gives it back once nobody has it open, however this test ends.
exec {kept_open}< "$loop"
losetup --detach "$loop"
disk=$(cat "/sys/block/${loop#/dev/}/diskseq")
target=/var/lib/kubelet/volume
mkdir -p $target
configure() {
  cat > /etc/longshore/conf.d/test.toml << END
[modules]
disk.settings.disk_names = ["${loop#/dev/}"]
volume.settings.disk_names = ["${loop#/dev/}"]
volume.settings.filesystem = "$1"
END
  systemctl reload longshore.service
}
# A disk that is all zeros, with one partition.
make_volume() {
  blkdiscard --force "$loop"
  blockdev --rereadpt "$loop"
  call v1.Disk/PartitionDisk "{\"disk_number\": $disk}"
  volume=$(call v1.Volume/ListVolumesOnDisk "{\"disk_number\": $disk}" |
    sed -n 's/.*"\(PARTUUID=[^"]*\)".*/\1/p')
  [ -n "$volume" ]
}
on_volume() {
  call "v1.Volume/$1" "{\"volume_id\": \"$volume\"${2:+, $2}}"
}
for filesystem in ext4 xfs btrfs; do
  if [ ! -x /usr/sbin/mkfs.$filesystem ]; then
    echo "without $filesystem, which is not installed here"
    continue
  fi
  echo "   $filesystem"
  configure $filesystem
  make_volume
  on_volume FormatVolume
  on_volume MountVolume "\"target_path\": \"$target\""
  # Seen from here, outside of the service.
  [ "$(findmnt --noheadings --output FSTYPE $target)" = $filesystem ]
  # ext4 asks for a capability that containers lack.
  if [ $filesystem != ext4 ] || [ $((there & 1 << 24)) != 0 ]; then
    size=$(findmnt --noheadings --bytes --output SIZE $target)
    truncate --size +128M /tmp/disk
    losetup --set-capacity "$loop"
    on_volume ResizeVolume
    [ "$(findmnt --noheadings --bytes --output SIZE $target)" -gt "$size" ]
  fi
  mkdir --mode 1700 $target/of-a-pod
  echo text > $target/of-a-pod/file
  chown -R 1234:1234 $target/of-a-pod
  contains "$(call v1.Filesystem/PathExists "{\"path\": \"$target/of-a-pod/file\"}")" true
  call v1.Filesystem/Rmdir "{\"path\": \"$target/of-a-pod\", \"force\": true}"
  on_volume UnmountVolume "\"target_path\": \"$target\""
  findmnt $target && fail 'the volume is still mounted'
done

echo '== A module in a process of its own, as another user with one capability'
cat > /etc/longshore/conf.d/y.toml << END
[modules.filesystem]
isolation = "process"
process.user = "nobody"
process.capabilities = ["CAP_DAC_OVERRIDE"]
END
# smb is in one already.
children() { cat /proc/"$(agent)"/task/*/children | tr '\n' ' '; }
children_before=" $(children) "
systemctl reload longshore.service
child=$(for process in $(children); do [[ $children_before == *" $process "* ]] || echo "$process"; done)
of_child() { sed -n "s/^$1:\t//p" "/proc/$child/status"; }
[ "$(of_child Uid | cut -f1)" = "$(id -u nobody)" ]
[ "$(of_child CapEff) $(of_child CapBnd)" = '0000000000000002 0000000000000002' ]
contains "$(call v1.Filesystem/PathExists "{\"path\": \"$target\"}")" true
rm /etc/longshore/conf.d/y.toml
systemctl reload longshore.service
[ ! -e "/proc/$child" ] || within 30 test ! -e "/proc/$child"

echo '== A configuration with a mistake: the reload says so, the agent goes on'
echo 'mistake = 1' > /etc/longshore/conf.d/wrong.toml
said=$(systemctl reload longshore.service 2>&1) && fail 'the reload succeeded'
contains "$said" longshore
rm /etc/longshore/conf.d/wrong.toml
longshorectl status > /dev/null

echo '== An upgrade under load: another process, the same sockets, and every call is answered'
sockets() { stat -c '%i %n' /run/longshore-control/* /run/longshore/csi-proxy/*/*; }
calls=/tmp/calls
mkdir $calls
ask() { call v1.Filesystem/PathExists "{\"path\": \"$target\"}" | tr -d ' \n' && echo; }
right_answer=$(ask)
# One call after another until told to stop, and a line for each answer.
keep_calling() {
  while [ ! -e $calls/over ]; do
    ask || echo "exit code $?" >&2
  done
}
answered_more_than() { [ "$(wc -l < $calls/"$1".answers)" -gt "$2" ]; }
change() { :; }
next_version longshore /debs/next.deb
sockets_before=$(sockets)
callers=()
for caller in 1 2 3 4; do
  keep_calling > $calls/$caller.answers 2> $calls/$caller.errors &
  callers+=($!)
done
for file in next.deb "$(basename /debs/longshore_*.deb)"; do
  for caller in 1 2 3 4; do
    within 30 answered_more_than $caller 0
  done
  process=$(agent)
  dpkg -i "/debs/$file"
  [ "$(agent)" != "$process" ]
  diff <(echo "$sockets_before") <(sockets)
  for caller in 1 2 3 4; do
    within 30 answered_more_than $caller $(($(wc -l < $calls/$caller.answers) + 5))
  done
done
touch $calls/over
wait "${callers[@]}"
[ -z "$(cat $calls/*.errors)" ] || fail "calls during an upgrade: $(sort $calls/*.errors | uniq -c)"
diff <(echo "$right_answer") <(sort -u $calls/*.answers)
echo "   $(cat $calls/*.answers | wc -l) calls"

echo '== Whoever calls a stopped agent starts it'
systemctl stop longshore.service
[ "$(systemctl is-active longshore.service)" = inactive ]
longshorectl status > /dev/null
[ "$(systemctl is-active longshore.service)" = active ]

echo '== A process that the agent left behind is left alone'
mkdir /tmp/slow
printf '#!/bin/sh\necho $$ > /tmp/slow/process\nexec sleep 1000\n' > /tmp/slow/mkfs.ext4
chmod +x /tmp/slow/mkfs.ext4
cat > /etc/longshore/conf.d/z.toml << END
agent.stop_timeout = "100ms"
modules.volume.settings.mkfs_directory = "/tmp/slow"
END
configure ext4
make_volume
on_volume FormatVolume > /dev/null 2>&1 &
formatting=$!
within 30 test -s /tmp/slow/process
systemctl restart longshore.service
kill -0 "$(cat /tmp/slow/process)" || fail 'mkfs was killed with the agent'
kill "$(cat /tmp/slow/process)"
wait $formatting || true

echo '== Remove, and install again'
dpkg -r longshore
[ -z "$(ls -d /run/longshore* 2> /dev/null)" ]
for unit in longshore.socket longshore-control.socket longshore.service; do
  [ "$(systemctl is-active $unit)" = inactive ]
done
dpkg -i /debs/longshore_*.deb
longshorectl status > /dev/null

echo '== Purge'
dpkg -P longshore longshorectl
[ "$(find /etc/longshore -type f | sort)" = '/etc/longshore/conf.d/test.toml
/etc/longshore/conf.d/z.toml' ]
rm -r /etc/longshore /var/lib/kubelet
diff <(echo "$before") <(all_files | grep -v '^/debs/next.deb$')
