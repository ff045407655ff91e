// What csi-sidecars --help prints: all flags, those of controllers from their own tables of
// options.
//
// Threads: any; a plain function.
#pragma once

#include <string>

#include "sidecars/installed_controllers.h"

namespace longshore::sidecars {

std::string help_text(const InstalledControllers& installed);

}  // namespace longshore::sidecars
