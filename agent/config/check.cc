#include "config/check.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "config/http_address.h"
#include "config/system_paths.h"
#include "config/toml_text.h"
#include "text/file_path.h"

namespace longshore::config {
namespace {

class WholeCheck {
 public:
  WholeCheck(const Draft& draft, const ModuleSchemas& schemas,
             const HostServiceNames& host_services, Findings& findings)
      : draft_(draft),
        schemas_(schemas),
        host_services_(host_services),
        findings_(findings),
        all_described_(all_described(draft.configuration, schemas)) {}

  void run() {
    check_served_once(draft_.configuration, draft_.origins, schemas_, findings_);
    find_servers();
    keep_control_apart();
    check_http();
    check_signatures();
    check_audit();
    check_limits(draft_, findings_);
    check_users(draft_, findings_);
    check_driver_waits(draft_, host_services_, findings_);
    check_leader_elections(draft_, host_services_, findings_);
    check_permissions(draft_, schemas_, host_services_, findings_);
    check_kube_grants(draft_, findings_);
    for (const EndpointSettings& endpoint : draft_.configuration.endpoints) check(endpoint);
    for (const ModuleSettings& module : draft_.configuration.modules) {
      keep_from_endpoints_own(module);
      if (const auto schema = schemas_.find(module.name); schema != schemas_.end()) {
        check(module, schema->second);
      }
    }
    for (const auto& [name, schema] : schemas_) follow_calls(name);
  }

 private:
  void find_servers() {
    for (const auto& [name, schema] : schemas_) {
      for (const std::string& service : schema.services) module_of_.try_emplace(service, name);
      for (const std::string& method : schema.methods) module_of_.try_emplace(method, name);
    }
  }

  void check(const EndpointSettings& endpoint) {
    const std::string path = joined("endpoints", endpoint.name);
    const std::string address_path = joined(path, "address");
    const std::string services_path = joined(path, "services");
    const std::string who = "the endpoint " + in_quotes(endpoint.name);
    if (!draft_.origins.contains(address_path)) {
      add(place_of(draft_.origins, {path}),
          who + " has no address; write address = \"" + kAddressForm + "\"");
    }
    const auto services = draft_.origins.find(services_path);
    if (services == draft_.origins.end() || services->second.items.empty()) {
      add(place_of(draft_.origins, {services_path, path}),
          who + " has no services; write services = [\"<service>\"] with those that it offers");
    }
    if (!endpoint.address.empty()) {
      const std::string compared = compared_path(endpoint.path());
      const auto [first, is_new] = endpoint_at_.try_emplace(compared, endpoint.name);
      if (!is_new) {
        add(place_of(draft_.origins, {address_path}), who + " has the address of the endpoint " +
                                                          in_quotes(first->second) + ": " +
                                                          in_quotes(endpoint.address));
      }
      keep_off_own_places(compared, who, place_of(draft_.origins, {address_path}));
    }
    for (size_t i = 0; i < endpoint.services.size(); ++i) {
      const std::string& service = endpoint.services[i];
      if (is_service(service)) continue;
      const bool is_for_modules = contains(host_services_.for_modules, service);
      if (!is_for_modules && !all_described_) continue;
      add(item_place(draft_.origins, services_path, i),
          '"' + services_path + "\" names " + in_quotes(service) +
              (is_for_modules
                   ? ", which the agent serves to modules only, as their may_call allows"
                   : ", which no enabled module serves" + suggestion(service, all_services())));
    }
  }

  // run_dir may be given to containers, and the control socket must not come along.
  void keep_control_apart() {
    const AgentSettings& agent = draft_.configuration.agent;
    if (!is_control_exposed(agent.control_dir, agent.run_dir)) return;
    add(place_of(draft_.origins, {"agent.control_dir", "agent.run_dir"}),
        "\"agent.control_dir\" is beneath \"agent.run_dir\", which may be given to containers; use "
        "a folder outside of " +
            in_quotes((text::file_path(agent.run_dir) / "").lexically_normal().string()));
  }

  void check_http() {
    const HttpSettings& http = draft_.configuration.agent.http;
    if (!is_metrics_path(http.metrics_path)) {
      add(place_of(draft_.origins, {"agent.http.metrics_path"}),
          "\"agent.http.metrics_path\" must be a path such as /metrics, and none of /, /healthz, "
          "/healthz/leader-election, /readyz and /status, not " +
              in_quotes(http.metrics_path));
    }
    const auto address = parse_http_address(http.address);
    if (!address) return;  // none, or reported already
    const Place place = place_of(draft_.origins, {"agent.http.address"});
    if (!address->unix_path.empty()) {
      const std::string compared = compared_path(address->unix_path);
      endpoint_at_.try_emplace(compared, "agent.http");
      keep_off_own_places(compared, "agent.http", place);
    } else if (!address->is_loopback && !http.allow_remote) {
      add(place,
          "\"agent.http.address\" may be reached from other machines: " + in_quotes(http.address) +
              "; use a loopback address, or write allow_remote = true");
    }
  }

  void check_signatures() {
    const SignatureSettings& signatures = draft_.configuration.agent.signatures;
    if (!signatures.required || !signatures.keys_dir.empty()) return;
    add(place_of(draft_.origins, {"agent.signatures.required"}),
        "\"agent.signatures.required\" needs keys to check with; write keys_dir = "
        "\"/absolute/path\"");
  }

  void check_audit() {
    const AuditSettings& audit = draft_.configuration.agent.audit;
    if (!audit.required || !audit.file.empty()) return;
    add(place_of(draft_.origins, {"agent.audit.required"}),
        "\"agent.audit.required\" needs a file to write to; write file = \"/absolute/path\"");
  }

  // A configured socket among the agent's own could take the place of one of these.
  void keep_off_own_places(const std::string& compared, const std::string& who,
                           const Place& place) {
    const AgentSettings& agent = draft_.configuration.agent;
    for (const std::string& own :
         own_beginnings(agent.control_dir, agent.run_dir, draft_.configuration.csi_proxy.enabled)) {
      if (!compared.starts_with(compared_path(own))) continue;
      const bool is_pipe = own.starts_with(R"(\\.\pipe\)");
      add(place, is_pipe ? who + " has a pipe whose name begins with " + in_quotes(own) +
                               ", as the agent's own; use another name"
                         : who + " has its socket beneath " + in_quotes(own) +
                               ", where the agent keeps its own; use another folder");
    }
  }

  void check(const ModuleSettings& module, const ModuleSchema& schema) {
    const std::string path = module.table();
    const auto is_own = [&](const std::string& method) {
      return std::find(schema.methods.begin(), schema.methods.end(), method) !=
             schema.methods.end();
    };
    const auto not_own = [&](const std::string& key_path, const std::string& method) {
      return '"' + key_path + "\" names " + in_quotes(method) + ", which the module " +
             in_quotes(module.name) + " does not have" + suggestion(method, schema.methods);
    };
    const std::string deny_path = joined(path, "deny_methods");
    for (size_t i = 0; i < module.deny_methods.size(); ++i) {
      const std::string& method = module.deny_methods[i];
      if (!is_own(method))
        add(item_place(draft_.origins, deny_path, i), not_own(deny_path, method));
    }
    const std::string methods_path = joined(path, "methods");
    for (const auto& [method, timeout] : module.method_timeouts) {
      if (is_own(method)) continue;
      add(place_of(draft_.origins, {joined(methods_path, method)}), not_own(methods_path, method));
    }
    check_targets(module, schema);
    check_process(module);
  }

  // Whoever writes isolation = "in-process" has the limits there for later.
  void check_process(const ModuleSettings& module) {
    const std::string path = module.table();
    const std::string process_path = joined(path, "process");
    const auto first = draft_.origins.lower_bound(process_path + '.');
    if (first == draft_.origins.end() || !first->first.starts_with(process_path + '.')) return;
    if (draft_.origins.contains(joined(path, "isolation"))) return;
    add(first->second.place, in_quotes(process_path) +
                                 " has no effect; write isolation = \"process\" in " +
                                 in_quotes(path));
  }

  // Who may ask the agent itself to do something is decided by endpoints. No module may, whatever
  // it says that it calls, and whether or not its file can be read.
  void keep_from_endpoints_own(const ModuleSettings& module) {
    const std::string path = joined(module.table(), "may_call");
    for (size_t i = 0; i < module.may_call.size(); ++i) {
      if (!is_for_endpoints_only(module.may_call[i])) continue;
      add(item_place(draft_.origins, path, i), '"' + path + "\" names " +
                                                   in_quotes(module.may_call[i]) +
                                                   ", which the agent serves to endpoints only");
    }
  }

  // What the module itself says that it calls may stand there also while nobody serves it.
  void check_targets(const ModuleSettings& module, const ModuleSchema& schema) {
    if (!all_described_) return;
    const std::string path = joined(module.table(), "may_call");
    for (size_t i = 0; i < module.may_call.size(); ++i) {
      const std::string& target = module.may_call[i];
      if (module_of_.contains(target) || contains(host_services_.for_modules, target)) continue;
      if (is_for_endpoints_only(target)) continue;  // which has its finding
      if (std::ranges::find(schema.calls, target) != schema.calls.end()) continue;
      std::vector<std::string> valid = host_services_.for_modules;
      for (const auto& [name, owner] : module_of_) valid.push_back(name);
      add(item_place(draft_.origins, path, i),
          '"' + path + "\" names " + in_quotes(target) +
              ", which is neither a service nor a method of an enabled "
              "module" +
              suggestion(target, valid));
    }
  }

  // Walks along may_call and finds modules that could wait for themselves, each circle once.
  void follow_calls(const std::string& name) {
    if (done_.contains(name)) return;
    const auto on_way = std::find(way_.begin(), way_.end(), name);
    if (on_way != way_.end()) {
      std::string circle;
      for (auto step = on_way; step != way_.end(); ++step) circle += *step + " -> ";
      add(place_of(draft_.origins, {joined(table_of(name), "may_call")}),
          "modules must not call each other in a circle: " + circle + name);
      return;
    }
    way_.push_back(name);
    for (const std::string& target : targets_of(name)) follow_calls(target);
    way_.pop_back();
    done_.insert(name);
  }

  // The modules that `name` may call.
  std::set<std::string> targets_of(const std::string& name) const {
    std::set<std::string> targets;
    for (const ModuleSettings& module : draft_.configuration.modules) {
      if (module.name != name) continue;
      for (const std::string& call : module.may_call) {
        if (const auto target = module_of_.find(call); target != module_of_.end()) {
          targets.insert(target->second);
        }
      }
    }
    return targets;
  }

  std::string table_of(const std::string& module) const {
    const auto& modules = draft_.configuration.modules;
    return std::find_if(modules.begin(), modules.end(),
                        [&](const ModuleSettings& each) { return each.name == module; })
        ->table();
  }

  static bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }

  // A service of the agent's own, or a method, that modules may not call.
  bool is_for_endpoints_only(const std::string& name) const {
    return contains(host_services_.for_endpoints, name) &&
           !contains(host_services_.for_modules, name);
  }

  // Whether endpoints may name it.
  bool is_service(const std::string& name) const {
    return name.find('/') == std::string::npos &&
           (module_of_.contains(name) || contains(host_services_.for_endpoints, name));
  }

  std::vector<std::string> all_services() const {
    std::vector<std::string> services = host_services_.for_endpoints;
    std::erase_if(services, [this](const std::string& name) { return !is_service(name); });
    for (const auto& [name, schema] : schemas_) {
      services.insert(services.end(), schema.services.begin(), schema.services.end());
    }
    return services;
  }

  void add(const Place& place, std::string sentence) { findings_.add(place, std::move(sentence)); }

  const Draft& draft_;
  const ModuleSchemas& schemas_;
  const HostServiceNames& host_services_;
  Findings& findings_;
  const bool all_described_;
  std::map<std::string, std::string> module_of_;    // by service and by method
  std::map<std::string, std::string> endpoint_at_;  // by path
  std::set<std::string> done_;
  std::vector<std::string> way_;
};

}  // namespace

void check_whole(const Draft& draft, const ModuleSchemas& schemas,
                 const HostServiceNames& host_services, Findings& findings) {
  WholeCheck(draft, schemas, host_services, findings).run();
}

}  // namespace longshore::config
