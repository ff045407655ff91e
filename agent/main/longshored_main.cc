// longshored: the agent's process. Reads the command line and the configuration, and runs the
// agent.
#include <google/protobuf/stubs/logging.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "config/load.h"
#include "config/user_names.h"
#include "core/log_options.h"
#include "core/version.h"
#include "main/agent.h"
#include "main/config_commands.h"
#include "main/described_services.h"
#include "main/heaps.h"
#include "tools/cli_completion.h"

#if !defined(_WIN32)
#include "supervise/linux/cgroups.h"
#endif

namespace longshore {
namespace {

// Exit codes, as --help lists them.
constexpr int kConfigurationError = 2;
constexpr int kStartError = 3;

struct CommandLine {
  std::string config_file = "/etc/longshore/agent.toml";
  std::vector<std::string> module_dirs;
  bool check = false;
  bool no_ownership_check = false;
  bool safe_mode = false;
  bool free_control_group = false;
  ConfigCommand config;
};

int fail(int code, const Error& error) {
  std::cerr << "longshored: " << error.message() << '\n';
  return code;
}

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

// What an end by exit() would do in a build with sanitizers.
void check_for_leaks() {
#if defined(__SANITIZE_ADDRESS__)
  __lsan_do_leak_check();
#endif
}

int run(const CommandLine& line) {
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
  if (!services) return fail(kStartError, services.error());
  auto modules = std::make_unique<core::InspectedModules>(line.module_dirs, *std::move(services));
  config::LoadOptions load_options;
  if (!line.no_ownership_check) load_options.owners.push_back(config::own_user_id());
  Result<config::Loaded> loaded =
      config::load_files_with_origins(line.config_file, *modules, load_options);
  if (!loaded) {
    std::cerr << loaded.error().message() << '\n';
    return kConfigurationError;
  }
  if (line.check) {
    std::cout << line.config_file << ": no findings\n";
    return 0;
  }
  Result<std::unique_ptr<observe::Log>> log =
      observe::Log::open(core::log_options(loaded->configuration.agent.log));
  if (!log) return fail(kConfigurationError, log.error());
  std::signal(SIGPIPE, SIG_IGN);
  // Until it is waited for, below: a reload before the first configuration is applied is no reason
  // to die, in the middle of a module's start at that.
  std::signal(SIGHUP, SIG_IGN);
  // Who started us may have it ignored, and then nobody could wait for modules' processes.
  std::signal(SIGCHLD, SIG_DFL);
  // It would write what clients send wrongly to standard error, past the log and its limits.
  google::protobuf::SetLogHandler(nullptr);
  auto agent = std::make_unique<Agent>(
      Agent::Options{line.config_file, line.module_dirs, !line.no_ownership_check, line.safe_mode},
      std::move(*loaded), std::move(modules), std::move(*log));
  const auto started = agent->start();
  if (started) agent->run();
  if (agent->may_be_destroyed()) {
    agent.reset();
    check_for_leaks();
  } else {
    static_cast<void>(agent.release());  // the process ends without it
  }
  return started ? 0 : fail(kStartError, started.error());
}

void describe(CLI::App& app, CommandLine& line) {
  app.name("longshored");
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
#if !defined(_WIN32)
  app.add_flag("--free-control-group", line.free_control_group,
               "What systemd runs after the agent: ends limits that a killed one left behind");
#endif
  app.footer("More options: longshored --help");  // of the commands
  add_config_commands(app, line.config);
  app.footer(
      "Exit codes: 0 ended in order, 1 wrong usage, 2 faulty configuration, 3 cannot start.\n"
      "Signals: SIGHUP reloads the configuration, SIGTERM and SIGINT drain and end.");
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
#if !defined(_WIN32)
  longshore::share_heaps();
#endif
  longshore::CommandLine line;
  CLI::App app("The Longshore storage agent: serves storage modules over local sockets.");
  longshore::describe(app, line);
  if (argc > 2 && argv[1] == std::string_view("__complete") && argv[2] == std::string_view("--")) {
    longshore::complete(app, {argv + 3, argv + argc});
    return 0;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  }
  const int code = longshore::run(line);
  // Modules may have left threads behind; destructors of their statics must not run under them.
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(code);
}
