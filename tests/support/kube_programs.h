// Where the programs of the layer kube are: kube-apiserver, kube-controller-manager and etcd.
#pragma once

#include <stdexcept>
#include <string>

namespace longshore::test {

// Something that is to be installed lacks; the text says what.
struct NoKubePrograms : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The folder that tests/kube/build_api_server.sh has made, or makes now, which takes minutes.
// Throws NoKubePrograms, or std::runtime_error when it fails.
std::string kube_programs();

}  // namespace longshore::test
