// longshorectl: what an administrator asks a running agent, and does with its configuration.
#include <CLI/CLI.hpp>
#include <csignal>
#include <functional>

#include "config/toml_text.h"
#include "main/longshorectl/commands.h"
#include "main/version.h"

namespace longshore::ctl {
namespace {

struct CommandLine {
  Target target;
  std::string timeout = "10s";
  std::string output = "text";
  std::string method;
  std::string request;
  ConfigRequest config;
  // What the chosen command does.
  std::function<int(const Report&)> run;
};

constexpr const char* kFooter =
    "Exit codes:\n"
    "  0  done\n"
    "  1  wrong usage\n"
    "  2  faulty configuration, or faulty JSON of a request\n"
    "  3  the agent cannot be reached at its socket\n"
    "  4  the call ended in an error, which standard error tells as \"CODE: text\"\n"
    "With --output json, results and errors are JSON objects, one a line; only what is wrong with\n"
    "the command line itself is told in text.";

void add_agent_commands(CLI::App& app, CommandLine& line) {
  const auto add = [&](const char* name, const char* help,
                       int (*command)(const Target&, const Report&)) {
    app.add_subcommand(name, help)->fallthrough()->callback([&line, command] {
      line.run = [&line, command](const Report& report) { return command(line.target, report); };
    });
  };
  add("status", "How the agent is and where it listens", show_status);
  add("modules", "The modules, their states and their calls", list_modules);
  add("services", "All methods that modules serve", list_services);
  add("reload", "Read the configuration again and apply what changed", reload);
}

void add_call(CLI::App& app, CommandLine& line) {
  auto* call = app.add_subcommand("call", "Call a method of a module; answers come as JSON");
  call->fallthrough();
  call->add_option("method", line.method, "<service>/<method>, as in longshore.echo.v1.Echo/Say")
      ->required();
  call->add_option("request", line.request,
                   "JSON, @FILE, or - for standard input; secrets only by the latter two");
  call->callback([&line] {
    line.run = [&line](const Report& report) {
      return call_method(line.target, report, line.method, line.request);
    };
  });
}

void add_config(CLI::App& app, CommandLine& line) {
  auto* config = app.add_subcommand("config", "Check, show and compare the configuration");
  config->fallthrough()->require_subcommand(1);
  ConfigRequest& request = line.config;
  config->add_option("-c,--config", request.file, "The configuration file")->capture_default_str();
  config->add_option("--module-dir", request.module_dirs,
                     "A folder searched for modules before agent.module_dirs; may be repeated");
  config->add_flag("--no-ownership-check", request.no_ownership_check,
                   "Accept configuration that other users could change; for development");
  const auto add = [&](const char* name, const char* help, bool has_file) {
    auto* command = config->add_subcommand(name, help);
    command->fallthrough();
    if (has_file) command->add_option("file", request.file, "The configuration file");
    command->callback([&line, name] {
      line.config.command = name;
      line.run = [&line](const Report& report) {
        return run_config(line.target, report, line.config);
      };
    });
    return command;
  };
  add("check", "Print all that is wrong with the file", true);
  add("show", "The configuration in effect, with defaults and without secrets", true)
      ->add_flag("--origin", request.origin, "Say where each value comes from");
  add("sample", "A file to start from, for the modules that are installed", false);
  add("diff", "What a reload would change in the running agent", true);
}

int run(CLI::App& app, CommandLine& line, int count, char** arguments) {
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kExitOk : kExitUsage;
  }
  const Report report(line.output == "json");
  const auto timeout = config::parse_duration(line.timeout);
  if (!timeout) {
    return report.fail(kExitUsage,
                       Error(StatusCode::kInvalidArgument, "read --timeout", line.timeout)
                           .advise("write it as \"10s\" or \"500ms\""));
  }
  line.target.timeout = *timeout;
  return line.run(report);
}

}  // namespace
}  // namespace longshore::ctl

int main(int argc, char** argv) {
  using namespace longshore;
  // Whoever started us may ignore it; a reader of ours that is gone ends us, as it does others.
  std::signal(SIGPIPE, SIG_DFL);
  ctl::CommandLine line;
  CLI::App app("Asks the Longshore storage agent and works on its configuration.");
  app.set_version_flag("--version", kVersion);
  app.require_subcommand(1);
  app.footer(ctl::kFooter);
  app.add_option("--socket", line.target.socket, "The agent's control socket")
      ->capture_default_str();
  app.add_option("--timeout", line.timeout, "How long a call may take; 0s waits for ever")
      ->capture_default_str();
  app.add_option("--output", line.output, "For people or for programs")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  ctl::add_agent_commands(app, line);
  ctl::add_call(app, line);
  ctl::add_config(app, line);
  return ctl::run(app, line, argc, argv);
}
