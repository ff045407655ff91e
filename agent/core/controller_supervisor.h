// Knows when controllers may run, and enforces the fences of those that may not any more.
//
//   runs ──a condition fails──► the module set is asked to reconcile, and stops it
//            └─ with a fence ─► what it calls ends at once, and it is killed if it still runs then
//
// An instance is stopped also if its condition is met again before the control thread comes to it:
// what it knows of its driver or lease may be wrong by now.
//
// It starts and stops nothing itself: the control thread does, in the module set. Fences it
// enforces alone, since that thread may be at a long reload.
//
// Threads: conditions and timers call it on theirs; the rest the control thread.
// Owner: the module set.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/module_entry.h"
#include "observe/log.h"
#include "router/timers.h"
#include "services/host_services.h"

namespace longshore::core {

class ControllerSupervisor {
 public:
  using Clock = router::Clock;

  struct Actions {
    // Has the module set reconcile its controllers, soon and on the control thread. Must not block.
    std::function<void()> reconcile;
    // A controller in this process still runs at its fence: only the end of the process ends it.
    std::function<void(const std::string& why)> end_process;
  };

  ControllerSupervisor(const services::HostServices& services, router::Timers& timers,
                       observe::Log& log);
  ~ControllerSupervisor();

  // Until they are set, conditions take effect at reloads and by fences only.
  void set_actions(Actions actions);

  // Before conditions are read: a change after this asks for another reconcile.
  void begin_reconcile();

  // What keeps the controller from running; nothing: it may.
  std::optional<services::RunCondition::State> unmet(const config::ModuleSettings& controller);

  // This instance comes to life: it is to end, or fenced, when the controller's conditions say so.
  void watch(const ModuleEntry& controller);
  // What the instance is to be stopped for, even if it might run again by now.
  std::optional<services::RunCondition::State> ended_by(const loader::Instance& instance) const;

  // Asks for a reconcile at `time`; the earliest counts.
  void reconcile_at(Clock::time_point time);

  // How long a controller waits that has failed so often in a row.
  static std::chrono::nanoseconds delay_after(uint32_t failed_starts);

 private:
  using Conditions = std::vector<std::shared_ptr<services::RunCondition>>;
  class Wakeup;

  struct Watched {
    std::string name;
    const loader::Instance* identity;
    std::weak_ptr<loader::Instance> instance;
    Conditions conditions;
    std::optional<services::RunCondition::State> ended_by = std::nullopt;
    bool is_fence_over = false;  // it was killed then, if it still ran

    bool is_fenced() const { return ended_by && ended_by->fence; }
  };

  // What is to be done without the lock, and maybe without the supervisor.
  using Work = std::vector<std::function<void()>>;
  Work on_change();
  Work on_time();
  // These three with the lock.
  void look_at_conditions(Work& work);
  void add_reconcile(Work& work);
  void arm();
  // Of several that are not met, the one whose fence is the first.
  static std::optional<services::RunCondition::State> unmet_of(const Conditions& conditions);

  const services::HostServices& services_;
  router::Timers& timers_;
  observe::Log& log_;
  const std::shared_ptr<Wakeup> wakeup_;  // what conditions and timers know of

  mutable std::mutex mutex_;
  Actions actions_;
  std::list<Watched> watched_;
  bool is_reconcile_due_ = false;  // and asked for
  Clock::time_point reconcile_at_ = Clock::time_point::max();
};

}  // namespace longshore::core
