// What makes sense only for the configuration as a whole and together with the modules it names.
#pragma once

#include <initializer_list>
#include <string>

#include "config/draft.h"
#include "config/loaded.h"
#include "config/module_catalog.h"

namespace longshore::config {

// Asks `catalog` for every enabled module and reads its settings into the draft. A disabled module
// need not exist, and its settings are left alone.
ModuleSchemas describe_modules(Draft& draft, ModuleCatalog& catalog, Findings& findings);

// Addresses and services of endpoints; services, methods and permissions of modules.
void check_whole(const Draft& draft, const ModuleSchemas& schemas, Findings& findings);

// The place of the first of `paths` that a file has; the start of the main file if none does.
Place place_of(const Origins& origins, std::initializer_list<std::string> paths);

}  // namespace longshore::config
