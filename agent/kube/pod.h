// What Kubernetes puts into the containers of a Pod.
//
// Threads: any; values. Owner: whoever asks.
#pragma once

#include <string>

namespace longshore::kube {

struct PodSurroundings {
  std::string host;  // KUBERNETES_SERVICE_HOST
  std::string port;  // KUBERNETES_SERVICE_PORT
  std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";
  std::string name_space = {};  // POD_NAMESPACE, which its author may set
};
PodSurroundings pod_surroundings();  // of this process

// Where it is, as far as it is told, else "default".
std::string pod_namespace(const PodSurroundings& pod);

}  // namespace longshore::kube
