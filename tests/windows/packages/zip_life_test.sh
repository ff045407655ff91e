#!/usr/bin/env bash
# zip_life_test.sh <folder of the packages> <build folder>: the zip unpacked, installed as a service and served
# by the commands of deploy/windows.md, word for word; and a program with the agent in it, by the zip's library.
. "$(dirname "$0")/common.sh"
rm -rf "$programs" "$data"

# Wine has no tar: what it would unpack is unpacked here, after a look at its words.
instead() {
  [[ $1 == 'tar '* ]] || return 1
  local words
  read -r -a words <<< "$1"
  [ "${words[*]::2} ${words[*]:3}" = 'tar -xf -C C:\' ] || fail "other words: $1"
  echo "unpacked: $1"
  python3 -m zipfile -e "$packages/${words[2]}" "$drive"
}

after() {
  case $1 in
    'longshorectl service install --start') within 60 serves ;;
  esac
}

packages=$1
step 'unpacked, installed as a service, served'
said=$(type_commands deploy/windows.md 'The zip' 6)
echo "$said"
has "$said" 'no findings' 'the service longshored is installed' 'it is started' 'serving'
status=$(ctl status)
for group in disk-v1 filesystem-v1 iscsi-v1alpha2 smb-v1 system-v1alpha1 volume-v1; do
  has "$status" "csi-proxy-$group"
done
has "$(cat "$data/log/longshored.log")" 'serving modules=6'

step 'removed as a service'
ctl service uninstall > /dev/null

step 'a program made with the library in it'
work=$(mktemp -d)
cp "$root/tests/windows/embedding_program.c" "$work/driver.c"
cp -r "$programs/library" "$work"
cp "$programs/library/bin/liblongshore.dll" "$2/modules/longshore-echo.dll" "$work"
command=$(sed -n 's/^    \(x86_64-w64-mingw32-gcc .*\)/\1/p' "$root/deploy/windows.md")
(cd "$work" && eval "$command")
windows "$work/driver.exe"
rm -r "$work"
rm -r "$programs" "$data"
