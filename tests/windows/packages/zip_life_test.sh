#!/usr/bin/env bash
# zip_life_test.sh <folder of the packages>: the zip unpacked to C:, as deploy/windows.md has it.
. "$(dirname "$0")/common.sh"
rm -rf "$programs" "$data"

step 'unpacked, installed as a service, served'
python3 -m zipfile -e "$1"/longshore-*-x64.zip "$drive"
has "$(ctl config check)" 'no findings'
ctl service install --start > /dev/null
within 60 serves
status=$(ctl status)
for group in disk-v1 filesystem-v1 iscsi-v1alpha2 smb-v1 system-v1alpha1 volume-v1; do
  has "$status" "csi-proxy-$group"
done
has "$(cat "$data/log/longshored.log")" 'serving modules=6'

step 'removed as a service'
ctl service uninstall > /dev/null
rm -r "$programs" "$data"
