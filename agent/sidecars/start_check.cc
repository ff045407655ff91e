#include "sidecars/start_check.h"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/loaded.h"
#include "core/inspected_modules.h"
#include "files/state_lock.h"
#include "main/described_services.h"
#include "main/file_findings.h"
#include "main/socket_findings.h"
#include "sidecars/check_report.h"
#include "sidecars/driver_check.h"
#include "sidecars/port_check.h"
#include "sidecars/registration_check.h"
#include "sidecars/run_dir.h"
#include "sidecars/text_option.h"

#if !defined(_WIN32)
#include "kube/loaded_loop.h"
#include "sidecars/api_server_check.h"
#endif

namespace longshore::sidecars {
namespace {

constexpr std::chrono::seconds kDriverPatience{5};

// Nothing: it is wrong, which is told.
std::optional<config::Loaded> checked_configuration(const CommandLine& line, CheckReport& report) {
  for (const std::string& warning : line.warnings) report.warning(warning);
  auto services = described_services();
  if (!services) {
    report.wrong(services.error().message());
    return std::nullopt;
  }
  core::InspectedModules modules({}, std::move(services->all));
  auto loaded = config::load_text_with_origins(line.configuration, kConfigName, modules,
                                               {.owners = {}, .strict = true});
  if (!loaded) {
    report.wrong(loaded.error().message());
    return std::nullopt;
  }
  for (const std::string& warning : loaded->warnings) report.warning(warning);
  report.ok("the flags, and the configuration that they make");
  for (const auto& findings : {socket_findings(*loaded), file_findings(*loaded)}) {
    for (const std::string& finding : findings) report.wrong(finding);
  }
  return *std::move(loaded);
}

// Whether another process has it, as where the program runs already: that one has the ports, too.
bool check_run_dir(const CommandLine& line, const config::Loaded& loaded, CheckReport& report) {
  if (const auto ready = prepare_run_dir(line.run_dir); !ready) {
    report.wrong(ready.error().message());
    return false;
  }
  const std::string& state_dir = loaded.configuration.agent.state_dir;
  if (line.run_dir.empty()) return false;
  const std::optional<int> owner = files::StateLock::owner_of(state_dir);
  if (!owner) {
    report.ok("the run dir \"" + line.run_dir + '"');
    return false;
  }
  const std::string who = *owner == 0 ? "another process" : "process " + std::to_string(*owner);
  report.warning(who + " has the run dir \"" + line.run_dir +
                 "\": beside it another start needs a --run-dir of its own, and other ports");
  return true;
}

// Of the drivers that controllers have to do with, whether they wait for them or not.
std::set<std::string> driver_addresses(const config::Configuration& configuration) {
  std::set<std::string> addresses;
  for (const config::ModuleSettings& module : configuration.modules) {
    if (!module.enabled) continue;
    if (!module.wait_for_driver.empty()) addresses.insert(module.wait_for_driver);
    if (std::string address = text_option(module, "csi_address"); !address.empty()) {
      addresses.insert(std::move(address));
    }
  }
  return addresses;
}

}  // namespace

int check_start(const Result<CommandLine>& line, std::ostream& output) {
  CheckReport report(output);
  const auto exit_code = [&report] { return report.has_wrong() ? 1 : 0; };
  if (!line) {
    report.wrong(line.error().message());
    return exit_code();
  }
  const std::optional<config::Loaded> loaded = checked_configuration(*line, report);
  if (!loaded) return exit_code();
  if (!check_run_dir(*line, *loaded, report)) check_ports(*line, loaded->configuration, report);
  std::map<std::string, std::string> names;
  for (const std::string& address : driver_addresses(loaded->configuration)) {
    if (auto name = check_driver(address, kDriverPatience, report)) names[address] = *name;
  }
  check_registration(loaded->configuration, names, report);
#if !defined(_WIN32)
  if (!asks_api_server(loaded->configuration)) return exit_code();
  const auto loop = kube::load_loop(kube::client_library_file(), loaded->configuration.agent);
  if (loop) {
    check_api_server(**loop, *loaded, names, report);
  } else {
    report.wrong(loop.error().message());
    report.unchecked("what the API server allows");
  }
#endif
  return exit_code();
}

}  // namespace longshore::sidecars
