// The commands of longshorectl. Each answers the program's exit code.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "config/system_paths.h"
#include "tools/longshorectl/report.h"

namespace longshore::ctl {

// What all commands have in common.
struct Target {
  std::string socket = config::kControlPath;
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);  // of each call; zero: none
  // The same for what waits until modules have started, and others have ended their last calls.
  std::chrono::nanoseconds patience = std::chrono::minutes(5);

  Target patient() const { return {socket, patience, patience}; }
};

int show_status(const Target& target, const Report& report);
int list_services(const Target& target, const Report& report);
int reload(const Target& target, const Report& report);

// All of them, or the one `name` with the steps of its life.
int list_modules(const Target& target, const Report& report, const std::string& name);
// The same of controllers, which are among them, with their work queues.
int list_controllers(const Target& target, const Report& report, const std::string& name);
// What happened to one object of a controller's, "va/csi-0a1b".
int describe_object(const Target& target, const Report& report, const std::string& controller,
                    const std::string& object);
// Without a `file`: the one that the configuration names.
int upgrade_module(const Target& target, const Report& report, const std::string& module,
                   const std::string& file);

// An empty `level` only asks.
int log_level(const Target& target, const Report& report, const std::string& level);

int trace_request(const Target& target, const Report& report, const std::string& request_id);
// The last `limit` calls.
int list_calls(const Target& target, const Report& report, int limit, bool only_failed);

struct TopRequest {
  std::string module;  // empty: all
  bool methods = false;
  std::string interval_text = "1s";
  std::chrono::nanoseconds interval{};
  int64_t count = 0;  // 0: until it is ended
};
int show_top(const Target& target, const Report& report, const TopRequest& request);

// `method` is "<service>/<method>"; `request` is JSON, "@<file>", or "-" for standard input.
int call_method(const Target& target, const Report& report, const std::string& method,
                const std::string& request);

// `longshorectl audit verify`: reads the files itself, so that it needs no agent.
struct AuditRequest {
  // None: the one that the agent says it writes, or, if it does not answer, the usual one.
  std::vector<std::string> files;
  std::string journal;  // a file with the agent's log; "-": standard input; empty: none
};
int verify_audit(const Target& target, const Report& report, const AuditRequest& request);

// All crashes, or the record of the one `name`. From the agent's state directory itself, so that an
// agent which does not start can be asked about.
struct CrashRequest {
  std::string name;
  std::string state_dir = config::kStateDir;
};
int show_crashes(const Report& report, const CrashRequest& request);

// `longshorectl config ...`: what is read from files is read by the agent's own program.
struct ConfigRequest {
  std::string command;  // check, show, sample or diff
  std::string file = config::kConfigFile;
  std::vector<std::string> module_dirs;
  bool no_ownership_check = false;
  bool origin = false;
};
int run_config(const Target& target, const Report& report, const ConfigRequest& request);

#if !defined(_WIN32)
// `longshorectl kube get|version`: one GET of an API server, by no agent.
struct KubeRequest {
  std::string what;        // a path, or the name of a resource
  std::string name;        // of the object; empty: all
  std::string name_space;  // empty: the configuration's
  std::string kubeconfig;  // empty: $KUBECONFIG's, or the Pod's own
};
int get_from_kube(const Target& target, const Report& report, const KubeRequest& request);
#endif

#if defined(_WIN32)
// `longshorectl service install|configure|uninstall|status`: the agent in the service control
// manager.
struct ServiceRequest {
  std::string config_file = config::kConfigFile;
  bool starts = false;                  // install: at once, too
  std::vector<std::string> depends_on;  // install: services that are started before it
};
int install_service(const Report& report, const ServiceRequest& request);
// What Windows Installer's own tables of a service leave out, or do not do as documented.
int configure_service(const Report& report);
// Stops it first, and waits for that.
int uninstall_service(const Report& report);
int show_service(const Report& report);
#endif

}  // namespace longshore::ctl
