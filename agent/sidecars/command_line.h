// csi-sidecars' command line, in the manner of KEP-4958: flags as the sidecars have them, turned
// into the configuration of an agent that runs the chosen controllers.
//
//   --csi-address          generic: each enabled controller that has the option csi_address
//   --NAME-csi-address     the controller NAME alone; wins over the generic flag
//   --probe-timeout        the one enabled controller that has this option
//
// Whatever a flag leaves unsaid has the controller's own default, never another's.
//
// Threads: any; plain functions.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "longshore/result.hpp"
#include "sidecars/installed_controllers.h"

namespace longshore::sidecars {

// What the configuration is called in messages.
inline constexpr const char* kConfigName = "csi-sidecars' flags";

struct CommandLine {
  bool help = false;  // and nothing else
  bool version = false;
  bool does_nothing = false;  // asked for a probe that has succeeded once it was begun
  bool print_config = false;
  bool check = false;  // start nothing, and tell what of a start would go well
  std::string run_dir;
  std::string configuration;          // TOML
  std::vector<std::string> warnings;  // of flags that do nothing
  // Which flags gave the address of metrics, and the options of controllers, by controller and
  // option: "--metrics-address". Of what has its default there is none.
  std::string http_flag;
  std::map<std::pair<std::string, std::string>, std::string> option_flags;
};

// The flags of the program's own, with what --help says of them.
struct OwnFlag {
  std::string name;
  bool is_bool = false;
  std::string value;  // "DIR"; empty for a bool
  std::string doc;
};
const std::vector<OwnFlag>& own_flags();

// What --module-dir says, which is needed before the other flags are known.
std::vector<std::string> module_dirs_of(const std::vector<std::string>& words);

// Whether --check is among them, where others may be wrong.
bool asks_for_check(const std::vector<std::string>& words);

// INVALID_ARGUMENT: a flag that nobody knows, with the nearest one, a value that is none, or
// controllers that do not exist.
Result<CommandLine> parse_command_line(const std::vector<std::string>& words,
                                       const InstalledControllers& installed);

}  // namespace longshore::sidecars
