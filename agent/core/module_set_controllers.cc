// Controllers: started and stopped as what they need comes and goes, and started again after a
// failure. Level-triggered: whatever happened, what runs is compared with what may.
#include <algorithm>
#include <utility>

#include "core/module_set.h"

namespace longshore::core {

using loader::Instance;
using router::Clock;

namespace {

// What an instance takes at most after the deadline of its stop; see Instance::stop.
constexpr std::chrono::seconds kTimeToCancel{3};

// Each holds threads and memory for good, and nobody asked for the next try.
constexpr int kMostAbandoned = 3;

}  // namespace

bool ModuleSet::may_run(Entry& entry) {
  if (!entry.is_controller()) return true;
  const auto unmet = controllers_.unmet(entry.settings);
  entry.wait_for(unmet ? unmet->reason : std::string());
  return !unmet;
}

bool ModuleSet::bring_up(Entry& entry, std::string_view handover) {
  if (!may_run(entry)) {
    starter_.wait_loaded(entry);
    return true;
  }
  if (entry.is_controller() && starter_.abandoned(entry.settings.name) >= kMostAbandoned) {
    starter_.give_up(
        entry, Error(StatusCode::kFailedPrecondition, "start the controller", entry.settings.name)
                   .because("several instances of it could not be ended")
                   .advise("restart the agent"));
    entry.next_start = Clock::time_point::max();
    return false;
  }
  ++entry.starts;
  const bool is_up = starter_.bring_up(entry, handover);
  if (is_up) {
    entry.failed_starts = 0;
    entry.next_start = Clock::time_point::max();
  } else if (entry.is_controller()) {
    entry.last_failure = entry.failure;
    entry.next_start = Clock::now() + ControllerSupervisor::delay_after(++entry.failed_starts);
    controllers_.reconcile_at(entry.next_start);
  }
  return is_up;
}

void ModuleSet::on_created(const Entry& entry) {
  {
    const std::lock_guard lock(mutex_);
    starting_ = entry.instance;
    if (is_ending_) entry.instance->give_up_start();
  }
  if (entry.is_controller()) controllers_.watch(entry);
}

void ModuleSet::reconcile_controllers() {
  controllers_.begin_reconcile();
  Entries now = running_;
  bool has_changed = false;
  for (auto& [name, entry] : now) {
    if (is_ending()) break;
    if (entry.is_controller() && entry.code) has_changed = reconcile(entry) || has_changed;
  }
  if (!has_changed) return;
  Committed committed;  // its sentences are in the log
  tell_of_overlaps(now, committed);
  routes_.publish(now);
  {
    const std::lock_guard lock(mutex_);
    running_ = std::move(now);
  }
  tell_services();
}

bool ModuleSet::reconcile(Entry& entry) {
  const bool ran = entry.instance != nullptr;
  const std::string waited_for = entry.waits_for;
  const auto unmet = controllers_.unmet(entry.settings);
  const auto ended_by = ran ? controllers_.ended_by(*entry.instance) : std::nullopt;
  if (ran && (ended_by || unmet)) stop_controller(entry, ended_by ? *ended_by : *unmet);
  const bool is_too_early = !entry.failure.empty() && Clock::now() < entry.next_start;
  if (unmet && !(unmet->is_left && is_too_early)) {
    entry.wait_for(unmet->reason);
    const bool had_failed = !std::exchange(entry.failure, {}).empty();
    return ran || had_failed || entry.waits_for != waited_for;
  }
  if (entry.serves()) return false;
  if (is_too_early) {
    controllers_.reconcile_at(entry.next_start);
    return ran;
  }
  // Nothing is handed over: what an instance knew before it had to stop may have changed since.
  starter_.begin_anew(entry);
  bring_up(entry, {});
  return true;
}

void ModuleSet::stop_controller(Entry& entry, const services::RunCondition::State& unmet) {
  log_.warning("the controller stops", {{"module", entry.settings.name}, {"reason", unmet.reason}});
  auto deadline = Clock::now() + stop_timeout_.load();
  if (unmet.fence) deadline = std::min(deadline, *unmet.fence - kTimeToCancel);
  stop(std::exchange(entry.instance, nullptr), deadline, Instance::StuckCalls::kLeft);
}

}  // namespace longshore::core
