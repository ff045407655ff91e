#!/usr/bin/env bash
# image_test.sh <folder of .deb files> <CSI driver>: the image that packaging/build_image.sh makes of
# the packages, read by umoci and run by crun, as in a Pod that may do nothing.
#
# In namespaces of its own for mounts, processes and the network: what it starts ends with it.
build=$(dirname "$0")/../../packaging/build_image.sh
if [ "${3-}" != inside ]; then
  [ "$(id -u)" = 0 ] || { echo 'SKIPPED: namespaces of its own take root' && exit 77; }
  for program in crun umoci; do
    command -v $program > /dev/null || { echo "SKIPPED: $program is not installed" && exit 77; }
  done
  work=$(mktemp -d)
  trap 'rm -rf --one-file-system "$work"' EXIT
  # While the network is still there.
  status=0
  "$build" --debs "$1" "$work" || status=$?
  [ "$status" != 3 ] || { echo 'SKIPPED: apt reaches no index of packages' && exit 77; }
  [ "$status" = 0 ] || exit "$status"
  # Where and by whom it is made makes no difference.
  (umask 077 && LC_ALL=C.UTF-8 TZ=Asia/Tokyo "$build" --debs "$1" "$work/again") || exit
  unshare --mount --pid --net --propagation private --fork --kill-child --mount-proc \
    "$0" "$1" "$2" inside "$work"
  exit
fi
. "$(dirname "$0")/common.sh"
debs=$1 program=$2 work=$4
# The container's user gets through to the driver.
chmod 711 "$work"
# crun refuses a machine that has both kinds of control groups, also where it uses none.
[ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ] || mount -t cgroup2 cgroup2 /sys/fs/cgroup

# refused <exit code> <part of what it says> <command>...
refused() {
  local status=0 said
  said=$("${@:3}" 2>&1) || status=$?
  [ $status = "$1" ] || fail "it ended with $status: $said"
  contains "$said" "$2"
}

echo '== What cannot become an image'
mkdir "$work/none"
refused 2 'there must be one package longshore-sidecars' "$build" --debs "$work/none" "$work"
refused 2 'unknown option --deb;' "$build" --deb "$debs"
cp "$debs"/longshorectl_*.deb "$work/none"
echo 'no package' > "$work/none/longshore-sidecars_0_all.deb"
refused 2 'longshore-sidecars_0_all.deb' "$build" --debs "$work/none" "$work"
cp "$debs"/longshore-sidecars_*.deb "$work/none"
refused 2 'there must be one package longshore-sidecars' "$build" --debs "$work/none" "$work"

echo '== The same packages make the same image'
images=("$work"/csi-sidecars-*.tar)
[ ${#images[@]} = 1 ]
cmp "${images[0]}" "$work/again/${images[0]##*/}"
version=${images[0]##*/csi-sidecars-} version=${version%.tar}

echo '== What is in it'
mkdir "$work/layout"
tar -x -f "${images[0]}" -C "$work/layout"
umoci unpack --image "$work/layout:$version" "$work/bundle"
root=$work/bundle/rootfs
programs=$(cd "$root/usr" && echo bin/* sbin/*)
[ "$programs" = 'bin/longshorectl sbin/csi-sidecars' ] || fail "there are other programs: $programs"
grep -q '^nonroot:x:65532:65532:' "$root/etc/passwd" || fail 'there is no nonroot'
grep -q '^ID=debian$' "$root/etc/os-release" || fail 'it does not say of which system it is'
listed=$(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '${Package}\n')
for package in longshore-sidecars longshorectl libc6 libprotobuf32; do
  grep -qx $package <<< "$listed" || fail "$package is not listed: $listed"
done
for package in $listed; do
  [ -s "$root/usr/share/doc/$package/copyright" ] || fail "$package has no license"
done
writable=$(find "$root" ! -path '*/tmp' ! -path '*/var/lock' ! -path '*/var/local' ! -type l \
  \( ! -user 0 -o -perm /022 \) -ls)
[ -z "$writable" ] || fail "others may change this: $writable"
for label in title=csi-sidecars "version=$version" licenses=Apache-2.0; do
  grep -q "\"org.opencontainers.image.${label%%=*}\": \"${label#*=}\"" "$work/bundle/config.json" ||
    fail "there is no label $label"
done

# container <word>...: runs it with these arguments, as a user who may do nothing and write nowhere.
mkdir "$work/csi" "$work/registration"
chown 12345:12345 "$work/csi" "$work/registration"
cp "$work/bundle/config.json" "$work/image.json"
container() {
  python3 - "$work" "$@" << 'END'
import json, sys
work, arguments = sys.argv[1], sys.argv[2:]
config = json.load(open(f'{work}/image.json'))
process = config['process']
process.update(args=process['args'] + arguments, user={'uid': 12345, 'gid': 12345}, terminal=False,
               noNewPrivileges=True, capabilities={})
config['root']['readonly'] = True
# The network is the test's own. Control groups are not needed, and not everywhere there.
kept = ('pid', 'ipc', 'uts', 'mount')
config['linux'] = {'namespaces': [{'type': kind} for kind in kept]}
config['mounts'] = [mount for mount in config['mounts'] if mount['destination'] != '/sys/fs/cgroup']
config['mounts'] += [{'destination': f'/{name}', 'type': 'bind', 'source': f'{work}/{name}',
                      'options': ['rbind', 'rw']} for name in ('csi', 'registration')]
json.dump(config, open(f'{work}/bundle/config.json', 'w'))
END
  exec crun --root "$work/crun" --cgroup-manager=disabled run --bundle "$work/bundle" sidecars
}
inside() {
  crun --root "$work/crun" --cgroup-manager=disabled exec --user 12345:12345 sidecars "$@"
}

echo '== Arguments that are wrong end it'
refused 2 'livenessprobe' container --controllers=livenesprobe
refused 3 '/run/csi-sidecars' container --controllers=livenessprobe

echo '== Any user runs it, before a driver that is not there'
ip link set lo up
# In a Pod this folder is there for every user, also where the root is read-only.
container --controllers=livenessprobe,node-driver-registrar --csi-address=/csi/csi.sock \
  --kubelet-registration-path=/var/lib/kubelet/plugins/test/csi.sock \
  --livenessprobe-http-endpoint=127.0.0.1:9808 --run-dir=/dev/shm/csi-sidecars 2> "$work/log" &
sidecars=$!
trap '[ $? = 0 ] || cat "$work/log"' EXIT
within 60 healthz
said=$(healthz)
contains "$said" '500 Internal Server Error'
contains "$said" '/csi/csi.sock'
process=$(crun --root "$work/crun" state sidecars | sed -n 's/.*"pid": \([0-9]*\).*/\1/p')
[ "$(sed -nE 's/^(Uid|CapBnd|NoNewPrivs):\t([0-9a-f]*).*/\2/p' "/proc/$process/status" | xargs)" = \
  '12345 0000000000000000 1' ] || fail "it may do more: $(cat "/proc/$process/status")"
said=$(inside sh -c : 2>&1) && fail 'it has a shell'
contains "$said" 'not found'

echo '== The driver comes'
echo ready > "$work/csi/answer"
setpriv --reuid=12345 --regid=12345 --clear-groups "$program" --socket "$work/csi/csi.sock" \
  --answer "$work/csi/answer" --calls "$work/csi/calls" &
driver=$!
is_healthy() { [[ $(healthz) == *'200 OK'* ]]; }
within 60 is_healthy
within 60 test -S "$work/registration/test.csi.example-reg.sock"
ask() { inside longshorectl --socket /dev/shm/csi-sidecars/control/control.sock "$@"; }
said=$(ask controllers)
contains "$said" livenessprobe
contains "$said" node-driver-registrar

echo '== Its end'
kill "$sidecars"
wait "$sidecars" || fail "it ended with $?: $(cat "$work/log")"
kill "$driver"
