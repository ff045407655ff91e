// longshored: the agent's process. Reads the command line and the configuration, and runs the
// agent.
#include <google/protobuf/stubs/logging.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

#include "config/load.h"
#include "config/loaded.h"
#include "config/user_names.h"
#include "core/log_options.h"
#include "core/version.h"
#include "files/state_lock.h"
#include "main/agent.h"
#include "main/config_commands.h"
#include "main/described_services.h"
#include "main/descriptor_table.h"
#include "main/process_control.h"
#include "main/record_crashes.h"
#include "observe/crash_handler.h"
#include "router/heaps.h"
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

// Exit codes, as --help lists them.
constexpr int kConfigurationError = 2;
constexpr int kStartError = 3;

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

int fail(int code, const Error& error) {
  std::cerr << "longshored: " << error.message() << '\n';
  return code;
}

int fail(ProcessControl& control, int code, const Error& error) {
  control.fail(error.message());
  return fail(code, error);
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
  if (!services) return fail(control, kStartError, services.error());
  auto modules = std::make_unique<core::InspectedModules>(line.module_dirs, services->all);
  Result<config::Loaded> loaded = load_configuration(line, *modules);
  if (!loaded) {
    control.fail(loaded.error().message());
    std::cerr << loaded.error().message() << '\n';
    return kConfigurationError;
  }
  if (line.check) return tell_checked(line.config_file, *loaded, std::cout, std::cerr);
  Result<std::unique_ptr<observe::Log>> log =
      observe::Log::open(core::log_options(loaded->configuration.agent.log));
  if (!log) return fail(control, kConfigurationError, log.error());
  // Before all else that changes anything; kept to the end.
  const auto state = files::StateLock::take(loaded->configuration.agent.state_dir);
  if (!state) return fail(control, kStartError, state.error());
  if (!state->warning().empty()) (*log)->warning(state->warning());
  record_crashes(loaded->configuration.agent, **log);
#if !defined(_WIN32)
  std::signal(SIGPIPE, SIG_IGN);
  // Until it is waited for, below: a reload before the first configuration is applied is no reason
  // to die, in the middle of a module's start at that.
  std::signal(SIGHUP, SIG_IGN);
  // Who started us may have it ignored, and then nobody could wait for modules' processes.
  std::signal(SIGCHLD, SIG_DFL);
#endif
  // It would write what clients send wrongly to standard error, past the log and its limits.
  google::protobuf::SetLogHandler(nullptr);
  auto agent = std::make_unique<Agent>(
      Agent::Options{line.config_file, line.config_text, !line.no_ownership_check, line.safe_mode,
                     &memory, [&](std::string_view what) { control.notify(what); }},
      std::move(*loaded), std::move(modules), *services->admin, std::move(*log));
  control.serve(agent.get());
  const auto started = agent->start();
  if (started) agent->run();
  control.serve(nullptr);
  if (agent->may_be_destroyed()) {
    agent.reset();
    check_for_leaks();
  } else {
    static_cast<void>(agent.release());  // the process ends without it
  }
  return started ? 0 : fail(control, kStartError, started.error());
}

int run_as_asked(const CommandLine& line, router::MemoryReserve& memory) {
#if defined(_WIN32)
  if (line.is_service) {
    const auto code =
        run_service([&](ProcessControl& control) { return run(line, memory, control); });
    return code ? *code : fail(kStartError, code.error());
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

// For the shell; see packaging/completion. Nothing that is asked for needs the modules.
void complete(const CLI::App& app, const std::vector<std::string>& words) {
  const auto no_values = [](const std::string&, const std::string&) {
    return std::vector<std::string>();
  };
  cli_completion::print(cli_completion::complete(app, words, no_values), std::cout);
}

// Nothing is unwound, see router/memory_reserve.h. The crash record tells the call and the place,
// and who runs the agent starts it again. Needs no memory.
void end_without_memory() {
  std::fputs("longshored: out of memory; the agent ends\n", stderr);
  observe::reason_of_abort = "out of memory";
  std::abort();
}

// For an exception that nobody takes.
[[noreturn]] void end_at_once() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (const std::system_error& failure) {
    if (failure.code() == std::errc::resource_unavailable_try_again) {
      std::fputs("longshored: the system gives no thread; the agent ends\n", stderr);
      std::_Exit(kStartError);
    }
  } catch (...) {
  }
  std::abort();
}

}  // namespace
}  // namespace longshore

int main(int argc, char** argv) {
#if !defined(_WIN32)
  longshore::prepare_descriptor_table();
  longshore::router::share_heaps();
#endif
  std::set_terminate(longshore::end_at_once);
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
    return app.exit(error) == 0 ? 0 : 1;
  }
  const int code = longshore::run_as_asked(line, memory);
  // Modules may have left threads behind; destructors of their statics must not run under them.
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(code);
}
