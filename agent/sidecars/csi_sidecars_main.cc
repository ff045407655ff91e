// csi-sidecars: the sidecars of a CSI driver in one process. Turns their flags into a
// configuration, and runs an agent with it.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/loaded.h"
#include "core/inspected_modules.h"
#include "core/version.h"
#include "main/agent.h"
#include "main/described_services.h"
#include "main/exit_codes.h"
#include "main/process_control.h"
#include "main/process_start.h"
#include "main/run_agent.h"
#include "router/memory_reserve.h"
#include "sidecars/command_line.h"
#include "sidecars/help_text.h"
#include "sidecars/installed_controllers.h"
#include "sidecars/run_dir.h"
#include "sidecars/settings.h"
#include "sidecars/start_check.h"
#include "text/escape.h"
#include "tools/program_words.h"

namespace longshore::sidecars {
namespace {

constexpr const char* kProgram = "csi-sidecars";

int run_controllers(const CommandLine& line, router::MemoryReserve& memory) {
  const auto control = ProcessControl::make();
  auto services = described_services();
  if (!services) return report_failure(kProgram, *control, kStartError, services.error());
  // What the configuration says of folders is all there is.
  auto modules = std::make_unique<core::InspectedModules>(std::vector<std::string>(),
                                                          std::move(services->all));
  auto loaded = config::load_text_with_origins(line.configuration, kConfigName, *modules);
  if (!loaded) return report_failure(kProgram, *control, kConfigurationError, loaded.error());
  if (auto ready = prepare_run_dir(line.run_dir); !ready) {
    return report_failure(kProgram, *control, kStartError, ready.error());
  }
  return run_agent(kProgram,
                   Agent::Options{.config_file = kConfigName,
                                  .config_text = line.configuration,
                                  .settings_are_flags = true,
                                  .memory = &memory},
                   *std::move(loaded), std::move(modules), *services, *control);
}

int check(const Result<CommandLine>& line) {
  // One that is ended early has not found all right, and tells so as shells do. The first process
  // of a container gets no signal that it has no handler for.
  for (const int signal : {SIGTERM, SIGINT}) {
    const auto before = std::signal(signal, [](int which) { std::_Exit(128 + which); });
    if (before == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  return check_start(line, std::cout);
}

int run(const std::vector<std::string>& words, router::MemoryReserve& memory) {
  const InstalledControllers installed =
      read_installed_controllers(module_folders(module_dirs_of(words)));
  const auto line = parse_command_line(words, installed);
  if (!line && asks_for_check(words)) return check(line);
  if (!line) {
    std::cerr << kProgram << ": " << text::escaped(line.error().message()) << '\n';
    return kConfigurationError;
  }
  if (line->help) {
    std::cout << help_text(installed);
    return 0;
  }
  if (line->version) {
    std::cout << kProgram << ' ' << core::kVersion << '\n';
    return 0;
  }
  if (line->does_nothing) return 0;
  if (line->check) return check(line);
  for (const std::string& warning : line->warnings) {
    std::cerr << kProgram << ": warning: " << text::escaped(warning) << '\n';
  }
  if (line->print_config) {
    std::cout << line->configuration;
    return 0;
  }
  return run_controllers(*line, memory);
}

}  // namespace
}  // namespace longshore::sidecars

int main(int argc, char** argv) {
  using namespace longshore;
  prepare_process(sidecars::kProgram);
  router::MemoryReserve memory(end_without_memory);
  end_process(sidecars::run(program_words(argc, argv), memory));
}
