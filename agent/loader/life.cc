#include "loader/life.h"

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
bool is_main(LifeState state) {
  return state == LifeState::kDraining || state == LifeState::kStopped;
}

}  // namespace

const char* name_of(LifeState state) {
  switch (state) {
    case LifeState::kFound:
      return "found";
    case LifeState::kInspected:
      return "inspected";
    case LifeState::kLoaded:
      return "loaded";
    case LifeState::kNegotiated:
      return "negotiated";
    case LifeState::kCreated:
      return "created";
    case LifeState::kStarted:
      return "started";
    case LifeState::kServing:
      return "serving";
    case LifeState::kDraining:
      return "draining";
    case LifeState::kStopped:
      return "stopped";
    case LifeState::kFailed:
      return "failed";
    case LifeState::kQuarantined:
      return "quarantined";
  }
  return "unknown";
}

const std::vector<LifeState>& all_life_states() {
  using S = LifeState;
  static const std::vector<S> states = {S::kFound,   S::kInspected, S::kLoaded,     S::kNegotiated,
                                        S::kCreated, S::kStarted,   S::kServing,    S::kDraining,
                                        S::kStopped, S::kFailed,    S::kQuarantined};
  return states;
}

Life::Life(std::string module, observe::Log& log, Clock::time_point found)
    : module_(std::move(module)), log_(log), last_(found) {
  add(LifeState::kFound, last_);
}

void Life::add(LifeState state, Clock::time_point time) {
  const auto ago =
      std::chrono::duration_cast<std::chrono::system_clock::duration>(Clock::now() - time);
  // One that comes back to an earlier state goes on from there.
  std::erase_if(steps_, [&](const Step& step) { return step.state >= state; });
  steps_.push_back({state, std::chrono::system_clock::now() - ago, time - last_});
  last_ = time;
  state_ = state;
}

void Life::reach(LifeState state, Clock::time_point time) {
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

void Life::fail(std::string reason, LifeState state) {
  {
    const std::lock_guard lock(mutex_);
    if (is_over()) return;
    add(state, Clock::now());
    reason_ = reason;
  }
  log_.debug(std::string("module is ") + name_of(state), {{"module", module_}, {"reason", reason}});
}

std::string Life::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

std::vector<Life::Step> Life::steps() const {
  const std::lock_guard lock(mutex_);
  return steps_;
}

}  // namespace longshore::loader
