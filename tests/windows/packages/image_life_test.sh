#!/usr/bin/env bash
# image_life_test.sh <folder of the packages>: the image's layers laid upon each other, and its entry point
# run as a node does: in a folder of the container's, which an environment variable names. What unpacks
# images on Windows, and HostProcess containers, are not to be had here.
. "$(dirname "$0")/common.sh"
rm -rf "$programs" "$data"
container=$drive/hpc
program=$(dirname "$0")/image_layout.py

step 'digests, sizes and layers are right'
"$program" "$1"/longshore-*-hostprocess.tar "$container"

step 'the DaemonSet writes the entry point out'
mapfile -t words < <("$program" "$1"/longshore-*-hostprocess.tar)
daemon_set=$(cat "$(dirname "$0")/../../../deploy/windows-daemonset.yaml")
has "$daemon_set" "- '${words[0]}'"$'\n          args:' "- ${words[1]}" "- '${words[2]}'" "- ${words[3]}" \
  "- '${words[4]}'"

step 'the entry point serves'
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
