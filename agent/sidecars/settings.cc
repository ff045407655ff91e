#include "sidecars/settings.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <variant>

#include "config/http_address.h"
#include "config/key_schema.h"
#include "config/system_paths.h"
#include "config/toml_text.h"
#include "sidecars/leader_election_flags.h"
#include "text/file_path.h"

namespace longshore::sidecars {
namespace {

std::string line(const std::string& key, const std::string& value) {
  return config::key_text(key) + " = " + value + '\n';
}

// Of what is in the folder, the sockets may be given to other containers, and no more.
std::string folder_lines(const std::string& run_dir) {
  if (run_dir.empty()) return {};
  const auto below = [&](const char* name) {
    return config::in_quotes((text::file_path(run_dir) / name).string());
  };
  std::string lines;
#if !defined(_WIN32)
  lines += line("run_dir", below("sockets")) + line("control_dir", below("control"));
#endif
  return lines + line("state_dir", below("state"));
}

std::string http_section(const std::string& address, const std::string& metrics_path) {
  if (address.empty()) return {};
  const auto parsed = config::parse_http_address(address);
  const bool is_remote = parsed && !parsed->is_loopback;
  return "\n[agent.http]\n" + line("address", config::in_quotes(address)) +
         (is_remote ? line("allow_remote", "true") : "") +
         line("metrics_path", config::in_quotes(metrics_path));
}

std::string kube_section(const config::KubeSettings& kube) {
  std::string lines;
  if (!kube.kubeconfig.empty()) lines += line("kubeconfig", config::in_quotes(kube.kubeconfig));
  if (kube.api_qps > 0) {
    lines += line("api_qps", config::value_text(kube.api_qps, config::KeyType::kFloat));
  }
  if (kube.api_burst > 0) lines += line("api_burst", std::to_string(kube.api_burst));
  return lines.empty() ? "" : "\n[agent.kube]\n" + lines;
}

std::string grant_section(const std::string& grants, const config::KubeGrant& grant) {
  return "\n[" + config::joined(grants, grant.name) + "]\n" +
         line("api_groups", config::in_quotes(grant.api_groups)) +
         line("resources", config::in_quotes(grant.resources)) +
         line("verbs", config::in_quotes(grant.verbs));
}

// Workers hold a thread each while they wait. A sidecar has two queues of them, and does more
// beside.
std::string threads_line(const config::ModuleSchema& schema,
                         const std::map<std::string, config::OptionValue>& values) {
  const auto option =
      std::ranges::find(schema.options, "worker_threads", &config::OptionSchema::name);
  if (option == schema.options.end()) return {};
  const auto given = values.find(option->name);
  const int64_t workers =
      std::get<int64_t>(given == values.end() ? *option->default_value : given->second);
  return line("max_concurrent_calls", std::to_string(std::min<int64_t>(2 * workers + 4, 1024)));
}

std::string controller_section(const std::string& name, const config::ModuleSchema& schema,
                               const std::map<std::string, config::OptionValue>& values) {
  const std::string table = config::joined("controllers", name);
  std::string section = "\n[" + table + "]\n" + line("may_call", config::in_quotes(schema.calls)) +
                        threads_line(schema, values);
  if (const std::string driver = awaited_driver(schema, values); !driver.empty()) {
    section += line("wait_for_driver", config::in_quotes(driver));
  }
  for (const config::KubeGrant& grant : schema.kube_grants) {
    section += grant_section(config::joined(table, "kube_grants"), grant);
  }
  if (values.empty()) return section;
  section += "\n[" + config::joined(table, "settings") + "]\n";
  for (const config::OptionSchema& option : schema.options) {
    const auto value = values.find(option.name);
    if (value == values.end()) continue;
    section +=
        line(option.name, config::value_text(value->second, config::key_schema(option).type));
  }
  return section;
}

}  // namespace

std::vector<std::string> module_folders(const std::vector<std::string>& module_dirs) {
  std::vector<std::string> folders = module_dirs;
  folders.emplace_back(config::kModuleDir);
  return folders;
}

std::string awaited_driver(const config::ModuleSchema& schema,
                           const std::map<std::string, config::OptionValue>& values) {
  const auto option =
      std::ranges::find(schema.options, schema.wait_for_driver_option, &config::OptionSchema::name);
  if (option == schema.options.end()) return {};
  const auto given = values.find(option->name);
  return std::get<std::string>(given == values.end() ? *option->default_value : given->second);
}

std::string configuration_text(const Settings& settings, const InstalledControllers& installed) {
  std::string text = "# Made by csi-sidecars from its command line.\n[agent]\n";
  text += folder_lines(settings.run_dir);
  if (!settings.module_dirs.empty()) {
    text += line("module_dirs", config::in_quotes(module_folders(settings.module_dirs)));
  }
  text += "\n[agent.log]\n" + line("level", settings.is_debug ? "\"debug\"" : "\"info\"") +
          line("format", config::in_quotes(settings.log_format));
  text += http_section(settings.http_address, settings.metrics_path);
  text += kube_section(settings.kube);
  text += "\n[endpoints]\n" + line("csi_proxy", "false");
  for (const auto& [name, values] : settings.controllers) {
    const config::ModuleSchema& schema = installed.described.at(name);
    text += controller_section(name, schema, values);
    if (!settings.leader_election || schema.lease.empty()) continue;
    config::LeaderElectionSettings election = *settings.leader_election;
    election.lease = schema.lease;
    text += leader_election_section(
        config::joined(config::joined("controllers", name), "leader_election"), election);
  }
  return text;
}

}  // namespace longshore::sidecars
