// `longshored config ...`: what the configuration says, without running the agent. longshorectl
// starts longshored with these, so that one program alone reads configuration and modules.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "config/loaded.h"

namespace longshore {

struct ConfigCommand {
  // check, show, sample, or diff against the running agent's configuration. Empty: none.
  std::string name;
  std::string file;
  std::vector<std::string> module_dirs;  // searched before agent.module_dirs
  bool check_ownership = true;
  bool with_origin = false;  // of show
};

// Looks at the sockets of a configuration that has no findings itself. What is in their way goes to
// `errors`, as what is to be warned of does. The exit code: 0, or 2 where there is something.
int tell_checked(const std::string& file, const config::Loaded& loaded, std::ostream& output,
                 std::ostream& errors);

// Answers the exit code: 0, or 2 for a faulty configuration, whose findings go to `errors`. `diff`
// reads what the agent runs with, as it tells it itself, from `running`.
int run_config_command(const ConfigCommand& command, std::istream& running, std::ostream& output,
                       std::ostream& errors);

}  // namespace longshore
