#!/usr/bin/env bash
# image_life_test.sh <folder of the packages>: the image's layers laid upon each other, and its entry point
# run as a node does, with the words of the DaemonSet: in a folder of the container's, which an environment variable names. What unpacks
# images on Windows, and HostProcess containers, are not to be had here.
. "$(dirname "$0")/common.sh"
rm -rf "$programs" "$data"
container=$drive/hpc
program=$(dirname "$0")/image_layout.py

step 'digests, sizes and layers are right'
"$program" "$1"/longshore-*-hostprocess.tar "$container"

step 'the DaemonSet starts it by the entry point of the image, written out'
manifest=$root/deploy/kubernetes/node-windows/daemonset.yaml
mapfile -t words < <(sed -n "/- name: longshored$/,/resources:/{s/^ \{12\}- '\?\([^']*\)'\?$/\1/p}" "$manifest")
[ "$(printf '%s\n' "${words[@]}")" = "$("$program" "$1"/longshore-*-hostprocess.tar)" ] ||
  fail "the DaemonSet has other words: ${words[*]}"

step 'and these words serve'
words=("${words[@]//%CONTAINER_SANDBOX_MOUNT_POINT%/C:\\hpc}")
timeout 120 wine64 "${words[@]}" < /dev/null > "$drive/log" 2>&1 &
agent=$!
trap 'kill $agent 2> /dev/null || true' EXIT
ctl() {
  windows "$container/longshore/longshorectl.exe" "$@"
}
within 60 serves
has "$(cat "$drive/log")" 'serving modules=6'
has "$(ctl status)" 'C:\hpc\longshore\agent.toml' csi-proxy-volume-v1
