#include "main/socket_findings.h"

#include <utility>

#include "config/http_address.h"
#include "endpoint/endpoint_set.h"
#include "endpoint/socket_place.h"

namespace longshore {
namespace {

// "disk-v1"; the services do not matter here.
loader::CsiProxyEndpoint csi_proxy_endpoint(const std::string& name) {
  const size_t dash = name.rfind('-');
  return {name.substr(0, dash), name.substr(dash + 1), {}};
}

}  // namespace

std::vector<std::string> socket_findings(const config::Loaded& loaded) {
  const config::Configuration& configuration = loaded.configuration;
  std::vector<loader::CsiProxyEndpoint> csi_proxy;
  for (const auto& [module, schema] : loaded.schemas) {
    for (const auto& name : schema.csi_proxy_sockets) csi_proxy.push_back(csi_proxy_endpoint(name));
  }
  const auto wanted = endpoint::wanted_endpoints(configuration, csi_proxy);
  if (!wanted) return {wanted.error().message()};
  std::vector<std::string> paths;
  for (const auto& options : *wanted) paths.push_back(options.listener.path);
  const auto http = config::parse_http_address(configuration.agent.http.address);
  if (http && !http->unix_path.empty()) paths.push_back(http->unix_path);
  std::vector<std::string> findings;
  for (const std::string& path : paths) {
    auto free = endpoint::check_socket_place(path, configuration.agent.state_dir);
    if (!free) findings.push_back(free.error().message());
  }
  return findings;
}

}  // namespace longshore
