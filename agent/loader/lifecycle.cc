#include "loader/lifecycle.h"

#include <cstdio>
#include <utility>

namespace longshore::loader {
namespace {

using router::Clock;

std::string milliseconds_text(std::chrono::nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3f",
                std::chrono::duration<double, std::milli>(time).count());
  return text;
}

// The ones that an administrator looks for; "serving" is told with the module's version.
bool is_main(LifecycleState state) {
  return state == LifecycleState::kDraining || state == LifecycleState::kStopped;
}

}  // namespace

const char* name_of(LifecycleState state) {
  switch (state) {
    case LifecycleState::kFound:
      return "found";
    case LifecycleState::kInspected:
      return "inspected";
    case LifecycleState::kLoaded:
      return "loaded";
    case LifecycleState::kCreated:
      return "created";
    case LifecycleState::kStarted:
      return "started";
    case LifecycleState::kServing:
      return "serving";
    case LifecycleState::kDraining:
      return "draining";
    case LifecycleState::kStopped:
      return "stopped";
    case LifecycleState::kFailed:
      return "failed";
    case LifecycleState::kQuarantined:
      return "quarantined";
  }
  return "unknown";
}

const std::vector<LifecycleState>& all_lifecycle_states() {
  using S = LifecycleState;
  static const std::vector<S> states = {S::kFound,   S::kInspected,  S::kLoaded,   S::kCreated,
                                        S::kStarted, S::kServing,    S::kDraining, S::kStopped,
                                        S::kFailed,  S::kQuarantined};
  return states;
}

Lifecycle::Lifecycle(std::string module, observe::Log& log, Clock::time_point found)
    : module_(std::move(module)), log_(log), last_(found) {
  add(LifecycleState::kFound, last_);
}

void Lifecycle::add(LifecycleState state, Clock::time_point time) {
  const auto ago =
      std::chrono::duration_cast<std::chrono::system_clock::duration>(Clock::now() - time);
  // One that comes back to an earlier state goes on from there.
  std::erase_if(steps_, [&](const Step& step) { return step.state >= state; });
  steps_.push_back({state, std::chrono::system_clock::now() - ago, time - last_});
  last_ = time;
  state_ = state;
}

void Lifecycle::reach(LifecycleState state, Clock::time_point time) {
  std::chrono::nanoseconds took{0};
  {
    const std::lock_guard lock(mutex_);
    if (is_over()) return;
    add(state, time);
    took = steps_.back().took;
  }
  log_.write(is_main(state) ? observe::Level::kInfo : observe::Level::kDebug,
             std::string("module is ") + name_of(state),
             {{"module", module_}, {"after_ms", milliseconds_text(took)}});
}

void Lifecycle::fail(std::string reason, LifecycleState state) {
  {
    const std::lock_guard lock(mutex_);
    if (is_over()) return;
    add(state, Clock::now());
    reason_ = reason;
  }
  log_.debug(std::string("module is ") + name_of(state), {{"module", module_}, {"reason", reason}});
}

std::string Lifecycle::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

std::vector<Lifecycle::Step> Lifecycle::steps() const {
  const std::lock_guard lock(mutex_);
  return steps_;
}

}  // namespace longshore::loader
