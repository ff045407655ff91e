#!/usr/bin/env bash
# csi_proxy_life_test.sh <folder of the packages> <build folder>: csi-proxy's service, made by the commands of
# its README, becomes Longshore's and csi-proxy's again by the commands of ours, word for word.
. "$(dirname "$0")/common.sh"
rm -rf "$programs" "$data"
place=$drive/etc/kubernetes/node/bin
log=$drive/etc/kubernetes/logs/csi-proxy.log

# The processes of this Windows that run csi-proxy.exe, whatever that is.
processes() {
  local process
  for process in $(pgrep -f 'csi-proxy\.exe -windows-service'); do
    ! grep -qzxF "WINEPREFIX=$WINEPREFIX" "/proc/$process/environ" 2> /dev/null || echo "$process"
  done
}

service_is() {
  [[ $(windows sc.exe query csiproxy) == *"$1"* ]]
}

# Wine's net does not wait for the end, as Windows' does.
ended() {
  service_is STOPPED && [ -z "$(processes)" ]
}

after() {
  case $1 in
    'net stop '*) within 60 ended ;;
    'net start '*) within 60 service_is RUNNING ;;
  esac
}

# answer_at <pipe> <method> <request>: of the pipe itself, by its own reflection.
answer_at() {
  ctl --socket "\\\\.\\pipe\\csi-proxy-$1" call "$2" "$3"
}

step 'csi-proxy, as its README installs it'
mkdir -p "$place" "${log%/*}" "$drive/var/lib/kubelet"
cp "$2/bin/csi_proxy_stand_in.exe" "$place/csi-proxy.exe"
windows sc.exe create csiproxy start= auto \
  binPath= 'C:\etc\kubernetes\node\bin\csi-proxy.exe -windows-service -log_file=C:\etc\kubernetes\logs\csi-proxy.log -logtostderr=false'
windows net start csiproxy
within 60 service_is RUNNING
[ -n "$(processes)" ] || fail 'csi-proxy does not run'

step 'becomes Longshore'
python3 -m zipfile -e "$1"/longshore-*-x64.zip "$drive"
type_commands README.md 'From csi-proxy to Longshore' 8
within 60 serves
cmp "$place/csi-proxy.exe" "$2/bin/longshored.exe"
service_is RUNNING
status=$(ctl status)
for pipe in disk-v1{alpha1,beta1,beta2,beta3,} {filesystem,volume}-v{1alpha1,1beta1,1beta2,1,2alpha1} \
  volume-v1beta3 smb-v1{alpha1,beta1,beta2,} iscsi-v1alpha{1,2} system-v1alpha1; do
  has "$status" "csi-proxy-$pipe"
done
has "$(answer_at filesystem-v1 v1.Filesystem/PathExists '{"path": "C:\\var\\lib\\kubelet\\no"}')" '{'
answer_at filesystem-v2alpha1 v2alpha1.Filesystem/Mkdir '{"path": "C:\\var\\lib\\kubelet\\pods"}'
[ -d "$drive/var/lib/kubelet/pods" ] || fail 'the call made no directory'
answer_at disk-v1beta2 v1beta2.Disk/ListDiskIDs '{}'
has "$(cat "$log")" 'serving modules=6'

step 'and csi-proxy again'
type_commands deploy/windows.md "In csi-proxy's place" 4
cmp "$place/csi-proxy.exe" "$2/bin/csi_proxy_stand_in.exe"
has "$(cat "$log")" 'the service is stopped'
if serves; then fail 'Longshore serves yet'; fi

windows net stop csiproxy > /dev/null
windows sc.exe delete csiproxy > /dev/null
mapfile -t left < <(processes)
kill "${left[@]}"
rm -r "$programs" "$data" "$place"
