// What a command line of csi-sidecars asks for, and the configuration that says so to an agent.
//
// Threads: any; plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/module_catalog.h"
#include "config/settings.h"
#include "sidecars/installed_controllers.h"

namespace longshore::sidecars {

// Where the program has its sockets and its state. Windows' pipes have no folder: there it is
// empty, and the agent has them where longshored has.
#if defined(_WIN32)
inline constexpr const char* kRunDir = "";
#else
inline constexpr const char* kRunDir = "/run/csi-sidecars";
#endif

struct Settings {
  std::string run_dir = kRunDir;
  std::vector<std::string> module_dirs;  // before the one that is searched anyhow
  bool is_debug = false;
  std::string log_format = "text";
  std::string http_address;  // of metrics; empty: none
  std::string metrics_path = "/metrics";
  config::KubeSettings kube;
  // By which one replica of several runs the controllers that have a lease, which it does not name;
  // nothing: each runs them.
  std::optional<config::LeaderElectionSettings> leader_election;
  // Those that run, each with what flags say of its options; the rest has its defaults.
  std::map<std::string, std::map<std::string, config::OptionValue>> controllers;
};

// The folders in which controllers are looked up.
std::vector<std::string> module_folders(const std::vector<std::string>& module_dirs);

// The CSI driver that the controller waits for, by what flags say of its options. Empty: for none.
std::string awaited_driver(const config::ModuleSchema& schema,
                           const std::map<std::string, config::OptionValue>& values);

// As TOML. `installed` has all of the controllers.
std::string configuration_text(const Settings& settings, const InstalledControllers& installed);

}  // namespace longshore::sidecars
