// The addresses that a portal may have in records and sessions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "iscsi/portal.h"
#include "longshore/result.hpp"
#include "support/call_limits.h"

namespace longshore::iscsi {

// A literal address is itself. A host's name is the name and every address that the node's name
// service has for it now; blocks while that is asked, for as long as the node's resolver takes, and
// then looks at the limits. UNAVAILABLE: it has none, so that nobody can say what is connected
// through the portal. `operation` completes "cannot ...", and `object` is what it is tried on.
//
// A session is known to the kernel by an address alone. For one that was made when the name had
// others than now see NodeRecords::addresses_through().
Result<std::vector<std::string>> addresses_of(const Portal& portal,
                                              const support::CallLimits& limits,
                                              std::string_view operation,
                                              const std::string& object);

}  // namespace longshore::iscsi
