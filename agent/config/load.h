// Reading the configuration. With where it came from, and from files: config/loaded.h.
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

// As load_text_with_origins(), without what only `longshorectl` needs. `name` stands for the file
// in messages.
Result<Configuration> load_text(std::string_view text, const std::string& name,
                                ModuleCatalog& catalog);

}  // namespace longshore::config
