#!/bin/bash
# The README's command for csi-sidecars, word for word, between a CSI driver and the kubelet's plugin
# watcher: what /healthz answers in each state of the driver, and what the kubelet hears of it.
. /test/common.sh

driver_name=disk.example.com
command=$(awk '
  /^## / { inside = $0 == "## csi-sidecars" }
  inside && /^    csi-sidecars / { typing = 1 }
  typing { print; if (!/\\$/) exit }' /test/README.md)
contains "$command" "/var/lib/kubelet/plugins/$driver_name/csi.sock"
contains "$command" '=:9808'

dpkg -i /debs/longshore-sidecars_*.deb /debs/longshorectl_*.deb
mkdir /csi /registration

echo '== The plugin watcher of the kubelet, and a driver that is not there yet'
echo true > /tmp/kubelet_answer
touch /tmp/registered
/test/kubelet_stand_in --folder /registration --answer /tmp/kubelet_answer --log /tmp/registered &
kubelet=$!
eval "exec $command" 2> /tmp/log &
sidecars=$!
trap '[ $? = 0 ] || cat /tmp/log /tmp/registered' EXIT
answers() { [[ $(healthz) == *"$1"* ]]; }
within 60 answers '500 Internal Server Error'
contains "$(healthz)" /csi/csi.sock
[ -z "$(ls -A /registration)" ] || fail 'a driver that is not there is announced'

echo '== It comes'
echo ready > /tmp/answer
/test/csi_driver --socket /csi/csi.sock --answer /tmp/answer --calls /tmp/calls --name $driver_name &
driver=$!
within 60 answers '200 OK'
registration="$driver_name CSIPlugin /var/lib/kubelet/plugins/$driver_name/csi.sock 1.0.0 true"
within 60 grep -qxF "$registration" /tmp/registered
[ "$(stat -c %a "/registration/$driver_name-reg.sock")" = 600 ] || fail 'others get at the socket'
asked=$(longshorectl --socket /run/csi-sidecars/control/control.sock controllers)
contains "$asked" livenessprobe
contains "$asked" node-driver-registrar

echo '== It is not ready, hangs, is well again, and ends'
echo not-ready > /tmp/answer
within 60 answers 'not ready'
contains "$(healthz)" '500 Internal Server Error'
echo hang > /tmp/answer
within 60 answers 'DEADLINE_EXCEEDED'
contains "$(healthz)" '500 Internal Server Error'
echo ready > /tmp/answer
within 60 answers '200 OK'
kill $driver
within 60 answers '500 Internal Server Error'

echo '== The end of csi-sidecars'
kill $sidecars
wait $sidecars || fail "it ended with $?"
[ -z "$(ls -A /registration)" ] || fail 'the registration socket is left behind'
kill $kubelet
