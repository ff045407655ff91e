#include "endpoint/endpoint_set.h"

#include <algorithm>
#include <set>
#include <utility>

#include "config/user_names.h"
#include "router/configured_permissions.h"

namespace longshore::endpoint {
namespace {

constexpr const char* kAdminService = "longshore.admin.v1.Admin";

// `owner` is the name of the endpoint's table.
Result<void> apply_access(const config::AccessSettings& access, const std::string& owner,
                          EndpointOptions& options) {
  options.socket.mode = static_cast<unsigned>(access.mode);
  if (!access.owner.empty()) {
    const Result<unsigned> id = config::user_id_of(access.owner);
    if (!id) return id.error();
    options.socket.owner = *id;
  }
  if (!access.group.empty()) {
    const Result<unsigned> id = config::group_id_of(access.group);
    if (!id) return id.error();
    options.socket.group = *id;
  }
  for (const std::string& name : access.allow_users) {
    const Result<unsigned> id = config::user_id_of(name);
    if (!id) return id.error();
    options.allow_users.push_back(*id);
  }
  for (const std::string& name : access.allow_groups) {
    const Result<unsigned> id = config::group_id_of(name);
    if (!id) return id.error();
    options.allow_groups.push_back(*id);
  }
  auto permissions =
      router::permissions_of("endpoints." + owner + ".permissions", access.permissions);
  if (!permissions) return std::move(permissions).error();
  options.permissions = std::move(*permissions);
  return {};
}

EndpointOptions with_limits(const config::AgentSettings& agent) {
  const config::LimitSettings& limits = agent.limits;
  EndpointOptions options;
  options.max_connections = static_cast<size_t>(limits.max_connections);
  options.max_connections_per_user = static_cast<size_t>(limits.max_connections_per_user);
  options.limits.max_message_bytes = static_cast<size_t>(limits.max_request_bytes);
  options.limits.max_send_message_bytes = static_cast<size_t>(limits.max_response_bytes);
  options.limits.max_concurrent_streams = static_cast<uint32_t>(limits.max_streams_per_connection);
  options.limits.drain_timeout =
      std::chrono::duration_cast<std::chrono::milliseconds>(agent.stop_timeout);
  return options;
}

// Serves everything: it is how an administrator calls any method. Only the agent's user gets in.
EndpointOptions control_endpoint(const config::Configuration& configuration) {
  EndpointOptions options = with_limits(configuration.agent);
  options.name = "control";
  options.socket.path = configuration.agent.control_dir + "/control.sock";
  options.socket.mode = 0600;
  options.socket.directory_mode = 0700;
  options.services = {kAdminService};
  options.all_services = true;
  options.own_user_only = true;
  return options;
}

}  // namespace

Result<std::vector<EndpointOptions>> wanted_endpoints(
    const config::Configuration& configuration,
    const std::vector<loader::CsiProxyEndpoint>& csi_proxy) {
  std::vector<EndpointOptions> wanted{control_endpoint(configuration)};
  if (configuration.csi_proxy.enabled) {
    for (const auto& each : csi_proxy) {
      EndpointOptions options = with_limits(configuration.agent);
      options.name = each.name();
      options.socket.path = configuration.agent.run_dir + "/csi-proxy/" + options.name +
                            "/csi-proxy-" + options.name + ".sock";
      options.services = {each.service};
      if (auto applied = apply_access(configuration.csi_proxy.access, "csi_proxy_access", options);
          !applied) {
        return std::move(applied).error();
      }
      wanted.push_back(std::move(options));
    }
  }
  for (const auto& settings : configuration.endpoints) {
    EndpointOptions options = with_limits(configuration.agent);
    options.name = settings.name;
    options.socket.path = settings.path();
    options.services = {settings.services.begin(), settings.services.end()};
    if (auto applied = apply_access(settings.access, settings.name, options); !applied) {
      return std::move(applied).error();
    }
    wanted.push_back(std::move(options));
  }
  return wanted;
}

EndpointSet::EndpointSet(EndpointContext context, const std::vector<ActivatedSocket>& activated)
    : context_(context) {
  for (const ActivatedSocket& socket : activated) {
    activated_.emplace(socket.path, SocketFile::adopt(socket.descriptor, socket.path));
  }
}

Result<std::shared_ptr<Endpoint>> EndpointSet::open(const EndpointOptions& options) const {
  const auto activated = activated_.find(options.socket.path);
  if (activated == activated_.end()) return Endpoint::open(options, context_, {});
  auto copy = activated->second.copy();
  if (!copy) return std::move(copy).error();
  return Endpoint::open(options, context_, *std::move(copy));
}

Result<void> EndpointSet::prepare(std::vector<EndpointOptions> wanted) {
  wanted_ = std::move(wanted);
  for (const EndpointOptions& options : wanted_) {
    const std::string& path = options.socket.path;
    if (open_.contains(path)) continue;
    auto opened = open(options);
    if (!opened) {
      roll_back();
      return std::move(opened).error();
    }
    prepared_.emplace(path, std::move(*opened));
  }
  return {};
}

void EndpointSet::roll_back() {
  for (auto& [path, endpoint] : prepared_) endpoint->close();
  prepared_.clear();
}

void EndpointSet::commit() {
  std::set<std::string> wanted_paths;
  for (const EndpointOptions& options : wanted_) {
    wanted_paths.insert(options.socket.path);
    const auto open = open_.find(options.socket.path);
    if (open == open_.end()) continue;
    if (auto updated = open->second->update(options); !updated) {
      context_.log.error(updated.error().message(), {{"endpoint", options.name}});
    }
  }
  for (auto each = open_.begin(); each != open_.end();) {
    if (wanted_paths.contains(each->first)) {
      ++each;
      continue;
    }
    each->second->drain([] {});
    each = open_.erase(each);
  }
  for (auto& [path, endpoint] : prepared_) {
    context_.log.info("listening", {{"endpoint", endpoint->options().name}, {"path", path}});
  }
  open_.merge(prepared_);
  warn_of_ignored_access();
}

// One line for all: they mostly come from one unit.
void EndpointSet::warn_of_ignored_access() const {
  size_t count = 0;
  std::string first;
  for (const auto& [path, endpoint] : open_) {
    if (endpoint->lacks_access() && count++ == 0) first = path;
  }
  if (count == 0) return;
  context_.log.warning(
      "mode, owner and group of the configuration do nothing for sockets that systemd holds: set "
      "SocketMode=, SocketUser= and SocketGroup= of their unit (systemctl edit longshore.socket)",
      {{"sockets", std::to_string(count)}, {"first", first}});
}

void EndpointSet::drain(std::function<void()> done) {
  auto left = std::make_shared<size_t>(open_.size());
  if (*left == 0) return done();
  for (auto& [path, endpoint] : open_) {
    endpoint->drain([left, done] {
      if (--*left == 0) done();
    });
  }
}

void EndpointSet::close() {
  for (auto& [path, endpoint] : open_) endpoint->close();
  open_.clear();
}

std::vector<observe::EndpointReport> EndpointSet::list() const {
  std::vector<observe::EndpointReport> reports;
  for (const auto& [path, endpoint] : open_) {
    const auto& services = endpoint->options().services;
    reports.push_back({endpoint->options().name, "unix://" + path,
                       std::vector<std::string>(services.begin(), services.end()),
                       endpoint->connections()});
  }
  return reports;
}

}  // namespace longshore::endpoint
