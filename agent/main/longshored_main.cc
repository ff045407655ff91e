// longshored: the agent's process. Reads the command line and the configuration, and runs the
// agent.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/load.h"
#include "config/loaded.h"
#include "config/user_names.h"
#include "core/version.h"
#include "main/agent.h"
#include "main/config_commands.h"
#include "main/described_services.h"
#include "main/exit_codes.h"
#include "main/process_control.h"
#include "main/process_start.h"
#include "main/run_agent.h"
#include "router/memory_reserve.h"
#include "tools/cli_completion.h"
#include "tools/program_words.h"

#if defined(_WIN32)
#include "main/csi_proxy_command_line.h"
#include "main/windows/program_folder.h"
#include "main/windows/windows_control.h"
#else
#include "supervise/linux/cgroups.h"
#endif

namespace longshore {
namespace {

constexpr const char* kProgram = "longshored";

struct CommandLine {
  std::string config_file = config::kConfigFile;
  std::string config_text;  // in its place: what csi-proxy's flags mean
  std::vector<std::string> module_dirs;
  bool check = false;
  bool no_ownership_check = false;
  bool safe_mode = false;
  bool free_control_group = false;  // Linux
  bool is_service = false;          // Windows
  ConfigCommand config;
};

void add_config_commands(CLI::App& app, ConfigCommand& config) {
  auto* parent = app.add_subcommand("config", "What the configuration says; the agent is not run");
  parent->fallthrough()->require_subcommand(1);
  const auto add = [&](const char* name, const char* help) {
    auto* command = parent->add_subcommand(name, help);
    command->fallthrough()->callback([&config, name] { config.name = name; });
    return command;
  };
  add("check", "Print all findings, as --check does");
  add("show", "Print the configuration in effect, without secrets")
      ->add_flag("--origin", config.with_origin, "Say where each value comes from");
  add("sample", "Print a file to start from, for the modules that are installed");
  add("diff", "Print what differs from the configuration on standard input; see longshorectl");
}

Result<config::Loaded> load_configuration(const CommandLine& line,
                                          core::InspectedModules& modules) {
  config::LoadOptions options;
  options.strict = line.check;
  if (!line.no_ownership_check) options.owners.push_back(config::own_user_id());
  if (line.config_text.empty()) {
    return config::load_files_with_origins(line.config_file, modules, options);
  }
  return config::load_text_with_origins(line.config_text, line.config_file, modules, options);
}

int run(const CommandLine& line, router::MemoryReserve& memory, ProcessControl& control) {
#if !defined(_WIN32)
  if (line.free_control_group) {
    supervise::Cgroups::give_back();
    return 0;
  }
#endif
  if (!line.config.name.empty()) {
    ConfigCommand command = line.config;
    command.file = line.config_file;
    command.module_dirs = line.module_dirs;
    command.check_ownership = !line.no_ownership_check;
    return run_config_command(command, std::cin, std::cout, std::cerr);
  }
  auto services = described_services();
  if (!services) return report_failure(kProgram, control, kStartError, services.error());
  auto modules =
      std::make_unique<core::InspectedModules>(line.module_dirs, std::move(services->all));
  Result<config::Loaded> loaded = load_configuration(line, *modules);
  if (!loaded) {
    control.fail(loaded.error().message());
    std::cerr << loaded.error().message() << '\n';
    return kConfigurationError;
  }
  if (line.check) return tell_checked(line.config_file, *loaded, std::cout, std::cerr);
  return run_agent(kProgram,
                   Agent::Options{.config_file = line.config_file,
                                  .config_text = line.config_text,
                                  .check_ownership = !line.no_ownership_check,
                                  .safe_mode = line.safe_mode,
                                  .memory = &memory},
                   *std::move(loaded), std::move(modules), *services, control);
}

int run_as_asked(const CommandLine& line, router::MemoryReserve& memory) {
#if defined(_WIN32)
  if (line.is_service) {
    const auto code =
        run_service([&](ProcessControl& control) { return run(line, memory, control); });
    if (code) return *code;
    std::cerr << kProgram << ": " << code.error().message() << '\n';
    return kStartError;
  }
#endif
  const auto control = ProcessControl::make();
  return run(line, memory, *control);
}

// Whoever puts this program in csi-proxy's place has its flags in scripts and in the registry.
bool take_csi_proxy_flags(const std::vector<std::string>& words, CommandLine& line) {
#if defined(_WIN32)
  if (!is_csi_proxy_command_line(words)) return false;
  const std::string folder = program_folder();
  auto parsed = parse_csi_proxy_command_line(words, {folder + "\\modules", folder});
  if (!parsed) throw CLI::ParseError(parsed.error().message(), CLI::ExitCodes::InvalidError);
  for (const std::string& warning : parsed->warnings) std::cerr << "warning: " << warning << '\n';
  line.config_file = "csi-proxy's flags";
  line.config_text = std::move(parsed->configuration);
  line.is_service = parsed->is_service;
  return true;
#else
  static_cast<void>(words);
  static_cast<void>(line);
  return false;
#endif
}

void describe(CLI::App& app, CommandLine& line) {
  app.name(kProgram);
  app.set_version_flag("--version", core::kVersion);
  app.add_option("-c,--config", line.config_file,
                 "The configuration file; conf.d/*.toml beside it is read too")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--module-dir", line.module_dirs,
                 "A folder searched for modules before agent.module_dirs; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  app.add_flag("--check", line.check, "Check the configuration, print all findings and exit");
  app.add_flag("--no-ownership-check", line.no_ownership_check,
               "Accept configuration that other users could change; for development");
  app.add_flag("--safe-mode", line.safe_mode,
               "Load no module and serve nothing but the control socket");
#if defined(_WIN32)
  app.add_flag("--service", line.is_service,
               "Run under the service control manager; see longshorectl service install");
#else
  app.add_flag("--free-control-group", line.free_control_group,
               "What systemd runs after the agent: ends limits that a killed one left behind");
#endif
  app.footer("More options: longshored --help");  // of the commands
  add_config_commands(app, line.config);
  app.footer(
      "Exit codes: 0 ended in order, 1 wrong usage, 2 faulty configuration (--check: or something "
      "in the way of a socket), 3 cannot start. Out of memory it aborts.\n"
      "Signals: SIGHUP reloads the configuration, SIGTERM and SIGINT drain and end.");
}

// Tells what is wrong with the command line. Nobody sees what a service prints: the service control
// manager gets the exit code, and the event log the reason.
int end_by_usage(const CLI::App& app, const CLI::ParseError& error) {
  const int code = app.exit(error) == 0 ? 0 : 1;
#if defined(_WIN32)
  if (code != 0) {
    // An error for all who are no service, which is most.
    static_cast<void>(run_service([&](ProcessControl& control) {
      control.fail(error.what());
      return code;
    }));
  }
#endif
  return code;
}

// For the shell; see packaging/completion. Nothing that is asked for needs the modules.
void complete(const CLI::App& app, const std::vector<std::string>& words) {
  const auto no_values = [](const std::string&, const std::string&) {
    return std::vector<std::string>();
  };
  cli_completion::print(cli_completion::complete(app, words, no_values), std::cout);
}

}  // namespace
}  // namespace longshore

int main(int argc, char** argv) {
  longshore::prepare_process(longshore::kProgram);
  longshore::router::MemoryReserve memory(longshore::end_without_memory);
  const std::vector<std::string> words = longshore::program_words(argc, argv);
  longshore::CommandLine line;
  CLI::App app("The Longshore storage agent: serves storage modules over local sockets.");
  longshore::describe(app, line);
  if (words.size() > 1 && words[0] == "__complete" && words[1] == "--") {
    longshore::complete(app, {words.begin() + 2, words.end()});
    return 0;
  }
  try {
    if (!longshore::take_csi_proxy_flags(words, line)) {
      app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the last comes first
    }
  } catch (const CLI::ParseError& error) {
    return longshore::end_by_usage(app, error);
  }
  longshore::end_process(longshore::run_as_asked(line, memory));
}
