#include "sidecars/port_check.h"

#include <cstdint>
#include <set>
#include <string>
#include <variant>

#include "config/http_address.h"
#include "observe/http_status_server.h"
#include "observe/log.h"

namespace longshore::sidecars {
namespace {

template <typename Value>
Value option_of(const config::ModuleSettings& module, const char* name) {
  const auto found = module.settings.find(name);
  const auto* const value =
      found == module.settings.end() ? nullptr : std::get_if<Value>(&found->second);
  return value == nullptr ? Value() : *value;
}

// As the controllers that have these two options take them; empty: it has no page.
std::string health_address(const config::ModuleSettings& module) {
  std::string endpoint = option_of<std::string>(module, "http_endpoint");
  if (endpoint.starts_with(':')) return "[::]" + endpoint;
  if (!endpoint.empty()) return endpoint;
  const auto port = option_of<int64_t>(module, "health_port");
  return port > 0 ? "[::]:" + std::to_string(port) : std::string();
}

}  // namespace

void check_ports(const config::Configuration& configuration, CheckReport& report) {
  // One that several have is listened on once.
  std::set<std::string> addresses = {configuration.agent.http.address};
  for (const config::ModuleSettings& module : configuration.modules) {
    if (module.enabled) addresses.insert(health_address(module));
  }
  const auto log = observe::Log::open({});
  if (!log) return report.wrong(log.error().message());
  for (const std::string& address : addresses) {
    const auto parsed = config::parse_http_address(address);
    if (!parsed || parsed->port == 0) continue;  // none, a Unix socket, or one that is free
    const auto server = observe::HttpStatusServer::listen(parsed->host, parsed->port, {}, **log);
    if (server) {
      report.ok("the port of " + address + " is free");
    } else {
      report.wrong(server.error().message());
    }
  }
}

}  // namespace longshore::sidecars
