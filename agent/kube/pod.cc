// What Kubernetes puts into the containers of a Pod.
#include "kube/pod.h"

#include <cstdlib>

#include "kube/changing_file.h"

namespace longshore::kube {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

}  // namespace

PodSurroundings pod_surroundings() {
  PodSurroundings pod;
  pod.host = variable("KUBERNETES_SERVICE_HOST");
  pod.port = variable("KUBERNETES_SERVICE_PORT");
  pod.name_space = variable("POD_NAMESPACE");
  return pod;
}

std::string pod_namespace(const PodSurroundings& pod) {
  if (!pod.name_space.empty()) return pod.name_space;
  ChangingFile file(pod.folder + "/namespace");
  if (file.read() && !file.trimmed().empty()) return std::string(file.trimmed());
  return "default";
}

}  // namespace longshore::kube
