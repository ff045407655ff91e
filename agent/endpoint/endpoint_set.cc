#include "endpoint/endpoint_set.h"

#include <algorithm>
#include <set>
#include <utility>

#include "config/user_names.h"
#include "endpoint/endpoint_paths.h"
#include "router/configured_permissions.h"

namespace longshore::endpoint {
namespace {

// `owner` is the name of the endpoint's table.
Result<void> apply_access(const config::AccessSettings& access, const std::string& owner,
                          EndpointOptions& options) {
  options.listener.mode = static_cast<unsigned>(access.mode);
  options.listener.sddl = access.sddl;
  if (!access.owner.empty()) {
    const Result<config::UserId> id = config::user_id_of(access.owner);
    if (!id) return id.error();
    options.listener.owner = *id;
  }
  if (!access.group.empty()) {
    const Result<config::UserId> id = config::group_id_of(access.group);
    if (!id) return id.error();
    options.listener.group = *id;
  }
  for (const std::string& name : access.allow_users) {
    const Result<config::UserId> id = config::user_id_of(name);
    if (!id) return id.error();
    options.allow_users.push_back(*id);
  }
  for (const std::string& name : access.allow_groups) {
    const Result<config::UserId> id = config::group_id_of(name);
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
  options.shares.max_connections = static_cast<size_t>(limits.max_connections);
  options.shares.max_connections_per_peer = static_cast<size_t>(limits.max_connections_per_user);
  options.shares.max_memory = static_cast<size_t>(limits.max_memory_per_endpoint);
  options.shares.max_memory_per_peer = static_cast<size_t>(limits.max_memory_per_peer);
  options.shares.max_memory_per_connection = static_cast<size_t>(limits.max_memory_per_connection);
  options.limits.max_buffered_bytes = options.shares.max_memory_per_connection / 2;
  options.limits.call_bytes_high_watermark = options.shares.max_memory_per_connection / 4;
  options.limits.max_message_bytes = static_cast<size_t>(limits.max_request_bytes);
  options.limits.max_send_message_bytes = static_cast<size_t>(limits.max_response_bytes);
  options.limits.max_concurrent_streams = static_cast<uint32_t>(limits.max_streams_per_connection);
  options.limits.drain_timeout =
      std::chrono::duration_cast<std::chrono::milliseconds>(agent.stop_timeout);
  return options;
}

// Serves everything: it is how an administrator calls any method. Only the agent's user gets in.
EndpointOptions control_endpoint(const config::Configuration& configuration,
                                 const std::vector<std::string>& services) {
  EndpointOptions options = with_limits(configuration.agent);
  options.name = "control";
  options.listener.path = control_path(configuration.agent);
  options.listener.mode = 0600;
  options.listener.directory_mode = 0700;
  options.listener.sddl = config::AccessSettings().sddl;
  options.services = {services.begin(), services.end()};
  options.all_services = true;
  options.own_user_only = true;
  return options;
}

// `name`: "disk-v1".
Result<EndpointOptions> csi_proxy_endpoint(const config::Configuration& configuration,
                                           const std::string& name) {
  EndpointOptions options = with_limits(configuration.agent);
  options.name = name;
  options.listener.path = csi_proxy_path(configuration.agent, name);
  if (auto applied = apply_access(configuration.csi_proxy.access, "csi_proxy_access", options);
      !applied) {
    return std::move(applied).error();
  }
  return options;
}

}  // namespace

Result<std::vector<EndpointOptions>> wanted_endpoints(
    const config::Configuration& configuration,
    const std::vector<loader::CsiProxyEndpoint>& csi_proxy,
    const std::vector<std::string>& control_services) {
  std::vector<EndpointOptions> wanted{control_endpoint(configuration, control_services)};
  if (configuration.csi_proxy.enabled) {
    for (const auto& each : csi_proxy) {
      auto options = csi_proxy_endpoint(configuration, each.name());
      if (!options) return std::move(options).error();
      options->services = {each.service};
      wanted.push_back(*std::move(options));
    }
  }
  for (const auto& settings : configuration.endpoints) {
    EndpointOptions options = with_limits(configuration.agent);
    options.name = settings.name;
    options.listener.path = settings.path();
    options.services = {settings.services.begin(), settings.services.end()};
    if (auto applied = apply_access(settings.access, settings.name, options); !applied) {
      return std::move(applied).error();
    }
    wanted.push_back(std::move(options));
  }
  return wanted;
}

EndpointSet::EndpointSet(EndpointContext context, ActivatedSockets activated,
                         std::unique_ptr<Alarm> alarm)
    : context_(context),
      activated_(std::move(activated)),
      retries_(alarm ? std::move(alarm) : make_alarm(context.io), [this] { try_again(); }),
      places_(files::FileWatch::make(context.io, [this] { look_again(); })) {}

Result<std::vector<EndpointOptions>> EndpointSet::unclaimed(
    const config::Configuration& configuration, const std::vector<EndpointOptions>& wanted) const {
  std::vector<EndpointOptions> unclaimed;
  for (const auto& [path, listen] : activated_) {
    const auto has_its_path = [&socket = path](const EndpointOptions& each) {
      return each.listener.path == socket;
    };
    const std::string name = csi_proxy_name(configuration.agent, path);
    if (name.empty() || std::ranges::any_of(wanted, has_its_path)) continue;
    auto options = csi_proxy_endpoint(configuration, name);
    if (!options) return std::move(options).error();
    options->listener.path = path;
    options->is_unclaimed = true;
    unclaimed.push_back(*std::move(options));
  }
  return unclaimed;
}

Result<std::shared_ptr<Endpoint>> EndpointSet::open(const EndpointOptions& options) const {
  const auto activated = activated_.find(options.listener.path);
  if (activated == activated_.end()) return Endpoint::open(options, context_);
  return Endpoint::open(options, context_, activated->second);
}

Result<void> EndpointSet::prepare(std::vector<EndpointOptions> wanted, OnFailure on_failure) {
  retries_.stop();  // until this is committed, or rolled back
  is_changing_ = true;
  wanted_ = std::move(wanted);
  for (const EndpointOptions& options : wanted_) {
    const std::string& path = options.listener.path;
    if (open_.contains(path)) continue;
    auto opened = open(options);
    if (opened) {
      prepared_.emplace(path, std::move(*opened));
    } else if (on_failure == OnFailure::kGoOn) {
      prepared_bad_.emplace(path, Bad{options, opened.error().message()});
    } else {
      roll_back();
      return std::move(opened).error();
    }
  }
  return {};
}

void EndpointSet::roll_back() {
  for (auto& [path, endpoint] : prepared_) endpoint->close();
  prepared_.clear();
  prepared_bad_.clear();
  is_changing_ = false;
  look_again();
  if (!bad_.empty() && !is_ending_) retries_.begin();
}

void EndpointSet::commit() {
  if (is_ending_) return roll_back();
  for (const EndpointOptions& options : wanted_) {
    const auto open = open_.find(options.listener.path);
    if (open == open_.end()) continue;
    const auto updated = open->second->update(options);
    if (!updated && open->second->check_place()) {  // else it is one of the bad ones
      context_.log.error(updated.error().message(), {{"endpoint", options.name}});
    }
  }
  close_unwanted();
  for (const auto& [path, endpoint] : prepared_) tell_of(*endpoint);
  open_.merge(prepared_);
  const BadEndpoints told = std::exchange(bad_, std::exchange(prepared_bad_, {}));
  is_changing_ = false;
  watch_places();
  find_lost();
  tell_of_bad(told);
  if (!bad_.empty()) retries_.begin();
  warn_of_ignored_access();
  warn_of_unclaimed();
}

void EndpointSet::close_unwanted() {
  std::set<std::string> wanted_paths;
  for (const EndpointOptions& options : wanted_) wanted_paths.insert(options.listener.path);
  for (auto each = open_.begin(); each != open_.end();) {
    if (wanted_paths.contains(each->first)) {
      ++each;
      continue;
    }
    each->second->drain([] {});
    each = open_.erase(each);
  }
}

void EndpointSet::try_again() {
  const BadEndpoints told = bad_;
  for (auto each = bad_.begin(); each != bad_.end();) {
    if (const auto served = serve(each->second.options); !served) {
      each++->second.reason = served.error().message();
    } else {
      tell_of(*open_.at(each->first));
      each = bad_.erase(each);
    }
  }
  watch_places();
  find_lost();
  tell_of_bad(told);
  if (!bad_.empty()) retries_.go_on();
}

Result<void> EndpointSet::serve(const EndpointOptions& options) {
  const auto lost = open_.find(options.listener.path);
  if (lost != open_.end()) return lost->second->listen_again();
  auto opened = open(options);
  if (!opened) return std::move(opened).error();
  open_.emplace(options.listener.path, std::move(*opened));
  return {};
}

void EndpointSet::watch_places() {
  files::FileWatch::Paths paths;
  for (const auto& [path, endpoint] : open_) {
    if (!activated_.contains(path) && is_file(path)) paths.insert(path);
  }
  if (paths == watched_) return;
  watched_ = paths;
  if (const auto watching = places_->watch(std::move(paths)); !watching) {
    watched_.clear();
    context_.log.warning("a socket that somebody removes is not noticed until a reload",
                         {{"reason", watching.error().message()}});
  }
}

void EndpointSet::look_again() {
  if (is_changing_ || is_ending_) return;
  const BadEndpoints told = bad_;
  find_lost();
  tell_of_bad(told);
  if (bad_.size() > told.size()) retries_.begin();
}

void EndpointSet::find_lost() {
  for (const auto& [path, endpoint] : open_) {
    const auto placed = endpoint->check_place();
    if (!placed) bad_.try_emplace(path, Bad{endpoint->options(), placed.error().message()});
  }
}

void EndpointSet::tell_of(const Endpoint& listening) const {
  const EndpointOptions& options = listening.options();
  context_.log.info("listening", {{"endpoint", options.name}, {"path", options.listener.path}});
}

void EndpointSet::tell_of_bad(const BadEndpoints& told) const {
  for (const auto& [path, bad] : bad_) {
    const auto known = told.find(path);
    if (known != told.end() && known->second.reason == bad.reason) continue;
    context_.log.error("the endpoint does not serve; it is tried again",
                       {{"endpoint", bad.options.name}, {"reason", bad.reason}});
  }
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

void EndpointSet::warn_of_unclaimed() const {
  std::string names;
  for (const auto& [path, endpoint] : open_) {
    if (endpoint->options().is_unclaimed)
      names += (names.empty() ? "" : " ") + endpoint->options().name;
  }
  if (names.empty()) return;
  context_.log.warning(
      "systemd holds sockets of modules that are off or cannot be loaded: calls there fail",
      {{"sockets", names},
       {"advice",
        "switch the modules on, or take the sockets out of their unit (systemctl edit "
        "longshore.socket)"}});
}

void EndpointSet::drain(std::function<void()> done) {
  is_ending_ = true;
  static_cast<void>(places_->watch({}));
  retries_.stop();
  auto left = std::make_shared<size_t>(open_.size());
  if (*left == 0) return done();
  for (auto& [path, endpoint] : open_) {
    endpoint->drain([left, done] {
      if (--*left == 0) done();
    });
  }
}

void EndpointSet::close() {
  is_ending_ = true;
  static_cast<void>(places_->watch({}));
  retries_.stop();
  for (auto& [path, endpoint] : open_) endpoint->close();
  open_.clear();
}

std::vector<observe::EndpointReport> EndpointSet::list() const {
  std::map<std::string, observe::EndpointReport> reports;
  const auto add = [&](const EndpointOptions& options) -> observe::EndpointReport& {
    observe::EndpointReport& report = reports[options.listener.path];
    report.name = options.name;
    report.address = endpoint_address(options.listener.path);
    report.services.assign(options.services.begin(), options.services.end());
    report.is_own = options.own_user_only;
    return report;
  };
  for (const auto& [path, endpoint] : open_) {
    const rpc::MemoryAccount& memory = endpoint->memory();
    observe::EndpointReport& report = add(endpoint->options());
    report.connections = endpoint->connections();
    report.memory = {memory.used(), memory.limit(), memory.refusals()};
  }
  for (const auto& [path, bad] : bad_) add(bad.options).reason = bad.reason;
  std::vector<observe::EndpointReport> list;
  list.reserve(reports.size());
  for (auto& [path, report] : reports) list.push_back(std::move(report));
  return list;
}

}  // namespace longshore::endpoint
