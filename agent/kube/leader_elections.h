// The leases that controllers run by: one election each, however many controllers name the lease
// with the same settings. It ends when none does.
//
// Threads: `condition` and `modules_changed` the control thread; the rest the service's, which
// `post` leads to. Owner: the service.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "config/settings.h"
#include "kube/api_access.h"
#include "kube/leader_election.h"
#include "kube/timing.h"
#include "longshore/result.hpp"
#include "services/module_state.h"
#include "services/run_condition.h"

namespace longshore::kube {

class LeaderElections {
 public:
  using Settings = config::LeaderElectionSettings;

  struct Parts {
    Timing& timing;
    // What leases are asked for by, and nothing else: no controller's request is waited for.
    std::function<Result<ApiAccess*>()> access;
    std::function<Result<void>(std::function<void()>)> post;
    // The one who leads is another now, or nobody known; `is_loss`: it was this agent.
    std::function<void(const std::string& sentence, bool is_loss)> tell;
  };

  explicit LeaderElections(Parts parts);
  LeaderElections(const LeaderElections&) = delete;
  LeaderElections& operator=(const LeaderElections&) = delete;

  // Met while this agent has the lease. Null: the controller runs by none.
  std::shared_ptr<services::RunCondition> condition(const config::ModuleSettings& controller);
  void modules_changed(const services::ModuleStates& modules);

  // For a write that is asked for now: whether it may be sent, when that comes. Nothing but an
  // error if the lease is not held.
  std::function<Result<void>()> permit(const Settings& settings) const;

  // No more leads. `on_done`: leases that are to be released are.
  void end(std::function<void()> on_done);

 private:
  struct Running {
    std::shared_ptr<LeaderElection> election;
    std::shared_ptr<services::RunCondition> condition;
  };

  void begin(const Settings& settings);
  LeaderElection::Events events(const LeaseClaim& claim,
                                const std::shared_ptr<services::RunCondition>& condition);
  void end_unnamed();
  std::shared_ptr<services::RunCondition> condition_of(const Settings& settings);

  const Parts parts_;
  const std::string holder_;  // of this process alone
  std::map<Settings, Running> elections_;
  std::map<Settings, std::shared_ptr<void>> waiting_;  // there is no API server to be asked

  std::mutex mutex_;
  std::map<Settings, std::shared_ptr<services::RunCondition>> conditions_;
  std::map<std::string, Settings> named_by_;  // by controller
};

// Where a lease is that names no namespace, and what it is to hold.
LeaseClaim lease_claim(const config::LeaderElectionSettings& settings, const std::string& holder);

}  // namespace longshore::kube
