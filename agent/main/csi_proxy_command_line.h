// csi-proxy's command line, for who puts longshored.exe in its place: Go's flags, turned into the
// configuration that serves what csi-proxy would.
//
// What csi-proxy has and longshored does by other means (how klog writes its lines) is taken and
// does nothing, with a warning.
//
// Threads: any; plain functions. Source: csi-proxy's README and its main.go, v1.0 to master.
#pragma once

#include <string>
#include <vector>

#include "longshore/result.hpp"

namespace longshore {

struct CsiProxyCommandLine {
  bool is_service = false;
  std::string configuration;          // TOML
  std::vector<std::string> warnings;  // of flags that do nothing
};

// Whether one of the words is a flag of csi-proxy's: it has none with the name of one of ours.
bool is_csi_proxy_command_line(const std::vector<std::string>& words);

// `module_dirs`: where the modules lie. INVALID_ARGUMENT as Go's package flag says it: a flag that
// is not known, one without its value, or words that are no flags.
Result<CsiProxyCommandLine> parse_csi_proxy_command_line(
    const std::vector<std::string>& words, const std::vector<std::string>& module_dirs);

}  // namespace longshore
