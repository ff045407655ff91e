// The names of leases as upstream's sidecars write them, so that these and the agent exclude each
// other.
//
// Threads: any; values.
#pragma once

#include <string>
#include <string_view>

namespace longshore::config {

// As csi-lib-utils has it: what is neither a letter of ASCII, a digit nor '-' becomes '-', and
// behind a '-' at the end comes an X. It may still be one that the API server refuses.
std::string sanitized_lease_name(std::string_view name);

}  // namespace longshore::config
