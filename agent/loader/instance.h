// A living module: its code, settings, a pool of threads and the calls that run.
//
//   created ──start──► serving ──stop──► draining ──► stopped ──► destroyed
//      │                  │
//      └──► failed ◄──────┘ (an error, a time limit, or calls that never ended)
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
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "loader/entry_gate.h"
#include "loader/host_bridge.h"
#include "loader/invocation.h"
#include "loader/module_code.h"
#include "loader/posted_function.h"
#include "longshore/abi.h"
#include "longshore/result.hpp"
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
  std::chrono::nanoseconds start_timeout = std::chrono::seconds(30);
};

class Instance final : public router::Target, public std::enable_shared_from_this<Instance> {
 public:
  enum class State { kCreated, kServing, kDraining, kStopped, kFailed };

  // Creates the module's side too. The error tells why the module refused.
  static Result<std::shared_ptr<Instance>> create(std::shared_ptr<ModuleCode> code,
                                                  InstanceOptions options, router::Router& router,
                                                  observe::Log& log);
  ~Instance() override;

  // Brings it to life. `settings` is a serialised longshore.module.v1.Settings.
  Result<void> start(std::string settings, std::string handover);

  // Ends it: stop, wait for the calls, destroy. After `deadline` the calls are cancelled; what has
  // not come to its end a second later (calls, then posts, then functions) makes the instance
  // abandoned, which is the error. The value is the handover.
  Result<std::string> stop(router::Clock::time_point deadline);

  // Whether stop gave up on it.
  bool is_abandoned() const;

  const InstanceOptions& options() const { return options_; }
  const ModuleFacts& facts() const { return code_->facts(); }

  struct Figures {
    State state = State::kCreated;
    std::string reason;
    uint64_t running = 0;
    uint64_t waiting = 0;  // for their turn
    uint64_t total = 0;
    uint64_t failed = 0;
    uint64_t stuck = 0;
    uint64_t threads = 0;  // of its pool
    std::chrono::milliseconds uptime{0};
  };
  Figures figures() const;

  // router::Target
  Result<void> submit(std::shared_ptr<router::Call> call) override;
  void execute(router::Call& call) override;
  void on_cancel(router::Call& call) override;
  void on_writable(router::Call& call) override;
  void on_stuck(router::Call& call) override;
  void on_end(router::Call& call) override;

  // For the host side of the ABI; see longshore_host.
  longshore_answer invoke(const longshore_invoke_request& request,
                          longshore_invocation* invocation);
  longshore_answer cancel_invocation(longshore_invocation invocation);
  longshore_answer grant(longshore_invocation invocation, uint32_t messages);
  longshore_answer post(int64_t delay_ns, PostedFunction::Function function, void* user);
  void write_log(longshore_log_level level, longshore_call call, std::string_view text);
  // The call if it is one of this instance's that is not over.
  std::shared_ptr<router::Call> own_call(longshore_call handle) const;
  // Takes the call out of the table: true for one of those who try to finish it.
  bool take_call(longshore_call handle);
  void invocation_ended(longshore_invocation invocation);
  void post_is_due(const std::shared_ptr<PostedFunction>& posted);
  void post_ended(PostedFunction* posted);

 private:
  Instance(std::shared_ptr<ModuleCode> code, InstanceOptions options, router::Router& router,
           observe::Log& log);

  class ControlTarget;
  void make_control_target();
  // Runs start or stop as a call of its own and waits for it, `timeout` at most.
  Result<std::string> control(const char* name, std::chrono::nanoseconds timeout,
                              std::string request_bytes);
  bool has_control_call() const;

  // Runs a call that may run: on the thread that reads the requests where that fits, or the pool.
  void begin(std::shared_ptr<router::Call> call);
  size_t concurrency_limit() const;                         // locked
  bool names_stuck_object(const router::Call& call) const;  // locked
  void start_waiting_calls();
  bool wait_for_calls(router::Clock::time_point deadline);
  void cancel_all_calls();
  bool destroy();  // false: it hangs
  bool end_posts_and_invocations();
  // Leaves the module's side as it is, for good.
  Error abandon(std::string why);

  const std::shared_ptr<ModuleCode> code_;
  const InstanceOptions options_;
  router::Router& router_;
  observe::Log& log_;
  observe::RateLimitedLog module_log_;
  const std::shared_ptr<const router::Caller> caller_;
  std::shared_ptr<router::Target> control_target_;  // from create on
  HostBridge* const bridge_;
  void* self_ = nullptr;
  longshore_instance functions_{};
  EntryGate gate_;                        // before these functions
  std::string handover_;                  // until start is finished
  std::shared_ptr<Instance> kept_alive_;  // itself, once abandoned
  router::WorkerPool pool_;
  router::HandleTable<Invocation> invocations_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kCreated;
  std::string reason_;
  size_t running_ = 0;                                 // calls handed to the module
  std::deque<std::shared_ptr<router::Call>> waiting_;  // over the concurrency limit
  std::set<std::shared_ptr<PostedFunction>> posts_;
  bool posts_cancelled_ = false;
  std::multiset<std::string> stuck_objects_;
  size_t stuck_ = 0;
  router::Clock::time_point started_at_{};
  uint64_t total_ = 0;
  uint64_t failed_ = 0;
};

// "serving"
const char* name_of(Instance::State state);

}  // namespace longshore::loader
