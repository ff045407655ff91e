#!/bin/bash
# The section "Write a module in ten minutes" of the SDK's README, word for word, with the agent of the
# quick start.
. /test/common.sh

# No package of Debian's has it. What is in its place knows gRPC and reflection from the gRPC C++
# library and nothing of the module: grpcurl -plaintext -unix -d <JSON> <socket> <service>/<method>
grpcurl() {
  [ "$1 $2 $3" = '-plaintext -unix -d' ] || fail "grpcurl was called otherwise: $*"
  /test/grpc_generic_client "$5" "${6%/*}" "${6#*/}" "$4"
}

cd /debs
set +m
type_commands README.md 'Quick start'
type_commands sdk.md 'Write a module in ten minutes' | tee /tmp/said
said=$(cat /tmp/said)
contains "$said" '100% tests passed'
contains "$said" ' 0 failed, 0 crashed'
# Once by longshorectl, once by the other client.
[ "$(grep -c amber /tmp/said)" -ge 2 ] || fail "the box is not as it was put"
contains "$said" '{"box":{"name":"a","content":"amber"}}'
contains "$(longshorectl modules)" shelf
kill %1
