#!/usr/bin/env bash
# Builds the package for Windows Installer on Debian, and prints its path.
#
#   packaging/build_msi.sh <build folder> <output folder> [version]
#
# The build folder is that of the preset windows-mingw, with the target windows_programs built. The
# version is the project's unless another is given, for a test of upgrades. Needs the packages wixl and
# msitools; see install_build_packages.sh --windows.
set -euo pipefail

[ $# = 2 ] || [ $# = 3 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
root=$(readlink -f "$(dirname "$0")/..")
build=$(realpath -e "$1")
version=${3-$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$build/CMakeCache.txt")}
mkdir -p "$2"
package=$(realpath -e "$2")/longshore-$version-x64.msi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What wixl does not know it leaves out with a warning and ends with 0: whatever it says is an error.
run() {
  local status=0
  "$@" > "$work/said" 2>&1 || status=$?
  if [ $status != 0 ] || [ -s "$work/said" ]; then
    echo "build_msi.sh: $1 ended with $status:" >&2 && cat "$work/said" >&2
    return 1
  fi
}

"$root/packaging/windows/lay_out_files.sh" "$build" "$work/files"
cd "$work/files"  # where wixl looks for files
run wixl -a x64 -D Version="$version" -o "$work/longshore.msi" "$root/packaging/windows/longshore.wxs"

# wixl has no words for what follows.
queries=()
query() {
  queries+=("$1")
}
component() {
  query "UPDATE \`Component\` SET \`Attributes\`=$2, \`Condition\`='$3' WHERE \`Component\`='$1'"
}
sequence() {
  query "INSERT INTO \`InstallExecuteSequence\` (\`Action\`, \`Condition\`, \`Sequence\`) \
    VALUES ('$1', '$2', $3)"
}
action() {
  query "INSERT INTO \`CustomAction\` (\`Action\`, \`Type\`, \`Source\`, \`Target\`) \
    VALUES ('$1', $2, '$3', '$4')"
}

registry_key=4 permanent=16 transitive=64 never_overwritten=128 is_64_bit=256
for name in Config Config.{disk,filesystem,iscsi,smb,system,volume}; do
  component "$name" $((is_64_bit | never_overwritten | permanent)) ''
done
# Only where it is asked for, also by a repair.
component PipeAccess $((is_64_bit | transitive | registry_key)) PIPE_SDDL
for name in KubeletPath Roots.{filesystem,smb,volume}; do
  component "$name" $((is_64_bit | transitive | registry_key)) KUBELET_PATH
done
disallow_absent=16
query "UPDATE \`Feature\` SET \`Attributes\`=$disallow_absent WHERE \`Feature\`='Agent'"

# Another build of the same version takes the place of the one that is there, too.
keep_features=1 including_this=512
upgrade_code=$(msiinfo export "$work/longshore.msi" Property | sed -n 's/^UpgradeCode\t//p' | tr -d '\r')
query "DELETE FROM \`Upgrade\` WHERE \`ActionProperty\`='WIX_UPGRADE_DETECTED'"
query "INSERT INTO \`Upgrade\` (\`UpgradeCode\`, \`VersionMax\`, \`Attributes\`, \`ActionProperty\`) \
  VALUES ('$upgrade_code', '$version', $((keep_features | including_this)), 'WIX_UPGRADE_DETECTED')"

# The places of Windows Installer's own actions are those that its documentation recommends.
sequence AppSearch '' 50
sequence RemoveIniValues '' 3100
sequence WriteIniValues '' 5100
on_removal=2
query "INSERT INTO \`RemoveFile\` (\`FileKey\`, \`Component_\`, \`FileName\`, \`DirProperty\`, \
  \`InstallMode\`) VALUES ('Features', 'Data', 'FEATURES.TOM|00-features.toml', 'CONFDIR', $on_removal)"

# What an earlier installation was asked for, where this one is not asked.
sets_property=51
for property in INSTALLDIR KUBELET_PATH PIPE_SDDL; do
  action "Keep.$property" $sets_property $property "[${property}_BEFORE]"
  sequence "Keep.$property" "NOT $property AND ${property}_BEFORE" 60
done
action InstallLocation $sets_property ARPINSTALLLOCATION '[INSTALLDIR]'
sequence InstallLocation '' 1010

# Recovery actions by MsiServiceConfigFailureActions do "not work as expected", as Windows' own
# documentation has it. So this is a program of ours; where it fails, the service works all the same.
runs_installed_file=18 goes_on=64 deferred=1024 as_system=2048
action ConfigureService $((runs_installed_file | goes_on | deferred | as_system)) \
  longshorectl.exe 'service configure'
sequence ConfigureService 'NOT REMOVE="ALL"' 5850
query "UPDATE \`InstallExecuteSequence\` SET \`Condition\`='START_SERVICE <> \"0\" AND NOT REMOVE=\"ALL\"' \
  WHERE \`Action\`='StartServices'"
query "UPDATE \`Property\` SET \`Value\`='INSTALLDIR;KUBELET_PATH;PIPE_SDDL;START_SERVICE;WIX_DOWNGRADE_DETECTED;\
WIX_UPGRADE_DETECTED' WHERE \`Property\`='SecureCustomProperties'"
run msibuild "$work/longshore.msi" -q "${queries[@]}"

for table in "$root"/packaging/windows/tables/*.idt; do
  run msibuild "$work/longshore.msi" -i "$table"
done
run "$root/packaging/windows/make_cabinet.py" "$work/longshore.msi" "$work/files" "$work/longshore.cab"
run msibuild "$work/longshore.msi" -a longshore.cab "$work/longshore.cab"

mv "$work/longshore.msi" "$package"
echo "$package"
