// The commands of longshorectl. Each answers the program's exit code.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/longshorectl/report.h"

namespace longshore::ctl {

// What all commands have in common.
struct Target {
  std::string socket = "/run/longshore-control/control.sock";
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

// `longshorectl config ...`: what is read from files is read by the agent's own program.
struct ConfigRequest {
  std::string command;  // check, show, sample or diff
  std::string file = "/etc/longshore/agent.toml";
  std::vector<std::string> module_dirs;
  bool no_ownership_check = false;
  bool origin = false;
};
int run_config(const Target& target, const Report& report, const ConfigRequest& request);

}  // namespace longshore::ctl
