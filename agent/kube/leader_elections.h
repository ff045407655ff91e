// The leases that controllers run by: one election each, however many controllers name the lease
// with the same settings. It ends when none does.
//
// A lease that is named after a driver has its election only while that driver is ready, and any
// only while not all its controllers have failed: another agent leads in place of one that could do
// nothing. A controller that is about to be tried again has not failed any more.
//
//   waits for the driver ──it is ready and tells its name──► stands for the lease
//          ▲                                                        │
//          └──────the driver is lost, or all controllers fail───────┘
//
// Threads: `condition` and `modules_changed` the control thread, `leases` any; the rest the
// service's, which `post` leads to. Owner: the service.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kube/api_access.h"
#include "kube/leader_election.h"
#include "kube/timing.h"
#include "kube/wanted_lease.h"
#include "longshore/result.hpp"
#include "observe/lease_report.h"
#include "services/module_state.h"
#include "services/named_conditions.h"
#include "services/run_condition.h"

namespace longshore::kube {

// The CSI drivers that leases are named after.
struct LeaseDrivers {
  // Met while the driver that the controller waits for is ready. [control]
  std::function<std::shared_ptr<services::RunCondition>(const config::ModuleSettings&)> ready;
  // What the driver calls itself. `on_name` is called once at most, on any thread.
  std::function<void(const std::string& address, std::function<void(Result<std::string>)> on_name)>
      ask_name;
};

class LeaderElections {
 public:
  static constexpr std::chrono::seconds kNamePause{1};  // before a driver is asked again

  struct Parts {
    std::function<Timing&()> timing;  // asked for by what is posted, and by `leases` behind it
    // What leases are asked for by, and nothing else: no controller's request is waited for.
    std::function<Result<ApiAccess*>()> access;
    std::function<Result<void>(std::function<void()>)> post;
    // The one who leads is another now, or nobody known; `is_loss`: it was this agent.
    std::function<void(const std::string& sentence, bool is_loss)> tell;
  };

  explicit LeaderElections(Parts parts);
  LeaderElections(const LeaderElections&) = delete;
  LeaderElections& operator=(const LeaderElections&) = delete;

  // Before the first condition of a lease that is named after a driver.
  void set_drivers(LeaseDrivers drivers) { drivers_ = std::move(drivers); }

  // Met while this agent has the lease. Null: the controller runs by none.
  std::shared_ptr<services::RunCondition> condition(const config::ModuleSettings& controller);
  void modules_changed(const services::ModuleStates& modules);

  // For a write that is asked for now: whether it may be sent, when that comes. Nothing but an
  // error if the lease is not held.
  std::function<Result<void>()> permit(const WantedLease& wanted) const;

  // All that controllers are to run by. [any]
  std::vector<observe::LeaseReport> leases() const;

  // No more leads. `on_done`: leases that are to be released are.
  void end(std::function<void()> on_done);

 private:
  struct Running {
    std::shared_ptr<LeaderElection> election;
    std::shared_ptr<services::RunCondition> condition;
  };

  struct Driver {
    std::shared_ptr<services::RunCondition> ready;
    std::shared_ptr<services::RunCondition::Observer> observer;
  };

  void follow(const WantedLease& wanted, const std::shared_ptr<services::RunCondition>& driver);
  // Begins what may be begun, and ends the election whose driver is not ready.
  void update(const WantedLease& wanted);
  // With the lock.
  bool all_failed(const WantedLease& wanted, const services::ModuleStates& modules) const;
  // Why nobody stands for it. Nothing: its driver is ready, or it has none, and a controller may
  // run by it.
  std::optional<services::RunCondition::State> obstacle(const WantedLease& wanted);
  void stop(const WantedLease& wanted, services::RunCondition& condition,
            services::RunCondition::State unmet);
  void begin(const WantedLease& wanted, const std::shared_ptr<services::RunCondition>& condition,
             const Result<std::string>& lease);
  void update_later(const WantedLease& wanted, std::chrono::milliseconds delay);
  LeaderElection::Events events(const LeaseClaim& claim,
                                const std::shared_ptr<services::RunCondition>& condition);
  void end_unnamed();
  std::shared_ptr<services::RunCondition> condition_of(const WantedLease& wanted);

  const Parts parts_;
  LeaseDrivers drivers_;
  const std::string holder_;  // of this process alone
  std::map<WantedLease, Running> elections_;
  // Those that led, or had just claimed it, until their driver was lost, as in a Pod that ends,
  // where it may end first.
  std::map<WantedLease, std::shared_ptr<LeaderElection>> stopped_;
  std::map<WantedLease, Driver> followed_;
  std::map<WantedLease, std::shared_ptr<void>> waiting_;  // what cannot be begun yet

  struct Named {
    std::string lease;
    std::chrono::nanoseconds duration;
    std::shared_ptr<const LeaseStanding> standing;
  };

  mutable std::mutex mutex_;
  services::NamedConditions<WantedLease> conditions_;
  std::map<WantedLease, Named> begun_;  // their latest elections
  std::set<WantedLease> unposted_;      // the service cannot run; each look tries again
  std::set<WantedLease> left_;          // all their controllers have failed
};

// Where a lease is that names no namespace, and what it is to hold.
LeaseClaim lease_claim(const config::LeaderElectionSettings& settings, const std::string& holder);

}  // namespace longshore::kube
