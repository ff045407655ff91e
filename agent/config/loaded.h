// A configuration together with where it came from: what `longshorectl config` shows.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "config/findings.h"
#include "config/load.h"
#include "config/module_catalog.h"
#include "config/settings.h"
#include "longshore/result.hpp"

namespace longshore::config {

// Where a value came from, and where each item of an array did; anything else is its own item.
struct Origin {
  Place place;
  std::vector<Place> items;
};

// By full key ("modules.disk.enabled"), with the tables of endpoints, modules and methods too.
// What has its default has no origin.
using Origins = std::map<std::string, Origin, std::less<>>;

// By name of module; only of enabled modules, and not of those that could not be loaded.
using ModuleSchemas = std::map<std::string, ModuleSchema>;

struct Loaded {
  Configuration configuration;
  Origins origins;
  ModuleSchemas schemas;
  std::vector<std::string> warnings;  // "agent.toml:12:3: sentence", of what may not be meant so
};

// That no two modules serve one service, or one socket of csi-proxy's, as far as the schemas say:
// loading has checked that of those that it has read.
Result<void> check_served_once(const Loaded& loaded);

// Reads `file` and `conf.d/*.toml` beside it, merges and checks all. The error's message holds
// every finding, a line each, sorted by file and place: `FILE:LINE:COLUMN: sentence`. A module that
// cannot be loaded is none, unless it is to be: its settings stay unread, and what it would serve
// is unknown.
Result<Loaded> load_files_with_origins(const std::string& file, ModuleCatalog& catalog,
                                       const LoadOptions& options);

// The same for text that is in memory; `name` stands for the file in messages.
Result<Loaded> load_text_with_origins(std::string_view text, const std::string& name,
                                      ModuleCatalog& catalog, const LoadOptions& options = {});

}  // namespace longshore::config
