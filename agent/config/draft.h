// The configuration while its files are read, one after the other, and before it is checked.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "config/loaded.h"
#include "config/node.h"
#include "config/settings.h"

namespace longshore::config {

struct Draft {
  Configuration configuration;
  Origins origins;
  // By path of the table, what the files say in `[modules.<name>.settings]`, in order and unread:
  // only the module's description knows the types.
  std::map<std::string, Node::Table> module_settings;
};

// Reads one file into the draft. What it has replaces what earlier files said of the same keys.
void read_file(const Node& root, Draft& draft, Findings& findings);

// `unknown key "modules.disk.enabeld"; did you mean "enabled"?`
std::string unknown_key(const std::string& path, std::string_view key,
                        const std::vector<std::string>& valid);

}  // namespace longshore::config
