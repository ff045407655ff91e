#!/usr/bin/env bash
# Builds what the layer "kube" runs: kube-apiserver and kube-controller-manager, from Debian's source
# package of Kubernetes with Debian's Go, and Debian's etcd beside them.
#
#   tests/kube/build_api_server.sh
#
# The result is kept in a cache by content; its folder is the last line printed. It holds
# kube-apiserver, kube-controller-manager and etcd. Takes about nine minutes on two cores, none when
# cached; 77 and why where packages are not to be had.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
# shellcheck source=sdk/tools/debian_source.sh
. "$here/../../sdk/tools/debian_source.sh"

go=/usr/lib/go-1.19/bin
reflect2=golang-github-modern-go-reflect2-dev
skip() {
  echo "SKIPPED: $1" >&2
  exit 77
}
[ -x $go/go ] || skip 'golang-go is not installed'
for package in jq rsync; do
  command -v $package > /dev/null || skip "$package is not installed"
done

# indexed_version <package>: the version of the source of which the index has that package.
indexed_version() {
  apt-cache show --no-all-versions "$1" 2> /dev/null |
    awk '/^Version:/ { version = $2 } /^Source:.*\(/ { source = $3 }
      END { gsub(/[()]/, "", source); print source ? source : version }'
}
kubernetes=$(indexed_version kubernetes-client)
[ -n "$kubernetes" ] || skip 'kubernetes-client is not in the package index'
etcd=$(apt-cache policy etcd-server $reflect2 | grep Candidate || true)
[ "$(wc -l <<< "$etcd")" = 2 ] || skip "etcd-server or $reflect2 is not in the package index"
key=$(content_key "$kubernetes" "$etcd" "$($go/go version)")
cache=$(longshore_cache)
result=$cache/kube-apiserver-$key
if [ -d "$result" ]; then
  echo "$result"
  exit 0
fi

mkdir -p "$cache"
# The run of the tests makes it, and a test may want it meanwhile; it is made once.
exec {lock}> "$cache/kube-apiserver.lock"
flock "$lock"
if [ -d "$result" ]; then
  echo "$result"
  exit 0
fi
# Beside the result: a /tmp in memory might not hold it.
work=$(mktemp -d "$cache/build.XXXXXX")
staging=$(mktemp -d "$cache/new.XXXXXX")
trap 'rm -rf "$work" "$staging"' EXIT

# Unpacked, not installed: its package would start a server on this machine.
(cd "$work" && apt-get download -q -o APT::Sandbox::User=root etcd-server $reflect2 >&2)
for package in etcd-server $reflect2; do
  dpkg-deb -x "$work/$package"_*.deb "$work/unpacked"
done
cp "$work/unpacked/usr/bin/etcd" "$staging/"

prepare_sources "$work"
fetch_source "$work" kubernetes "$kubernetes"
# The one that Kubernetes carries, 1.0.1, crashes with Go 1.18 and later.
old_reflect2=$work/kubernetes/vendor/github.com/modern-go/reflect2
rm -rf "$old_reflect2"
cp -r "$work/unpacked/usr/share/gocode/src/github.com/modern-go/reflect2" "$old_reflect2"

# Its Makefile wants to stand in a GOPATH.
export GOPATH=$work/go GOCACHE=$work/go-cache TMPDIR=$work HOME=$work PATH=$go:$PATH
export CGO_ENABLED=0 GOFLAGS=''
mkdir -p "$GOPATH/src/k8s.io"
mv "$work/kubernetes" "$GOPATH/src/k8s.io/kubernetes"
# What runs meanwhile is watched by clocks, this is not. Without the tables for debuggers.
nice -n 10 make -C "$GOPATH/src/k8s.io/kubernetes" GOLDFLAGS='-s -w' \
  WHAT='cmd/kube-apiserver cmd/kube-controller-manager' >&2
for program in kube-apiserver kube-controller-manager; do
  cp "$GOPATH/src/k8s.io/kubernetes/_output/local/bin/linux/$(go env GOARCH)/$program" "$staging/"
done

publish "$staging" "$result"
echo "$result"
