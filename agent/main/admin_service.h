// longshore.admin.v1.Admin: what longshorectl asks the agent.
#pragma once

#include <memory>

#include "loader/description.h"
#include "longshore/result.hpp"
#include "main/admin_target.h"

namespace longshore {

class Agent;

inline constexpr const char* kAdminService = "longshore.admin.v1.Admin";

// The handlers; they use `agent` as long as the target lives.
std::shared_ptr<AdminTarget> make_control_target(Agent& agent, router::Router& router);

// The service's description, in the form in which modules have theirs.
Result<loader::ModuleDescription> admin_service_description();

}  // namespace longshore
