#include <algorithm>
#include <utility>

#include "config/check.h"
#include "config/key_schema.h"
#include "config/toml_text.h"

namespace longshore::config {
namespace {

// What a connection and a call hold besides messages; see rpc/server.h.
constexpr int64_t kOverheadBytes = 64 << 10;

}  // namespace

void check_limits(const Draft& draft, Findings& findings) {
  const LimitSettings& limits = draft.configuration.agent.limits;
  using Limit = std::pair<const char*, int64_t>;
  const Limit least =
      std::min({Limit{"max_memory_per_connection", limits.max_memory_per_connection},
                Limit{"max_memory_per_peer", limits.max_memory_per_peer},
                Limit{"max_memory_per_endpoint", limits.max_memory_per_endpoint},
                Limit{"max_memory", limits.max_memory}},
               [](const Limit& one, const Limit& other) { return one.second < other.second; });
  for (const auto& [name, bytes] : {Limit{"max_request_bytes", limits.max_request_bytes},
                                    Limit{"max_response_bytes", limits.max_response_bytes}}) {
    if (bytes + kOverheadBytes <= least.second) continue;
    const std::string path = joined("agent.limits", name);
    const std::string memory = joined("agent.limits", least.first);
    findings.add(place_of(draft.origins, {path, memory, "agent.limits"}),
                 '"' + path + "\" is " + std::to_string(bytes) + ", and one message of that size " +
                     "would be more than \"" + memory + "\" lets anybody have, " +
                     std::to_string(least.second) + "; make one smaller or the other larger");
  }
}

}  // namespace longshore::config
