// What can answer calls: an instance of a module, or a service of the agent itself.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "longshore/result.hpp"

namespace longshore::router {

class Call;

// What a target keeps of a call that it has taken; see Call::target_record.
class TargetRecord {
 public:
  virtual ~TargetRecord() = default;
};

// The notifications are for targets that keep books on their calls; one that answers each call in
// `execute` needs none of them.
// Owner: the routes and each running call share it. Threads: any, unless said otherwise.
class Target {
 public:
  virtual ~Target() = default;

  // Takes a call in: runs it at once or queues it. An error refuses it.
  virtual Result<void> submit(std::shared_ptr<Call> call) = 0;

  // Whether the routes lead elsewhere by now, so that a call which it refuses is not lost but
  // routed anew: it came by an older table of routes. True for good once the new routes are set.
  virtual bool has_moved() const { return false; }

  // Runs a call that `submit` queued, on this thread.
  virtual void execute(Call& call) = 0;

  // Nobody waits for the call any more, but it has been begun and must still be finished.
  virtual void on_cancel(Call&) {}

  // A send that was refused for want of credit may be tried again.
  virtual void on_writable(Call&) {}

  // The module gave the call back untouched; it is queued again, and runs when this target says.
  virtual void on_given_back(Call&) {}

  // The key of the bulkhead behind which the call waits for its turn, or has waited; empty where
  // it never had to, and once it runs.
  virtual std::string waits_behind(const Call&) const { return {}; }

  // The call has been over its deadline for the grace time and still holds its slot.
  virtual void on_stuck(Call&) {}

  // A call for it was refused by others, as for want of the audit log, and does not come.
  virtual void on_refused(const Call&) {}

  // The call has been finished, or was given up before it began. Exactly once for each call that
  // `submit` accepted.
  virtual void on_end(Call&) {}
};

}  // namespace longshore::router
