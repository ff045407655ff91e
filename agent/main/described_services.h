// The services that the agent offers itself, described before any configuration is read, so that
// configurations can name them. Who serves them is bound when the agent starts.
//
// Threads: any.
#pragma once

#include <memory>

#include "longshore/result.hpp"
#include "services/host_services.h"

namespace longshore {

Result<std::shared_ptr<services::HostServices>> described_services();

}  // namespace longshore
