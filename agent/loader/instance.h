// A living module: its code, settings, a pool of threads and the calls that run. Its states are
// those of lifecycle.h, from created on.
//
// An instance that cannot be ended in time (a thread of its hangs) is abandoned: it stays in
// memory, gets no more calls, and its late answers are stale.
//
// Threads: `start` and `stop` by one thread at a time; the rest any. Owner: the agent and the
// routes share it; each running call and invocation does too.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "loader/contract_violations.h"
#include "loader/entry_gate.h"
#include "loader/host_table.h"
#include "loader/invocation.h"
#include "loader/lifecycle.h"
#include "loader/module_code.h"
#include "loader/posted_function.h"
#include "longshore/abi.h"
#include "longshore/result.hpp"
#include "longshore/secret.hpp"
#include "observe/log.h"
#include "observe/rate_limited_log.h"
#include "router/router.h"
#include "router/target.h"
#include "router/worker_pool.h"

namespace longshore::loader {

struct InstanceOptions {
  std::string name;  // "disk", as the configuration has it
  size_t max_concurrent_calls = 16;
  size_t max_queued_calls = 256;
  // How many stuck calls are replaced by threads of their own before calls for their objects fail.
  size_t max_stuck_calls = 4;
  std::shared_ptr<const std::set<std::string, std::less<>>> may_call;
  // Of `create`, of `start` and of the first Health/Check, each.
  std::chrono::nanoseconds start_timeout = std::chrono::seconds(30);
  // What has been recorded so far; null begins a new one.
  std::shared_ptr<Lifecycle> lifecycle = nullptr;

  // For a child process. Takes the module's log lines in place of the log, with the origin of their
  // call or 0; the calls themselves are then not logged, since the agent does.
  std::function<void(longshore_log_level level, uint64_t origin, std::string_view text)> write_log =
      nullptr;
  // Told in `stop` as soon as the module's own stop is over, while its calls may still run.
  std::function<void(const Result<Secret>& handover)> on_handover = nullptr;
  // Told of each violation of the contract, with their number so far. [any thread]
  std::function<void(uint64_t count, const std::string& last)> on_violation = nullptr;
};

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

  // Takes no more calls, since the routes lead elsewhere by now, but those that its own calls wait
  // for, and waits for what is here; calls that are stuck are not waited for. False: the time is
  // over.
  bool drain(router::Clock::time_point deadline);
  // Has a drain that runs, or comes, end by then. [any thread]
  void hurry(router::Clock::time_point deadline);
  // Serves again: the drain is given up.
  void resume();

  // Ends it: stop, wait for the calls, destroy. After `deadline` the calls are cancelled; what has
  // not come to its end a second later (calls, then posts, then functions) makes the instance
  // abandoned, which is the error. The value is the handover.
  // Calls that are stuck are waited for as the others are, or get that second only.
  enum class StuckCalls { kAwaited, kLeft };
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

  struct Figures {
    State state = State::kCreated;
    std::string reason;
    uint64_t running = 0;
    uint64_t waiting = 0;  // for their turn
    uint64_t total = 0;
    uint64_t failed = 0;
    uint64_t stuck = 0;
    uint64_t threads = 0;     // of its pool
    std::string degraded;     // why it serves, but badly; empty: it does not
    uint64_t violations = 0;  // of its contract
    std::string last_violation;
    std::chrono::milliseconds uptime{0};
  };
  Figures figures() const;

  // router::Target
  Result<void> submit(std::shared_ptr<router::Call> call) override;
  bool has_moved() const override { return has_moved_; }
  void execute(router::Call& call) override;
  void on_cancel(router::Call& call) override;
  void on_writable(router::Call& call) override;
  void on_stuck(router::Call& call) override;
  void on_end(router::Call& call) override;

  // For the host side of the ABI; see longshore_host.
  longshore_result invoke(const longshore_invoke_request& request,
                          longshore_invocation* invocation);
  longshore_result cancel_invocation(longshore_invocation invocation);
  longshore_result grant(longshore_invocation invocation, uint32_t messages);
  longshore_result post(int64_t delay_ns, PostedFunction::Function function, void* user);
  void write_log(longshore_log_level level, longshore_call call, std::string_view text);
  // The call if it is one of this instance's that is not over.
  std::shared_ptr<router::Call> own_call(longshore_call handle) const;
  // Takes the call out of the table: true for one of those who try to finish it.
  bool take_call(longshore_call handle);
  // Counts and logs what the module did wrong when it called `function`.
  void violated(std::string_view function, std::string_view what);
  // The same for a call's handle that own_call does not know; one that was good once is no fault
  // where the module cannot know of the end.
  void used_stale(std::string_view function, longshore_call handle, bool may_be_over);
  longshore_result refused_after_stop(std::string_view function);
  std::shared_ptr<Invocation> find_invocation(std::string_view function,
                                              longshore_invocation invocation);
  void invocation_ended(longshore_invocation invocation);
  // Runs `completion` inside of the module: on this thread if it is the module's own already, or on
  // the instance's thread for such.
  void notify(std::shared_ptr<router::Work> completion);
  void post_is_due(const std::shared_ptr<PostedFunction>& posted);
  void post_ended(PostedFunction* posted);

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
  void start_ended(bool well);
  bool wait_for_start();    // false: its start does not return
  bool wants_stop() const;  // since its start was finished well, in time or not

  // Tells the module something on the thread for that, unless it has ended.
  void notify(void (*function)(void* self, longshore_call call), longshore_call call);
  // Runs a call that may run: on the thread that reads the requests where that fits, or the pool.
  void begin(std::shared_ptr<router::Call> call);
  size_t concurrency_limit() const;                         // locked
  bool names_stuck_object(const router::Call& call) const;  // locked
  std::string why_degraded() const;                         // locked
  void start_waiting_calls();  // may be reached again from within: a call may end at once
  bool wait_for_calls(router::Clock::time_point deadline, StuckCalls stuck);
  // Runs `function` on a pool thread. False: it did not return in time and the thread is left in
  // it.
  bool within(std::chrono::nanoseconds time, std::function<void()> function);
  void cancel_all_calls();
  bool destroy();  // false: it hangs; on a pool thread, as create is
  bool end_posts_and_invocations();
  // Leaves the module's side as it is, for good. `action`: what could not be done.
  Error abandon(const char* action, std::string why);

  const std::shared_ptr<ModuleCode> code_;
  const InstanceOptions options_;
  const std::shared_ptr<Lifecycle> lifecycle_;
  router::Router& router_;
  observe::Log& log_;
  observe::RateLimitedLog module_log_;
  ContractViolations violations_;
  const std::shared_ptr<const router::Caller> caller_;
  std::shared_ptr<router::Target> control_target_;  // from create on
  HostTable* const bridge_;
  void* self_ = nullptr;
  longshore_instance functions_{};
  EntryGate gate_;                        // before these functions
  Secret handover_;                       // until start is finished
  std::shared_ptr<Instance> kept_alive_;  // itself, once abandoned
  router::WorkerPool pool_;
  // Cancellations, credit and completions: one thread, which hangs alone should the module hold it
  // up. Not the pool's: all of that may be in calls that wait for such a thing.
  router::WorkerPool notifications_;
  router::HandleTable<Invocation> invocations_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool admits_ = false;  // takes calls
  bool drains_ = false;  // takes those that are nested in its own
  enum class StartStep { kNone, kRuns, kDone };
  StartStep start_step_ = StartStep::kNone;  // after a start that failed too
  std::atomic<bool> has_moved_{false};
  router::Clock::time_point drain_end_ = router::Clock::time_point::max();
  size_t running_ = 0;                                 // calls handed to the module
  std::deque<std::shared_ptr<router::Call>> waiting_;  // over the concurrency limit
  bool starting_waiting_ = false;                      // a thread is in start_waiting_calls
  std::set<std::shared_ptr<PostedFunction>> posts_;
  bool closed_ = false;  // to what the module asks for
  bool ended_ = false;
  Secret left_;  // for the next instance
  std::multiset<std::string> stuck_objects_;
  size_t stuck_ = 0;
  router::Clock::time_point started_at_{};
  uint64_t total_ = 0;
  uint64_t failed_ = 0;
};

}  // namespace longshore::loader
