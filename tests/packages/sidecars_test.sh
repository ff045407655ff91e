#!/bin/bash
# The package longshore-sidecars alone: it is installed, its program runs a controller by the flags of
# a sidecar, as any user, and it leaves nothing behind.
. /test/common.sh

before=$(all_files)

echo '== Install'
dpkg -i /debs/longshore-sidecars_*.deb

help=$(csi-sidecars --help)
contains "$help" '--livenessprobe-probe-timeout'
contains "$help" '--external-attacher-worker-threads'
status=0
said=$(csi-sidecars --controllers=livenesprobe 2>&1) || status=$?
[ $status = 2 ] || fail "it ended with $status: $said"
contains "$said" 'livenessprobe'

echo '== Run by a user without rights, before a driver that is not there'
mkdir -m 700 /tmp/run && chown 1000:1000 /tmp/run
setpriv --reuid=1000 --regid=1000 --clear-groups csi-sidecars --controllers=livenessprobe \
  --csi-address=/tmp/csi.sock --http-endpoint=127.0.0.1:9808 --run-dir=/tmp/run 2> /tmp/log &
program=$!
within 60 healthz
said=$(healthz)
contains "$said" '500 Internal Server Error'
contains "$said" '/tmp/csi.sock'
kill "$program"
wait "$program" || fail "it ended with $?: $(cat /tmp/log)"

echo '== Purge leaves nothing'
dpkg -P longshore-sidecars
diff <(echo "$before") <(all_files)
