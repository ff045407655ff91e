#include "core/controller_supervisor.h"

#include <algorithm>
#include <utility>

namespace longshore::core {
namespace {

using services::RunCondition;

constexpr std::chrono::seconds kFirstDelay{1};
constexpr std::chrono::minutes kLongestDelay{5};

bool is_over(const loader::Instance& instance) {
  return instance.has_ended() && !instance.is_abandoned();
}

// By their fences.
bool ends_before(const RunCondition::State& one, const RunCondition::State& other) {
  return one.fence && (!other.fence || *one.fence < *other.fence);
}

}  // namespace

// Outlives the supervisor where a condition is just telling of a change. What follows from that is
// done without a lock: it may run a module's completion.
class ControllerSupervisor::Wakeup final : public RunCondition::Observer, public router::Timer {
 public:
  explicit Wakeup(ControllerSupervisor& supervisor) : supervisor_(&supervisor) {}

  void condition_changed() override { work_of(&ControllerSupervisor::on_change); }
  void on_time() override { work_of(&ControllerSupervisor::on_time); }
  void disconnect() {
    const std::lock_guard lock(mutex_);
    supervisor_ = nullptr;
  }

 private:
  void work_of(Work (ControllerSupervisor::*function)()) {
    Work work;
    {
      const std::lock_guard lock(mutex_);
      if (supervisor_) work = (supervisor_->*function)();
    }
    for (const auto& each : work) each();
  }

  std::mutex mutex_;
  ControllerSupervisor* supervisor_;
};

ControllerSupervisor::ControllerSupervisor(const services::HostServices& services,
                                           router::Timers& timers, observe::Log& log)
    : services_(services), timers_(timers), log_(log), wakeup_(std::make_shared<Wakeup>(*this)) {}

ControllerSupervisor::~ControllerSupervisor() {
  wakeup_->disconnect();
  timers_.disarm(*wakeup_);
}

void ControllerSupervisor::set_actions(Actions actions) {
  const std::lock_guard lock(mutex_);
  actions_ = std::move(actions);
}

std::chrono::nanoseconds ControllerSupervisor::delay_after(uint32_t failed_starts) {
  const uint32_t doublings = std::min(std::max(failed_starts, 1U) - 1, 16U);
  return std::min<std::chrono::nanoseconds>(kFirstDelay * (1U << doublings), kLongestDelay);
}

std::optional<RunCondition::State> ControllerSupervisor::unmet_of(const Conditions& conditions) {
  std::optional<RunCondition::State> worst;
  for (const auto& condition : conditions) {
    RunCondition::State state = condition->state();
    if (state.is_met) continue;
    if (!worst || ends_before(state, *worst)) worst = std::move(state);
  }
  return worst;
}

std::optional<RunCondition::State> ControllerSupervisor::unmet(
    const config::ModuleSettings& controller) {
  const Conditions conditions = services_.run_conditions(controller);
  // First: what changes after the look is told of.
  for (const auto& condition : conditions) condition->observe(wakeup_);
  return unmet_of(conditions);
}

void ControllerSupervisor::watch(const ModuleEntry& controller) {
  Watched watched{controller.settings.name, controller.instance.get(), controller.instance,
                  services_.run_conditions(controller.settings)};
  if (watched.conditions.empty()) return;
  std::vector<std::shared_ptr<loader::Instance>> let_go;  // without the lock
  Work work;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(watched_, [&](const Watched& each) {
      const auto& instance = let_go.emplace_back(each.instance.lock());
      return !instance || is_over(*instance);
    });
    watched_.push_back(std::move(watched));
    look_at_conditions(work);  // a condition may have changed meanwhile
  }
  for (const auto& each : work) each();
}

ControllerSupervisor::Work ControllerSupervisor::on_change() {
  Work work;
  const std::lock_guard lock(mutex_);
  look_at_conditions(work);
  add_reconcile(work);
  return work;
}

void ControllerSupervisor::look_at_conditions(Work& work) {
  for (Watched& each : watched_) {
    const auto unmet = unmet_of(each.conditions);
    if (!unmet || (each.ended_by && !ends_before(*unmet, *each.ended_by))) continue;
    each.ended_by = unmet;
    if (!unmet->fence) continue;
    if (auto instance = each.instance.lock()) {
      work.emplace_back([instance, reason = unmet->reason] { instance->revoke_calls(reason); });
    }
  }
  arm();
}

void ControllerSupervisor::add_reconcile(Work& work) {
  if (actions_.reconcile && !std::exchange(is_reconcile_due_, true)) {
    work.push_back(actions_.reconcile);
  }
}

void ControllerSupervisor::begin_reconcile() {
  const std::lock_guard lock(mutex_);
  is_reconcile_due_ = false;
}

std::optional<RunCondition::State> ControllerSupervisor::ended_by(
    const loader::Instance& instance) const {
  const std::lock_guard lock(mutex_);
  for (const Watched& each : watched_) {
    if (each.identity == &instance && !each.instance.expired()) return each.ended_by;
  }
  return std::nullopt;
}

void ControllerSupervisor::reconcile_at(Clock::time_point time) {
  const std::lock_guard lock(mutex_);
  reconcile_at_ = std::min(reconcile_at_, time);
  arm();
}

void ControllerSupervisor::arm() {
  Clock::time_point next = reconcile_at_;
  for (const Watched& each : watched_) {
    if (each.is_fenced() && !each.is_fence_over) next = std::min(next, *each.ended_by->fence);
  }
  if (next != Clock::time_point::max()) timers_.arm(*wakeup_, next);
}

ControllerSupervisor::Work ControllerSupervisor::on_time() {
  std::vector<std::shared_ptr<loader::Instance>> let_go;  // without the lock
  Work work;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (reconcile_at_ <= now) {
    reconcile_at_ = Clock::time_point::max();
    add_reconcile(work);
  }
  for (Watched& each : watched_) {
    if (!each.is_fenced() || each.is_fence_over || *each.ended_by->fence > now) continue;
    each.is_fence_over = true;
    const auto& instance = let_go.emplace_back(each.instance.lock());
    const std::string& reason = each.ended_by->reason;
    if (instance && !is_over(*instance) && !instance->kill("was killed in time: " + reason)) {
      const std::string why = "the controller " + each.name + " did not stop in time: " + reason;
      log_.error(why, {{"module", each.name}});
      if (actions_.end_process) work.emplace_back([end = actions_.end_process, why] { end(why); });
    }
    // It stays: the control thread, which may come much later, must not take it for one that
    // serves.
    add_reconcile(work);
  }
  arm();
  return work;
}

}  // namespace longshore::core
