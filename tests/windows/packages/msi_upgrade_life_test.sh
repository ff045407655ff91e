#!/usr/bin/env bash
# msi_upgrade_life_test.sh <folder of the packages> <build folder>: two features are installed, called over their
# pipes, upgraded in place under these calls, and removed, by the commands of deploy/windows.md, word for word.
. "$(dirname "$0")/common.sh"
packages=$1
build=$2
rm -rf "$programs" "$data"
mkdir -p "$drive/var/lib/kubelet" "$drive/download"
cp "$packages"/longshore-*-x64.msi "$drive/download"
cp "$packages"/next/longshore-*-x64.msi "$drive/download/longshore-0.2.0-x64.msi"

clients=()
outputs=()
# client <pipe> <method> <text of the request>: calls without pause until it is told to end.
client() {
  outputs+=("$drive/client.${#clients[@]}")
  timeout 200 wine64 "$build/bin/reconnecting_client.exe" "\\\\.\\pipe\\csi-proxy-$1" "$2" "$3" \
    'C:\end_of_calls' < /dev/null > "${outputs[-1]}" 2>&1 &
  clients+=($!)
}

all_call() {
  [ "$(cat "${outputs[@]}" | grep -c calling)" = ${#clients[@]} ]
}

end_clients() {
  local i
  touch "$drive/end_of_calls"
  for i in "${!clients[@]}"; do
    wait "${clients[$i]}" || fail "a client ended with $?: $(cat "${outputs[$i]}")"
    has "$(cat "${outputs[$i]}")" ' reconnected=1 failed=0'
  done
}
trap 'touch "$drive/end_of_calls"; wait' EXIT

instead() {
  case $1 in
    # Wine's StopServices does not wait for the end of the service, which has its files open.
    'msiexec /x '*)
      windows net stop longshored > /dev/null
      within 60 stopped
      ;;
  esac
  return 1
}

after() {
  case $1 in
    *' ADDLOCAL='*)
      within 60 serves
      has "$(ctl status)" 'version          0.1.0' 'modules          2'
      for version in v1 v1 v1beta1; do
        client filesystem-$version $version.Filesystem/PathExists 'C:\var\lib\kubelet'
      done
      client disk-v1 v1.Disk/ListDiskLocations ''
      within 60 all_call
      ;;
    'msiexec /i '*)
      within 60 serves
      end_clients
      ;;
  esac
}

typed+=('cd /d C:\download')
said=$(type_commands deploy/windows.md 'From installation to removal' 4)
echo "$said"
has "$said" 'version          9.9.9'
[ ! -e "$programs" ] || fail "left: $(find "$programs")"
