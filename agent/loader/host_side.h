// The agent's side of the ABI for one instance: what its module asks for through its longshore_host
// (host_table.cc has the C functions), and what of it is not over yet.
//
//   open ──end──► closed: everything is refused, and what the module had begun is cancelled
//     └─revoke_calls─► what it calls ends with UNAVAILABLE; else open, until closed
//
// Threads: any. Owner: the instance. What the module has begun keeps the instance, until it is over
// or `end` has been.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "loader/admission.h"
#include "loader/contract_violations.h"
#include "loader/entry_gate.h"
#include "loader/host_table.h"
#include "loader/instance_options.h"
#include "loader/invocation.h"
#include "loader/module_code.h"
#include "loader/posted_function.h"
#include "longshore/abi.h"
#include "observe/log.h"
#include "observe/rate_limited_log.h"
#include "router/router.h"
#include "router/worker_pool.h"

namespace longshore::loader {

class HostSide {
 public:
  // All of them outlive it.
  struct Parts {
    const InstanceOptions& options;
    router::Router& router;
    observe::Log& log;
    router::WorkerPool& pool;           // for the module's posts
    router::WorkerPool& notifications;  // for completions
    const EntryGate& gate;              // before the module's functions
    Admission& admission;
    std::function<void()> start_waiting_calls;
  };
  HostSide(Parts parts, ModuleCode& code);
  ~HostSide();
  HostSide(const HostSide&) = delete;
  HostSide& operator=(const HostSide&) = delete;

  const longshore_host* table() const { return table_->table(); }
  // From now on the table leads here. `self` shares the instance; calls of `targets` are its own.
  void connect(const std::shared_ptr<HostSide>& self, std::vector<const router::Target*> targets);
  void disconnect() { table_->disconnect(); }
  // The module is destroyed, and its table may serve the next instance.
  void give_back_table() { is_table_free_ = true; }

  // The functions of longshore_host.
  longshore_result invoke(const longshore_invoke_request& request,
                          longshore_invocation* invocation);
  longshore_result cancel_invocation(longshore_invocation invocation);
  longshore_result grant(longshore_invocation invocation, uint32_t messages);
  // `timer` may be null.
  longshore_result post(int64_t delay_ns, PostedFunction::Function function, void* user,
                        longshore_timer* timer = nullptr);
  longshore_result cancel_timer(longshore_timer timer);
  longshore_result set_degraded(std::string_view reason);
  longshore_result set_bulkhead(longshore_call call, std::string_view key);
  // The call waits in the module's process behind others for `bulkhead`, and leaves its place here
  // to others. Empty: it runs there.
  void set_waiting(longshore_call call, std::string_view bulkhead);
  void write_log(longshore_log_level level, longshore_call call, std::string_view text);
  // The call if it is one of this instance's that is not over.
  std::shared_ptr<router::Call> own_call(longshore_call handle) const;
  // Counts and logs what the module did wrong when it called `function`.
  void violated(std::string_view function, std::string_view what);
  // The same for a call's handle that own_call does not know; one that was good once is no fault
  // where the module cannot know of the end.
  void used_stale(std::string_view function, longshore_call handle, bool may_be_over);
  const ContractViolations& violations() const { return violations_; }
  // What the module said last of how it serves; empty: well.
  std::string degraded() const;

  // For invocations and posts.
  void invocation_ended(longshore_invocation invocation);
  void post_is_due(const std::shared_ptr<PostedFunction>& posted);
  void post_ended(const PostedFunction& posted);
  // Runs `completion` inside of the module: on this thread if it is the module's own already, or on
  // the instance's thread for such.
  void notify(std::shared_ptr<router::Work> completion);

  // What the module calls, now and from now on, ends with UNAVAILABLE. [any thread]
  void revoke_calls(const std::string& reason);

  // Closes it. False: what the module had begun did not come to an end in time.
  bool end(router::Clock::duration time);
  // Closes it, and leaves the rest.
  void close();

 private:
  longshore_result refused_after_stop(std::string_view function);
  std::shared_ptr<Invocation> find_invocation(std::string_view function,
                                              longshore_invocation invocation);
  // Null where the instance has been stopped. `revoked`: why it may not call, if it may not.
  std::shared_ptr<Invocation> begin_invocation(const longshore_invoke_request& request,
                                               longshore_invocation* handle, std::string& revoked);

  const Parts parts_;
  ModuleCode& code_;
  HostTable* const table_;
  bool is_table_free_ = false;
  const std::shared_ptr<const router::Caller> caller_;
  // The same on behalf of who is behind the parent call; the last one that was asked for.
  std::shared_ptr<const router::Caller> caller_for(const router::Call& parent);
  std::shared_ptr<const router::Caller> nested_caller_;  // guarded by the mutex
  std::weak_ptr<HostSide> self_;
  std::vector<const router::Target*> targets_;
  observe::RateLimitedLog log_;
  observe::RateLimitedLog states_log_;  // well, degraded, well, ...
  ContractViolations violations_;
  router::HandleTable<Invocation> invocations_;
  router::HandleTable<PostedFunction> posts_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::string degraded_;
  std::string revoked_;  // why the module may not call any more; empty: it may
  bool closed_ = false;
};

}  // namespace longshore::loader
