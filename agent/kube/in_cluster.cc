// The configuration that a Pod has: its environment, and the files of its service account.
#include "kube/changing_file.h"
#include "kube/configuration.h"

namespace longshore::kube {

Result<Configuration> in_cluster_configuration(const PodSurroundings& pod) {
  if (pod.host.empty() || pod.port.empty()) {
    return Error(StatusCode::kFailedPrecondition, "find the API server")
        .because(
            "no kubeconfig is named, and this is no Pod: KUBERNETES_SERVICE_HOST and "
            "KUBERNETES_SERVICE_PORT are not set")
        .advise(
            "name a kubeconfig by agent.kube.kubeconfig, of csi-sidecars the flag --kubeconfig, or "
            "run this in a Pod");
  }
  Configuration configuration;
  configuration.source = "the service account of this Pod";
  Result<ServerAddress> server = server_address_of(pod.host, pod.port);
  if (!server) {
    return Error(StatusCode::kInvalidArgument,
                 "read KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT")
        .because(server.error().message());
  }
  configuration.server = *std::move(server);
  configuration.token_file = pod.folder + "/token";
  configuration.certificate_authority.file = pod.folder + "/ca.crt";
  ChangingFile token(configuration.token_file);
  if (const auto read = token.read(); !read) {
    return Error(read.error())
        .advise(
            "give the Pod a service account whose token is mounted (automountServiceAccountToken)");
  }
  ChangingFile authority(configuration.certificate_authority.file);
  if (const auto read = authority.read(); !read) return read.error();
  // Not there in each Pod with a token.
  ChangingFile name_space(pod.folder + "/namespace");
  if (name_space.read()) configuration.name_space = name_space.trimmed();
  return configuration;
}

Result<Configuration> find_configuration(const std::string& kubeconfig) {
  return kubeconfig.empty() ? in_cluster_configuration(pod_surroundings())
                            : read_kubeconfig(kubeconfig);
}

}  // namespace longshore::kube
