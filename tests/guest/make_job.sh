#!/usr/bin/env bash
# Makes the disk with which programs come into the guest and what they leave comes out.
#
#   make_job.sh BUILD IMAGE PROGRAM...
#
# It holds the programs, the agent and its modules under the paths that they have here (a program
# finds the agent beside itself), the libraries of theirs that a small guest lacks, and "run", which
# the guest's first process starts. What the cases leave is in its folder "out".
#
# The agent and its modules are those of the build LONGSHORE_BUILD_TREE, where that is set.
set -euo pipefail
shopt -s nullglob  # a release may be built without the hostile modules

here=$(dirname "$(readlink -f "$0")")
PATH=$PATH:/usr/sbin:/sbin
build=$1 image=$2
agent=${LONGSHORE_BUILD_TREE:-$build}
shift 2
job=$(mktemp -d)
trap 'rm -rf --one-file-system "$job"' EXIT
mkdir -p "$job/tree" "$job/libraries" "$job/out"
cp "$here/run_cases.sh" "$job/"
install "$here/file_server.sh" "$job/"

files=("$@" "$agent"/bin/longshored "$agent"/bin/longshorectl
  "$agent"/bin/longshore-modulehost "$agent"/modules/*.so "$build"/hostile/*.so)
for file in "${files[@]}"; do
  install -D "$file" "$job/tree$file"
  # The agent hashes each module that it loads, which takes an emulated processor seconds with what
  # debuggers want. Some of the hostile ones are no proper files.
  [[ $file = */hostile/* ]] || strip --strip-debug "$job/tree$file"
  ldd "$file" | awk '$3 ~ "^/" { print $3 }' || true
done | sort -u | while read -r library; do
  # The guest's own C library, not this machine's.
  case ${library##*/} in
    libc.so* | libm.so* | libdl.so* | libpthread.so* | librt.so* | ld-*) ;;
    *) cp -L "$library" "$job/libraries/" ;;
  esac
done

settings=$(for name in LONGSHORE_BUILD_TREE LONGSHORE_CASES LONGSHORE_CASE_SECONDS LONGSHORE_LONG \
  LONGSHORE_SEED; do
  [ -z "${!name-}" ] || echo "export $name='${!name}'"
done)
# The packages' files where they have them, for the agent as a service.
for component in runtime client; do
  DESTDIR=$job/installed cmake --install "$agent" --component "$component" --prefix /usr --strip > /dev/null
done
install -D -m 644 -t "$job/installed/usr/lib/systemd/system" "$here"/../../deploy/systemd/*
install -D -m 644 -t "$job/apparmor" "$here"/../../packaging/deb/apparmor/*

cat > "$job/run" << END
# Links into a folder where programs look for libraries anyway.
for library in /job/libraries/*; do
  [ -e /usr/lib/x86_64-linux-gnu/\${library##*/} ] || ln -s "\$library" /usr/lib/x86_64-linux-gnu/
done
# The agent loads nothing from folders that others than root could write to.
mkdir -p "$build" "$agent"
cp -r /job/tree/. /
cp -r /job/installed/usr/. /usr/
# The package's AppArmor profile holds from here on, with what lies elsewhere in this guest.
if [ "\$(cat /sys/module/apparmor/parameters/enabled)" = Y ]; then
  mkdir -p /etc/apparmor.d/abstractions/base.d /etc/apparmor.d/local
  echo '/job/libraries/* mr,' > /etc/apparmor.d/abstractions/base.d/guest
  echo '$build/hostile/*.so r,' > /etc/apparmor.d/local/usr.sbin.longshored
  cp /job/apparmor/* /etc/apparmor.d/
  apparmor_parser --replace /etc/apparmor.d/usr.sbin.longshored
fi
chown -R 0:0 "$build" "$agent"
# Under systemd its socket starts it.
systemctl start iscsid.socket 2> /dev/null || iscsid
export LONGSHORE_GUEST_FILE_SERVER=/job/file_server.sh
$settings
bash /job/run_cases.sh /job/out $*
touch /job/out/complete
END
rm -f "$image"
mke2fs -q -F -t ext4 -O ^has_journal -d "$job" "$image" 1G
