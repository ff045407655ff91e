// What a controller may ask of the API server: its kube_grants, in the words of RBAC.
//
// Threads: any; all is a function of its values.
#pragma once

#include <string_view>

#include "config/settings.h"
#include "kube/resource_path.h"
#include "longshore/result.hpp"

namespace longshore::kube {

// PERMISSION_DENIED, with the grant that is missing. `controller` null: the configuration does not
// name it any more.
Result<void> check_granted(const config::ModuleSettings* controller, std::string_view verb,
                           const ResourcePath& resource);

}  // namespace longshore::kube
