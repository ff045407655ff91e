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

std::optional<RunCondition::State> ControllerSupervisor::first_unmet(const Conditions& conditions) {
  for (const auto& condition : conditions) {
    RunCondition::State state = condition->state();
    if (!state.is_met) return state;
  }
  return std::nullopt;
}

std::optional<RunCondition::State> ControllerSupervisor::unmet(
    const config::ModuleSettings& controller) {
  const Conditions conditions = services_.run_conditions(controller);
  // First: what changes after the look is told of.
  for (const auto& condition : conditions) condition->observe(wakeup_);
  return first_unmet(conditions);
}

void ControllerSupervisor::hold(const ModuleEntry& controller) {
  Held held{controller.settings.name, controller.instance, controller.code,
            services_.run_conditions(controller.settings)};
  if (held.conditions.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(held_, [](const Held& each) {
      const auto instance = each.instance.lock();
      return !instance || is_over(*instance);
    });
    held_.push_back(std::move(held));
  }
  wakeup_->condition_changed();  // it may have changed before it was held
}

ControllerSupervisor::Work ControllerSupervisor::on_change() {
  Work work;
  const std::lock_guard lock(mutex_);
  for (Held& held : held_) {
    if (held.fence) continue;
    const auto unmet = first_unmet(held.conditions);
    if (!unmet || !unmet->fence) continue;
    held.fence = unmet->fence;
    if (auto instance = held.instance.lock()) {
      work.emplace_back([instance, reason = unmet->reason] { instance->revoke_calls(reason); });
    }
  }
  add_look(work);
  arm();
  return work;
}

void ControllerSupervisor::add_look(Work& work) {
  if (actions_.look_again && !std::exchange(is_look_due_, true)) {
    work.push_back(actions_.look_again);
  }
}

void ControllerSupervisor::begin_look() {
  const std::lock_guard lock(mutex_);
  is_look_due_ = false;
}

void ControllerSupervisor::look_again_at(Clock::time_point time) {
  const std::lock_guard lock(mutex_);
  look_at_ = std::min(look_at_, time);
  arm();
}

void ControllerSupervisor::arm() {
  Clock::time_point next = look_at_;
  for (const Held& held : held_) {
    if (held.fence) next = std::min(next, *held.fence);
  }
  if (next != Clock::time_point::max()) timers_.arm(*wakeup_, next);
}

ControllerSupervisor::Work ControllerSupervisor::on_time() {
  constexpr const char* kKilled = "was killed because it ran on without what it needs to run";
  Work work;
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (look_at_ <= now) {
    look_at_ = Clock::time_point::max();
    add_look(work);
  }
  for (auto held = held_.begin(); held != held_.end();) {
    if (!held->fence || *held->fence > now) {
      ++held;
      continue;
    }
    const auto instance = held->instance.lock();
    if (instance && !is_over(*instance) && !held->code->end_by_force(kKilled)) {
      const std::string why = "the controller " + held->name +
                              " runs on though it lost what it needs to run, and did not stop";
      log_.error(why, {{"module", held->name}});
      if (actions_.end_process) work.emplace_back([end = actions_.end_process, why] { end(why); });
    }
    held = held_.erase(held);
  }
  arm();
  return work;
}

}  // namespace longshore::core
