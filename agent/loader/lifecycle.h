// The life of a module's instance, from its file to its end. This is the one place where its states
// stand; whoever takes it a step further says so here, and all that is shown comes from here.
//
//   found ─► inspected ─► loaded ─► created ─► started ─► serving
//     │          │          │          │          │         │ ▲
//     │          ▼          └──────┬───┴──────────┘   drain ▼ │ resume
//     │     quarantined            ▼                     draining ─► stopped
//     └─────────────────────►   failed   ◄──────────────────┴──────────┘
//
//   state        what has been done                                    within
//   found        its file was looked up                                -
//   inspected    the file was read, checked and described, and none    the file's largest size
//                of its code run
//   quarantined  nothing more: these very bytes have ended the agent   -
//   loaded       mapped; its initialisers have run, and what is        start_timeout
//                mapped says what the file said
//   created      `create` returned                                     start_timeout
//   started      `start` was finished                                  start_timeout
//   serving      its Health/Check, if it has one, answered well        start_timeout
//   draining     new calls go elsewhere, the others come to their end  their deadlines, or
//                                                                      stop_timeout
//   stopped      `stop` was finished and `destroy` returned            stop_timeout, and 2 seconds
//   failed       a step went wrong or took too long                    -
//
// A step that runs the module's code runs on a thread that can be left behind. Failed and
// quarantined are the end: an instance that fails on its way to serving is stopped, if its start
// was finished well, in time or not, and destroyed.
//
// Threads: any. Owner: shared by the module set, which begins it, and the instance.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "observe/log.h"
#include "router/timers.h"

namespace longshore::loader {

enum class LifecycleState {
  kFound,
  kInspected,
  kLoaded,
  kCreated,
  kStarted,
  kServing,
  kDraining,
  kStopped,
  kFailed,
  kQuarantined
};

// "serving"
const char* name_of(LifecycleState state);
// All of them, in the order above.
const std::vector<LifecycleState>& all_lifecycle_states();

class Lifecycle {
 public:
  struct Step {
    LifecycleState state;
    std::chrono::system_clock::time_point at;
    std::chrono::nanoseconds took{0};  // since the step before
  };

  // Of the instance that the configuration calls `module`; begins as found.
  Lifecycle(std::string module, observe::Log& log,
            router::Clock::time_point found = router::Clock::now());
  Lifecycle(const Lifecycle&) = delete;
  Lifecycle& operator=(const Lifecycle&) = delete;

  void reach(LifecycleState state) { reach(state, router::Clock::now()); }
  // The same for what happened at `time`, which is not before the last step.
  void reach(LifecycleState state, router::Clock::time_point time);
  // The first reason stays.
  void fail(std::string reason, LifecycleState state = LifecycleState::kFailed);

  LifecycleState state() const { return state_; }
  std::string reason() const;
  std::vector<Step> steps() const;

 private:
  bool is_over() const { return state_ >= LifecycleState::kFailed; }
  void add(LifecycleState state, router::Clock::time_point time);  // locked

  const std::string module_;
  observe::Log& log_;
  std::atomic<LifecycleState> state_{LifecycleState::kFound};
  mutable std::mutex mutex_;
  std::vector<Step> steps_;
  router::Clock::time_point last_;
  std::string reason_;
};

}  // namespace longshore::loader
