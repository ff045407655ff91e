// The lease that a controller runs by: what its table says of it, and the driver that it is named
// after.
//
// Threads: any; values.
#pragma once

#include <compare>
#include <string>

#include "config/settings.h"

namespace longshore::kube {

struct WantedLease {
  config::LeaderElectionSettings settings;
  std::string driver;  // the address of the one whose name is part of the lease's; empty: none is

  auto operator<=>(const WantedLease&) const = default;
};

inline WantedLease wanted_lease(const config::ModuleSettings& controller) {
  const std::string& lease = controller.leader_election.lease;
  const bool has_driver = lease.find(config::kDriverInLease) != lease.npos;
  return {controller.leader_election, has_driver ? controller.wait_for_driver : std::string()};
}

}  // namespace longshore::kube
