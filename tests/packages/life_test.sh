#!/bin/bash
# The package longshore where systemd does not run, as in a container: installed, serving, upgraded,
# removed, installed again, purged.
. /test/common.sh

start_agent() {
  longshored 2>> /tmp/agent.log &
  agent=$!
  within 30 longshorectl status
}
stop_agent() {
  kill "$agent"
  wait "$agent" || fail "the agent ended with $?: $(cat /tmp/agent.log)"
}

before=$(all_files)

echo '== Install'
dpkg -i /debs/longshorectl_*.deb /debs/longshore_*.deb
check_database
longshored --check
start_agent
contains "$(longshorectl status)" "$(dpkg-query -W -f '${Version}' longshore | cut -d- -f1)"
contains "$(call v1.Filesystem/PathExists '{"path": "/var/lib/kubelet/none"}')" '"exists": false'
contains "$(call v1.Disk/ListDiskIDs '{}')" '{'
call v1.Disk/ListDiskIDs '{"unknown": 1}' && fail 'a wrong request was taken'
[ "$(stat -c %a /run/longshore-control /run/longshore-control/control.sock | xargs)" = '700 600' ]
stop_agent

echo '== Shares have a process of their own, and nothing else differs from what is without a file'
start_agent
contains "$(longshorectl modules smb)" 'system_call_filter='
stop_agent
longshored config sample > /tmp/sample.toml
difference=$(diff /tmp/sample.toml /etc/longshore/agent.toml || true)
[ "$(grep '^[<>]' <<< "$difference" | grep -v '^> #')" = '< #isolation = "in-process"
> isolation = "process"' ] || fail "the package's configuration differs: $difference"

echo '== Upgrade: a conffile that is as shipped is replaced'
change() {
  echo '# Changed by the next version.' >> "$1/etc/longshore/agent.toml"
}
next_version longshore /debs/next.deb
dpkg -i /debs/next.deb
grep -q 'next version' /etc/longshore/agent.toml
check_database

echo '== Upgrade: one that the administrator changed stays'
dpkg -i /debs/longshore_*.deb  # a downgrade, which dpkg allows
grep -q 'next version' /etc/longshore/agent.toml && fail 'the conffile is not that of the package'
echo '# Changed by the administrator.' >> /etc/longshore/agent.toml
echo '# Made by the administrator.' > /etc/longshore/conf.d/mine.toml
dpkg --force-confold -i /debs/next.deb
grep -q 'by the administrator' /etc/longshore/agent.toml
[ -e /etc/longshore/agent.toml.dpkg-dist ]
start_agent
stop_agent

echo '== Remove keeps the configuration'
dpkg -r longshore
[ ! -e /usr/sbin/longshored ]
[ -e /etc/longshore/agent.toml ]
[ -d /var/lib/longshore ]

echo '== Install again'
dpkg --force-confold -i /debs/next.deb
grep -q 'by the administrator' /etc/longshore/agent.toml
start_agent
stop_agent

echo '== Purge leaves what is the administrator'"'"'s, and nothing else'
dpkg -P longshore longshorectl
[ "$(find /etc/longshore)" = '/etc/longshore
/etc/longshore/conf.d
/etc/longshore/conf.d/mine.toml' ]
rm -r /etc/longshore
diff <(echo "$before") <(all_files | grep -v '^/debs/next.deb$')
[ -z "$(dpkg --audit)" ]
