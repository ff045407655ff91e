#include "tools/longshorectl/command_line.h"

#include <vector>

#include "core/version.h"

namespace longshore::ctl {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  longshorectl status\n"
    "  longshorectl services\n"
    "  longshorectl call longshore.admin.v1.Admin/GetLogLevel '{}'\n"
    "  longshorectl trace --failed\n"
    "  longshorectl top --methods\n"
    "  longshorectl config check /etc/longshore/agent.toml && longshorectl reload\n"
    "\n"
    "Exit codes:\n"
    "  0  done\n"
    "  1  wrong usage\n"
    "  2  faulty configuration, or faulty JSON of a request; \"config check\", \"audit verify\" "
    "or\n"
    "     \"crashes\" found something wrong, or not what it was to look at\n"
    "  3  the agent cannot be reached at its socket, or the API server gives no answer\n"
    "  4  the call ended in an error, which standard error tells as \"CODE: text\"\n"
    "\n"
    "With --output json, results and errors are JSON objects, one a line; only what is wrong with\n"
    "the command line itself is told in text. See longshorectl(1).";

constexpr const char* kWork = "See what it does";
constexpr const char* kChange = "Change and check it";
constexpr const char* kCommands = "Commands";  // of a command

CLI::App* add_command(CLI::App& app, const char* name, const char* help, const char* group) {
  return app.add_subcommand(name, help)->fallthrough()->group(group);
}

void add_agent_command(CLI::App& app, CommandLine& line, const char* name, const char* help,
                       const char* group, int (*command)(const Target&, const Report&)) {
  add_command(app, name, help, group)->callback([&line, command] {
    line.run = [&line, command](const Report& report) { return command(line.target, report); };
  });
}

void add_modules(CLI::App& app, CommandLine& line) {
  auto* modules = add_command(app, "modules", "The modules, their states and their calls", kWork);
  modules->add_option("MODULE", line.module, "All of this one, with the steps of its life")
      ->type_name("");
  modules->callback([&line] {
    line.run = [&line](const Report& report) {
      return list_modules(line.target, report, line.module);
    };
  });
}

void add_controllers(CLI::App& app, CommandLine& line) {
  auto* controllers =
      add_command(app, "controllers", "The controllers, and what they wait for", kWork);
  auto* name = controllers->add_option("CONTROLLER", line.module,
                                       "All of this one, with the steps of its life");
  name->type_name("");
  auto* object = controllers->add_option("--object", line.object,
                                         "What happened to one of its objects, as va/csi-0a1b; "
                                         "in a namespace KIND/NAMESPACE/NAME");
  object->type_name("KIND/NAME")->needs(name);
  controllers->callback([&line, object] {
    line.run = [&line, asks = object->count() > 0](const Report& report) {
      if (asks) return describe_object(line.target, report, line.module, line.object);
      return list_controllers(line.target, report, line.module);
    };
  });
}

void add_upgrade(CLI::App& app, CommandLine& line) {
  auto* upgrade =
      add_command(app, "upgrade", "Give a module another file while it serves", kChange);
  upgrade->add_option("MODULE", line.module, "The module")->type_name("")->required();
  upgrade
      ->add_option("FILE", line.module_file,
                   "The file until the next reload; without it the one that the configuration "
                   "names is read again")
      ->type_name("");
  upgrade->callback([&line] {
    line.run = [&line](const Report& report) {
      return upgrade_module(line.target, report, line.module, line.module_file);
    };
  });
}

void add_trace(CLI::App& app, CommandLine& line) {
  auto* trace = add_command(app, "trace", "What became of a request, or the last requests", kWork);
  trace
      ->add_option("REQUEST-ID", line.request_id,
                   "The request, as logs and answers name it (x-request-id)")
      ->type_name("");
  auto* last = trace->add_option("--last", line.last, "List the last calls; 20, or so many");
  last->expected(0, 1)->type_name("NUMBER")->check(CLI::Range(1, 100'000).description(""));
  trace->add_flag("--failed", line.failed, "List only calls that failed");
  trace->callback([&line, last] {
    const bool lists = last->count() > 0 || line.failed;
    if (lists == !line.request_id.empty()) {
      throw CLI::ValidationError("trace", "give either a request id, or --last or --failed");
    }
    line.run = [&line, lists](const Report& report) {
      if (!lists) return trace_request(line.target, report, line.request_id);
      return list_calls(line.target, report, line.last, line.failed);
    };
  });
}

void add_top(CLI::App& app, CommandLine& line) {
  auto* top = add_command(app, "top", "Calls a second of each module, renewed until q", kWork);
  top->add_option("MODULE", line.top.module, "Only this module")->type_name("");
  top->add_flag("--methods", line.top.methods, "By method, of calls that came over sockets");
  top->add_option("--interval", line.top.interval_text, "The time between two samples")
      ->type_name("TIME")
      ->capture_default_str();
  top->add_option("--count", line.top.count, "End after so many samples")
      ->type_name("NUMBER")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000}).description(""));
  top->callback([&line] {
    line.run = [&line](const Report& report) { return show_top(line.target, report, line.top); };
  });
}

void add_call(CLI::App& app, CommandLine& line) {
  auto* call = add_command(app, "call", "Call a method of a module; answers come as JSON", kChange);
  call->add_option("METHOD", line.method, "<service>/<method>; longshorectl services lists them")
      ->type_name("")
      ->required();
  call->add_option("JSON", line.request,
                   "JSON, @FILE, or - for standard input; secrets only by the latter two")
      ->type_name("");
  call->callback([&line] {
    line.run = [&line](const Report& report) {
      return call_method(line.target, report, line.method, line.request);
    };
  });
}

void add_log(CLI::App& app, CommandLine& line) {
  auto* log = add_command(app, "log", "How much the agent writes to its log", kChange);
  log->require_subcommand(1);
  auto* level = log->add_subcommand("level",
                                    "Show or set the least severe level that is written, until the "
                                    "agent restarts or a reload changes the configured one");
  level->fallthrough()->group(kCommands);
  level->add_option("LEVEL", line.level, "The new level; without it the present one is shown")
      ->type_name("debug|info|warning|error")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}).description(""));
  level->callback([&line] {
    line.run = [&line](const Report& report) { return log_level(line.target, report, line.level); };
  });
}

void add_audit(CLI::App& app, CommandLine& line) {
  auto* audit = add_command(app, "audit", "The audit log's files", kChange);
  audit->require_subcommand(1);
  auto* verify = audit->add_subcommand("verify", "Whether nothing was cut off or changed");
  verify->fallthrough()->group(kCommands);
  verify
      ->add_option("FILE", line.audit.files,
                   "The file, or all files of the log; without it the one that the agent writes")
      ->type_name("");
  verify
      ->add_option("--journal", line.audit.journal,
                   "The agent's own log, or what journalctl prints of it; - for standard input")
      ->type_name("FILE");
  verify->callback([&line] {
    line.run = [&line](const Report& report) {
      return verify_audit(line.target, report, line.audit);
    };
  });
}

void add_crashes(CLI::App& app, CommandLine& line) {
  auto* crashes = add_command(app, "crashes", "What the agent and its modules crashed of", kWork);
  crashes->add_option("NAME", line.crashes.name, "The whole record of this one")->type_name("");
  crashes->add_option("--state-dir", line.crashes.state_dir, "The agent's state directory")
      ->type_name("DIR")
      ->capture_default_str();
  crashes->callback([&line] {
    line.run = [&line](const Report& report) { return show_crashes(report, line.crashes); };
  });
}

#if !defined(_WIN32)
void add_kube(CLI::App& app, CommandLine& line) {
  auto* kube = add_command(app, "kube", "Ask the Kubernetes API server, without an agent", kWork);
  kube->require_subcommand(1);
  kube->add_option("--kubeconfig", line.kube.kubeconfig,
                   "The kubeconfig; without it $KUBECONFIG, or what this Pod has")
      ->type_name("FILE");
  const auto add = [&](const char* name, const char* help) {
    auto* command = kube->add_subcommand(name, help);
    command->fallthrough()->group(kCommands);
    command->callback([&line] {
      line.run = [&line](const Report& report) {
        return get_from_kube(line.target, report, line.kube);
      };
    });
    return command;
  };
  auto* get = add("get", "An object, a list of them, or any path, as JSON");
  get->add_option("RESOURCE", line.kube.what,
                  "A resource, as persistentvolumes, or a path: /readyz")
      ->type_name("")
      ->required();
  get->add_option("NAME", line.kube.name, "The object; without it all of them")->type_name("");
  get->add_option("-n,--namespace", line.kube.name_space,
                  "The namespace; without it the kubeconfig's, or this Pod's")
      ->type_name("NAMESPACE");
  add("version", "The version of the server")->preparse_callback([&line](size_t) {
    line.kube.what = "/version";
  });
}
#endif

#if defined(_WIN32)
void add_service(CLI::App& app, CommandLine& line) {
  auto* service = add_command(app, "service", "The agent as a service of Windows", kChange);
  service->require_subcommand(1);
  const auto add = [&](const char* name, const char* help, std::function<int(const Report&)> work) {
    auto* command = service->add_subcommand(name, help);
    command->fallthrough()->group(kCommands);
    command->callback([&line, work = std::move(work)] { line.run = work; });
    return command;
  };
  auto* install =
      add("install", "Have it started with the node, and again after a failure",
          [&line](const Report& report) { return install_service(report, line.service); });
  install->add_option("-c,--config", line.service.config_file, "The configuration file")
      ->type_name("FILE")
      ->capture_default_str();
  install->add_flag("--start", line.service.starts, "Start it at once, too");
  install
      ->add_option("--depends-on", line.service.depends_on,
                   "A service that is started before it; may be repeated")
      ->type_name("SERVICE")
      ->allow_extra_args(false);
  add("configure", "Have one that is there started late, and again after a failure",
      &configure_service);
  add("uninstall", "Stop it and forget it", &uninstall_service);
  add("status", "Whether it is installed and runs", &show_service);
}
#endif

void add_config(CLI::App& app, CommandLine& line) {
  auto* config = add_command(app, "config", "Check, show and compare the configuration", kChange);
  config->require_subcommand(1);
  config->footer("More options: longshorectl config --help");  // of the commands below it
  ConfigRequest& request = line.config;
  auto* const chosen = config->add_option("-c,--config", request.file, "The configuration file")
                           ->type_name("FILE")
                           ->capture_default_str();
  config
      ->add_option("--module-dir", request.module_dirs,
                   "A folder searched for modules before agent.module_dirs; may be repeated")
      ->type_name("DIR")
      ->allow_extra_args(false);
  config->add_flag("--no-ownership-check", request.no_ownership_check,
                   "Accept configuration that other users could change; for development");
  const auto add = [&, chosen](const char* name, const char* help, bool has_file) {
    auto* command = config->add_subcommand(name, help);
    command->fallthrough()->group(kCommands);
    if (has_file) {
      command
          ->add_option("FILE", request.file,
                       "The configuration file; conf.d/*.toml beside it is read too")
          ->type_name("")
          ->excludes(chosen);
    }
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
  config->footer(app.get_footer());
}

}  // namespace

void describe(CLI::App& app, CommandLine& line) {
  app.name("longshorectl");
  app.set_version_flag("--version", core::kVersion);
  app.get_formatter()->column_width(24);
  app.require_subcommand(1);
  app.add_option("--socket", line.target.socket, "The agent's control socket")
      ->type_name("FILE")
      ->capture_default_str();
  app.add_option("--timeout", line.timeout,
                 "How long a call may take; 0s waits for ever (10s; reload and upgrade: 5m)")
      ->type_name("TIME");
  app.add_option("--output", line.output, "For people or for programs")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->capture_default_str();
  app.add_option("--color", line.colour, "Colours; auto: on a terminal, unless NO_COLOR is set")
      ->type_name("auto|always|never")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->capture_default_str();
  app.footer("More options: longshorectl --help");  // of the commands
  add_agent_command(app, line, "status", "How the agent is and where it listens", kWork,
                    show_status);
  add_modules(app, line);
  add_controllers(app, line);
  add_agent_command(app, line, "services", "All methods that modules serve", kWork, list_services);
  add_top(app, line);
  add_trace(app, line);
  add_crashes(app, line);
  add_call(app, line);
  add_config(app, line);
  add_agent_command(app, line, "reload", "Read the configuration again and apply what changed",
                    kChange, reload);
  add_upgrade(app, line);
  add_log(app, line);
  add_audit(app, line);
#if defined(_WIN32)
  add_service(app, line);
#else
  add_kube(app, line);
#endif
  app.footer(kFooter);
}

}  // namespace longshore::ctl
