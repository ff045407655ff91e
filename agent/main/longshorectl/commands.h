// The commands of longshorectl. Each answers the program's exit code.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "main/longshorectl/report.h"

namespace longshore::ctl {

// What all commands have in common.
struct Target {
  std::string socket = "/run/longshore-control/control.sock";
  std::chrono::nanoseconds timeout = std::chrono::seconds(10);  // of each call; zero: none
};

int show_status(const Target& target, const Report& report);
int list_modules(const Target& target, const Report& report);
int list_services(const Target& target, const Report& report);
int reload(const Target& target, const Report& report);

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
