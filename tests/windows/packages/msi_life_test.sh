#!/usr/bin/env bash
# msi_life_test.sh <folder of the packages>: the installer's life by Wine's msiexec, in a Windows of its
# own (see in_own_windows.sh), and what the agent says of it.
. "$(dirname "$0")/common.sh"
packages=$1
features=$data/conf.d/00-features.toml

msi_of() {
  echo "$1"/longshore-*-x64.msi
}

install() {
  local package
  package=$(msi_of "$1")
  shift
  timeout 120 wine64 msiexec /i "Z:${package//\//\\}" /qn "$@" < /dev/null
}

refused() {
  if install "$@"; then fail "not refused: $*"; fi
}

product_code() {
  msiinfo export "$(msi_of "$1")" Property | sed -n 's/^ProductCode\t//p' | tr -d '\r'
}

# Wine's StopServices does not wait for the end of the service, which has its files open.
stop() {
  windows net stop longshored > /dev/null
  within 60 stopped
}

# The groups whose modules, and whose configuration, are there.
modules() {
  (cd "$programs/modules" && echo longshore-*.dll)
}

configurations() {
  (cd "$data/conf.d" && echo *.toml)
}

registry() {
  windows reg query "$1" /s
}

settings_key='HKLM\SOFTWARE\Longshore'
service_key='HKLM\SYSTEM\CurrentControlSet\Services\longshored'
products_key='HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall'

step 'two features are installed: their modules, their configuration, the service'
said=$(install "$packages" ADDLOCAL=Agent,Disk,Filesystem 'KUBELET_PATH=C:\k' \
  'PIPE_SDDL=D:P(A;;GA;;;SY)(A;;GA;;;BA)(A;;GR;;;AU)')
# Wine keeps no recovery actions that could be read, and knows no late start.
has "$said" 'this Windows does not know the late start' 'the service longshored is configured'
[ "$(modules)" = 'longshore-disk.dll longshore-filesystem.dll' ] || fail "modules: $(modules)"
[ "$(configurations)" = '00-features.toml disk.toml filesystem.toml' ] ||
  fail "configuration: $(configurations)"
within 60 serves
status=$(ctl status)
has "$status" csi-proxy-disk-v1 csi-proxy-filesystem-v1
has_not "$status" csi-proxy-smb csi-proxy-volume
has "$(ctl config check)" 'no findings'
shown=$(ctl config show)
has "$shown" 'C:\\k' '(A;;GR;;;AU)'
has "$(registry "$service_key")" 'REG_DWORD    0x2' '--service --config "C:\ProgramData\Longshore\agent.toml"' \
  LocalSystem
has "$(registry 'HKLM\SYSTEM\CurrentControlSet\Services\EventLog\Application\longshored')" \
  'C:\Program Files\Longshore\longshored.exe'
has "$(registry "$products_key")" 'The Longshore developers' 'C:\Program Files\Longshore\' 'Longshore'

step 'what the user writes stays; a feature more'
printf '# edited\r\n' | tee -a "$data/agent.toml" >> "$data/conf.d/disk.toml"
printf '[modules.disk]\r\nmax_concurrent_calls = 3\r\n' > "$data/conf.d/own.toml"
install "$packages" ADDLOCAL=Smb
[ "$(modules)" = 'longshore-disk.dll longshore-filesystem.dll longshore-smb.dll' ] ||
  fail "modules: $(modules)"
within 60 serves
has "$(ctl status)" csi-proxy-smb-v1 csi-proxy-disk-v1
has "$(cat "$features")" "allowed_roots=['C:\\k']"

step 'a feature less: its module is gone and off, what the user wrote of it is there'
stop
install "$packages" REMOVE=Disk
[ "$(modules)" = 'longshore-filesystem.dll longshore-smb.dll' ] || fail "modules: $(modules)"
has "$(configurations)" disk.toml
within 60 serves
has_not "$(ctl status)" csi-proxy-disk
has "$(ctl config check)" 'no findings'

step 'a repair brings back what is gone, and changes no configuration'
rm "$programs/modules/longshore-smb.dll" "$data/conf.d/smb.toml" "$features"
install "$packages" REINSTALL=ALL REINSTALLMODE=amus
[ "$(modules)" = 'longshore-filesystem.dll longshore-smb.dll' ] || fail "modules: $(modules)"
has "$(configurations)" smb.toml 00-features.toml
has "$(cat "$features")" "allowed_roots=['C:\\k']" '(A;;GR;;;AU)'
has "$(cat "$data/agent.toml")" '# edited'
within 60 serves

step 'a newer version takes its place, asked for the same things'
stop
# Wine's MigrateFeatureStates does nothing.
install "$packages/next" ADDLOCAL=Agent,Filesystem,Smb
cmp "$programs/longshored.exe" "$packages/next/build/bin/longshored.exe"
[ "$(modules)" = 'longshore-filesystem.dll longshore-smb.dll' ] || fail "modules: $(modules)"
within 60 serves
has "$(cat "$features")" "allowed_roots=['C:\\k']" '(A;;GR;;;AU)'
has "$(cat "$data/agent.toml")" '# edited'
has "$(cat "$data/conf.d/disk.toml")" '# edited'
has "$(registry "$products_key")" 99.0.0
has_not "$(registry "$products_key")" "$(product_code "$packages")"

step 'an older version is refused, and so are words that would break the configuration'
before=$(cd "$drive" && find 'Program Files/Longshore' ProgramData/Longshore/conf.d -type f -exec md5sum {} + | sort)
refused "$packages"
refused "$packages/next" REINSTALL=ALL REINSTALLMODE=amus "KUBELET_PATH=C:\\k']"
refused "$packages/next" REINSTALL=ALL REINSTALLMODE=amus "PIPE_SDDL=D:P'"
refused "$packages/next" REINSTALL=ALL REINSTALLMODE=amus "INSTALLDIR=C:\\it's"
after=$(cd "$drive" && find 'Program Files/Longshore' ProgramData/Longshore/conf.d -type f -exec md5sum {} + | sort)
[ "$before" = "$after" ] || fail "refused, but changed: $(diff <(echo "$before") <(echo "$after"))"
within 60 serves

step 'removed: nothing is left but what the user may have written'
stop
timeout 120 wine64 msiexec /x "$(product_code "$packages/next")" /qn < /dev/null
[ ! -e "$programs" ] || fail "left: $(find "$programs")"
[ "$(configurations)" = 'disk.toml filesystem.toml own.toml smb.toml' ] ||
  fail "configuration: $(configurations)"
has "$(cat "$data/agent.toml")" '# edited'
for key in "$settings_key" "$service_key" \
  'HKLM\SYSTEM\CurrentControlSet\Services\EventLog\Application\longshored'; do
  has "$(registry "$key")" 'Unable to find'
done
has_not "$(registry "$products_key")" Longshore

step 'installed again, all of it, elsewhere, and not started; a newer version stays there'
programs=$drive/elsewhere
install "$packages" START_SERVICE=0 'INSTALLDIR=C:\elsewhere'
[ "$(modules | wc -w)" = 6 ] || fail "modules: $(modules)"
stopped
has "$(cat "$data/agent.toml")" '# edited'
has_not "$(cat "$features")" allowed_roots sddl
has "$(ctl config check)" 'no findings'
install "$packages/next" START_SERVICE=0
cmp "$programs/longshored.exe" "$packages/next/build/bin/longshored.exe"
[ ! -e "$drive/Program Files/Longshore" ] || fail 'it is in two places'
has "$(cat "$features")" "module_dirs=['C:\elsewhere\modules\']"
stopped

step 'removed'
timeout 120 wine64 msiexec /x "$(product_code "$packages/next")" /qn < /dev/null
[ ! -e "$programs" ] || fail "left: $(find "$programs")"

step 'installed by the command of deploy/windows.md, and removed'
programs="$drive/Program Files/Longshore"
mkdir "$drive/download"
cp "$(msi_of "$packages")" "$drive/download"
typed+=('cd /d C:\download')
type_commands deploy/windows.md 'The installer' 1
within 60 serves
[ "$(modules | wc -w)" = 6 ] || fail "modules: $(modules)"
stop
timeout 120 wine64 msiexec /x "$(product_code "$packages")" /qn < /dev/null
[ ! -e "$programs" ] || fail "left: $(find "$programs")"
