// Reading the configuration: the one way in, for files and for text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/module_catalog.h"
#include "config/settings.h"
#include "config/user_id.h"
#include "longshore/result.hpp"

namespace longshore::config {

struct LoadOptions {
  // User ids that may own the files and their folders, besides root. Empty: nobody is asked.
  std::vector<UserId> owners;
  // Whether a module that cannot be loaded is a finding, though agent.strict may not say so.
  bool strict = false;
};

// Reads `file` and `conf.d/*.toml` beside it, merges and checks all. The error's message holds
// every finding, a line each, sorted by file and place: `FILE:LINE:COLUMN: sentence`. A module that
// cannot be loaded is none, unless it is to be: its settings stay unread, and what it would serve
// is unknown.
Result<Configuration> load_files(const std::string& file, ModuleCatalog& catalog,
                                 const LoadOptions& options);

// The same for text that is in memory; `name` stands for the file in messages.
Result<Configuration> load_text(std::string_view text, const std::string& name,
                                ModuleCatalog& catalog);

}  // namespace longshore::config
