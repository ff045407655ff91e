// Rules of permissions from the configuration's names to the ids that callers have.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/settings.h"
#include "longshore/result.hpp"
#include "router/permissions.h"

namespace longshore::router {

// `key` is where the rules stand: "modules.disk.permissions". The error names a user or group that
// the system does not know; nothing must be served by what is left of the rules then.
Result<std::shared_ptr<const Permissions>> permissions_of(
    std::string key, const std::vector<config::PermissionRule>& rules);

}  // namespace longshore::router
