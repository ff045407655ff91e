// A Lease of Kubernetes' that controllers run by, as this process knows it.
//
// Threads: a plain value.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace longshore::observe {

struct LeaseReport {
  // What csi-lib-utils allows beyond the lease.
  static constexpr std::chrono::seconds kTolerated{20};

  std::string name;    // empty: it is not known yet, as where it is a driver's that is not there
  bool leads = false;  // as far as this process believes
  std::chrono::nanoseconds since_renewed{0};
  std::chrono::nanoseconds duration{0};
  std::vector<std::string> controllers = {};  // that run by it

  // It holds what it lost long ago: who renews it hangs.
  bool is_overdue() const { return leads && since_renewed > duration + kTolerated; }
};

}  // namespace longshore::observe
