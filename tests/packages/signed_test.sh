#!/usr/bin/env bash
# signed_test.sh <build folder>: a package that is made with a key has modules that an agent serves
# which asks for signatures, and the key itself is nowhere in it.
. "$(dirname "$0")/common.sh"

build=$1
work=$(mktemp -d)
agent=
trap '[ -z "$agent" ] || kill "$agent"; rm -r "$work"' EXIT
openssl genpkey -algorithm ed25519 -out "$work/key.pem"
(cd "$build" && LONGSHORE_SIGNING_KEY=$work/key.pem cpack -D CPACK_COMPONENTS_ALL="runtime;client" \
  -D CPACK_DEBIAN_COMPRESSION_TYPE=none -D CPACK_OUTPUT_FILE_PREFIX="$work/out" -B "$work/out" > "$work/log") ||
  fail "$(cat "$work/log")"
for deb in "$work"/out/*.deb; do
  dpkg-deb -x "$deb" "$work/root"
done
modules=$work/root/usr/lib/longshore keys=$work/root/usr/share/longshore/keys
[ "$(ls "$modules"/longshore-*.so | wc -l)" -ge 6 ] || fail 'there are no modules'

cat > "$work/agent.toml" << TOML
[agent]
module_dirs = ["$modules"]
run_dir = "$work/run"
control_dir = "$work/control"
state_dir = "$work/state"
[agent.signatures]
keys_dir = "$keys"
required = true
TOML
for module in "$modules"/longshore-*.so; do
  name=${module##*/longshore-}
  echo "[modules.${name%.so}]" >> "$work/agent.toml"
  [ "$name" != filesystem.so ] || echo "settings.allowed_roots = [\"$work\"]" >> "$work/agent.toml"
done
check() {
  "$work/root/usr/sbin/longshored" --no-ownership-check --check --config "$work/agent.toml" 2>&1
}
said=$(check) || fail "$said"

# They serve where signatures are required, each with its own.
ask() {
  "$work/root/usr/bin/longshorectl" --socket "$work/control/control.sock" "$@"
}
"$work/root/usr/sbin/longshored" --no-ownership-check --config "$work/agent.toml" 2> "$work/log" &
agent=$!
within 30 ask status
said=$(ask status)
! grep -q 'not serving\|does not listen' <<< "$said" || fail "$said"
said=$(ask modules)
[ "$(grep -c ', signed by ' <<< "$said")" = "$(ls "$modules"/longshore-*.so | wc -l)" ] || fail "$said"
contains "$(ask call v1.Filesystem/PathExists "{\"path\": \"$work/key.pem\"}")" '"exists": true'
kill "$agent"
wait "$agent" || fail "the agent ended with $?: $(cat "$work/log")"
agent=

# Each signature is of its own module, and each is needed.
mv "$modules/longshore-smb.so.sig" "$work"
said=$(check) && fail 'a module without a signature was taken'
contains "$said" 'longshore-smb.so.sig'
cp "$modules/longshore-disk.so.sig" "$modules/longshore-smb.so.sig"
said=$(check) && fail 'the signature of another module was taken'
contains "$said" 'is by none of the keys in'

secret=$(sed -n 2p "$work/key.pem")
! grep -rqF "$secret" "$work/root" || fail 'the private key is in the package'
wrong=$(find "$modules" "$keys" -type f ! -perm 644)
[ -z "$wrong" ] || fail "wrong modes: $wrong"
