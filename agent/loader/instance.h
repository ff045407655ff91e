// A living module: its code, settings and threads. Its states are those of lifecycle.h, from
// created on. Which of its calls may run is its Admission's affair, what the module asks of the
// agent its HostSide's.
//
// An instance that cannot be ended in time (a thread of its hangs) is abandoned: it stays in
// memory, gets no more calls, and its late answers are stale.
//
// Threads: `start` and `stop` by one thread at a time; the rest any. Owner: the agent and the
// routes share it; each running call and invocation does too.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "loader/admission.h"
#include "loader/entry_gate.h"
#include "loader/host_side.h"
#include "loader/instance_options.h"
#include "loader/lifecycle.h"
#include "loader/module_code.h"
#include "longshore/abi.h"
#include "longshore/result.hpp"
#include "longshore/secret.hpp"
#include "observe/log.h"
#include "router/call_log.h"
#include "router/router.h"
#include "router/target.h"
#include "router/worker_pool.h"

namespace longshore::loader {

class Instance final : public router::Target, public std::enable_shared_from_this<Instance> {
 public:
  using State = LifecycleState;

  // Creates the module's side too. The error tells why the module refused. DEADLINE_EXCEEDED: its
  // `create` did not return, and a thread is left in it for good.
  static Result<std::shared_ptr<Instance>> create(std::shared_ptr<ModuleCode> code,
                                                  InstanceOptions options, router::Router& router,
                                                  observe::Log& log);
  ~Instance() override;

  // Brings it to life. `settings` is a serialised longshore.module.v1.Settings. It serves only if
  // it also says that it is healthy, should it have the method for that.
  Result<void> start(std::string settings, std::string_view handover);

  // Has a `start` that runs, or comes, end at once, with an error. [any thread]
  void give_up_start();

  // Takes no more calls, since the routes lead elsewhere by now, but those that its own calls wait
  // for, and waits for what is here; calls that are stuck are not waited for. False: the time is
  // over.
  bool drain(router::Clock::time_point deadline);
  // Has a drain that runs, or comes, end by then. [any thread]
  void hurry(router::Clock::time_point deadline) { admission_.hurry(deadline); }
  // Serves again: the drain is given up.
  void resume();

  // Asks for what is the agent's alone: one of the description's `metrics` and `describe_object`.
  // Whoever observes it hears by `patience` at the latest. [any thread]
  void ask(const router::Method& method, std::string request, std::chrono::nanoseconds patience,
           std::shared_ptr<router::CallObserver> observer);

  // From now on all that its module calls ends with UNAVAILABLE. [any thread]
  void revoke_calls(const std::string& reason) { host_.revoke_calls(reason); }
  // Ends its process, if it has one of its own. `end`: "was killed because ...". [any thread]
  bool kill(const std::string& end) { return code_->kill(host_.table(), end); }

  // Ends it: stop, wait for the calls, destroy. After `deadline` the calls are cancelled; what has
  // not come to its end a second later (calls, then posts, then functions) makes the instance
  // abandoned, which is the error. The value is the handover.
  // Calls that are stuck are waited for as the others are, or get that second only.
  using StuckCalls = Admission::StuckCalls;
  Result<Secret> stop(router::Clock::time_point deadline, StuckCalls stuck = StuckCalls::kAwaited);

  // What `stop` has left for the next instance, even if this one was abandoned after that.
  Secret handover() const;
  // Whether create or stop gave up on it.
  bool is_abandoned() const;
  // Whether it was ended or given up on, so that there is nothing more to do.
  bool has_ended() const;

  const InstanceOptions& options() const { return options_; }
  const ModuleFacts& facts() const { return code_->facts(); }
  const Lifecycle& lifecycle() const { return *lifecycle_; }

  struct Figures : Admission::Figures {
    State state = State::kCreated;
    std::string reason;
    uint64_t threads = 0;     // of its pool
    uint64_t violations = 0;  // of its contract
    std::string last_violation;
    std::chrono::milliseconds uptime{0};
  };
  Figures figures() const;

  // router::Target
  Result<void> submit(std::shared_ptr<router::Call> call) override;
  bool has_moved() const override { return admission_.has_moved(); }
  void execute(router::Call& call) override;
  void on_cancel(router::Call& call) override;
  void on_writable(router::Call& call) override;
  void on_given_back(router::Call& call) override;
  std::string waits_behind(const router::Call& call) const override {
    return admission_.waits_behind(call);
  }
  void on_stuck(router::Call& call) override;
  void on_refused(const router::Call&) override { admission_.count_refused(); }
  void on_end(router::Call& call) override;

 private:
  Instance(std::shared_ptr<ModuleCode> code, InstanceOptions options, router::Router& router,
           observe::Log& log);

  Result<void> create_self();
  // Asks the instance's own Health/Check, if it has one.
  Result<void> probe();

  static constexpr const char* kStart = "start";
  static constexpr const char* kStop = "stop";
  class ControlTarget;
  void make_control_target();
  // Runs start or stop as a call of its own and waits for it, `timeout` at most.
  Result<Secret> control(const char* name, std::chrono::nanoseconds timeout,
                         std::string request_bytes);
  bool has_control_call() const;
  bool start_is_given_up() const;
  void end_start();
  void start_ended(bool well);
  bool wait_for_start();    // false: its start does not return
  bool wants_stop() const;  // since its start was finished well, in time or not

  // Tells the module something on the thread for that, unless it has ended.
  void notify(void (*function)(void* self, longshore_call call), longshore_call call);
  // Runs a call that may run: on the thread that reads the requests where that fits, or the pool.
  void begin(std::shared_ptr<router::Call> call);
  // May be reached again from within: a call may end at once.
  void start_waiting_calls();
  // Runs `function` on a pool thread. False: it did not return in time and the thread is left in
  // it.
  bool within(std::chrono::nanoseconds time, std::function<void()> function);
  void end_calls(const char* why, bool (*which)(const router::Call& call));
  // False: it hangs. On a pool thread, as create is.
  bool destroy(router::Clock::duration time);
  // Leaves the module's side as it is, for good. `action`: what could not be done.
  Error abandon(const char* action, std::string why);

  const std::shared_ptr<ModuleCode> code_;
  const InstanceOptions options_;
  const std::shared_ptr<Lifecycle> lifecycle_;
  router::Router& router_;
  observe::Log& log_;
  router::CallLog call_log_;
  std::shared_ptr<router::Target> control_target_;  // from create on
  void* self_ = nullptr;
  longshore_instance functions_{};
  EntryGate gate_;                        // before these functions
  Secret handover_;                       // until start is finished
  std::shared_ptr<Instance> kept_alive_;  // itself, once abandoned
  router::WorkerPool pool_;
  // Cancellations, credit and completions: one thread, which hangs alone should the module hold it
  // up. Not the pool's: all of that may be in calls that wait for such a thing.
  router::WorkerPool notifications_;
  Admission admission_;
  HostSide host_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  enum class StartStep { kNone, kRuns, kDone };
  StartStep start_step_ = StartStep::kNone;  // after a start that failed too
  bool start_is_given_up_ = false;
  bool ended_ = false;
  Secret left_;  // for the next instance
  router::Clock::time_point started_at_{};
};

}  // namespace longshore::loader
