#include "sidecars/port_check.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "config/http_address.h"
#include "observe/http_status_server.h"
#include "observe/log.h"
#include "sidecars/flag_value.h"
#include "sidecars/text_option.h"

namespace longshore::sidecars {
namespace {

constexpr const char* kEndpointOption = "http_endpoint";
constexpr const char* kPortOption = "health_port";

// What is listened on once, however many flags give it.
struct Place {
  std::string address;
  config::HttpAddress parsed;
  std::vector<std::string> flags;

  std::string flags_text() const {
    std::string text;
    for (const std::string& flag : flags) text += (text.empty() ? "" : " and ") + flag;
    return text;
  }
};

int64_t health_port(const config::ModuleSettings& module) {
  const auto found = module.settings.find(kPortOption);
  const auto* const port =
      found == module.settings.end() ? nullptr : std::get_if<int64_t>(&found->second);
  return port == nullptr ? 0 : *port;
}

// In the order in which a start listens.
class Places {
 public:
  explicit Places(const CommandLine& line) : line_(line) {}

  void add(const std::string& address, const std::string& flag) {
    const auto parsed = config::parse_http_address(address);
    if (!parsed || parsed->port == 0) return;  // none, a Unix socket, or one that is free
    auto place = std::ranges::find_if(all_, [&](const Place& each) {
      return each.parsed.host == parsed->host && each.parsed.port == parsed->port;
    });
    if (place == all_.end()) place = all_.insert(place, {address, *parsed, {}});
    if (std::ranges::find(place->flags, flag) == place->flags.end()) place->flags.push_back(flag);
  }

  // As the controllers that have these two options take them.
  void add_health(const config::ModuleSettings& module) {
    const std::string endpoint = text_option(module, kEndpointOption);
    const int64_t port = health_port(module);
    if (!endpoint.empty()) {
      add((endpoint.starts_with(':') ? "[::]" : "") + endpoint,
          flag_of(module.name, kEndpointOption));
    } else if (port > 0) {
      add("[::]:" + std::to_string(port), flag_of(module.name, kPortOption));
    }
  }

  const std::vector<Place>& all() const { return all_; }

 private:
  // The one that was given, or by which the default can be changed.
  std::string flag_of(const std::string& controller, const char* option) const {
    const auto given = line_.option_flags.find({controller, option});
    return given == line_.option_flags.end() ? "--" + controller + '-' + flag_name(option)
                                             : given->second;
  }

  const CommandLine& line_;
  std::vector<Place> all_;
};

// What to do where the place cannot be listened on: of several with one port it may be another's.
std::string advice_for(const Place& place, const std::vector<Place>& all) {
  const auto other =
      std::ranges::find(all, place.parsed.port, [](const Place& each) { return each.parsed.port; });
  return "choose another " + place.flags_text() +
         (&*other == &place ? "" : ": " + other->flags_text() + " asks for this port, too");
}

}  // namespace

void check_ports(const CommandLine& line, const config::Configuration& configuration,
                 CheckReport& report) {
  Places places(line);
  places.add(configuration.agent.http.address, line.http_flag);
  for (const config::ModuleSettings& module : configuration.modules) {
    if (module.enabled) places.add_health(module);
  }
  const auto log = observe::Log::open({});
  if (!log) return report.wrong(log.error().message());
  // Kept until all are tried: an address of the node and all addresses exclude each other.
  std::vector<std::unique_ptr<observe::HttpStatusServer>> servers;
  for (const Place& place : places.all()) {
    auto server =
        observe::HttpStatusServer::listen(place.parsed.host, place.parsed.port, {}, **log);
    if (server) {
      report.ok("the port of " + place.address + " is free");
      servers.push_back(*std::move(server));
    } else {
      report.wrong(std::move(server).error().advise(advice_for(place, places.all())).message());
    }
  }
}

}  // namespace longshore::sidecars
