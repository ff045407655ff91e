#include "main/own_places.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "config/http_address.h"

namespace longshore {
namespace {

namespace fs = std::filesystem;

// Whether both are there, and one and the same: on POSIX of one device and inode.
bool is_same(const fs::path& one, const fs::path& other) {
  std::error_code absent;
  return fs::equivalent(one, other, absent) && !absent;
}

// `folder` is without links.
bool is_within(fs::path folder, const fs::path& own) {
  for (; !is_same(folder, own); folder = folder.parent_path()) {
    if (folder == folder.parent_path()) return false;
  }
  return true;
}

std::vector<fs::path> own_folders(const config::AgentSettings& agent) {
  return {agent.control_dir, agent.state_dir, fs::path(agent.run_dir) / "csi-proxy"};
}

std::vector<fs::path> own_sockets(const config::Configuration& configuration) {
  std::vector<fs::path> sockets;
  for (const config::EndpointSettings& endpoint : configuration.endpoints) {
    sockets.emplace_back(endpoint.path());
  }
  const auto http = config::parse_http_address(configuration.agent.http.address);
  if (http && !http->unix_path.empty()) sockets.emplace_back(http->unix_path);
  return sockets;
}

Error refusal(const std::string& path, const std::string& why) {
  return Error(StatusCode::kInvalidArgument, "serve gRPC on the socket", path)
      .because(why)
      .advise("give it another path");
}

}  // namespace

Result<void> keep_off_own_places(const std::string& path,
                                 const config::Configuration& configuration) {
  const fs::path socket(path);
  std::error_code absent;
  const fs::path folder = fs::canonical(socket.parent_path(), absent);
  if (absent) return {};  // where there is no folder nothing is served
  for (const fs::path& own : own_folders(configuration.agent)) {
    if (is_within(folder, own)) {
      return refusal(path, "the agent keeps what is its own in " + own.string());
    }
  }
  for (const fs::path& own : own_sockets(configuration)) {
    if (own.filename() == socket.filename() && is_same(own.parent_path(), folder)) {
      return refusal(path, "the configuration has it for the agent itself");
    }
  }
  return {};
}

}  // namespace longshore
