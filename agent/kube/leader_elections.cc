#include "kube/leader_elections.h"

#include <algorithm>
#include <array>
#include <boost/asio/ip/host_name.hpp>
#include <boost/system/error_code.hpp>
#include <iterator>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "config/lease_name.h"
#include "kube/pod.h"
#include "router/timers.h"
#include "text/hexadecimal.h"

namespace longshore::kube {
namespace {

using services::RunCondition;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

// The name of the Pod, or of the node where the Pod has its network: there two may have one name,
// and a container that is started again has the one of before, whose writes may be under way yet.
std::string unique_holder() {
  boost::system::error_code error;
  const std::string host = boost::asio::ip::host_name(error);
  std::random_device chance;
  const std::array<unsigned, 2> random = {chance(), chance()};
  return config::sanitized_lease_name(host) + '_' +
         text::hexadecimal(std::as_bytes(std::span(random)));
}

// The same moment by the clock of timers; not later, as what is added is read behind it.
router::Clock::time_point time_of(LeaderElection::Uptime uptime, Timing& timing) {
  const auto now = router::Clock::now();
  return now + duration_cast<router::Clock::duration>(uptime - timing.uptime());
}

// The lease's name, once the driver's is known.
Result<std::string> lease_named(const WantedLease& wanted, const Result<std::string>& driver) {
  if (!driver) return driver.error();
  std::string lease = wanted.settings.lease;
  lease.replace(lease.find(config::kDriverInLease), config::kDriverInLease.size(), *driver);
  return lease;
}

class DriverObserver final : public RunCondition::Observer {
 public:
  explicit DriverObserver(std::function<void()> on_change) : on_change_(std::move(on_change)) {}
  void condition_changed() override { on_change_(); }

 private:
  const std::function<void()> on_change_;
};

}  // namespace

LeaseClaim lease_claim(const config::LeaderElectionSettings& settings, const std::string& holder) {
  LeaseClaim claim;
  claim.name_space =
      settings.name_space.empty() ? pod_namespace(pod_surroundings()) : settings.name_space;
  claim.name = config::sanitized_lease_name(settings.lease);
  claim.holder = holder;
  claim.duration = duration_cast<std::chrono::seconds>(settings.lease_duration);
  for (const std::string& label : settings.labels) {
    const size_t sign = label.find('=');
    claim.labels.emplace_back(label.substr(0, sign), label.substr(sign + 1));
  }
  return claim;
}

LeaderElections::LeaderElections(Parts parts)
    : parts_(std::move(parts)), holder_(unique_holder()) {}

std::shared_ptr<RunCondition> LeaderElections::condition(const config::ModuleSettings& controller) {
  const WantedLease wanted = wanted_lease(controller);
  const std::string& lease = wanted.settings.lease;
  std::shared_ptr<RunCondition> condition;
  {
    const std::lock_guard lock(mutex_);
    if (lease.empty()) {
      conditions_.unname(controller.name);
      return nullptr;
    }
    std::shared_ptr<RunCondition>& known = conditions_.name(controller.name, wanted);
    if (known && !unposted_.contains(wanted)) return known;
    if (!known) {
      known = std::make_shared<RunCondition>("the lease " + lease + " has not been asked for yet");
    }
    condition = known;
  }
  const auto driver = wanted.driver.empty() ? nullptr : drivers_.ready(controller);
  const auto posted = parts_.post([this, wanted, driver] {
    if (driver) follow(wanted, driver);
    update(wanted);
  });
  if (!posted) condition->fail(posted.error().message());
  const std::lock_guard lock(mutex_);
  if (posted) {
    unposted_.erase(wanted);
  } else {
    unposted_.insert(wanted);
  }
  return condition;
}

void LeaderElections::modules_changed(const services::ModuleStates& modules) {
  bool has_changed = false;
  std::vector<WantedLease> turned;
  {
    const std::lock_guard lock(mutex_);
    has_changed = conditions_.keep_named_by(modules);
    std::erase_if(begun_, [&](const auto& each) { return !conditions_.find(each.first); });
    std::erase_if(unposted_, [&](const auto& each) { return !conditions_.find(each); });
    std::set<WantedLease> left;
    for (const auto& [wanted, condition] : conditions_.all()) {
      if (all_failed(wanted, modules)) left.insert(wanted);
    }
    std::ranges::set_symmetric_difference(left, left_, std::back_inserter(turned));
    left_ = std::move(left);
  }
  if (!has_changed && turned.empty()) return;
  static_cast<void>(parts_.post([this, turned = std::move(turned)] {  // or all ends
    end_unnamed();
    for (const WantedLease& each : turned) update(each);
  }));
}

void LeaderElections::follow(const WantedLease& wanted,
                             const std::shared_ptr<RunCondition>& driver) {
  const auto observer = std::make_shared<DriverObserver>([this, wanted] {
    static_cast<void>(parts_.post([this, wanted] { update(wanted); }));  // or all ends
  });
  followed_[wanted] = {driver, observer};
  driver->observe(observer);
}

bool LeaderElections::all_failed(const WantedLease& wanted,
                                 const services::ModuleStates& modules) const {
  return std::ranges::none_of(modules, [&](const services::ModuleState& module) {
    return conditions_.names(module.name, wanted) && !module.has_failed;
  });
}

std::optional<RunCondition::State> LeaderElections::obstacle(const WantedLease& wanted) {
  const std::string lease = "the lease " + wanted.settings.lease;
  if (const auto followed = followed_.find(wanted); followed != followed_.end()) {
    const RunCondition::State driver = followed->second.ready->state();
    if (!driver.is_met) {
      return RunCondition::State{.reason = lease + " waits for its driver: " + driver.reason};
    }
  }
  const std::lock_guard lock(mutex_);
  if (!left_.contains(wanted)) return std::nullopt;
  return RunCondition::State{.reason = lease + " is left to others: none of its controllers starts",
                             .is_left = true};
}

void LeaderElections::update(const WantedLease& wanted) {
  end_unnamed();
  const auto condition = condition_of(wanted);
  if (!condition) return;
  if (auto unmet = obstacle(wanted)) return stop(wanted, *condition, *std::move(unmet));
  if (elections_.contains(wanted)) return;
  if (wanted.driver.empty()) return begin(wanted, condition, wanted.settings.lease);
  drivers_.ask_name(wanted.driver, [this, wanted, condition](const Result<std::string>& name) {
    static_cast<void>(parts_.post([this, wanted, condition, lease = lease_named(wanted, name)] {
      begin(wanted, condition, lease);
    }));
  });
}

void LeaderElections::stop(const WantedLease& wanted, RunCondition& condition,
                           RunCondition::State unmet) {
  waiting_.erase(wanted);
  const auto found = elections_.find(wanted);
  if (found == elections_.end()) return condition.fail(std::move(unmet));
  const Running running = std::move(found->second);
  elections_.erase(found);
  const auto lease_end = running.election->stop();
  // It is given back at the agent's end alone: what could not be stopped has the time to its end.
  if (lease_end || running.election->has_claim_out()) stopped_[wanted] = running.election;
  if (lease_end) unmet.fence = time_of(*lease_end, parts_.timing());
  running.condition->fail(std::move(unmet));
}

void LeaderElections::begin(const WantedLease& wanted,
                            const std::shared_ptr<RunCondition>& condition,
                            const Result<std::string>& lease) {
  // Much may have happened while its name was asked for.
  if (condition_of(wanted) != condition || elections_.contains(wanted) || obstacle(wanted)) {
    return;
  }
  if (!lease) {
    condition->fail(lease.error().message());
    return update_later(wanted, kNamePause);
  }
  const auto access = parts_.access();
  if (!access) {
    condition->fail(access.error().message());
    return update_later(wanted, duration_cast<milliseconds>(wanted.settings.retry_period));
  }
  config::LeaderElectionSettings settings = wanted.settings;
  settings.lease = *lease;
  LeaseClaim claim = lease_claim(settings, holder_);
  Named named{claim.name, claim.duration, nullptr};
  LeaderElection::Events told = events(claim, condition);
  const ElectionTimes times{duration_cast<milliseconds>(settings.renew_deadline),
                            duration_cast<milliseconds>(settings.retry_period)};
  const auto election = std::make_shared<LeaderElection>(**access, parts_.timing(),
                                                         std::move(claim), times, std::move(told));
  elections_[wanted] = {election, condition};
  named.standing = election->standing();
  {
    const std::lock_guard lock(mutex_);
    begun_[wanted] = std::move(named);
  }
  stopped_.erase(wanted);
  election->start();
}

void LeaderElections::update_later(const WantedLease& wanted, milliseconds delay) {
  waiting_[wanted] = parts_.timing().after(delay, [this, wanted] {
    waiting_.erase(wanted);  // the timer alone: what runs keeps this
    update(wanted);
  });
}

LeaderElection::Events LeaderElections::events(const LeaseClaim& claim,
                                               const std::shared_ptr<RunCondition>& condition) {
  return {.lead =
              [this, condition, name = claim.text()] {
                parts_.tell("this agent has the lease " + name, false);
                condition->meet();
              },
          .follow =
              [this, condition](const std::string& reason,
                                std::optional<LeaderElection::Uptime> lease_end) {
                parts_.tell(reason, lease_end.has_value());
                if (lease_end) {
                  condition->fail(reason, time_of(*lease_end, parts_.timing()));
                } else {
                  condition->fail(reason);
                }
              }};
}

void LeaderElections::end_unnamed() {
  const auto is_unnamed = [this](const auto& each) { return !condition_of(each.first); };
  std::erase_if(waiting_, is_unnamed);
  std::erase_if(followed_, is_unnamed);
  std::erase_if(stopped_, is_unnamed);
  std::erase_if(elections_, [this](const auto& each) {
    const auto& [wanted, running] = each;
    // One that nobody named for a moment has another condition, and ends with that.
    if (condition_of(wanted) == running.condition) return false;
    // Nobody renews it from now on: what could not be stopped has to end before another leads.
    const auto lease_end = running.election->stop();
    if (lease_end) {
      running.condition->fail("no controller is to run by it any more",
                              time_of(*lease_end, parts_.timing()));
    }
    return true;
  });
}

std::function<Result<void>()> LeaderElections::permit(const WantedLease& wanted) const {
  const auto found = elections_.find(wanted);
  const auto election = found == elections_.end() ? nullptr : found->second.election;
  return [election = std::weak_ptr(election), term = election ? election->term() : 0,
          lease = wanted.settings.lease]() -> Result<void> {
    if (const auto held = election.lock()) return held->permit(term);
    return Error::of_text(StatusCode::kUnavailable, "the lease " + lease + " is not held any more");
  };
}

std::vector<observe::LeaseReport> LeaderElections::leases() const {
  std::vector<observe::LeaseReport> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [wanted, condition] : conditions_.all()) {
    observe::LeaseReport& lease = all.emplace_back();
    lease.controllers = conditions_.controllers_of(wanted);
    const auto found = begun_.find(wanted);
    if (found == begun_.end()) continue;
    const LeaseStanding& standing = *found->second.standing;
    lease.name = found->second.lease;
    lease.duration = found->second.duration;
    // In this order: who has just come to lead has been renewed before.
    lease.leads = standing.leads;
    lease.since_renewed = parts_.timing().uptime() - standing.renewed_at.load();
  }
  return all;
}

void LeaderElections::end(std::function<void()> on_done) {
  waiting_.clear();
  followed_.clear();
  const auto left = std::make_shared<size_t>(1);
  const auto done = [left, on_done = std::move(on_done)] {
    if (--*left == 0) on_done();
  };
  for (const auto& [wanted, running] : elections_) {
    if (wanted.settings.release_on_exit) {
      ++*left;
      running.election->release(done);
    } else {
      running.election->stop();
    }
  }
  for (const auto& [wanted, election] : stopped_) {
    if (!wanted.settings.release_on_exit) continue;
    ++*left;
    election->give_back(done);
  }
  done();
}

std::shared_ptr<RunCondition> LeaderElections::condition_of(const WantedLease& wanted) {
  const std::lock_guard lock(mutex_);
  return conditions_.find(wanted);
}

}  // namespace longshore::kube
