#!/bin/bash
# The systemd units of the package: without mistakes, within a bound of exposure, and with the
# sockets that the agent wants.
. /test/common.sh

dpkg -i /debs/longshorectl_*.deb /debs/longshore_*.deb > /dev/null
units=(/lib/systemd/system/longshore*)
[ ${#units[@]} = 3 ]

echo '== No mistakes'
# Of a manual page it finds only that no `man` is installed.
said=$(systemd-analyze verify --man=no "${units[@]}" 2>&1)
[ -z "$said" ] || fail "systemd-analyze says: $said"
for page in $(sed -n 's/^Documentation=//p' "${units[@]}" | tr ' ' '\n' | sort -u); do
  name=${page#man:} section=${page//[^0-9]/}
  grep -q "/man$section/${name%(*}.$section.gz$" /var/lib/dpkg/info/longshore{,ctl}.list ||
    fail "the packages have no $name"
done

echo '== A limit of starts would fail the sockets'
for limit in StartLimitIntervalSec=0 WatchdogSec=3min MemoryMax=1G TasksMax=1024; do
  grep -q "^$limit$" /lib/systemd/system/longshore.service || fail "there is no $limit"
done

echo '== The profile that the unit names is in the package'
profile=$(sed -n 's/^AppArmorProfile=-//p' /lib/systemd/system/longshore.service)
grep -q "^profile $profile " /etc/apparmor.d/usr.sbin.longshored || fail "there is no \"$profile\""

echo '== Exposure'
# 10 is a service that may do everything. What mounts for the whole node cannot come much lower.
systemd-analyze security --offline=true --threshold=54 longshore.service > /dev/null ||
  fail "$(systemd-analyze security --offline=true longshore.service)"

echo '== Nothing that gives the agent a mount namespace of its own'
own='Protect|Private|ReadOnly|ReadWrite|Inaccessible|Exec.*Paths|Bind|Temporary|Root|MountFl|Dynamic'
grep -E "^($own)" "${units[@]}" && fail 'that does'

echo '== The sockets'
longshored 2> /dev/null &
agent=$!
within 30 longshorectl status
diff <(sed -n 's/^ListenStream=//p' "${units[@]}" | sort) \
  <(longshorectl status | sed -n 's|.*unix://\(/[^ ]*\).*|\1|p' | sort)
kill $agent
wait $agent
