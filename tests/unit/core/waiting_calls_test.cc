// What bounds the calls that wait, by the defaults.
#include <catch2/catch.hpp>

#include "config/settings.h"
#include "endpoint/peer_shares.h"
#include "loader/bulkheads.h"
#include "rpc/server.h"

namespace longshore::core {
namespace {

TEST_CASE("Clients run out of memory before more of their calls wait than may") {
  constexpr size_t kEndpoints = 30;  // 23 of csi-proxy, and some
  const config::LimitSettings limits;
  const auto queued = static_cast<size_t>(config::ModuleSettings().max_queued_calls);
  const size_t of_endpoints = static_cast<size_t>(limits.max_memory) +
                              kEndpoints * endpoint::ShareLimits().guaranteed_memory;
  const auto of_control_socket = static_cast<size_t>(limits.max_memory_per_endpoint);
  CHECK((of_endpoints + of_control_socket) / rpc::kCallBytes < queued);
  CHECK(loader::InstanceOptions().max_queued_calls == queued);
}

TEST_CASE("Calls behind one bulkhead leave half of their caller's memory for others") {
  const auto queued = static_cast<size_t>(config::ModuleSettings().max_queued_calls);
  const auto of_peer = static_cast<size_t>(config::LimitSettings().max_memory_per_peer);
  CHECK(loader::most_waiting_behind_one(queued) * rpc::kCallBytes <= of_peer / 2);
  CHECK(loader::most_waiting_behind_one(8) == 4);
  CHECK(loader::most_waiting_behind_one(1) == 1);
}

}  // namespace
}  // namespace longshore::core
