#include <filesystem>

#include "endpoint/endpoint_paths.h"

namespace longshore::endpoint {
namespace {

std::string csi_proxy_folder(const config::AgentSettings& agent) {
  return agent.run_dir + "/csi-proxy/";
}

}  // namespace

std::string control_path(const config::AgentSettings& agent) {
  return agent.control_dir + "/control.sock";
}

// A folder for each, which can be given to a container.
std::string csi_proxy_path(const config::AgentSettings& agent, const std::string& name) {
  return csi_proxy_folder(agent) + name + "/csi-proxy-" + name + ".sock";
}

std::string csi_proxy_name(const config::AgentSettings& agent, const std::string& path) {
  if (!path.starts_with(csi_proxy_folder(agent))) return {};
  return std::filesystem::path(path).parent_path().filename().string();
}

bool is_file(const std::string& /*path*/) { return true; }

std::string endpoint_address(const std::string& path) { return "unix://" + path; }

}  // namespace longshore::endpoint
