#include <algorithm>

#include "endpoint/endpoint_paths.h"

namespace longshore::endpoint {
namespace {

std::string csi_proxy_prefix(const config::AgentSettings& agent) {
  return agent.run_dir + "\\csi-proxy-";
}

}  // namespace

std::string control_path(const config::AgentSettings& agent) {
  return agent.control_dir + "\\control";
}

std::string csi_proxy_path(const config::AgentSettings& agent, const std::string& name) {
  return csi_proxy_prefix(agent) + name;
}

std::string csi_proxy_name(const config::AgentSettings& agent, const std::string& path) {
  const std::string prefix = csi_proxy_prefix(agent);
  return path.starts_with(prefix) ? path.substr(prefix.size()) : std::string();
}

bool is_file(const std::string& /*path*/) { return false; }

std::string endpoint_address(const std::string& path) {
  std::string address = "npipe://" + path;
  std::replace(address.begin(), address.end(), '\\', '/');
  return address;
}

}  // namespace longshore::endpoint
